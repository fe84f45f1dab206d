"""The size of the picture: by shape, or side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.fields import ProblemLabel, choice, icon_button, named
from app.views.generate_words import say_size
from app.views.theme import SPACE
from pipelines.request import SIDE_MAX, SIDE_MIN

if TYPE_CHECKING:
    from PySide6.QtCore import QRect

    from app.viewmodels.generation import Generation
    from app.viewmodels.size_presets import SizePreset
    from pipelines.sizes import RenderSize


class SizePanel(QWidget):
    """Shape, width and height, and one sentence on what happens to odd sizes."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.shape = choice()
        self.shape.setIconSize(QSize(18, 18))
        self.width_box, self.height_box = _side(), _side()
        self.swap = icon_button("arrow-left-right", self.tr("Swap width and height"), generation.swap_sides)
        self.note = ProblemLabel()
        self._lay_out()
        self.shape.activated.connect(self._take_shape)
        self.width_box.valueChanged.connect(self._take_width)
        self.height_box.valueChanged.connect(self._take_height)
        follow(generation, "presets", self._show_presets)
        follow(generation, "width", self._show_width)
        follow(generation, "height", self._show_height)
        follow(generation, "drawn_size", self._show_note)

    def _lay_out(self) -> None:
        range_of = self.tr("%1 to %2 pixels").replace("%1", str(SIDE_MIN)).replace("%2", str(SIDE_MAX))
        row = QHBoxLayout()
        row.setSpacing(SPACE // 2)
        row.addLayout(named(self.tr("&Width"), self.width_box, range_of), 1)
        row.addWidget(self.swap, 0, Qt.AlignmentFlag.AlignBottom)
        row.addLayout(named(self.tr("&Height"), self.height_box, range_of), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        tip = self.tr("Sizes that the model draws best")
        column.addLayout(named(self.tr("&Shape"), self.shape, tip))
        column.addLayout(row)
        column.addWidget(self.note)

    def _take_shape(self, index: int) -> None:
        preset: SizePreset | None = self.shape.itemData(index)
        if preset is not None:
            self._generation.choose_size(preset.width, preset.height)

    def _take_width(self, value: int) -> None:
        self._generation.width = value

    def _take_height(self, value: int) -> None:
        self._generation.height = value

    def _show_presets(self, presets: tuple[SizePreset, ...]) -> None:
        self.shape.clear()
        for preset in presets:
            wide, tall = preset.ratio
            text = f"{wide}:{tall}   {preset.width} × {preset.height}"
            self.shape.addItem(QIcon(_ShapeEngine(wide / tall)), text, preset)
        self.shape.addItem(self.tr("Own size"), None)
        self._show_shape()

    def _show_width(self, value: int) -> None:
        self.width_box.setValue(value)
        self._show_shape()

    def _show_height(self, value: int) -> None:
        self.height_box.setValue(value)
        self._show_shape()

    def _show_shape(self) -> None:
        size = (self._generation.width, self._generation.height)
        for index, preset in enumerate(self._generation.presets):
            if (preset.width, preset.height) == size:
                self.shape.setCurrentIndex(index)
                return
        self.shape.setCurrentIndex(self.shape.count() - 1)

    def _show_note(self, drawn: RenderSize | None) -> None:
        self.note.show_problem(say_size(drawn, self._generation.entry), is_fault=False)


def _side() -> QSpinBox:
    box = QSpinBox()
    box.setRange(SIDE_MIN, SIDE_MAX)
    box.setSingleStep(16)
    box.setAccelerated(True)
    box.setKeyboardTracking(False)  # not at each digit: 1 of 1024 is no size
    return box


class _ShapeEngine(QIconEngine):
    """A frame of that shape, in the colour of the text."""

    def __init__(self, shape: float) -> None:
        super().__init__()
        self._shape = shape

    def clone(self) -> QIconEngine:
        return _ShapeEngine(self._shape)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        painter = QPainter(drawn)
        self.paint(painter, drawn.rect(), mode, state)
        painter.end()
        return drawn

    def paint(self, painter: QPainter, rect: QRect, _mode: QIcon.Mode, _state: QIcon.State) -> None:
        area = rect.width() * rect.height() * 0.45
        width = min((area * self._shape) ** 0.5, rect.width() - 2.0)
        frame = QRectF(0, 0, width, min(width / self._shape, rect.height() - 2.0))
        frame.moveCenter(QRectF(rect).center())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QPalette().color(QPalette.ColorRole.PlaceholderText), max(1.0, rect.width() / 14)))
        painter.drawRoundedRect(frame, 1.5, 1.5)
