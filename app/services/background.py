"""Work on files away from the window's thread. It touches no database and no widget: results come by signals."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QRunnable, QThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)


class Background:
    """One thread of its own: work is done in order, and a slow disk holds up nothing else."""

    def __init__(self) -> None:
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)
        self.closing = False

    def do(self, work: Callable[[], object]) -> None:
        """Do it there, after what was asked for before."""
        if not self.closing:
            self._pool.start(_Task(work))

    def close(self) -> None:
        """Begin nothing more, and wait for what is being done. Long work looks at `closing`."""
        self.closing = True
        self._pool.clear()
        self._pool.waitForDone()


class _Task(QRunnable):
    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self._work = work

    def run(self) -> None:
        try:
            self._work()
        except Exception:  # an exception must not reach Qt's C++; the work itself tells what it expects to fail
            log.exception("work in the background failed")
