"""Kernels on disk: whole, checked, guarded against crashing twice, and shared by processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.engine.cache import ASIDE, CacheMiss, KernelCaches, OpenCache
from pipelines.engine.cache_manifest import CacheFacts, read_cache_manifest
from pipelines.engine.cache_transfer import export_caches, import_caches
from pipelines.engine.shapes import ShapeKey
from pipelines.errors import NoRoom, UnusableFile

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

FACTS = CacheFacts(
    backend="tensorrt_rtx",
    engine="fluxtransformer2dmodel-0123456789ab",
    precision="bf16",
    gpu="NVIDIA GeForce RTX 5090",
    compute_capability="12.0",
    version="1.7.1.116",
    system="Windows",
    driver="581.29",
)
SHAPES = (ShapeKey((("hidden_states", (1, 4096, 64)), ("img_ids", (4096, 3))), "1024x1024"),)
CONTENT = bytes(range(256)) * 40


@pytest.fixture
def caches(tmp_path: Path) -> KernelCaches:
    return KernelCaches(tmp_path / "kernels", wait=0.1)


def keep(caches: KernelCaches, facts: CacheFacts = FACTS, content: bytes = CONTENT) -> str:
    assert caches.save(facts, "transformer", content, SHAPES, 12.5)
    return facts.name


def names(folder: Path) -> set[str]:
    """All but locks."""
    return {path.name for path in folder.iterdir() if path.suffix != ".lock" and path.name != ".lock"}


def open_and_trust(caches: KernelCaches, facts: CacheFacts = FACTS) -> OpenCache:
    opened = caches.open(facts)
    assert isinstance(opened, OpenCache), opened
    opened.trust()
    return opened


def make_older(file: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(file, (then, then))


def miss(caches: KernelCaches, facts: CacheFacts = FACTS) -> str:
    opened = caches.open(facts)
    assert isinstance(opened, CacheMiss)
    return opened.reason


def test_what_was_kept_comes_back(caches: KernelCaches) -> None:
    name = keep(caches)
    opened = open_and_trust(caches)
    assert opened.content == CONTENT
    assert opened.shapes == SHAPES
    assert opened.shapes[0].words == "1024x1024"
    assert names(caches.folder) == {f"{name}.cache", f"{name}.json"}
    (entry,) = caches.entries()
    assert (entry.name, entry.manifest.component, entry.manifest.seconds) == (name, "transformer", 12.5)


def test_a_first_launch_finds_nothing_and_makes_nothing(caches: KernelCaches) -> None:
    assert miss(caches) == "there is none yet"
    assert caches.entries() == []
    assert not caches.folder.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gpu": "NVIDIA GeForce RTX 3060"}, "another GPU (NVIDIA GeForce RTX 5090, not NVIDIA GeForce RTX 3060)"),
        ({"version": "1.7.2.1"}, "another version (1.7.1.116, not 1.7.2.1)"),
        ({"driver": "580.10"}, "another driver (581.29, not 580.10)"),
        ({"driver": "581.28"}, "another driver"),
        ({"driver": "600.01"}, "another driver"),
        ({"system": "Linux"}, "another system"),
        ({"engine": "another"}, "there is none yet"),
    ],
)
def test_what_differs_is_said(caches: KernelCaches, change: dict[str, str], said: str) -> None:
    keep(caches)
    assert said in miss(caches, replace(FACTS, **change))
    open_and_trust(caches)  # and what is there stays


def test_kernels_of_a_slightly_older_driver_are_used(caches: KernelCaches) -> None:
    keep(caches)
    newer = replace(FACTS, driver="581.42")
    assert open_and_trust(caches, newer).content == CONTENT
    keep(caches, newer, b"newer")
    assert open_and_trust(caches, newer).content == b"newer"


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], os.urandom(len(CONTENT)), CONTENT + b"!"])
def test_a_damaged_file_is_set_aside_and_made_anew(caches: KernelCaches, damage: bytes) -> None:
    name = keep(caches)
    (caches.folder / f"{name}.cache").write_bytes(damage)
    assert "set aside" in miss(caches)
    assert names(caches.folder) == {ASIDE}
    assert names(caches.folder / ASIDE) == {f"{name}.cache", f"{name}.json"}
    assert miss(caches) == "there is none yet"
    keep(caches)
    open_and_trust(caches)


@pytest.mark.parametrize(
    "damage", ["", "[]", "{}", '{"format": 1}', '{"format": 2}', "\0", '{"format": 1, "facts": 3}']
)
def test_a_damaged_manifest_is_set_aside(caches: KernelCaches, damage: str) -> None:
    name = keep(caches)
    (caches.folder / f"{name}.json").write_text(damage)
    assert caches.entries() == []
    assert names(caches.folder) == {ASIDE}


def test_a_manifest_of_another_file_is_set_aside(caches: KernelCaches) -> None:
    name = keep(caches)
    file = caches.folder / f"{name}.json"
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "facts": {**value["facts"], "gpu": "mine"}}))
    assert caches.entries() == []


def test_a_file_without_a_manifest_is_set_aside_once_nobody_is_writing(caches: KernelCaches) -> None:
    name = keep(caches)
    (caches.folder / f"{name}.json").unlink()
    assert caches.entries() == []
    assert names(caches.folder) == {f"{name}.cache"}  # as it is between a writer's two files
    make_older(caches.folder / f"{name}.cache", 60)
    assert caches.entries() == []
    assert names(caches.folder) == {ASIDE}


def test_what_the_backend_rejects_is_set_aside(caches: KernelCaches) -> None:
    keep(caches)
    opened = caches.open(FACTS)
    assert isinstance(opened, OpenCache)
    opened.reject("another GPU made it")
    assert miss(caches) == "there is none yet"


_LOADS = """
import sys, os, time
from pathlib import Path
from pipelines.engine.cache import KernelCaches
from pipelines.engine.cache_manifest import CacheFacts
opened = KernelCaches(Path(sys.argv[1])).open(CacheFacts(*sys.argv[2:10]))
print("loading", flush=True)
{then}
"""


def start_loading(caches: KernelCaches, then: str) -> subprocess.Popen[str]:
    facts = [getattr(FACTS, name) for name in FACTS.__slots__]
    command = [sys.executable, "-c", _LOADS.format(then=then), str(caches.folder), *facts]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
    assert child.stdout is not None
    assert child.stdout.readline() == "loading\n"
    return child


@pytest.mark.parametrize("then", ["os._exit(1)", "import ctypes; ctypes.string_at(0)"])
def test_a_crash_while_loading_does_not_happen_twice(caches: KernelCaches, then: str) -> None:
    name = keep(caches)
    with start_loading(caches, then) as child:
        assert child.wait(20) != 0
    assert f"{name}.loading" in names(caches.folder)
    assert "broke off" in miss(caches)
    assert names(caches.folder) == {ASIDE}
    keep(caches)
    open_and_trust(caches)


def test_a_hang_while_loading_that_was_ended_does_not_happen_twice(caches: KernelCaches) -> None:
    keep(caches)
    with start_loading(caches, "time.sleep(60)") as child:
        assert miss(caches) == "another Firstlight is loading it"  # and it is left alone
        child.kill()
    assert "broke off" in miss(caches)


def test_two_instances_load_one_after_the_other(caches: KernelCaches) -> None:
    keep(caches)
    with start_loading(caches, "time.sleep(0.5); opened.trust()") as child:
        patient = KernelCaches(caches.folder, wait=20.0)
        open_and_trust(patient)
        assert child.wait(20) == 0
    open_and_trust(caches)


def _save_often(folder: Path, seed: int, go: Event) -> None:
    caches = KernelCaches(folder)
    go.wait()
    for number in range(40):
        caches.save(FACTS, "transformer", bytes([seed, number]) * 20_000, SHAPES)


def test_two_processes_that_write_the_same_file_leave_it_whole(caches: KernelCaches) -> None:
    context = multiprocessing.get_context("spawn")
    go = context.Event()
    children = [context.Process(target=_save_often, args=(caches.folder, seed, go)) for seed in (1, 2)]
    for child in children:
        child.start()
    keep(caches)
    go.set()
    patient = KernelCaches(caches.folder)
    while any(child.is_alive() for child in children):
        opened = open_and_trust(patient)
        assert len(set(opened.content[::2])) == 1 or opened.content == CONTENT
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert not (caches.folder / ASIDE).exists()
    assert not [name for name in names(caches.folder) if name.startswith(".")]


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    caches = KernelCaches(tmp_path / "file" / "kernels")
    assert not caches.save(FACTS, "transformer", CONTENT, SHAPES)
    assert miss(caches) == "there is none yet"
    assert caches.entries() == []
    assert caches.clear() == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a read-only mount, so root")
def test_a_read_only_folder_is_told(caches: KernelCaches) -> None:
    keep(caches)
    if subprocess.run(["mount", "--bind", caches.folder, caches.folder], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", caches.folder], check=True)
        assert "cannot be guarded" in miss(caches)
        assert not caches.save(FACTS, "transformer", b"new", SHAPES)
    finally:
        subprocess.run(["umount", caches.folder], check=True)
    assert open_and_trust(caches).content == CONTENT


def test_a_full_disk_leaves_what_was_there(caches: KernelCaches, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(caches)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        assert not caches.save(FACTS, "transformer", b"new", SHAPES)
    assert open_and_trust(caches).content == CONTENT
    assert len(names(caches.folder)) == 2


def test_the_least_recently_used_files_go_first(tmp_path: Path) -> None:
    caches = KernelCaches(tmp_path / "kernels", limit=250)
    facts = [replace(FACTS, gpu=f"GPU {number}") for number in range(3)]
    keep(caches, facts[0], b"x" * 100)
    keep(caches, facts[1], b"x" * 100)
    for number, age in ((0, 50), (1, 100)):
        make_older(caches.folder / f"{facts[number].name}.json", age)
    open_and_trust(caches, facts[1])
    keep(caches, facts[2], b"x" * 100)
    assert [entry.name for entry in caches.entries()] == [facts[2].name, facts[1].name]
    assert not caches.save(facts[0], "transformer", b"x" * 300, SHAPES)  # larger than all together may be


def test_files_can_be_removed_and_cleared(caches: KernelCaches, tmp_path: Path) -> None:
    name = keep(caches)
    (tmp_path / "precious.cache").write_bytes(b"")
    for other in ("", "..", "../precious", "no-such"):
        with pytest.raises(UnusableFile, match="no kernels"):
            caches.remove(other)
    assert caches.remove(name).name == name
    keep(caches)
    caches.set_aside(FACTS.name, "a test")
    keep(caches)
    assert caches.clear() == 1
    assert caches.entries() == []
    assert names(caches.folder / ASIDE) == set()
    assert (tmp_path / "precious.cache").exists()


def test_links_are_not_followed(caches: KernelCaches, tmp_path: Path) -> None:
    name = keep(caches)
    for suffix in (".cache", ".json"):
        (caches.folder / f"{name}{suffix}").rename(tmp_path / f"precious{suffix}")
        (caches.folder / f"{name}{suffix}").symlink_to(tmp_path / f"precious{suffix}")
    assert caches.entries() == []
    assert (tmp_path / "precious.cache").read_bytes() == CONTENT


def test_kernels_travel_to_another_machine(caches: KernelCaches, tmp_path: Path) -> None:
    name = keep(caches)
    file = tmp_path / "kernels.zip"
    assert [entry.name for entry in export_caches(caches, file)] == [name]
    other = KernelCaches(tmp_path / "other")
    assert import_caches(other, file) == [name]
    opened = open_and_trust(other)
    assert (opened.content, opened.shapes) == (CONTENT, SHAPES)


def test_kernels_that_are_pickles_do_not_travel(caches: KernelCaches, tmp_path: Path) -> None:
    facts = replace(FACTS, backend="inductor")
    name = keep(caches, facts)
    file = tmp_path / "kernels.zip"
    with pytest.raises(UnusableFile, match="no kernels"):
        export_caches(caches, file)
    with zipfile.ZipFile(file, "w") as archive:  # as somebody else would write it
        for suffix in (".json", ".cache"):
            archive.write(caches.folder / f"{name}{suffix}", f"{name}{suffix}")
    other = KernelCaches(tmp_path / "other")
    with pytest.raises(UnusableFile, match="no kernels that can be used"):
        import_caches(other, file)
    assert other.entries() == []


def test_nothing_is_exported_where_there_is_nothing(caches: KernelCaches, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="no kernels"):
        export_caches(caches, tmp_path / "kernels.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["no zip", "content", "manifest", "name", "no manifest", "nothing"])
def test_a_foreign_or_damaged_export_is_refused_whole(caches: KernelCaches, tmp_path: Path, fault: str) -> None:
    name = keep(caches)
    manifest = (caches.folder / f"{name}.json").read_bytes()
    file = tmp_path / "kernels.zip"
    inside = {f"{name}.json": manifest, f"{name}.cache": CONTENT}
    match fault:
        case "content":
            inside[f"{name}.cache"] = CONTENT[:-1]
        case "manifest":
            inside[f"{name}.json"] = b"{}"
        case "name":
            inside = {"../../evil.json": manifest, "../../evil.cache": CONTENT}
        case "no manifest":
            del inside[f"{name}.json"]
        case _:
            inside = {}
    if fault == "no zip":
        file.write_bytes(b"PK\3\4 is none")
    else:
        with zipfile.ZipFile(file, "w") as archive:
            for path, content in inside.items():
                archive.writestr(path, content)
    other = KernelCaches(tmp_path / "other")
    with pytest.raises(UnusableFile, match="no kernels that can be used"):
        import_caches(other, file)
    assert other.entries() == []


def test_an_export_that_does_not_fit_is_refused(caches: KernelCaches, tmp_path: Path) -> None:
    keep(caches)
    export_caches(caches, tmp_path / "kernels.zip")
    with pytest.raises(NoRoom):
        import_caches(KernelCaches(tmp_path / "other", limit=10), tmp_path / "kernels.zip")


def test_a_manifest_says_what_anybody_may_know(caches: KernelCaches) -> None:
    name = keep(caches)
    manifest = read_cache_manifest((caches.folder / f"{name}.json").read_bytes())
    assert (manifest.facts, manifest.shapes, manifest.bytes) == (FACTS, SHAPES, len(CONTENT))
    assert str(caches.folder).encode() not in (caches.folder / f"{name}.json").read_bytes()
