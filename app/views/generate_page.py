"""The Generate page: controls at the left, the picture in the middle, the queue at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.centre_view import CentreView
from app.views.controls_view import ControlsView
from app.views.fields import icon_button
from app.views.queue_view import QueueView
from app.views.theme import SPACE

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QShowEvent

    from app.viewmodels.generate import GenerateModels

_CONTROLS, _QUEUE = 340, 260  # logical pixels at first; both can be drawn wider
_ROOM_FOR_QUEUE = 1200  # a narrower page begins with the queue folded


class GeneratePage(QWidget):
    """The page. While it is shown, Ctrl+Enter draws and Esc cancels, wherever the focus is.

    Signals:
        gallery_wanted (Path): the user wants to see this picture in the Gallery.
        mask_wanted (Path): the user wants to paint a mask on this picture.
    """

    gallery_wanted = Signal(object)
    mask_wanted = Signal(object)

    def __init__(self, models: GenerateModels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._folded_by_user = False
        self.controls = ControlsView(models)
        self.centre = CentreView(models)
        self.queue = QueueView(models.queue)
        self._queue_side = self._make_queue_side()
        self.unfold = self._make_unfold()
        self._lay_out()
        self._make_shortcuts()
        self.controls.start.mask_wanted.connect(self.mask_wanted)
        self.centre.gallery_wanted.connect(self.gallery_wanted)
        self.queue.settings_wanted.connect(models.generation.restore)
        self.queue.fold_wanted.connect(self.fold_queue)
        follow(models.queue, "waiting", self._show_waiting)

    def fold_queue(self) -> None:
        """Put the queue out of the way."""
        self._folded_by_user = True
        self._set_folded(folded=True)

    def unfold_queue(self) -> None:
        """Show the queue."""
        self._folded_by_user = True
        self._set_folded(folded=False)
        self.queue.list.setFocus()

    def _make_queue_side(self) -> QWidget:
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 14, 12, 12)
        column.addWidget(self.queue)
        side.setMinimumWidth(180)
        return side

    def _make_unfold(self) -> QToolButton:
        button = icon_button("list", self.tr("Show the queue"), self.unfold_queue)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        return button

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        for part in (self.controls, self.centre, self._queue_side):
            self._splitter.addWidget(part)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_CONTROLS, 10_000, _QUEUE])
        edge = QVBoxLayout()
        edge.setContentsMargins(0, SPACE, SPACE // 2, SPACE)
        edge.addWidget(self.unfold)
        edge.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._splitter, 1)
        row.addLayout(edge)
        self._set_folded(folded=True)

    def _make_shortcuts(self) -> None:
        generation = self._models.generation
        for keys, slot in (
            ("Ctrl+Return", generation.generate),
            ("Ctrl+Enter", generation.generate),
            ("Esc", generation.cancel),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(slot)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Models and files may have come or gone while another page was shown. The first thing to do is to type."""
        super().showEvent(event)
        self._models.generation.refresh_models()
        self.controls.prompt.prompt.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Where there is room, the queue is shown, unless the user has folded it."""
        super().resizeEvent(event)
        if not self._folded_by_user:
            self._set_folded(folded=event.size().width() < _ROOM_FOR_QUEUE)

    def _set_folded(self, *, folded: bool) -> None:
        self._queue_side.setVisible(not folded)
        self.unfold.setVisible(folded)

    def _show_waiting(self, waiting: int) -> None:
        self.unfold.setText(str(waiting) if waiting else "")
        words = self.tr("Show the queue: %n waiting", "", waiting) if waiting else self.tr("Show the queue")
        self.unfold.setAccessibleName(words)
        self.unfold.setToolTip(words)
