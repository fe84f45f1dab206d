from __future__ import annotations

import errno
import json
import lzma
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.engine.manifest import Details, Facts
from pipelines.engine.store import ASIDE, ENGINE, MANIFEST, Entry, Miss, Store
from pipelines.errors import NoRoom, UnusableFile

FACTS = Facts("toy-0123", "bf16", "placeholder", "portable", "batch 1-8 (1)", "1.7.1.116", 1)
DETAILS = Details("transformer", "because", 1.5, 2.0, 10_000, "ab", {"proj.weight": "placeholder"}, {"torch": "2.13"})
PLAN = bytes(range(256)) * 40


def add(store: Store, facts: Facts = FACTS, plan: bytes = PLAN) -> Entry:
    return store.add(facts, DETAILS, lzma.compress(plan), len(plan))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def make_older(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "engines")


def test_an_engine_comes_back_as_it_was_built(store: Store) -> None:
    added = add(store)
    assert added.folder == store.folder / "toy-0123-bf16-1.7.1.116-1"
    assert names(added.folder) == {ENGINE, MANIFEST}
    found = Store(store.folder).find(FACTS)
    assert isinstance(found, Entry)
    assert found.manifest == added.manifest
    assert found.manifest.stored_bytes == (added.folder / ENGINE).stat().st_size < len(PLAN)
    assert store.load(found) == PLAN
    assert names(store.folder) == {added.name}


def test_looking_makes_nothing(store: Store) -> None:
    assert store.entries() == []
    assert isinstance(store.find(FACTS), Miss)
    assert not store.folder.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"precision": "fp16"}, "another precision (bf16, not fp16)"),
        ({"rtx_version": "1.8.0.1"}, "another version of TensorRT-RTX (1.7.1.116, not 1.8.0.1)"),
        ({"export_version": 2}, "another version of the exporter (1, not 2)"),
        ({"mode": "input"}, "another way of holding weights (placeholder, not input)"),
        ({"target": "7.5"}, "other GPUs (portable, not 7.5)"),
        ({"profile": "batch 1-4 (1)"}, "other sizes (batch 1-8 (1), not batch 1-4 (1))"),
        ({"architecture": "toy-9999"}, "no engine of toy-9999 was built"),
    ],
)
def test_a_miss_says_which_fact_differs(store: Store, change: dict[str, object], said: str) -> None:
    add(store)
    wanted = replace(FACTS, **change)  # pyright: ignore[reportArgumentType]
    found = store.find(wanted)
    assert isinstance(found, Miss)
    assert said in found.reason


def test_modes_and_targets_are_kept_side_by_side(store: Store) -> None:
    for facts in (FACTS, replace(FACTS, mode="input"), replace(FACTS, precision="fp16", target="7.5")):
        add(store, facts)
    assert len(store.entries()) == 3


def test_a_new_build_takes_the_place_of_the_old(store: Store) -> None:
    add(store)
    add(store, replace(FACTS, profile="batch 1-4 (1)"), PLAN[:100])
    (entry,) = store.entries()
    assert entry.manifest.plan_bytes == 100
    assert names(store.folder) == {entry.name}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.binary(max_size=300), file=st.sampled_from([ENGINE, MANIFEST]))
def test_random_bytes_are_set_aside(tmp_path: Path, content: bytes, file: str) -> None:
    store = Store(tmp_path / "engines")
    entry = add(store)
    (entry.folder / file).write_bytes(content)
    assert isinstance(store.find(FACTS), Miss)
    assert names(store.folder) == {ASIDE}
    assert names(store.folder / ASIDE) == {entry.name}
    assert isinstance(store.find(FACTS), Miss)


def test_an_engine_of_the_right_length_and_wrong_bytes_is_not_loaded(store: Store) -> None:
    entry = add(store)
    stored = bytearray((entry.folder / ENGINE).read_bytes())
    stored[len(stored) // 2] ^= 1
    (entry.folder / ENGINE).write_bytes(stored)
    found = store.find(FACTS)  # the length fits
    assert isinstance(found, Entry)
    loaded = store.load(found)
    assert isinstance(loaded, Miss)
    assert "set aside" in loaded.reason
    assert store.entries() == []


@pytest.mark.parametrize("damage", ["no engine", "no manifest", "empty folder", "another's manifest", "wrong types"])
def test_what_is_not_whole_is_set_aside(store: Store, damage: str) -> None:
    entry = add(store)
    manifest = entry.folder / MANIFEST
    match damage:
        case "no engine":
            (entry.folder / ENGINE).unlink()
        case "no manifest":
            manifest.unlink()
        case "empty folder":
            shutil.rmtree(entry.folder)
            entry.folder.mkdir()
        case "another's manifest":
            entry.folder.rename(store.folder / "foreign")
        case _:
            value = json.loads(manifest.read_text())
            value["plan_bytes"] = "many"
            manifest.write_text(json.dumps(value))
    assert store.entries() == []
    assert len(names(store.folder / ASIDE)) == 1
    add(store)
    assert len(store.entries()) == 1
    assert store.clear_aside() == 1
    assert not (store.folder / ASIDE).exists()


def test_links_and_loose_files_are_left_alone(store: Store, tmp_path: Path) -> None:
    entry = add(store)
    elsewhere = Path(shutil.copytree(entry.folder, tmp_path / "elsewhere"))
    (store.folder / "link").symlink_to(elsewhere, target_is_directory=True)
    (store.folder / "note.txt").write_text("mine")
    assert [one.name for one in store.entries()] == [entry.name]
    assert names(store.folder) == {entry.name, "link", "note.txt"}
    assert names(elsewhere) == {ENGINE, MANIFEST}


def test_the_least_recently_used_engines_go_first(tmp_path: Path) -> None:
    size = len(lzma.compress(PLAN))
    store = Store(tmp_path / "engines", limit=2 * size)
    old = [add(store, replace(FACTS, architecture=f"toy-{number}")) for number in (1, 2)]
    for age, entry in zip((100, 50), old, strict=True):
        make_older(entry.folder / MANIFEST, age)
    assert store.load(old[0]) == PLAN  # used now
    new = add(store, replace(FACTS, architecture="toy-3"))
    assert {entry.name for entry in store.entries()} == {old[0].name, new.name}


def test_an_engine_larger_than_the_limit_is_still_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "engines", limit=1)
    add(store)
    assert len(store.entries()) == 1


def test_a_full_disk_leaves_what_was_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store)

    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(NoRoom, match="disk is full"):
        add(store, plan=PLAN[:50])
    (entry,) = store.entries()
    assert store.load(entry) == PLAN
    assert names(store.folder) == {entry.name}


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnusableFile, match="cannot be written"):
        add(Store(tmp_path / "file" / "engines"))


def test_folders_of_builds_that_died_go_after_a_day(store: Store) -> None:
    add(store)
    for name, age in (("old", 2 * 86400), ("new", 60)):
        folder = store.folder / f".building-{name}"
        folder.mkdir()
        make_older(folder, age)
    assert len(store.entries()) == 1
    assert ".building-old" not in names(store.folder)
    assert ".building-new" in names(store.folder)


def test_only_engines_can_be_removed(store: Store, tmp_path: Path) -> None:
    entry = add(store)
    (tmp_path / "precious").mkdir()
    for name in ("", ".", "..", "../precious", ASIDE, "no-such"):
        with pytest.raises(UnusableFile, match="no engine"):
            store.remove(name)
    assert store.remove(entry.name).name == entry.name
    assert names(store.folder) == set()
    assert (tmp_path / "precious").is_dir()


@pytest.fixture
def with_shipped(store: Store, tmp_path: Path) -> Store:
    add(Store(tmp_path / "app"))
    return Store(store.folder, shipped=tmp_path / "app")


def test_a_shipped_engine_is_found_where_the_user_has_none(with_shipped: Store) -> None:
    found = with_shipped.find(FACTS)
    assert isinstance(found, Entry)
    assert found.shipped
    before = (found.folder / MANIFEST).stat().st_mtime_ns
    assert with_shipped.load(found) == PLAN
    assert (found.folder / MANIFEST).stat().st_mtime_ns == before  # the app's folder may be read-only
    assert with_shipped.entries() == []
    assert not with_shipped.folder.exists()
    with pytest.raises(UnusableFile, match="came with Firstlight"):
        with_shipped.remove(found.name)


def test_the_users_own_engine_comes_before_a_shipped_one(with_shipped: Store) -> None:
    own = add(with_shipped, plan=PLAN[:100])
    found = with_shipped.find(FACTS)
    assert isinstance(found, Entry)
    assert (found.folder, found.shipped) == (own.folder, False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"precision": "fp16"}, "another precision"),
        ({"rtx_version": "1.8.0.1"}, "another version of TensorRT-RTX"),
        ({"export_version": 2}, "another version of the exporter"),
        ({"profile": "batch 1-4 (1)"}, "other sizes"),
        ({"architecture": "toy"}, "no engine of toy was built"),
    ],
)
def test_a_shipped_engine_is_refused_where_a_fact_differs(
    with_shipped: Store, change: dict[str, object], said: str
) -> None:
    found = with_shipped.find(replace(FACTS, **change))  # pyright: ignore[reportArgumentType]
    assert isinstance(found, Miss)
    assert said in found.reason


@pytest.mark.parametrize("file", [ENGINE, MANIFEST])
def test_a_damaged_shipped_engine_is_not_used_and_not_moved(with_shipped: Store, tmp_path: Path, file: str) -> None:
    (entry,) = with_shipped.shipped()
    content = bytearray((entry.folder / file).read_bytes())
    content[len(content) // 2] ^= 1
    (entry.folder / file).write_bytes(content[: None if file == ENGINE else 40])
    found = with_shipped.find(FACTS)
    loaded = with_shipped.load(found) if isinstance(found, Entry) else found
    assert isinstance(loaded, Miss)
    assert names(tmp_path / "app") == {entry.name}
