"""Kernels for another machine of the same kind: a zip file of caches with their manifests, out and in again.

What is taken in is checked like what lies in the folder. Kernels are executable code: take only your own. Those of
`inductor` stay where they were made, since PyTorch unpickles them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import TYPE_CHECKING

from pipelines.engine.cache import CONTENT, LIMIT, MANIFEST, CacheEntry, KernelCaches
from pipelines.engine.cache_manifest import read_cache_manifest
from pipelines.errors import NoRoom, UnusableFile
from pipelines.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from pipelines.engine.cache_manifest import CacheManifest

_NAME = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+){3,6}", re.ASCII)
_DAMAGE = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    ValueError,
    TypeError,
    KeyError,
    RecursionError,
    NotImplementedError,
)
_MANIFEST_MOST = 1_000_000  # bytes
_PICKLED = "inductor"


def export_caches(caches: KernelCaches, target: Path, names: Collection[str] = ()) -> list[CacheEntry]:
    """Write all usable caches, or those of `names`, into the zip file `target`, whole or not at all.

    Raises:
        UnusableFile: there is nothing to write, or it cannot be written.
    """
    there = [entry for entry in caches.entries() if entry.manifest.facts.backend != _PICKLED]
    wanted = [entry for entry in there if not names or entry.name in names]
    if missing := set(names) - {entry.name for entry in wanted}:
        raise UnusableFile(f"There are no kernels {min(missing)!r}.", "See: firstlight cache list.")
    entries = [(entry, content) for entry in wanted if isinstance(content := caches.read(entry), bytes)]
    if not entries:
        raise UnusableFile("There are no kernels to export.", "Draw something first.")
    try:
        with replacing(target) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, content in entries:
                archive.writestr(f"{entry.name}{CONTENT}", content)
                archive.write(caches.folder / f"{entry.name}{MANIFEST}", f"{entry.name}{MANIFEST}")
    except OSError as error:
        raise UnusableFile(
            f"The file {str(target)!r} cannot be written: {error.strerror or error}.", "Choose another place."
        ) from error
    return [entry for entry, _ in entries]


def import_caches(caches: KernelCaches, source: Path) -> list[str]:
    """Take in what `export_caches` wrote; returns the names. Those for other machines lie idle until they are evicted.

    Raises:
        UnusableFile: it is none of ours, or damaged; nothing is taken in then.
        NoRoom: it is too large, or cannot be kept.
    """
    found = read_export(source)
    for manifest, content in found:
        keep_import(caches, manifest, content)
    return [manifest.facts.name for manifest, _ in found]


def keep_import(caches: KernelCaches, manifest: CacheManifest, content: bytes) -> None:
    """Take in one of those that `read_export` gave.

    Raises:
        NoRoom: it is too large, or cannot be kept.
    """
    if not caches.save(manifest.facts, manifest.component, content, manifest.shapes, manifest.seconds):
        raise NoRoom(f"The kernels {manifest.facts.name!r} cannot be kept.", "Free some space; the log says more.")


def read_export(source: Path) -> list[tuple[CacheManifest, bytes]]:
    """What `export_caches` wrote, checked as what lies in the folder is.

    Raises:
        UnusableFile: it is none of ours, or damaged.
        NoRoom: it is too large.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            return [_read(archive, source, name) for name in _names(archive, source)]
    except _DAMAGE as error:
        raise UnusableFile(
            f"The file {str(source)!r} holds no kernels that can be used.", "Export it again."
        ) from error


def _names(archive: zipfile.ZipFile, source: Path) -> list[str]:
    if sum(info.file_size for info in archive.infolist()) > LIMIT:
        raise NoRoom(f"The kernels in {str(source)!r} are larger than {LIMIT >> 20} MiB.", "Export fewer.")
    names = [info.filename.removesuffix(CONTENT) for info in archive.infolist() if info.filename.endswith(CONTENT)]
    if not names or not all(_NAME.fullmatch(name) for name in names):
        raise ValueError("other names")
    return names


def _read(archive: zipfile.ZipFile, source: Path, name: str) -> tuple[CacheManifest, bytes]:
    """Manifest and content, checked as those in the folder are."""
    import hashlib

    if archive.getinfo(f"{name}{MANIFEST}").file_size > _MANIFEST_MOST:
        raise ValueError("no manifest is so large")
    stored = archive.read(f"{name}{MANIFEST}")
    manifest, content = read_cache_manifest(stored), archive.read(f"{name}{CONTENT}")
    if (
        manifest.facts.backend == _PICKLED
        or manifest.facts.name != name
        or hashlib.sha256(content).hexdigest() != manifest.sha256
    ):
        raise ValueError("damaged")
    return manifest, content
