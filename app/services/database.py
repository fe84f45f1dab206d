"""Opening library.sqlite so that the app goes on whatever state the file is in."""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.schema import MIGRATIONS
from pipelines.errors import FirstlightError, NoRoom, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

BUSY_SECONDS = 1.0  # the window waits no longer for another process that writes
# Above this size the whole file is not read at the start; damage is then met where it is.
_CHECK_BYTES = 16_000_000
_DAMAGE = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """The library. `notice` is empty, or tells the user once what was wrong with the file and where it is now."""

    connection: sqlite3.Connection
    notice: str = ""


class _Later(Exception):
    """The file was written by a later Firstlight."""


class _Damaged(Exception):
    """The file is no library, or not a whole one."""


def open_library(path: Path) -> Opened:
    """Open the file at `path`, make it where it is missing, and bring it to the present version.

    A damaged file is kept aside and a new one begun. Where the file cannot be used for now (locked, unwritable, from a
    later Firstlight), it is left as it is and the library lives in memory until the app ends.
    """
    try:
        return Opened(_open(path))
    except _Damaged as error:
        log.error("%s is damaged: %s", path, error)
        return _begin_anew(path)
    except _Later:
        return _in_memory(f"The library {path} was written by a later version of Firstlight.")
    except (sqlite3.Error, OSError) as error:
        log.exception("%s cannot be used", path)
        return _in_memory(f"The library {path} cannot be used now: {_reason(error)}.")


@contextmanager
def in_words() -> Generator[None]:
    """Translate SQLite's errors while the library is in use.

    Raises:
        NoRoom: the disk is full.
        UnusableFile: anything else; the log has the details.
    """
    try:
        yield
    except sqlite3.Error as error:
        log.exception("the library failed")
        if _code(error) == sqlite3.SQLITE_FULL:
            raise NoRoom("The disk is full: the library cannot be written.", "Free some space there.") from error
        raise _unusable(error) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """All or nothing. `in_words` goes round it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def migrate(connection: sqlite3.Connection, steps: tuple[tuple[str, ...], ...] = MIGRATIONS) -> None:
    """Carry out the steps that this file has not seen, each whole or not at all."""
    for version in range(_version(connection), len(steps)):
        with transaction(connection):
            if _version(connection) != version:
                continue  # another process was faster
            for statement in steps[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _check(connection, path)
        # WAL: a kill at any moment loses nothing that was committed, and readers never wait for a writer
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.DatabaseError) and _code(error) in _DAMAGE:
            raise _Damaged(str(error)) from error
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if _version(connection) > len(MIGRATIONS):
        raise _Later
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if path.stat().st_size <= _CHECK_BYTES:
        (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            raise _Damaged(answer)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _begin_anew(path: Path) -> Opened:
    aside = path.with_name(f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}{path.suffix}")
    try:
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        return Opened(
            _open(path),
            f"The library was damaged. It is kept as {aside}, and a new one was begun; your pictures are untouched.",
        )
    except (OSError, sqlite3.Error, _Damaged) as error:
        log.exception("%s cannot be put aside", path)
        return _in_memory(f"The library {path} is damaged and cannot be put aside: {_reason(error)}.")


def open_beside(path: Path) -> Opened:
    """A library in memory, for a second window on the same profile: one queue is not drawn by two."""
    return _in_memory(f"Firstlight is open already and uses the library {path}.")


def _in_memory(problem: str) -> Opened:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    words = "It is left as it is: queue and history of this session end with it. Pictures are saved as always."
    return Opened(connection, f"{problem} {words}")


def _unusable(error: sqlite3.Error) -> FirstlightError:
    return UnusableFile(f"The library cannot be used: {_reason(error)}.", "Start Firstlight again.")


def _reason(error: Exception) -> str:
    match error:
        case sqlite3.OperationalError() if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return "another program has locked it"
        case OSError() if error.strerror:
            return error.strerror
        case _:
            return str(error).rstrip(".")


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
