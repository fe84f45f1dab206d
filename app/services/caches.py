"""The kernels that were compiled here: how much room they take, which fit this machine, and taking them elsewhere."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.services import importing
from pipelines.engine.cache import ASIDE, KernelCaches
from pipelines.engine.cache_transfer import export_caches, keep_import, read_export
from pipelines.engine.limit import write_limit
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from pipelines.devices import Gpu, Machine
    from pipelines.engine.cache_manifest import CacheFacts, CacheManifest

FOLDER = "kernels"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first fact in which kernels differ from this machine. `fact` is the name of a field of `CacheFacts`."""

    fact: str
    theirs: str
    ours: str


@dataclass(frozen=True, slots=True)
class CacheRow:
    """A file of kernels: what it is for, its bytes, when it was used last (seconds since the epoch), and whether it
    fits this machine (`difference` is None).
    """

    name: str
    manifest: CacheManifest
    used: float
    difference: Difference | None

    @property
    def shapes(self) -> tuple[str, ...]:
        """The sizes that it has kernels for, in words."""
        return tuple(shape.words for shape in self.manifest.shapes)


@dataclass(frozen=True, slots=True)
class CacheState:
    """All of it. `set_aside` is in bytes: damaged or foreign files that are not used any more."""

    rows: tuple[CacheRow, ...]
    limit: int
    set_aside: int

    @property
    def bytes(self) -> int:
        """Bytes of the usable files."""
        return sum(row.manifest.bytes for row in self.rows)


@dataclass(frozen=True, slots=True)
class Cleared:
    """What `clear` deleted; `set_aside` counts files."""

    names: tuple[str, ...]
    set_aside: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Kernels that were not taken in: those of another kind of machine."""

    name: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought."""

    names: tuple[str, ...]
    refused: tuple[Refused, ...]


class Caches:
    """The service. Its methods read files: call them in the background."""

    def __init__(self, folder: Path, probe: Callable[[], Machine]) -> None:
        self.folder = folder
        self._caches = KernelCaches(folder)
        self._probe = probe
        self._machine: Machine | None = None

    def look(self) -> CacheState:
        """What is there, the last used first. Damaged files are set aside by this."""
        rows = tuple(
            CacheRow(entry.name, entry.manifest, entry.used, self.compare(entry.manifest.facts))
            for entry in self._caches.entries()
        )
        return CacheState(rows, self._caches.limit, _size_of(self.folder / ASIDE))

    def set_limit(self, limit: int) -> None:
        """Let all files together have so many bytes; those used longest ago go now if they have more.

        Raises:
            UnusableFile: it cannot be kept.
        """
        write_limit(self.folder, limit)
        self._caches.trim()

    def clear(self, names: Collection[str] = ()) -> Cleared:
        """Delete those of these names, or all, damaged ones too. They are made again when they are needed.

        Raises:
            UnusableFile: there is none of that name, or it cannot be deleted.
        """
        if names:
            return Cleared(tuple(self._caches.remove(name).name for name in names), 0)
        there = [entry.name for entry in self._caches.entries()]
        aside = self.folder / ASIDE
        damaged = len(list(aside.iterdir())) if aside.is_dir() and not aside.is_symlink() else 0
        self._caches.clear()
        left = {entry.name for entry in self._caches.entries()}
        if left:
            log.warning("kernels that are in use stay: %s", ", ".join(sorted(left)))
        return Cleared(tuple(name for name in there if name not in left), damaged)

    def export(self, target: Path, names: Collection[str] = ()) -> tuple[str, ...]:
        """Write those of these names, or all, into one file for another machine of the same kind.

        Raises:
            UnusableFile: there is nothing to write, or it cannot be written.
        """
        return tuple(entry.name for entry in export_caches(self._caches, target, names))

    def take_in(self, source: Path) -> Imported:
        """Keep what `export` wrote on another machine, where it fits this one.

        Raises:
            UnusableFile: it is no such file, it is damaged, or nothing in it fits; the message says which fact differs.
            NoRoom: it is too large.
        """
        taken, refused = list[str](), list[Refused]()
        for manifest, content in read_export(source):
            difference = self.compare(manifest.facts)
            if difference is not None:
                refused.append(Refused(manifest.facts.name, difference))
                continue
            keep_import(self._caches, manifest, content)
            taken.append(manifest.facts.name)
        if not taken:
            raise UnusableFile(
                f"The kernels in {str(source)!r} do not fit this machine: {say(refused[0].difference)}.",
                "They help only where system, GPU, driver and versions are the same.",
            )
        return Imported(tuple(taken), tuple(refused))

    def compare(self, facts: CacheFacts) -> Difference | None:
        """The first fact in which kernels differ from this machine; None where they fit."""
        if self._machine is None:
            self._machine = self._probe()
        return compare(facts, self._machine)


def compare(facts: CacheFacts, machine: Machine) -> Difference | None:
    """The first fact in which kernels differ from a machine; None where they fit."""
    system = machine.system.partition(" ")[0]
    if facts.system != system:
        return Difference("system", facts.system, system)
    version = machine.versions.tensorrt_rtx if facts.backend == "tensorrt_rtx" else None
    if version and facts.version != version:
        return Difference("version", facts.version, version)
    if not facts.gpu:
        return None  # made for a CPU
    found = [_compare_gpu(facts, gpu) for gpu in machine.gpus]
    if None in found:
        return None
    return found[0] if found else Difference("gpu", facts.gpu, "")


def _compare_gpu(facts: CacheFacts, gpu: Gpu) -> Difference | None:
    capability = f"{gpu.compute_capability[0]}.{gpu.compute_capability[1]}"
    if facts.gpu != gpu.name:
        return Difference("gpu", facts.gpu, gpu.name)
    if facts.compute_capability != capability:
        return Difference("compute_capability", facts.compute_capability, capability)
    here = replace(facts, driver=gpu.driver)
    return None if facts.fits(here) else Difference("driver", facts.driver, gpu.driver)


def say(difference: Difference) -> str:
    """The difference in English."""
    if difference.fact == "gpu" and not difference.ours:
        return f"they are for the {difference.theirs}, and there is no NVIDIA GPU"
    words = {
        "system": "the system",
        "version": "the version of TensorRT-RTX",
        "gpu": "the GPU",
        "compute_capability": "the kind of GPU",
        "driver": "the driver",
    }[difference.fact]
    return f"{words} is {difference.theirs} there and {difference.ours} here"


def _size_of(folder: Path) -> int:
    try:
        return sum(size for _, size in importing.folder_files(folder)) if folder.is_dir() else 0
    except OSError:
        return 0
