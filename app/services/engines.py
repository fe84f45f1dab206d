"""The engines on this machine as the window shows them. See `pipelines.engine.store`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.engine import rtx
from pipelines.engine.limit import write_limit

if TYPE_CHECKING:
    from pipelines.engine.store import Entry, Store


@dataclass(frozen=True, slots=True)
class EngineRow:
    """A built engine. Bytes; `used` is in seconds since the epoch. `fits`: the installed TensorRT-RTX made it."""

    name: str
    part: str
    precision: str
    rtx_version: str
    stored_bytes: int
    plan_bytes: int
    used: float
    fits: bool


@dataclass(frozen=True, slots=True)
class EngineList:
    """The engines, the last used first, and the bytes that all of them may have.

    `shipped` is how many more came with the app and fit the installed TensorRT-RTX.
    """

    rows: tuple[EngineRow, ...]
    limit: int
    shipped: int = 0

    @property
    def bytes(self) -> int:
        """Bytes on disk."""
        return sum(row.stored_bytes for row in self.rows)


class Engines:
    """The service. Its methods read files: call them in the background."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def look(self) -> EngineList:
        """What is there. Damaged engines are set aside by this."""
        version = rtx.find_version()
        rows = tuple(_row(entry, version) for entry in self._store.entries())
        shipped = [entry for entry in self._store.shipped() if entry.manifest.facts.rtx_version == version]
        return EngineList(rows, self._store.limit, len(shipped))

    def remove(self, name: str) -> None:
        """Delete one.

        Raises:
            UnusableFile: there is none of that name, or it cannot be deleted.
        """
        self._store.remove(name)

    def set_limit(self, limit: int) -> None:
        """Let all engines together have so many bytes; those used longest ago go now if they have more.

        Raises:
            UnusableFile: it cannot be kept.
        """
        write_limit(self._store.folder, limit)
        self._store.trim()


def _row(entry: Entry, version: str | None) -> EngineRow:
    manifest = entry.manifest
    return EngineRow(
        name=entry.name,
        part=manifest.details.part,
        precision=manifest.facts.precision,
        rtx_version=manifest.facts.rtx_version,
        stored_bytes=manifest.stored_bytes,
        plan_bytes=manifest.plan_bytes,
        used=entry.used,
        fits=manifest.facts.rtx_version == version,
    )
