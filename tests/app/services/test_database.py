"""The library file in every state that it can be found in."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.services.database import BUSY_SECONDS, migrate, open_library
from app.services.job_store import JobState, JobStore
from app.services.schema import MIGRATIONS
from pipelines.errors import NoRoom
from tests.pipelines.test_worker import request

LATEST = len(MIGRATIONS)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name").fetchall()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "library.sqlite"


def test_a_new_file(file: Path) -> None:
    opened = open_library(file)
    assert opened.notice == ""
    assert version(opened.connection) == LATEST
    assert opened.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    opened.connection.close()


@pytest.mark.parametrize("old", range(1, LATEST + 1))
def test_every_older_version_is_brought_up_to_date_with_its_rows(file: Path, old: int) -> None:
    file.parent.mkdir()
    connection = sqlite3.connect(file, isolation_level=None)
    migrate(connection, MIGRATIONS[:old])
    assert version(connection) == old
    job = JobStore(connection).add(request("kept"), Path("pictures"))
    if old >= 2:
        connection.execute("INSERT INTO pictures VALUES (7, x'61', 1.5, 64, 64, 'p', '', 'm', '{}', 'e', 'f', 1, 1, 0)")
    connection.close()
    opened = open_library(file)
    fresh = open_library(file.with_name("fresh.sqlite"))
    assert opened.notice == ""
    assert version(opened.connection) == LATEST
    assert tables(opened.connection) == tables(fresh.connection)
    kept = JobStore(opened.connection).get(job)
    assert kept is not None
    assert (kept.request, kept.state) == (request("kept"), JobState.queued)
    if old >= 2:
        assert opened.connection.execute("SELECT id, favourite FROM pictures").fetchall() == [(7, 1)]
    opened.connection.close()
    fresh.connection.close()


def test_a_step_that_fails_leaves_the_version_before_it(file: Path) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    steps = (("CREATE TABLE one (a)",), ("CREATE TABLE two (a)", "CREATE NONSENSE"))
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, steps)
    assert version(connection) == 1
    assert [name for name, _ in tables(connection)] == ["one"]
    connection.close()


def damage(file: Path, how: str) -> None:
    data = bytearray(file.read_bytes())
    match how:
        case "text":
            data = bytearray(b"<html>" * 999)
        case "cut":
            data = data[: len(data) // 2]
        case "zeros":
            data[4096:8192] = bytes(4096)
        case _:
            data[4096:] = os.urandom(len(data) - 4096)
    file.write_bytes(data)


@pytest.mark.parametrize("how", ["text", "cut", "zeros", "random"])
def test_a_damaged_file_is_kept_aside_and_told_of_once(file: Path, how: str) -> None:
    connection = open_library(file).connection
    store = JobStore(connection)
    for _ in range(200):
        store.add(request("a long prompt " * 20), file.parent)
    connection.close()
    damage(file, how)
    bytes_before = file.read_bytes()
    opened = open_library(file)
    (aside,) = file.parent.glob("library.damaged-*.sqlite")
    assert aside.read_bytes() == bytes_before
    assert str(aside) in opened.notice
    assert JobStore(opened.connection).add(request("new"), file.parent) == 1
    opened.connection.close()
    again = open_library(file)
    assert again.notice == ""
    assert JobStore(again.connection).count((JobState.queued,)) == 1
    again.connection.close()


def test_an_empty_file_is_a_new_library(file: Path) -> None:
    file.parent.mkdir()
    file.touch()
    opened = open_library(file)
    assert opened.notice == ""
    opened.connection.close()


def test_a_locked_file_is_left_alone_and_the_app_goes_on(file: Path) -> None:
    connection = open_library(file).connection
    JobStore(connection).add(request("kept"), file.parent)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    opened = open_library(file)
    assert time.monotonic() - began < 3 * BUSY_SECONDS
    assert "another program has locked it" in opened.notice
    assert JobStore(opened.connection).count((JobState.queued,)) == 0
    assert JobStore(opened.connection).add(request("for now"), file.parent) == 1
    opened.connection.close()
    connection.execute("ROLLBACK")
    connection.close()
    later = open_library(file)
    assert JobStore(later.connection).count((JobState.queued,)) == 1
    later.connection.close()


def test_a_file_of_a_later_version_is_left_alone(file: Path) -> None:
    connection = open_library(file).connection
    connection.execute(f"PRAGMA user_version = {LATEST + 1}")
    connection.close()
    opened = open_library(file)
    assert "later version" in opened.notice
    opened.connection.close()
    assert not list(file.parent.glob("*damaged*"))


def test_a_folder_in_the_place_of_the_file(file: Path) -> None:
    file.mkdir(parents=True)
    opened = open_library(file)
    assert str(file) in opened.notice
    JobStore(opened.connection).add(request("for now"), file.parent)
    opened.connection.close()


def test_a_full_disk_is_told_in_words(file: Path) -> None:
    connection = open_library(file).connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    store = JobStore(connection)

    def fill() -> None:
        for _ in range(100):
            store.add(request("long " * 500), file.parent)

    with pytest.raises(NoRoom, match="disk is full"):
        fill()
    assert store.count((JobState.queued,)) < 100
    connection.close()


def test_two_windows_on_one_library_wait_for_each_other(file: Path) -> None:
    one, other = open_library(file), open_library(file)
    assert (one.notice, other.notice) == ("", "")
    JobStore(one.connection).add(request("a"), file.parent)
    JobStore(other.connection).add(request("b"), file.parent)
    assert JobStore(one.connection).count((JobState.queued,)) == 2
    one.connection.close()
    other.connection.close()


def test_what_was_committed_outlives_a_kill(file: Path) -> None:
    code = f"""
import os
from pathlib import Path
from app.services.database import open_library
from app.services.job_store import JobStore
from tests.pipelines.test_worker import request
store = JobStore(open_library(Path({str(file)!r})).connection)
for n in range(20):
    store.add(request(str(n)), Path("x"))
os.kill(os.getpid(), 9)
"""
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    opened = open_library(file)
    assert opened.notice == ""
    jobs = JobStore(opened.connection).page((JobState.queued,), 0, 99)
    assert [job.title for job in jobs] == [str(n) for n in range(20)]
    opened.connection.close()
