"""Reading pictures for the window, away from its thread."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.background import Background
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

log = logging.getLogger(__name__)


class PictureLoader(QObject):
    """Reads what is wanted last for each place, and leaves out what is no longer wanted.

    Signals:
        loaded (str, View): the picture for that place (`pipelines.viewing.View`).
        inspected (str, Inspection): what it says about itself, before its pixels.
        failed (str, Path, Failure): it cannot be shown.
        saved (Path): a copy is there.
        not_saved (Failure): it could not be written.
        noted (str): something about the copy that the user should know.
    """

    loaded = Signal(object, object)
    inspected = Signal(object, object)
    failed = Signal(object, object, object)
    saved = Signal(object)
    not_saved = Signal(object)
    noted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background()
        self._wanted: dict[str, Path] = {}

    def load(self, place: str, path: Path, *, inspect: bool = False, pixels_max: int | None = None) -> None:
        """Read the picture at `path` for `place`, and with `inspect` its settings first."""
        self._wanted[place] = path
        self._background.do(lambda: self._load(place, path, inspect=inspect, pixels_max=pixels_max))

    def forget(self, place: str) -> None:
        """What was asked for there is not wanted any more."""
        self._wanted.pop(place, None)

    def save_copy(self, source: Path, target: Path) -> None:
        """Write the picture to `target` in the format of its suffix, with its settings."""
        self._background.do(lambda: self._save_copy(source, target))

    def close(self) -> None:
        """End the thread. Call it before the app ends."""
        self._background.close()

    def _load(self, place: str, path: Path, *, inspect: bool, pixels_max: int | None) -> None:
        # Late: they load NumPy and Pillow, and only this thread needs them
        from pipelines.inspection import read
        from pipelines.viewing import PIXELS_MAX, read_view

        if self._wanted.get(place) != path:
            return
        try:
            if inspect:
                self.inspected.emit(place, read(path))
            self.loaded.emit(place, read_view(path, pixels_max or PIXELS_MAX))
        except FirstlightError as error:
            self.failed.emit(place, path, Failure(error.kind, error.message, error.action))

    def _save_copy(self, source: Path, target: Path) -> None:
        from app.services.picture_files import save_copy

        self._try(lambda: self._note_copy(save_copy(source, target), target))

    def _note_copy(self, note: str, target: Path) -> None:
        if note:
            self.noted.emit(note)
        self.saved.emit(target)

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except FirstlightError as error:
            self.not_saved.emit(Failure(error.kind, error.message, error.action))
