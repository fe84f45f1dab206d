"""Built engines on disk: one folder each, with a manifest of every fact that decides whether it may be used.

    engines/<architecture>-<precision>-<rtx version>-<export version>/{engine, manifest.json}

A plan is executable code, so it is read only with a manifest that fits it byte for byte. It is kept lzma-compressed
(FLUX.1-dev: 162 MB become 0.4 MB). What is damaged or foreign is set aside, never an error. Behind the user's own
engines stand those that ship with the app, in the same form, only read. No heavy imports.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import lzma
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import resources
from pipelines.engine.limit import read_limit
from pipelines.engine.manifest import Details, Facts, Manifest, explain_miss, read_manifest, write_manifest
from pipelines.errors import FirstlightError, NoRoom, UnusableFile

ENGINE, MANIFEST = "engine", "manifest.json"
ASIDE = "set-aside"  # where unusable things go; the newest of each name
LIMIT = 4 * 2**30  # bytes
_BUILDING = ".building-"
_ABANDONED = 24 * 3600.0  # seconds after which a folder in the making has no maker any more
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine in the store."""

    folder: Path
    manifest: Manifest
    used: float  # seconds since the epoch
    shipped: bool = False

    @property
    def name(self) -> str:
        """Its folder's name."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Miss:
    """There is no such engine; `reason` says in words which fact differs in the nearest one."""

    reason: str


def open_store(folder: Path) -> Store:
    """The user's engines in `folder`, and behind them those that ship with the app."""
    return Store(folder, shipped=resources.folder() / "engines")


class Store:
    """The engines in `folder`, which is made when the first one is added.

    Where it has none that fits, those in the folder `shipped` are looked at.
    """

    def __init__(self, folder: Path, limit: int | None = None, shipped: Path | None = None) -> None:
        self.folder = folder
        self._given_limit = limit
        self._shipped = shipped

    @property
    def limit(self) -> int:
        """Bytes that all engines together may have: as given, or as the user has set it."""
        return read_limit(self.folder, LIMIT) if self._given_limit is None else self._given_limit

    def trim(self) -> None:
        """Keep to the limit: what was used longest ago goes first."""
        self._evict(keep=None)

    def entries(self) -> list[Entry]:
        """The user's usable engines, the last used first. Others are set aside."""
        found = [entry for folder in self._folders() if (entry := self._read_entry(folder)) is not None]
        return sorted(found, key=lambda entry: (-entry.used, entry.name))

    def shipped(self, architecture: str = "*") -> list[Entry]:
        """The engines that came with the app, of one architecture or all, by name."""
        folders = sorted(self._shipped.glob(f"{architecture}-*/")) if self._shipped is not None else []
        found = [_read_entry(folder, shipped=True) for folder in folders]
        for folder, entry in zip(folders, found, strict=True):
            if isinstance(entry, str):
                log.warning("the shipped engine %s is left out: %s", folder, entry)
        return [entry for entry in found if isinstance(entry, Entry)]

    def find(self, facts: Facts) -> Entry | Miss:
        """The engine of exactly these facts: the user's own before one that shipped."""
        entries = [*self.entries(), *self.shipped(facts.architecture)]
        for entry in entries:
            if entry.manifest.facts == facts:
                return entry
        return Miss(explain_miss(facts, [entry.manifest.facts for entry in entries]))

    def load(self, entry: Entry) -> bytes | Miss:
        """The plan of an engine, checked against its manifest, and marked as used now."""
        manifest = entry.manifest
        problem = ""
        try:
            stored = (entry.folder / ENGINE).read_bytes()
        except OSError as error:
            return self._spoilt(entry, f"its file cannot be read: {error.strerror or error}")
        if len(stored) != manifest.stored_bytes or hashlib.sha256(stored).hexdigest() != manifest.sha256:
            return self._spoilt(entry, "its file is not the one that was built")
        try:
            plan = lzma.decompress(stored)
            problem = "" if len(plan) == manifest.plan_bytes else "its plan has another length"
        except (lzma.LZMAError, EOFError, MemoryError) as error:
            plan, problem = b"", f"it cannot be unpacked: {error}"
        if problem:
            return self._spoilt(entry, problem)
        if not entry.shipped:
            with contextlib.suppress(OSError):  # the time of use is a nicety
                os.utime(entry.folder / MANIFEST)
        return plan

    def add(self, facts: Facts, details: Details, stored: bytes, plan_bytes: int) -> Entry:
        """Keep a plan, whole or not at all, in place of one of the same facts; then keep to the size limit.

        `stored` is the plan of `plan_bytes` as `lzma.compress` gives it.

        Raises:
            NoRoom, UnusableFile: it cannot be written; what was there stays.
        """
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        digest = hashlib.sha256(stored).hexdigest()
        manifest = Manifest(facts, details, digest, len(stored), plan_bytes, created)
        target = self.folder / facts.folder_name
        with self.workplace() as work:
            try:
                _write(work / ENGINE, stored)
                _write(work / MANIFEST, write_manifest(manifest))
                self._put(work, target)
            except OSError as error:
                raise _explain(error, target) from error
        self._evict(keep=target)
        return Entry(target, manifest, time.time())

    def remove(self, name: str) -> Entry:
        """Delete one engine.

        Raises:
            UnusableFile: there is none of that name, or it cannot be deleted.
        """
        entry = next((entry for entry in self.entries() if entry.name == name), None)
        if entry is None and any(entry.name == name for entry in self.shipped()):
            raise UnusableFile(
                f"The engine {name!r} came with Firstlight and stays with it.", "Delete only what was built here."
            )
        if entry is None:
            raise UnusableFile(f"There is no engine {name!r}.", "See: firstlight engine list.")
        try:
            shutil.rmtree(entry.folder)
        except OSError as error:
            raise UnusableFile(
                f"The engine {name!r} cannot be deleted: {error.strerror or error}.", "Close what uses it."
            ) from error
        return entry

    def clear_aside(self) -> int:
        """Delete what was set aside; returns how many things that were."""
        aside = self.folder / ASIDE
        if aside.is_symlink() or not aside.is_dir():
            return 0
        count = len(list(aside.iterdir()))
        shutil.rmtree(aside, ignore_errors=True)
        return count

    def workplace(self) -> Workplace:
        """A folder to build in, within the store: it is gone when its `with` block ends.

        Raises:
            NoRoom, UnusableFile: it cannot be made.
        """
        return Workplace(self.folder)

    def _folders(self) -> list[Path]:
        """What may be an engine. Folders that a dead process was building in are deleted; files do not belong here."""
        try:
            inside = sorted(self.folder.iterdir())
        except OSError:
            return []
        folders: list[Path] = []
        for path in inside:
            if path.name.startswith("."):
                if path.name.startswith(_BUILDING) and _age(path) > _ABANDONED and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
            elif path.name != ASIDE and path.is_dir() and not path.is_symlink():
                folders.append(path)
        return folders

    def _read_entry(self, folder: Path) -> Entry | None:
        """The engine in a folder, or None, with the folder set aside where it is none."""
        found = _read_entry(folder)
        if isinstance(found, str):
            self._set_aside(folder, found)
            return None
        return found

    def _spoilt(self, entry: Entry, problem: str) -> Miss:
        if entry.shipped:
            return Miss(f"the engine {entry.name} that came with Firstlight is damaged: {problem}")
        self._set_aside(entry.folder, problem)
        return Miss(f"the engine {entry.name} was set aside: {problem}")

    def _set_aside(self, folder: Path, problem: str) -> None:
        """Move it out of the way; where even that fails it is left, and ignored all the same."""
        log.warning("engine %s is set aside: %s", folder, problem)
        target = self.folder / ASIDE / folder.name
        try:
            target.parent.mkdir(exist_ok=True)
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            folder.rename(target)
        except OSError as error:
            log.warning("it stays in place: %s", error)

    def _put(self, work: Path, target: Path) -> None:
        """Move a finished folder to its place; one that is there steps aside first, and comes back on failure."""
        before = work.with_name(f"{work.name}-before")
        replaced = target.exists()
        if replaced:
            target.rename(before)
        try:
            work.rename(target)
        except OSError:
            if replaced:
                before.rename(target)
            raise
        shutil.rmtree(before, ignore_errors=True)

    def _evict(self, keep: Path | None) -> None:
        """Delete the engines that were used longest ago until the rest fits into the limit; never `keep`."""
        entries, limit = self.entries(), self.limit
        total = sum(entry.manifest.stored_bytes for entry in entries)
        for entry in reversed(entries):
            if total <= limit:
                return
            if entry.folder != keep:
                log.info("engine %s is deleted: the engines are larger than %d bytes", entry.name, limit)
                shutil.rmtree(entry.folder, ignore_errors=True)
                total -= entry.manifest.stored_bytes


class Workplace:
    """See `Store.workplace`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None

    def __enter__(self) -> Path:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._path = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=self._folder))
        except OSError as error:
            raise _explain(error, self._folder) from error
        return self._path

    def __exit__(self, *failure: object) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)


def _read_entry(folder: Path, *, shipped: bool = False) -> Entry | str:
    """The engine in a folder, or why it is none."""
    try:
        manifest = read_manifest(folder / MANIFEST)
        size = (folder / ENGINE).stat().st_size
        used = (folder / MANIFEST).stat().st_mtime
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        return f"its manifest cannot be used: {error!r}"
    if manifest.facts.folder_name != folder.name:
        return "its manifest is another engine's"
    if size != manifest.stored_bytes:
        return f"its file has {size} bytes, not {manifest.stored_bytes}"
    return Entry(folder, manifest, used, shipped)


def _write(file: Path, content: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _explain(error: OSError, path: Path) -> FirstlightError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoRoom(f"The disk is full: {str(path)!r} could not be written.", "Free some space and build again.")
    return UnusableFile(
        f"The engine {str(path)!r} cannot be written: {error.strerror or error}.",
        "Check the folder and its permissions.",
    )
