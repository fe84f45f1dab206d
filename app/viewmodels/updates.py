"""A newer version: found only where the user has asked to look, fetched and started only on the user's word."""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import update
from app.services.background import Background
from app.services.settings_table import UPDATE_CHECK
from app.services.transfer import make_client
from app.viewmodels.observable import Observed
from pipelines.errors import Cancelled, FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.services.settings import Settings
    from app.services.update import Update, UpdateSource


class UpdateStage(Enum):
    """Where it is."""

    idle = "idle"
    found = "found"
    fetching = "fetching"
    ready = "ready"


class Updates(QObject):
    """Looks once at each start, where that is switched on.

    Signals (each with the new value, beside `quit_wanted`):
        stage_changed, update_changed, done_changed (bytes fetched), failure_changed.
        quit_wanted (): the setup program has been started and waits for this one to end.
    """

    stage_changed = Signal(object)
    update_changed = Signal(object)
    done_changed = Signal(object)
    failure_changed = Signal(object)
    quit_wanted = Signal()
    _looked = Signal(object)
    _fetched = Signal(object)
    _failed = Signal(object)
    _counted = Signal(object)

    stage = Observed(UpdateStage.idle)
    update = Observed["Update | None"](None)
    done = Observed(0)
    failure = Observed["Failure | None"](None)

    def __init__(
        self, source: UpdateSource, version: str, data: Path, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._version = version
        self._data = data
        self._settings = settings
        self._setup: Path | None = None
        self._background = Background()
        self._stop = threading.Event()
        self._looked.connect(self._take_look)
        self._fetched.connect(self._take_setup)
        self._failed.connect(self._take_failure)
        self._counted.connect(self._take_count)

    def begin(self) -> None:
        """Look, where the user has switched that on. A server that does not answer is no news."""
        if self._settings.flag(UPDATE_CHECK):
            self._do(self._look, tell=False)

    def fetch(self) -> None:
        """Fetch the setup program."""
        if self.stage is UpdateStage.found:
            self.stage, self.failure = UpdateStage.fetching, None
            self._stop.clear()
            self._do(self._fetch, tell=True)

    def cancel(self) -> None:
        """Stop fetching; what is there is kept."""
        self._stop.set()

    def install(self) -> None:
        """Start the setup program, and ask the window to close."""
        if self._setup is None:
            return
        try:
            update.start_setup(self._setup)
        except FirstlightError as error:
            self.failure = Failure(error.kind, error.message, error.action)
            return
        self.quit_wanted.emit()

    def close(self) -> None:
        """End the work."""
        self._stop.set()
        self._background.close()

    def _do(self, work: Callable[[], None], *, tell: bool) -> None:
        def careful() -> None:
            try:
                work()
            except FirstlightError as error:
                if tell:
                    self._failed.emit(Failure(error.kind, error.message, error.action))

        self._background.do(careful)

    def _look(self) -> None:
        with make_client() as client:
            self._looked.emit(update.look(self._source, self._version, client))

    def _fetch(self) -> None:
        wanted = self.update
        if wanted is not None:
            with make_client() as client:
                self._fetched.emit(update.fetch(wanted, self._data, client, _Control(self._stop, self._counted.emit)))

    def _take_look(self, found: Update | None) -> None:
        if found is not None:
            self.update, self.stage = found, UpdateStage.found

    def _take_setup(self, setup: Path) -> None:
        self._setup, self.stage = setup, UpdateStage.ready

    def _take_failure(self, failure: Failure) -> None:
        self.stage = UpdateStage.found
        self.failure = None if failure.kind == Cancelled.kind else failure

    def _take_count(self, done: int) -> None:
        self.done = done


class _Control:
    """Watches a transfer from its own thread."""

    def __init__(self, stop: threading.Event, count: Callable[[int], None]) -> None:
        self._stop = stop
        self._count = count
        self._done = 0

    def check(self) -> None:
        """Stop where the user wants it."""
        if self._stop.is_set():
            raise Cancelled

    def add(self, count: int, *, fresh: bool) -> None:  # as the protocol has it
        """Count."""
        self._done += count
        self._count(self._done)

    def say(self, message: str) -> None:
        """A second try is no news here."""

    def attach(self, wake: Callable[[], None]) -> None:
        """The next block comes within the client's patience; that is soon enough for a setup program."""
