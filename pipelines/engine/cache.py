"""Kernels that were compiled on this machine, kept for the next launch: one file for each engine, GPU and versions.

    kernels/<name>.cache        what the backend gave us, untouched
    kernels/<name>.json         the manifest: what decides whether it fits, its sha256, the shapes it has kernels for
    kernels/<name>.loading      there while it is being loaded, with the lock <name>.lock held

Files are written whole or not at all, by several processes too. What is damaged or foreign is set aside and made anew,
never an error. A mark without its lock is of a process that crashed or was ended while it loaded the file: then the
file is set aside as well, so nothing can crash twice. Loads nothing heavy.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pipelines.engine.cache_manifest import CacheFacts, CacheManifest, read_cache_manifest, write_cache_manifest
from pipelines.engine.limit import read_limit
from pipelines.errors import UnusableFile
from pipelines.replacing import replace_bytes

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pipelines.engine.shapes import ShapeKey

CONTENT, MANIFEST, MARK, LOCK = ".cache", ".json", ".loading", ".lock"
ASIDE = "set-aside"  # where unusable files go; the newest of each name
TIMINGS = "timings.json"  # beside the caches: how long making them took
LIMIT = 2 * 2**30  # bytes
WAIT = 10.0  # seconds that another process may take to load the same file
_BRIEF = 5.0  # seconds that writing or reading a file may keep others waiting
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A file of kernels. `used` is in seconds since the epoch."""

    name: str
    manifest: CacheManifest
    used: float


@dataclass(frozen=True, slots=True)
class CacheMiss:
    """There are no kernels to use; `reason` says why in words."""

    reason: str


class KernelCaches:
    """The files in `folder`, which is made when the first one is kept."""

    def __init__(self, folder: Path, limit: int | None = None, wait: float = WAIT) -> None:
        self.folder = folder
        self._given_limit = limit
        self._wait = wait

    @property
    def limit(self) -> int:
        """Bytes that all files together may have: as given, or as the user has set it."""
        return read_limit(self.folder, LIMIT) if self._given_limit is None else self._given_limit

    def trim(self) -> None:
        """Keep to the limit: what was used longest ago goes first."""
        self._evict(keep="")

    def entries(self) -> list[CacheEntry]:
        """All usable files, the last used first. Others are set aside."""
        try:
            names = sorted(path.stem for path in self.folder.glob(f"*{CONTENT}") if not path.is_symlink())
        except OSError:
            return []
        found = [entry for name in names if (entry := self._read_entry(name)) is not None]
        return sorted(found, key=lambda entry: (-entry.used, entry.name))

    def open(self, facts: CacheFacts) -> OpenCache | CacheMiss:
        """The kernels for exactly these facts, or those that an older driver made, marked as being loaded."""
        entries = self.entries()
        entry = _choose(facts, entries)
        if entry is None:
            return CacheMiss(_explain_miss(facts, [one.manifest.facts for one in entries]))
        lock = FileLock(self._path(entry.name, LOCK), timeout=self._wait, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return CacheMiss("another Firstlight is loading it")
        except OSError as error:
            return CacheMiss(f"it cannot be guarded: {error.strerror or error}")
        opened = self._open_locked(entry, lock)
        if isinstance(opened, CacheMiss):
            lock.release()
        return opened

    def save(
        self, facts: CacheFacts, component: str, content: bytes, shapes: Iterable[ShapeKey], seconds: float = 0.0
    ) -> bool:
        """Keep kernels, whole or not at all, and then to the size limit. Returns whether that went well."""
        digest = hashlib.sha256(content).hexdigest()
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        manifest = CacheManifest(facts, component, digest, len(content), created, seconds, tuple(shapes))
        return len(content) <= self.limit and self._write(facts.name, content, manifest)

    def set_aside(self, name: str, reason: str) -> None:
        """Move a file out of the way; where even that fails it is ignored all the same, as its mark stays."""
        log.warning("the kernels %s are set aside: %s", name, reason)
        aside = self.folder / ASIDE
        try:
            aside.mkdir(exist_ok=True)
            for suffix in (CONTENT, MANIFEST):
                with contextlib.suppress(FileNotFoundError):
                    self._path(name, suffix).replace(aside / f"{name}{suffix}")
            self._path(name, MARK).unlink(missing_ok=True)
        except OSError as error:
            log.warning("they stay in place: %s", error)

    def remove(self, name: str) -> CacheEntry:
        """Delete one file.

        Raises:
            UnusableFile: there is none of that name, or it cannot be deleted.
        """
        entry = next((entry for entry in self.entries() if entry.name == name), None)
        if entry is None:
            raise UnusableFile(f"There are no kernels {name!r}.", "See: firstlight cache list.")
        try:
            self._delete(name)
        except OSError as error:
            raise UnusableFile(
                f"The kernels {name!r} cannot be deleted: {error.strerror or error}.", "Close what uses them."
            ) from error
        return entry

    def clear(self) -> int:
        """Delete all files, those set aside too; returns how many of the usable ones. What is in use may stay."""
        count = 0
        for entry in self.entries():
            with contextlib.suppress(OSError):
                self._delete(entry.name)
                count += 1
        aside = self.folder / ASIDE
        if aside.is_dir() and not aside.is_symlink():
            for path in aside.iterdir():
                with contextlib.suppress(OSError):
                    path.unlink()
        return count

    def read(self, entry: CacheEntry) -> bytes | CacheMiss:
        """The content of a file, checked against its manifest; one that does not fit is set aside."""
        try:
            with self._briefly_locked():
                content = self._path(entry.name, CONTENT).read_bytes()
                manifest = read_cache_manifest(self._path(entry.name, MANIFEST).read_bytes())
        except Timeout:
            return CacheMiss("another process keeps the folder locked")
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            return self._spoilt(entry, f"its file cannot be read: {error!r}")
        if len(content) != manifest.bytes or hashlib.sha256(content).hexdigest() != manifest.sha256:
            return self._spoilt(entry, "its file is not the one that was written")
        return content

    def _open_locked(self, entry: CacheEntry, lock: FileLock) -> OpenCache | CacheMiss:
        mark = self._path(entry.name, MARK)
        if mark.exists():  # and nobody holds the lock
            return self._spoilt(entry, "the last start broke off while it was loaded")
        content = self.read(entry)
        if isinstance(content, CacheMiss):
            return content
        try:
            mark.write_text(f"{os.getpid()}\n", encoding="ascii")
            os.utime(self._path(entry.name, MANIFEST))
        except OSError as error:
            mark.unlink(missing_ok=True)
            return CacheMiss(f"it cannot be guarded: {error.strerror or error}")
        return OpenCache(self, entry, content, lock)

    def _write(self, name: str, content: bytes, manifest: CacheManifest) -> bool:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._briefly_locked():
                replace_bytes(self._path(name, CONTENT), content)
                replace_bytes(self._path(name, MANIFEST), write_cache_manifest(manifest))
        except (OSError, Timeout) as error:
            log.warning("kernels are not kept: %s", error)
            return False
        self._evict(keep=name)
        return True

    def _read_entry(self, name: str) -> CacheEntry | None:
        """What the manifest says, or None, with the file set aside where it says nothing usable."""
        file = self._path(name, MANIFEST)
        try:
            manifest, used = read_cache_manifest(file.read_bytes()), file.stat().st_mtime
        except FileNotFoundError:
            if _is_fresh(self._path(name, CONTENT)):
                return None  # another process is between its two files
            self.set_aside(name, "there is no manifest")
            return None
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            self.set_aside(name, f"the manifest cannot be used: {error!r}")
            return None
        if manifest.facts.name != name:
            self.set_aside(name, "the manifest is another file's")
            return None
        return CacheEntry(name, manifest, used)

    def _spoilt(self, entry: CacheEntry, reason: str) -> CacheMiss:
        self.set_aside(entry.name, reason)
        return CacheMiss(f"it was set aside: {reason}")

    def _evict(self, keep: str) -> None:
        """Delete the files that were used longest ago until the rest fits into the limit; never `keep`."""
        entries, limit = self.entries(), self.limit
        total = sum(entry.manifest.bytes for entry in entries)
        for entry in reversed(entries):
            if total <= limit:
                return
            if entry.name != keep:
                log.info("the kernels %s are deleted: all together are larger than %d bytes", entry.name, limit)
                with contextlib.suppress(OSError):
                    self._delete(entry.name)
                total -= entry.manifest.bytes

    def _delete(self, name: str) -> None:
        for suffix in (CONTENT, MANIFEST, MARK):
            self._path(name, suffix).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # Windows: a process holds it
            self._path(name, LOCK).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _briefly_locked(self) -> Generator[None]:
        with FileLock(self.folder / LOCK, timeout=_BRIEF):
            yield

    def _path(self, name: str, suffix: str) -> Path:
        return self.folder / f"{name}{suffix}"


class OpenCache:
    """A file that is being loaded. Say how that went: `trust` or `reject`. Until then it is marked."""

    def __init__(self, caches: KernelCaches, entry: CacheEntry, content: bytes, lock: FileLock) -> None:
        self.content = content
        self.entry = entry
        self._caches = caches
        self._lock = lock

    @property
    def shapes(self) -> tuple[ShapeKey, ...]:
        """Those that it has kernels for."""
        return self.entry.manifest.shapes

    def trust(self) -> None:
        """It was loaded and has run."""
        with contextlib.suppress(OSError):
            (self._caches.folder / f"{self.entry.name}{MARK}").unlink(missing_ok=True)
        self._lock.release()

    def reject(self, reason: str) -> None:
        """The backend does not take it."""
        self._caches.set_aside(self.entry.name, reason)
        self._lock.release()


def _choose(facts: CacheFacts, entries: list[CacheEntry]) -> CacheEntry | None:
    fitting = [entry for entry in entries if entry.manifest.facts.fits(facts)]
    exact = [entry for entry in fitting if entry.manifest.facts == facts]
    return next(iter(exact or fitting), None)  # the last used


_WORDS = {
    "backend": "another backend",
    "engine": "another engine",
    "precision": "another precision",
    "gpu": "another GPU",
    "compute_capability": "another kind of GPU",
    "version": "another version",
    "system": "another system",
    "driver": "another driver",
}


def _explain_miss(wanted: CacheFacts, there: list[CacheFacts]) -> str:
    """Which facts differ in the file that comes closest, in words."""
    alike = [facts for facts in there if (facts.backend, facts.engine) == (wanted.backend, wanted.engine)]
    if not alike:
        return "there is none yet"

    def differences(facts: CacheFacts) -> list[str]:
        return [one.name for one in fields(CacheFacts) if getattr(facts, one.name) != getattr(wanted, one.name)]

    nearest = min(alike, key=lambda facts: len(differences(facts)))
    said = [f"{_WORDS[name]} ({getattr(nearest, name)}, not {getattr(wanted, name)})" for name in differences(nearest)]
    return f"the one that is there is for {' and '.join(said)}"


def _is_fresh(file: Path) -> bool:
    try:
        return time.time() - file.stat().st_mtime < _BRIEF
    except OSError:
        return False
