"""One component's kernels from launch to launch: read with a word to the user, guarded, and kept as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.engine.cache import CacheMiss, KernelCaches
from pipelines.events import CacheRead

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.engine.cache import OpenCache
    from pipelines.engine.cache_manifest import CacheFacts
    from pipelines.engine.shapes import ShapeKey
    from pipelines.events import Report


class Keeper:
    """The kernels of `component` under `facts`. Without a `folder` nothing is kept."""

    def __init__(self, folder: Path | None, facts: CacheFacts, component: str, most: int | None = None) -> None:
        self._caches = KernelCaches(folder) if folder is not None else None
        self._facts = facts
        self._component = component
        self._most = most
        self._opened: OpenCache | None = None
        self._shapes: dict[ShapeKey, None] = {}

    def load(self, report: Report) -> bytes | None:
        """The kernels of an earlier launch; say `trust` once they have run, or `reject` if they are not taken.

        Raises:
            Cancelled: from the report.
        """
        if self._caches is None:
            return None
        opened = self._caches.open(self._facts)
        if isinstance(opened, CacheMiss):
            report(CacheRead(self._component, hit=False, reason=opened.reason))
            return None
        self._opened, self._shapes = opened, dict.fromkeys(opened.shapes)
        return opened.content

    def trust(self, report: Report) -> None:
        """They have run: take the mark off, and say that they were found."""
        if self._opened is not None:
            self.close()
            report(CacheRead(self._component, hit=True))

    def reject(self, reason: str, report: Report) -> None:
        """They are not taken: set them aside, and say why."""
        self._shapes = {}
        if self._opened is not None:
            self._opened.reject(reason)
            self._opened = None
            report(CacheRead(self._component, hit=False, reason=f"it was set aside: {reason}"))

    def close(self) -> None:
        """Take the mark off, as after a cancel: nothing went wrong."""
        if self._opened is not None:
            self._opened.trust()
            self._opened = None

    def is_kept(self, shape: ShapeKey) -> bool:
        """Whether there are kernels for it from an earlier launch."""
        return shape in self._shapes

    def keep(self, shape: ShapeKey, content: bytes, seconds: float = 0.0) -> bool:
        """Write all kernels down, now that those for `shape` are among them. Returns whether they are kept."""
        self._shapes[shape] = None
        if self._caches is None or (self._most is not None and len(content) > self._most):
            return False
        return self._caches.save(self._facts, self._component, content, self._shapes, seconds)

    def forget(self, shape: ShapeKey) -> None:
        """There are none for it any more."""
        self._shapes.pop(shape, None)
