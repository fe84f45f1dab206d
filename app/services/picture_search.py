"""Search in prompts: by SQLite's FTS5 where it is there, else word by word."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

# Below, words are written without spaces (Chinese, Japanese, Thai …), and the index knows only whole runs of them.
_UNSPACED = 0x2E80
_UNSPACED_TOO = range(0x0E00, 0x1000)  # Thai, Lao, Tibetan


@dataclass(frozen=True, slots=True)
class Condition:
    """Part of a WHERE clause over `pictures`, with its values."""

    sql: str = ""
    values: tuple[str, ...] = ()


class Index:
    """The words of all prompts. `present` is False where this SQLite has no FTS5, or the index cannot be mended.

    It is a help and no more: where it fails, the search goes word by word, and no picture is lost by it.
    """

    def __init__(self, connection: sqlite3.Connection, *, wanted: bool = True) -> None:
        self._connection = connection
        self.present = wanted and _has_fts5(connection)
        if self.present:
            self._try(self._prepare)

    def add(self, picture: int, prompt: str, negative_prompt: str) -> None:
        """Index a new row."""
        if self.present:
            sql = "INSERT INTO picture_words (rowid, prompt, negative_prompt) VALUES (?, ?, ?)"
            self._try(lambda: self._connection.execute(sql, (picture, prompt, negative_prompt)))

    def remove(self, picture: int) -> None:
        """Take a row out, while it is still in `pictures`."""
        if self.present:
            sql = (
                "INSERT INTO picture_words (picture_words, rowid, prompt, negative_prompt) "
                "SELECT 'delete', id, prompt, negative_prompt FROM pictures WHERE id = ?"
            )
            self._try(lambda: self._connection.execute(sql, (picture,)))

    def mend(self) -> None:
        """Make it anew from the rows, after it has failed."""
        self._try(self._rebuild)

    def condition(self, text: str) -> Condition:
        """What finds the rows with every word of `text` in a prompt: as the beginning of a word, case ignored."""
        indexed: list[str] = []
        scanned: list[str] = []
        for word in text.replace("\0", " ").encode("utf-8", "ignore").decode("utf-8").split():
            simple = self.present and any(map(str.isalnum, word)) and not any(map(_is_unspaced, word))
            (indexed if simple else scanned).append(word)
        parts: list[str] = []
        values: list[str] = []
        if indexed:
            parts.append("id IN (SELECT rowid FROM picture_words WHERE picture_words MATCH ?)")
            values.append(" ".join('"{}"*'.format(word.replace('"', '""')) for word in indexed))
        for word in scanned:
            parts.append("(prompt LIKE ? ESCAPE '\\' OR negative_prompt LIKE ? ESCAPE '\\')")
            values += [_like(word)] * 2
        return Condition("".join(f" AND {part}" for part in parts), tuple(values))

    def _prepare(self) -> None:
        """Make the index where it is missing, and again where rows came or went without it."""
        # The text itself stays in `pictures`: the index refers to it
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS picture_words USING fts5(prompt, negative_prompt, content='pictures', "
            "content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3')"
        )
        sql = "SELECT (SELECT count(*) FROM {0}), (SELECT max(id) FROM {0})"
        indexed, rows = (
            self._connection.execute(sql.format(table)).fetchone() for table in ("picture_words_docsize", "pictures")
        )
        if indexed != rows:
            log.info("the search index is made anew")
            self._rebuild()

    def _rebuild(self) -> None:
        self._connection.execute("INSERT INTO picture_words (picture_words) VALUES ('rebuild')")

    def _try(self, work: Callable[[], object]) -> None:
        """Do without the index from now on where it is damaged; a full or locked disk is for the caller to tell."""
        try:
            work()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            log.warning("the search index is not used: %s", error)
            self.present = False


def _has_fts5(connection: sqlite3.Connection) -> bool:
    try:
        return connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone() is not None
    except sqlite3.OperationalError as error:  # built without introspection
        log.warning("it cannot be known whether SQLite has FTS5, so it is not used: %s", error)
        return False


def _is_unspaced(character: str) -> bool:
    return ord(character) >= _UNSPACED or ord(character) in _UNSPACED_TOO


def _like(word: str) -> str:
    for special in ("\\", "%", "_"):
        word = word.replace(special, f"\\{special}")
    return f"%{word}%"
