"""The pictures, with a real library file, real picture files and the system's own bin."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PySide6.QtCore import QObject, QThread

from app.services import thumbnails as thumbnails_module
from app.services.database import open_library
from app.services.jobs import Drawn
from app.services.library import Library
from app.services.picture_store import Picture, PictureStore, Query
from app.services.reveal import commands
from app.services.thumbnails import SIDE, Thumbnails, make
from pipelines import images, metadata
from pipelines.errors import UnusableFile
from pipelines.events import Failure, PictureSaved
from pipelines.request import SEED_MAX
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Wait = Callable[..., None]


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = open_library(tmp_path / "data" / "library.sqlite")
    yield opened.connection
    opened.connection.close()


@pytest.fixture(params=[True, False], ids=["fts5", "without fts5"])
def store(request: pytest.FixtureRequest, connection: sqlite3.Connection) -> PictureStore:
    return PictureStore(connection, use_index=request.param)


@pytest.fixture
def indexed(connection: sqlite3.Connection) -> PictureStore:
    return PictureStore(connection)


def picture(path: Path, prompt: str = "a red apple", created: float = 1.0, **changes: object) -> Picture:
    drawn = request(prompt, seed=SEED_MAX, **changes)
    return Picture(path, created, 64, 64, drawn, "eager", "fp32", 1.5)


def file(path: Path, prompt: str = "", size: tuple[int, int] = (64, 64)) -> Path:
    Image.new("RGB", size, "red").save(path)
    return path


# The store


def test_a_row_comes_back_as_it_was_given(store: PictureStore) -> None:
    path = Path(os.fsdecode(b"/tmp/\xff/\xf0\x9f\x98\x80.png")) if os.name == "posix" else Path("C:/ü.png")
    given_ = picture(path, "ō 😄 \ud83d\nsecond line", negative_prompt="blurry")
    number = store.add(given_)
    found = store.get(number)
    assert found is not None
    assert found.request == given_.request
    assert (found.path, found.id, found.favourite, found.missing) == (path, number, False, False)
    assert (found.backend, found.precision, found.seconds, found.created) == ("eager", "fp32", 1.5, 1.0)
    assert found.prompt == "ō 😄 ?\nsecond line"
    assert store.find(path) == found
    assert store.find(Path("none.png")) is None


def test_newest_first_and_rows_in_the_order_asked_for(store: PictureStore) -> None:
    numbers = [store.add(picture(Path(f"{n}.png"), created=float(n % 3))) for n in range(6)]
    assert list(store.ids()) == [numbers[n] for n in (5, 2, 4, 1, 3, 0)]
    assert list(store.ids(limit=2)) == [numbers[5], numbers[2]]
    wanted = [numbers[4], 999, numbers[0]]
    assert [row.id for row in store.rows(wanted)] == [numbers[4], numbers[0]]
    store.remove([numbers[5]])
    assert numbers[5] not in store.ids()
    assert store.get(numbers[5]) is None


def test_favourites_and_missing_files(store: PictureStore) -> None:
    one, other = store.add(picture(Path("1.png"))), store.add(picture(Path("2.png")))
    store.set_favourite(one, favourite=True)
    assert list(store.ids(Query(favourites=True))) == [one]
    assert store.set_missing([one, other], missing=True) == [one, other]
    assert store.set_missing([one], missing=True) == [], "no news"
    assert list(store.ids()) == []
    assert list(store.ids(Query(favourites=True))) == []
    assert list(store.ids(Query(missing=True))) == [other, one]
    assert store.set_missing([one], missing=False) == [one]
    assert list(store.ids(Query(favourites=True))) == [one]


def test_a_file_that_took_anothers_name_takes_its_row(store: PictureStore) -> None:
    old = store.add(picture(Path("same.png"), "first"))
    new = store.add(picture(Path("same.png"), "second"))
    assert new > old
    assert list(store.ids()) == [new]
    assert list(store.ids(Query("first"))) == []
    assert list(store.ids(Query("second"))) == [new]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("apple", {"apple"}),
        ("APPLE red", {"apple"}),
        ("app", {"apple"}),
        ("red", {"apple", "car"}),
        ("red 100%", {"car"}),
        ("1_0%", set()),
        ('"quoted"', {"quotes"}),
        ("it's", {"quotes"}),
        ("りんご", {"japanese"}),
        ("んご", {"japanese"}),
        ("😄", {"quotes"}),
        ("blurry", {"car"}),
        ("NEAR OR (*", set()),
        ("  ", {"apple", "car", "quotes", "japanese"}),
        ("no\0where", set()),
    ],
)
def test_search_in_prompts(store: PictureStore, words: str, found: set[str]) -> None:
    prompts = {
        "apple": "a red Apple on a table",
        "car": "a red car, 100% sharp",
        "quotes": '"quoted", it\'s here 😄',
        "japanese": "赤いりんごの絵",
    }
    numbers = {
        store.add(picture(Path(name), prompt, negative_prompt="blurry" if name == "car" else "")): name
        for name, prompt in prompts.items()
    }
    assert {numbers[n] for n in store.ids(Query(words))} == found


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=12), st.booleans())
def test_no_text_breaks_the_search(words: str, use_index: bool) -> None:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    from app.services.database import migrate

    migrate(opened)
    store = PictureStore(opened, use_index=use_index)
    number = store.add(picture(Path("a"), f"x {words} y"))
    if "\0" not in words:
        assert set(store.ids(Query(words))) <= {number}
    opened.close()


def test_accents_are_found_without_them(indexed: PictureStore) -> None:
    number = indexed.add(picture(Path("a"), "Äpfel und Bäume"))
    assert list(indexed.ids(Query("apfel baume"))) == [number]


def test_rows_that_came_and_went_without_fts5_are_found_again(connection: sqlite3.Connection) -> None:
    with_index = PictureStore(connection)
    gone = with_index.add(picture(Path("a"), "apple"))
    without = PictureStore(connection, use_index=False)
    without.remove([gone])
    number = without.add(picture(Path("b"), "banana"))
    again = PictureStore(connection)
    assert list(again.ids(Query("banana"))) == [number]
    assert list(again.ids(Query("apple"))) == []


def test_a_damaged_index_costs_no_picture(connection: sqlite3.Connection, tmp_path: Path) -> None:
    store = PictureStore(connection)
    number = store.add(picture(Path("a"), "apple"))
    connection.execute("DELETE FROM picture_words_data WHERE id = 10")  # FTS5's list of its own pages
    again = open_library(tmp_path / "data" / "library.sqlite").connection  # another one keeps no copy of the list
    with pytest.raises(sqlite3.DatabaseError):
        again.execute("SELECT rowid FROM picture_words WHERE picture_words MATCH 'apple'").fetchall()
    mended = PictureStore(again)
    assert list(mended.ids(Query("apple"))) == [number]
    assert mended.add(picture(Path("b"), "another apple")) > number
    mended.remove([number])
    assert len(mended.ids(Query("apple"))) == 1
    again.close()


def test_a_hundred_thousand_pictures_stay_fast(tmp_path: Path) -> None:
    path = tmp_path / "large.sqlite"
    connection = open_library(path).connection
    PictureStore(connection).add(picture(tmp_path / "0.png", "a green pear with some more words " * 5))
    connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
        "INSERT INTO pictures (path, created, width, height, prompt, negative_prompt, model, request, backend, "
        "precision, seconds, favourite) SELECT CAST('/pictures/' || i AS BLOB), i, 64, 64, "
        "'a red apple number ' || i || ' on a table, 3D render, ' || substr(prompt, i % 9), '', model, request, "
        "backend, precision, 1, i % 50 = 0 FROM n, pictures WHERE id = 1"
    )
    PictureStore(connection)  # makes the index, once
    connection.close()
    times: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> object:
        began = time.perf_counter()
        result = work()
        times[name] = time.perf_counter() - began
        return result

    opened: list[PictureStore] = []

    def open_it() -> None:
        found = open_library(path)
        assert found.notice == ""
        opened.append(PictureStore(found.connection))
        assert len(opened[0].ids()) == 100_000

    timed("open and list", open_it)
    store = opened[0]
    ids = store.ids()
    assert ids.itemsize * len(ids) == 800_000
    for name, where in (("first page", 0), ("middle page", 50_000), ("last page", 99_900)):
        assert len(store.rows(ids[where : where + 100])) == 100
        timed(name, lambda where=where: store.rows(ids[where : where + 100]))
    assert len(store.ids(Query(favourites=True))) == 1_999
    timed("favourites", lambda: store.ids(Query(favourites=True)))
    assert len(store.ids(Query("number 777"))) == 111
    timed("search", lambda: store.ids(Query("number 777")))
    timed("add", lambda: store.add(picture(tmp_path / "new.png")))
    store._connection.close()
    print("100,000 pictures:", *(f"{name} {seconds * 1000:.0f} ms," for name, seconds in times.items()))  # noqa: T201
    assert times.pop("open and list") < 1.0
    assert max(times.values()) < 0.25


# The library


class Listener(QObject):
    def __init__(self, library: Library) -> None:
        super().__init__()
        self.added: list[int] = []
        self.changed: list[int] = []
        self.removed: list[int] = []
        self.problems: list[Failure] = []
        self.scanned: list[int] = []
        library.added.connect(self.added.append)
        library.changed.connect(self.changed.append)
        library.removed.connect(self.removed.extend)
        library.problem.connect(self.problems.append)
        library.scanned.connect(self.scanned.append)


@pytest.fixture
def library(indexed: PictureStore, qt_core: object) -> Iterator[Library]:
    library = Library(indexed)
    yield library
    library.close()


@pytest.fixture
def heard(library: Library) -> Listener:
    return Listener(library)


def test_a_drawn_picture_is_kept(library: Library, heard: Listener, tmp_path: Path) -> None:
    drawn = Drawn(1, PictureSaved(tmp_path / "a.png", 5, 64, 64, 2.0), request("an apple", seed=5), "eager", "fp32")
    library.add(drawn)
    (number,) = heard.added
    row = library.store.get(number)
    assert row is not None
    assert (row.path, row.request, row.seconds) == (tmp_path / "a.png", drawn.request, 2.0)
    assert abs(row.created - time.time()) < 60
    library.set_favourite(number, favourite=True)
    assert heard.changed == [number]
    assert list(library.store.ids(Query(favourites=True))) == [number]


def test_a_library_that_cannot_be_written_is_told_and_no_picture_is_lost(
    library: Library, heard: Listener, connection: sqlite3.Connection, tmp_path: Path
) -> None:
    connection.execute("PRAGMA query_only = ON")
    library.add(Drawn(1, PictureSaved(file(tmp_path / "a.png"), 5, 64, 64, 2.0), request("x"), "eager", "fp32"))
    (problem,) = heard.problems
    assert problem.kind == "unusable_file"
    assert (tmp_path / "a.png").exists()


def test_pictures_deleted_behind_our_back_are_noticed_and_come_back(
    library: Library, heard: Listener, wait: Wait, tmp_path: Path
) -> None:
    numbers = [library.store.add(picture(file(tmp_path / f"{n}.png"))) for n in range(3)]
    (tmp_path / "1.png").rename(tmp_path / "elsewhere.png")
    library.check(numbers)
    wait(lambda: heard.changed == [numbers[1]])
    assert list(library.store.ids()) == [numbers[2], numbers[0]]
    (tmp_path / "elsewhere.png").rename(tmp_path / "1.png")
    library.check_all()
    wait(lambda: heard.changed == [numbers[1], numbers[1]])
    assert len(library.store.ids()) == 3


def test_all_of_many_files_are_looked_for(library: Library, heard: Listener, wait: Wait, tmp_path: Path) -> None:
    for n in range(1100):
        library.store.add(picture(tmp_path / f"{n}.png"))
    library.check_all()
    wait(lambda: len(heard.changed) == 1100)
    assert list(library.store.ids()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the bin of freedesktop.org in a place of its own")
def test_delete_moves_the_file_to_the_bin(
    library: Library, heard: Listener, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # one device with the pictures, so the home's bin is used
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    import send2trash.plat_other as plat

    monkeypatch.setattr(plat, "HOMETRASH_B", os.fsencode(tmp_path / "share" / "Trash"))
    monkeypatch.setattr(plat, "HOMETRASH", str(tmp_path / "share" / "Trash"), raising=False)
    target = file(tmp_path / "target of a link.png")
    link = tmp_path / "link.png"
    link.symlink_to(target)
    paths = [file(tmp_path / "ünïcode 😄.png"), link, tmp_path / "already gone.png"]
    numbers = [library.store.add(picture(path)) for path in paths]
    kept = library.store.add(picture(file(tmp_path / "kept.png")))
    library.move_to_bin(numbers)
    wait(lambda: sorted(heard.removed) == numbers)
    assert not paths[0].exists()
    assert not link.is_symlink()
    assert target.exists(), "a link is thrown away, not what it leads to"
    assert (tmp_path / "share" / "Trash" / "files" / paths[0].name).exists()
    assert list(library.store.ids()) == [kept]
    assert heard.problems == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a place without a bin")
def test_where_there_is_no_bin_nothing_is_deleted(library: Library, heard: Listener, wait: Wait) -> None:
    path = Path("/proc/self/status")  # nothing can be moved out of there, and it has no bin
    number = library.store.add(picture(path))
    library.move_to_bin([number])
    wait(lambda: heard.problems)
    assert "Nothing was deleted" in heard.problems[0].action
    assert path.exists()
    wait(lambda: True)
    assert heard.removed == []


def test_forget_touches_no_file(library: Library, heard: Listener, tmp_path: Path) -> None:
    number = library.store.add(picture(file(tmp_path / "a.png")))
    library.forget([number])
    assert heard.removed == [number]
    assert (tmp_path / "a.png").exists()


def test_a_scan_takes_up_our_own_pictures_that_are_not_known(
    library: Library, heard: Listener, wait: Wait, tmp_path: Path
) -> None:
    drawn = request("an apple", seed=SEED_MAX)
    record = metadata.Record(drawn, "0.1", "eager", "fp32", "cpu", "2026-01-02T03:04:05+00:00")
    target = images.Target(tmp_path, is_dir=True)
    ours = [images.save(Image.new("RGB", (64, 64)), target, record) for _ in range(2)]
    file(tmp_path / "not ours.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n")
    known = library.store.add(picture(ours[0]))
    library.scan(tmp_path)
    wait(lambda: heard.scanned == [1])
    (number,) = heard.added
    row = library.store.get(number)
    assert row is not None
    assert (row.path, row.request, row.created, row.width) == (ours[1], drawn, 1767323045.0, 64)
    assert set(library.store.ids()) == {known, number}


def test_closing_waits_for_work_in_hand(indexed: PictureStore, tmp_path: Path, qt_core: object) -> None:
    library = Library(indexed)
    library.scan(tmp_path)
    library.close()
    library.check([1])  # after the end: nothing


# Thumbnails


class Gallery(QObject):
    def __init__(self, thumbnails: Thumbnails) -> None:
        super().__init__()
        self.ready: dict[int, Path] = {}
        self.order: list[int] = []
        self.gone: list[int] = []
        self.failed: list[int] = []
        self.threads: set[QThread] = set()
        thumbnails.ready.connect(self.hear)
        thumbnails.gone.connect(self.gone.append)
        thumbnails.failed.connect(self.failed.append)

    def hear(self, number: int, path: Path) -> None:
        self.threads.add(QThread.currentThread())
        self.ready[number] = path
        self.order.append(number)


@pytest.fixture
def thumbnails(tmp_path: Path, qt_core: object) -> Iterator[Thumbnails]:
    thumbnails = Thumbnails(tmp_path / "cache" / "thumbnails")
    yield thumbnails
    thumbnails.close()


def test_thumbnails_are_made_once_and_again_when_the_picture_changes(
    thumbnails: Thumbnails, wait: Wait, tmp_path: Path
) -> None:
    gallery = Gallery(thumbnails)
    path = file(tmp_path / "large.png", size=(2048, 1024))
    thumbnails.request(1, path)
    wait(lambda: 1 in gallery.ready)
    with Image.open(gallery.ready[1]) as small:
        assert (small.size, small.mode, small.format) == ((SIDE, SIDE // 2), "RGB", "JPEG")
    made = gallery.ready[1].stat().st_ino
    thumbnails.request(2, path)
    wait(lambda: 2 in gallery.ready)
    assert gallery.ready[2].stat().st_ino == made
    file(path, size=(100, 200))
    thumbnails.request(3, path)
    wait(lambda: 3 in gallery.ready)
    with Image.open(gallery.ready[3]) as small:
        assert small.size == (100, 200), "never enlarged"
    assert gallery.threads == {QThread.currentThread()}
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_what_is_asked_for_last_comes_first(thumbnails: Thumbnails, wait: Wait, tmp_path: Path) -> None:
    gallery = Gallery(thumbnails)
    path = file(tmp_path / "a.png", size=(1500, 1500))
    with thumbnails._lock:
        thumbnails._waiting.update(dict.fromkeys(range(5), path))
    for _ in range(5):
        thumbnails._background.do(thumbnails._serve_one)
    wait(lambda: len(gallery.order) == 5)
    assert gallery.order == [4, 3, 2, 1, 0]


def test_a_picture_that_is_gone_or_damaged_is_told(thumbnails: Thumbnails, wait: Wait, tmp_path: Path) -> None:
    gallery = Gallery(thumbnails)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n")
    thumbnails.request(1, tmp_path / "none.png")
    thumbnails.request(2, tmp_path / "broken.png")
    wait(lambda: gallery.gone and gallery.failed)
    assert (gallery.gone, gallery.failed) == ([1], [2])


def test_the_cache_has_a_limit_and_what_was_used_last_stays(thumbnails: Thumbnails, wait: Wait, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "thumbnails"
    files = [make(file(tmp_path / f"{n}.png", size=(300, 300 + n)), folder) for n in range(4)]
    for age, made in enumerate(reversed(files)):
        os.utime(made, (1e9 - age, 1e9 - age))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.jpg").write_bytes(b"x" * 9999)
    (folder / "zz").symlink_to(outside, target_is_directory=True)
    thumbnails.trim(limit=sum(made.stat().st_size for made in files[2:]))
    wait(lambda: not files[0].exists() and not files[1].exists())
    thumbnails.close()
    assert files[2].exists()
    assert files[3].exists()
    assert (outside / "precious.jpg").exists(), "links are not followed"


def test_a_cache_folder_that_cannot_be_written_fails_softly(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(OSError, match="directory"):
        make(file(tmp_path / "a.png"), tmp_path / "cache")
    with pytest.raises(UnusableFile):
        make(tmp_path, tmp_path / "elsewhere")
    assert thumbnails_module.CACHE_BYTES > 0


def test_show_in_folder_commands() -> None:
    path = Path("/tmp/a, b 😄.png")
    (dbus, plain) = commands(path, "linux")
    assert dbus[0] == "dbus-send"
    assert "array:string:file:///tmp/a%2C%20b%20%F0%9F%98%84.png" in dbus[1]
    assert plain == ("xdg-open", ["/tmp"])
    assert commands(path, "darwin") == [("open", ["-R", str(path)])]
    assert commands(path, "win32") == [("explorer", [f"/select,{path}"])]
