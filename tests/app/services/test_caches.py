"""Kernels as the user meets them: listed, limited, cleared, taken to a machine like this and refused by others."""

from __future__ import annotations

import os
import platform
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.services.caches import Caches, Difference, compare
from pipelines.devices import Gpu, Machine, Versions
from pipelines.engine.cache import KernelCaches
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.shapes import ShapeKey
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

GPU = Gpu(0, "NVIDIA GeForce RTX 5090", (12, 0), 32 * 2**30, "581.29")
SYSTEM = platform.system()
MACHINE = Machine(f"{SYSTEM} 11", "CPU", 8, 2**34, 2**33, (GPU,), Versions("2.13.0", None, "0", "5", "1.7.1.116"), ())
FACTS = CacheFacts("tensorrt_rtx", "fluxtransformer-0123", "bf16", GPU.name, "12.0", "1.7.1.116", SYSTEM, "581.29")
SHAPES = (ShapeKey((("hidden_states", (1, 4096, 64)),), "1024x1024"), ShapeKey((("x", (1, 2)),), "512x512"))
MEGABYTE = 1_000_000


def open_caches(folder: Path, machine: Machine = MACHINE) -> Caches:
    return Caches(folder, lambda: machine)


def keep(folder: Path, facts: CacheFacts = FACTS, size: int = MEGABYTE, used: float | None = None) -> str:
    assert KernelCaches(folder).save(facts, "transformer", os.urandom(size), SHAPES, 12.5)
    if used is not None:
        os.utime(folder / f"{facts.name}.json", (used, used))
    return facts.name


def test_what_is_there_is_told_with_what_it_is_for(tmp_path: Path) -> None:
    name = keep(tmp_path, used=1e9)
    state = open_caches(tmp_path).look()
    (row,) = state.rows
    assert (row.name, row.manifest.component, row.shapes) == (name, "transformer", ("1024x1024", "512x512"))
    assert (row.used, row.difference, state.bytes, state.set_aside) == (1e9, None, MEGABYTE, 0)
    assert state.limit == 2 * 2**30


def test_an_empty_folder_is_nothing_special(tmp_path: Path) -> None:
    caches = open_caches(tmp_path / "none")
    assert caches.look().rows == ()
    assert caches.clear().names == ()
    assert not (tmp_path / "none").exists()


def test_the_limit_lets_the_longest_unused_go_and_is_kept_for_every_process(tmp_path: Path) -> None:
    names = [keep(tmp_path, replace(FACTS, engine=f"net-{n}"), used=1e9 + n) for n in range(4)]
    open_caches(tmp_path).set_limit(2 * MEGABYTE)
    assert [row.name for row in open_caches(tmp_path).look().rows] == [names[3], names[2]]
    assert open_caches(tmp_path).look().limit == 2 * MEGABYTE
    newest = keep(tmp_path, replace(FACTS, engine="net-9"))  # as the engine process does, which knows the folder alone
    assert [row.name for row in open_caches(tmp_path).look().rows] == [newest, names[3]]


def test_clear_takes_damaged_ones_too(tmp_path: Path) -> None:
    one, two = keep(tmp_path), keep(tmp_path, replace(FACTS, engine="net-2"))
    (tmp_path / f"{two}.json").write_text("{}")
    caches = open_caches(tmp_path)
    state = caches.look()
    assert [row.name for row in state.rows] == [one]
    assert state.set_aside > MEGABYTE
    cleared = caches.clear()
    assert cleared.names == (one,)
    assert cleared.set_aside == 2  # the file and its manifest
    assert caches.look().set_aside == 0


def test_clear_by_name(tmp_path: Path) -> None:
    one, two = keep(tmp_path), keep(tmp_path, replace(FACTS, engine="net-2"))
    caches = open_caches(tmp_path)
    assert caches.clear([one]).names == (one,)
    assert [row.name for row in caches.look().rows] == [two]
    with pytest.raises(UnusableFile, match="no kernels"):
        caches.clear([one])


def test_from_one_machine_to_another_of_the_same_kind(tmp_path: Path) -> None:
    one, two = keep(tmp_path / "a"), keep(tmp_path / "a", replace(FACTS, engine="net-2"))
    file = tmp_path / "kernels for Ada.zip"
    assert set(open_caches(tmp_path / "a").export(file)) == {one, two}
    newer = replace(MACHINE, gpus=(replace(GPU, driver="581.40"),))  # the same major version, not older
    there = open_caches(tmp_path / "b", newer)
    assert set(there.take_in(file).names) == {one, two}
    assert (tmp_path / "b" / f"{one}.cache").read_bytes() == (tmp_path / "a" / f"{one}.cache").read_bytes()
    assert {row.difference for row in there.look().rows} == {None}


def test_one_of_them_by_name(tmp_path: Path) -> None:
    one = keep(tmp_path / "a")
    keep(tmp_path / "a", replace(FACTS, engine="net-2"))
    caches = open_caches(tmp_path / "a")
    assert caches.export(tmp_path / "x.zip", [one]) == (one,)
    assert open_caches(tmp_path / "b").take_in(tmp_path / "x.zip").names == (one,)
    with pytest.raises(UnusableFile, match="nonsense"):
        caches.export(tmp_path / "y.zip", ["nonsense"])
    assert not (tmp_path / "y.zip").exists()


@pytest.mark.parametrize(
    ("change", "fact", "said"),
    [
        ({"gpu": "NVIDIA GeForce RTX 4070"}, "gpu", "the GPU is NVIDIA GeForce RTX 4070 there and NVIDIA GeForce RTX"),
        ({"system": "Plan9"}, "system", "the system is Plan9 there"),
        ({"driver": "591.00"}, "driver", "the driver is 591.00 there and 581.29 here"),
        ({"driver": "581.30"}, "driver", "581.30"),
        ({"version": "1.6.0.1"}, "version", "the version of TensorRT-RTX is 1.6.0.1 there and 1.7.1.116 here"),
        ({"compute_capability": "8.9"}, "compute_capability", "the kind of GPU is 8.9"),
    ],
)
def test_foreign_kernels_are_refused_with_the_fact_that_differs(
    tmp_path: Path, change: dict[str, str], fact: str, said: str
) -> None:
    keep(tmp_path / "a", replace(FACTS, **change))
    open_caches(tmp_path / "a").export(tmp_path / "x.zip")
    here = open_caches(tmp_path / "b")
    with pytest.raises(UnusableFile) as caught:
        here.take_in(tmp_path / "x.zip")
    assert said in caught.value.message
    assert not (tmp_path / "b").exists()
    found = compare(replace(FACTS, **change), MACHINE)
    assert found is not None
    assert found.fact == fact


def test_those_that_fit_are_taken_and_the_others_named(tmp_path: Path) -> None:
    fits, foreign = keep(tmp_path / "a"), keep(tmp_path / "a", replace(FACTS, gpu="NVIDIA L4"))
    open_caches(tmp_path / "a").export(tmp_path / "x.zip")
    imported = open_caches(tmp_path / "b").take_in(tmp_path / "x.zip")
    assert imported.names == (fits,)
    (refused,) = imported.refused
    assert (refused.name, refused.difference) == (foreign, Difference("gpu", "NVIDIA L4", GPU.name))


def test_a_machine_without_a_gpu() -> None:
    bare = replace(MACHINE, gpus=())
    assert compare(FACTS, bare) == Difference("gpu", GPU.name, "")
    assert compare(replace(FACTS, gpu="", compute_capability="", driver=""), bare) is None


@pytest.mark.parametrize("fault", ["no zip", "cut", "flipped", "missing", "folder"])
def test_damaged_exports_are_refused_whole(tmp_path: Path, fault: str) -> None:
    keep(tmp_path / "a")
    file = tmp_path / "x.zip"
    open_caches(tmp_path / "a").export(file)
    content = bytearray(file.read_bytes())
    match fault:
        case "no zip":
            file.write_bytes(b"PK no")
        case "cut":
            file.write_bytes(content[: len(content) // 2])
        case "flipped":
            content[len(content) // 2] ^= 0xFF
            file.write_bytes(content)
        case "missing":
            file.unlink()
        case _:
            file = tmp_path
    with pytest.raises(UnusableFile):
        open_caches(tmp_path / "b").take_in(file)
    assert not (tmp_path / "b").exists()


def test_a_deflated_stream_that_is_broken_is_refused(tmp_path: Path) -> None:
    keep(tmp_path / "a", size=MEGABYTE)
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{FACTS.name}.cache", bytes(100_000))
        archive.write(tmp_path / "a" / f"{FACTS.name}.json", f"{FACTS.name}.json")
    content = bytearray((tmp_path / "x.zip").read_bytes())
    content[60:100] = b"\xff" * 40
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(UnusableFile, match="no kernels that can be used"):
        open_caches(tmp_path / "b").take_in(tmp_path / "x.zip")
