"""All services of one window, as `app.composition` wires them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile

from app.services.settings_table import THUMBNAIL_CACHE_MB

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from app.services.engine_client import EngineClient
    from app.services.jobs import Jobs, Restored
    from app.services.library import Library
    from app.services.settings import Settings
    from app.services.thumbnails import Thumbnails


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """What view models are given.

    `notices` is to be told once: what was wrong with the files at the start. `is_second` tells that another window is
    open on the same profile; this one has a library of its own, in memory.
    """

    settings: Settings
    engine: EngineClient
    jobs: Jobs
    library: Library
    thumbnails: Thumbnails
    notices: tuple[str, ...]
    connection: sqlite3.Connection
    lock: QLockFile
    is_second: bool

    def start(self) -> Restored:
        """Begin to work, when the window is visible: nothing here waits for anything.

        Raises:
            FirstlightError: the library cannot be read.
        """
        self.engine.start()
        restored = self.jobs.restore()
        self.library.check_all()
        self.thumbnails.trim(self.settings.number(THUMBNAIL_CACHE_MB) * 1_000_000)
        return restored

    def close(self) -> None:
        """End everything in order, within a few seconds. The running job is queued for the next start."""
        self.engine.close()
        self.jobs.close()  # takes the engine's last words, and gives pictures to the library
        self.library.close()
        self.thumbnails.close()
        self.connection.close()
        self.lock.unlock()


def lock_profile(folder: Path) -> tuple[QLockFile, bool]:
    """Claim the folder for this window; True where another one has it. A window that was killed holds nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        log.warning("no lock in %s: %s", folder, error)  # the library cannot be there either, and says so
    lock = QLockFile(str(folder / "window.lock"))
    lock.setStaleLockTime(0)  # a lock is stale when its process is gone, however old it is
    return lock, not lock.tryLock(0) and lock.error() is QLockFile.LockError.LockFailedError
