"""One picture of the gallery in the whole page, with the way to its neighbours, or compared with another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views import icons, messages, pixels
from app.views.compare_view import CompareView
from app.views.elided_label import ElidedLabel
from app.views.image_view import ImageView
from app.views.save_dialog import SaveDialog

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QKeyEvent

    from app.viewmodels.picture import PictureView
    from app.views.picture_area import PictureArea
    from pipelines.events import Failure
    from pipelines.viewing import View


class PictureViewer(QWidget):
    """Shows what a `PictureView` has. Left and right lead to the neighbours, Esc back.

    Signals:
        left: the user wants to go back.
        step_wanted (int): the next picture (1) or the one before (-1).
    """

    left = Signal()
    step_wanted = Signal(int)

    def __init__(self, picture: PictureView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = picture
        self.image_view = ImageView()
        self.compare_view = CompareView()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.image_view)
        self._stack.addWidget(self.compare_view)
        self._name = ElidedLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_bar())
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.image_view)
        self.image_view.save_wanted.connect(self._ask_where)
        self.image_view.folder_wanted.connect(picture.show_in_folder)
        self.compare_view.closed.connect(picture.stop_comparing)
        follow(picture, "image", self._show_image)
        follow(picture, "compared", self._show_compared)
        follow(picture, "problem", self._show_problem)
        follow(picture, "reading", self._show_reading)
        follow(picture, "path", self._show_path)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Go to a neighbour, or back; the picture has taken the arrows where it can be panned."""
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_PageUp: -1,
            Qt.Key.Key_Backspace: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: 1,
            Qt.Key.Key_Space: 1,
        }
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif (step := steps.get(Qt.Key(event.key()))) and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.step_wanted.emit(step)
        else:
            super().keyPressEvent(event)

    def _make_bar(self) -> QHBoxLayout:
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(4)
        bar.addWidget(self._button("arrow-left", self.tr("Back to all pictures (Esc)"), self.left.emit))
        bar.addWidget(self._name, 1)
        for icon, text, slot in (
            ("chevron-left", self.tr("The picture before (Left)"), self._step_back),
            ("chevron-right", self.tr("The next picture (Right)"), self._step_on),
            ("maximize", self.tr("Fit to the window (Ctrl+0)"), self._fit),
            ("", self.tr("One pixel of the picture on one of the screen (Ctrl+1)"), self._show_full_size),
            ("save", self.tr("Save as (Ctrl+S)"), self._ask_where),
        ):
            bar.addWidget(self._button(icon, text, slot))
        return bar

    def _button(self, icon: str, text: str, slot: object) -> QToolButton:
        button = QToolButton()
        if icon:
            button.setIcon(icons.icon(icon))
        else:
            button.setText(self.tr("100 %"))
        button.setToolTip(text)
        button.setAccessibleName(text)
        button.setProperty("role", "quiet")
        button.clicked.connect(slot)
        return button

    def _fit(self) -> None:
        self._area.camera.fit()

    def _show_full_size(self) -> None:
        self._area.show_full_size()

    @property
    def _area(self) -> PictureArea:
        """What is looked at."""
        return self.image_view if self._stack.currentWidget() is self.image_view else self.compare_view.area

    def _step_back(self) -> None:
        self.step_wanted.emit(-1)

    def _step_on(self) -> None:
        self.step_wanted.emit(1)

    def _ask_where(self) -> None:
        if (path := self._picture.path) is not None:
            dialog = SaveDialog(path, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.chosen.connect(self._picture.save_as)
            dialog.open()

    def _show_path(self, path: Path | None) -> None:
        self._name.set_whole_text(path.name if path is not None else "")

    def _show_image(self, view: View | None) -> None:
        if view is None:
            self.image_view.clear()
        else:
            prompt = next((detail.value for detail in self._picture.details if detail.fact.value == "prompt"), "")
            self.image_view.set_image(pixels.image_of(view), view.path, prompt, pixels.size_of(view))
        self._show_compared(self._picture.compared)

    def _show_compared(self, view: View | None) -> None:
        first = self._picture.image
        if view is None or first is None:
            was_comparing = self._stack.currentWidget() is self.compare_view
            self._stack.setCurrentWidget(self.image_view)
            self.compare_view.set_images(QImage(), QImage())
            if was_comparing:
                self.image_view.setFocus()
            return
        self.compare_view.set_images(pixels.image_of(first), pixels.image_of(view), first.path.name, view.path.name)
        self._stack.setCurrentWidget(self.compare_view)
        self.compare_view.setFocus()

    def _show_problem(self, problem: Failure | None) -> None:
        if problem is not None:
            self.image_view.set_hint(messages.say(problem))

    def _show_reading(self, reading: bool) -> None:
        if reading:
            self.image_view.set_hint(self.tr("Reading the picture"))
