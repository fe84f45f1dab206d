"""Pictures in SQLite: where they are and how they were made. No Qt here.

A view keeps the numbers that `ids` gives (8 bytes each) and fetches rows a page at a time, so that 100,000 pictures
cost neither time nor memory, and a picture that is added meanwhile shifts no page.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.database import in_words, transaction
from app.services.picture_search import Index
from pipelines import metadata
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.request import GenerationRequest

_COLUMNS = "id, path, created, width, height, prompt, request, backend, precision, seconds, favourite, missing"
_PAGE = 500  # rows a statement: SQLite's limit of values is 999 in old versions


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture on disk. `id` is 0 until it is in the library.

    `request` remakes it alone; it is None where a later Firstlight wrote it. `missing` tells that the file was not
    there when last looked for. `created` is seconds since 1970, `seconds` is the time that drawing took.
    """

    path: Path
    created: float
    width: int
    height: int
    request: GenerationRequest | None
    backend: str = ""
    precision: str = ""
    seconds: float = 0.0
    favourite: bool = False
    missing: bool = False
    prompt: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """Which pictures: those with all `words` in a prompt; only favourites; also those whose file is gone."""

    words: str = ""
    favourites: bool = False
    missing: bool = False


class PictureStore:
    """The table of pictures. Every method is one transaction.

    Raises:
        NoRoom, UnusableFile: from every method, where the file cannot be read or written.
    """

    def __init__(self, connection: sqlite3.Connection, *, use_index: bool = True) -> None:
        self._connection = connection
        with in_words():
            self._index = Index(connection, wanted=use_index)

    def add(self, picture: Picture) -> int:
        """Add a picture and return its number. One at the same path before it is forgotten: its file was replaced."""
        request = picture.request
        prompt, negative = (request.prompt, request.negative_prompt) if request is not None else (picture.prompt, "")
        values = (
            os.fsencode(picture.path),
            picture.created,
            picture.width,
            picture.height,
            _text(prompt),
            _text(negative),
            _text(request.model) if request is not None else "",
            metadata.request_to_json(request) if request is not None else "",
            picture.backend,
            picture.precision,
            picture.seconds,
            int(picture.favourite),
            int(picture.missing),
        )
        with in_words(), transaction(self._connection):
            old = self._connection.execute("SELECT id FROM pictures WHERE path = ?", values[:1]).fetchone()
            if old is not None:
                self._remove(old[0])
            sql = (
                "INSERT INTO pictures (path, created, width, height, prompt, negative_prompt, model, request, backend, "
                f"precision, seconds, favourite, missing) VALUES ({', '.join('?' * len(values))})"
            )
            number = self._connection.execute(sql, values).lastrowid or 0
            self._index.add(number, _text(prompt), _text(negative))
        return number

    def ids(self, query: Query | None = None, limit: int = -1) -> array[int]:
        """The numbers of the pictures, newest first; at most `limit` where that is not negative.

        With 100,000 pictures all of them take 0.1 s, a hundred nothing that could be noticed.
        """
        query = query or Query()
        with in_words():
            try:
                return self._ids(query, limit)
            except sqlite3.DatabaseError:
                if not self._index.present:
                    raise
                self._index.mend()
                return self._ids(query, limit)

    def get(self, picture: int) -> Picture | None:
        """One row, or None where it was removed."""
        found = self.rows((picture,))
        return found[0] if found else None

    def find(self, path: Path) -> Picture | None:
        """The row of that file, or None where there is none."""
        with in_words():
            sql = f"SELECT {_COLUMNS} FROM pictures WHERE path = ?"
            row = self._connection.execute(sql, (os.fsencode(path),)).fetchone()
        return _picture(row) if row is not None else None

    def rows(self, ids: Sequence[int]) -> list[Picture]:
        """The rows of these numbers, in this order; those removed meanwhile are left out."""
        found: dict[int, Picture] = {}
        with in_words():
            for start in range(0, len(ids), _PAGE):
                some = tuple(ids[start : start + _PAGE])
                sql = f"SELECT {_COLUMNS} FROM pictures WHERE id IN ({', '.join('?' * len(some))})"
                found.update((row[0], _picture(row)) for row in self._connection.execute(sql, some))
        return [found[number] for number in ids if number in found]

    def set_favourite(self, picture: int, *, favourite: bool) -> None:
        """Mark it, or take the mark away."""
        with in_words():
            self._connection.execute("UPDATE pictures SET favourite = ? WHERE id = ?", (int(favourite), picture))

    def set_missing(self, ids: Iterable[int], *, missing: bool) -> list[int]:
        """Note whether their files are there. Returns those for which that is news."""
        sql = "UPDATE pictures SET missing = ? WHERE id = ? AND missing != ?"
        with in_words(), transaction(self._connection):
            return [n for n in ids if self._connection.execute(sql, (int(missing), n, int(missing))).rowcount]

    def remove(self, ids: Iterable[int]) -> None:
        """Forget pictures. The files are not touched."""
        with in_words(), transaction(self._connection):
            for number in ids:
                self._remove(number)

    def known_paths(self) -> frozenset[Path]:
        """The paths of all pictures."""
        with in_words():
            rows = self._connection.execute("SELECT path FROM pictures")
            return frozenset(Path(os.fsdecode(path)) for (path,) in rows)

    def _ids(self, query: Query, limit: int) -> array[int]:
        condition = self._index.condition(query.words)
        sql = (
            "SELECT id FROM pictures WHERE "
            + ("missing IN (0, 1)" if query.missing else "missing = 0")
            + (" AND favourite = 1" if query.favourites else "")
            + condition.sql
            + " ORDER BY created DESC, id DESC LIMIT ?"
        )
        return array("q", (number for (number,) in self._connection.execute(sql, (*condition.values, limit))))

    def _remove(self, number: int) -> None:
        self._index.remove(number)
        self._connection.execute("DELETE FROM pictures WHERE id = ?", (number,))


def _text(text: str) -> str:
    """For search: without halves of surrogate pairs, which SQLite cannot hold. The request keeps them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _picture(row: tuple[int, bytes, float, int, int, str, str, str, str, float, int, int]) -> Picture:
    number, path, created, width, height, prompt, request, backend, precision, seconds, favourite, missing = row
    return Picture(
        path=Path(os.fsdecode(path)),
        created=created,
        width=width,
        height=height,
        request=_request(request),
        backend=backend,
        precision=precision,
        seconds=seconds,
        favourite=bool(favourite),
        missing=bool(missing),
        prompt=prompt,
        id=number,
    )


def _request(text: str) -> GenerationRequest | None:
    try:
        return metadata.request_from_json(text)
    except UnusableFile:
        return None
