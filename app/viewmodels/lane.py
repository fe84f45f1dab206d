"""Slow work away from the window's thread, and its results back on it."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from app.services.background import Background
from pipelines.errors import Cancelled, FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_BEAT = 0.1  # seconds between two reports that reach the window

log = logging.getLogger(__name__)


class Lane(QObject):
    """One thread: what is given to it is done in order. `then` and `failed` are called on the thread of this object."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background()
        self._arrived.connect(self._take)

    def do(
        self, work: Callable[[], T], then: Callable[[T], object], failed: Callable[[Failure | None], object]
    ) -> None:
        """Do the work there. `failed` gets None where the work was stopped by the user."""

        def run() -> None:
            try:
                result = work()
            except Cancelled:
                self._post(lambda: failed(None))
            except FirstlightError as error:
                failure = as_failure(error)
                self._post(lambda: failed(failure))
            except Exception as fault:  # the thread's edge: a fault of ours is told, and the page goes on
                log.exception("work for a page failed")
                found = Failure("fault", f"Firstlight has a fault: {type(fault).__name__}.", "The log has the details.")
                self._post(lambda: failed(found))
            else:
                self._post(lambda: then(result))

        self._background.do(run)

    def close(self) -> None:
        """Begin nothing more, and wait for what is being done."""
        self._background.close()

    def _post(self, call: Callable[[], object]) -> None:
        if not self._background.closing:
            self._arrived.emit(call)

    def _take(self, call: Callable[[], object]) -> None:
        call()


class Courier(QObject):
    """Takes reports on a worker's thread and lets the newest through a few times a second; stops the work, too.

    Signals:
        moved (object): what was reported.
    """

    moved = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._last = 0.0

    def __call__(self, report: object, /) -> None:
        """Take one.

        Raises:
            Cancelled: `stop` was called.
        """
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._last >= _BEAT:
            self._last = now
            self.moved.emit(report)

    def stop(self) -> None:
        """Let the next report raise `Cancelled`."""
        self._stop.set()

    def start(self) -> None:
        """Take reports (again)."""
        self._stop.clear()
        self._last = 0.0


def as_failure(error: FirstlightError) -> Failure:
    """The failure as a value."""
    return Failure(error.kind, error.message, error.action)
