"""Painting a mask: the picture below, the mask that it begins with, the brush, and where the result goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.services import masks
from app.services.background import Background
from app.services.picture_loader import PictureLoader
from app.viewmodels.observable import Observed
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.masks import Mask
    from app.viewmodels.picture import Teller
    from pipelines.viewing import View

BRUSH_MIN, BRUSH_MAX = 1, 1000  # pixels of the picture
_SHOWN = 1024  # pixels of the longer side of a softened mask that is shown
_PICTURE, _MASK = "picture", "mask"


class MaskUser(Protocol):
    """What draws by the mask: `viewmodels.generation.Generation`."""

    def set_mask(self, path: Path | None) -> None:
        """Draw anew what is white in it; None: everything."""
        ...


class MaskPanel(QObject):
    """One painting of a mask, from `begin` to `save` or `leave`.

    Signals:
        picture_changed (View | None): the picture below.
        loaded_changed (View | None): a mask that was read: the one to begin with, or a file the user chose.
        softened (Mask): the answer to `soften`.
        finished: the mask is in use, or given up; the editor closes.
    """

    picture, picture_changed = Observed["View | None"](None), Signal(object)
    loaded, loaded_changed = Observed["View | None"](None), Signal(object)
    brush, brush_changed = Observed(64), Signal(object)
    erasing, erasing_changed = Observed(False), Signal(object)
    feather, feather_changed = Observed(0), Signal(object)
    saving, saving_changed = Observed(False), Signal(object)
    softened = Signal(object)
    finished = Signal()
    _saved = Signal(object)
    _failed = Signal(object)

    def __init__(self, user: MaskUser, folder: Path, notices: Teller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._user = user
        self._folder = folder
        self._notices = notices
        self._soften_last: Mask | None = None
        self._background = Background()
        self._loader = PictureLoader(self)
        self._loader.loaded.connect(self._take)
        self._loader.failed.connect(self._take_failure)
        self._saved.connect(self._use)
        self._failed.connect(self._tell)

    def begin(self, picture: Path, mask: Path | None = None) -> None:
        """Paint on this picture; `mask` is one that it has already."""
        self.picture = self.loaded = None
        self.saving = False
        self._loader.forget(_MASK)
        self._loader.load(_PICTURE, picture)
        if mask is not None:
            self.load(mask)

    def load(self, mask: Path) -> None:
        """Go on from a mask in a file."""
        self._loader.load(_MASK, mask)

    def change_brush(self, size: int) -> None:
        """Paint with a brush this wide, in pixels of the picture."""
        self.brush = min(max(size, BRUSH_MIN), BRUSH_MAX)

    def grow_brush(self) -> None:
        """The next larger brush."""
        self.change_brush(max(self.brush + 1, round(self.brush * 1.2)))

    def shrink_brush(self) -> None:
        """The next smaller brush."""
        self.change_brush(min(self.brush - 1, round(self.brush / 1.2)))

    def change_feather(self, radius: int) -> None:
        """Soften the edges over so many pixels."""
        self.feather = min(max(radius, 0), masks.FEATHER_MAX)

    def soften(self, mask: Mask) -> None:
        """Soften a small copy, to be shown; ends with `softened`, and only the last of many does."""
        self._soften_last = mask
        radius = self.feather

        def soften() -> None:
            if self._soften_last is mask:
                self.softened.emit(masks.feather(mask, radius, _SHOWN))

        self._background.do(soften)

    def save(self, mask: Mask) -> None:
        """Keep it in the profile and draw by it."""
        if not self.saving:
            self.saving = True
            radius = self.feather
            self._background.do(lambda: self._save(mask, radius))

    def use_none(self) -> None:
        """Draw everything anew: what was painted is empty."""
        self._user.set_mask(None)
        self.leave()

    def leave(self) -> None:
        """Give it up."""
        self._loader.forget(_PICTURE)
        self._loader.forget(_MASK)
        self.picture = self.loaded = None
        self.finished.emit()

    def close(self) -> None:
        """End the threads. Call it before the app ends."""
        self._loader.close()
        self._background.close()

    def _save(self, mask: Mask, radius: int) -> None:
        try:
            self._saved.emit(masks.save(mask, radius, self._folder))
        except FirstlightError as error:
            self._failed.emit(Failure(error.kind, error.message, error.action))

    def _use(self, path: Path) -> None:
        self.saving = False
        self._user.set_mask(path)
        self.leave()

    def _take(self, place: str, view: View) -> None:
        if place == _PICTURE:
            self.change_brush(max(view.width, view.height) // 10)
            self.picture = view
        else:
            self.loaded = None  # the same file read again is to be taken again
            self.loaded = view

    def _take_failure(self, place: str, _path: Path, failure: Failure) -> None:
        self._notices.tell(failure)
        if place == _PICTURE:
            self.leave()

    def _tell(self, failure: Failure) -> None:
        self.saving = False
        self._notices.tell(failure)
