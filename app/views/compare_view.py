"""Two pictures in one place, with a line between them that is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QVBoxLayout, QWidget

from app.views import icons
from app.views.elided_label import ElidedLabel
from app.views.mipmap import Mipmap
from app.views.picture_area import PictureArea

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent

_PARTS = 1000  # the slider's range: thousandths of the width
_NEAR = 10.0  # logical pixels from the line within which the pointer takes hold of it
_KNOB = 12.0  # logical pixels: its radius


class CompareView(QWidget):
    """Left of the line one picture, right of it the other, at the same zoom and place.

    Pictures of different sizes are brought to the larger one's, each in its own shape. The line is moved with the
    pointer, or with the slider below by keys; X swaps the pictures, Esc leaves.

    Signals:
        closed: the user has seen enough.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.area = CompareArea(self)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _PARTS)
        self.slider.setPageStep(_PARTS // 10)
        self.slider.setSingleStep(_PARTS // 100)
        self.slider.setAccessibleName(self.tr("Where the line between the pictures is"))
        self._left, self._right = ElidedLabel(), ElidedLabel()
        self._right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for label in (self._left, self._right):
            label.setProperty("role", "caption")
        swap = QToolButton()
        swap.setIcon(icons.icon("arrow-left-right"))
        swap.setToolTip(self.tr("Swap the pictures (X)"))
        swap.setAccessibleName(self.tr("Swap the pictures"))
        swap.setProperty("role", "quiet")
        swap.clicked.connect(self.swap)
        close = QToolButton()
        close.setIcon(icons.icon("x"))
        close.setToolTip(self.tr("Stop comparing (Esc)"))
        close.setAccessibleName(self.tr("Stop comparing"))
        close.setProperty("role", "quiet")
        close.clicked.connect(self.closed)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self._left, 2)
        row.addWidget(self.slider, 3)
        row.addWidget(self._right, 2)
        row.addWidget(swap)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.area, 1)
        column.addLayout(row)
        self.area.line_moved.connect(self._follow_line)
        self.slider.valueChanged.connect(self._move_line)
        self.slider.setValue(_PARTS // 2)
        self.setFocusProxy(self.slider)

    def set_images(self, left: QImage, right: QImage, left_name: str = "", right_name: str = "") -> None:
        """Show these two."""
        self.area.set_images(left, right)
        self._left.set_whole_text(left_name)
        self._right.set_whole_text(right_name)
        name = self.tr("Comparing %1 with %2").replace("%1", left_name).replace("%2", right_name)
        self.area.setAccessibleName(name)

    def swap(self) -> None:
        """Left to the right, and right to the left."""
        self.set_images(self.area.right, self.area.left, self._right.whole_text, self._left.whole_text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Leave, or swap."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() == Qt.Key.Key_X and not event.modifiers():
            self.swap()
        else:
            super().keyPressEvent(event)

    def _follow_line(self, at: float) -> None:
        self.slider.setValue(round(at * _PARTS))

    def _move_line(self, value: int) -> None:
        self.area.set_line(value / _PARTS)


class CompareArea(PictureArea):
    """The pictures and the line.

    Signals:
        line_moved (float): the line is at this part of the width.
    """

    line_moved = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._layers: tuple[Mipmap, Mipmap] | None = None
        self._line = 0.5
        self._holds_line = False
        self.setMouseTracking(True)

    @property
    def left(self) -> QImage:
        """The picture that is left of the line."""
        return self._layers[0].image if self._layers else QImage()

    @property
    def right(self) -> QImage:
        """The picture that is right of the line."""
        return self._layers[1].image if self._layers else QImage()

    def set_images(self, left: QImage, right: QImage) -> None:
        """Show these two; a null image shows nothing."""
        self._layers = (Mipmap(left), Mipmap(right))
        larger = max(left.size(), right.size(), key=lambda size: size.width() * size.height())
        self.camera.set_picture(larger)
        self.update()

    def set_line(self, at: float) -> None:
        """Put the line at this part of the width."""
        at = min(max(at, 0.0), 1.0)
        if at != self._line:
            self._line = at
            self.update()
            self.line_moved.emit(at)

    def paint_picture(self, painter: QPainter, visible: QRectF) -> None:
        """Paint both pictures, each on its side, and the line."""
        if self._layers is None:
            return
        ratio = self.devicePixelRatioF()
        x = round(self._line * self.width() * ratio)
        high = self.height() * ratio
        sides = (QRectF(0, 0, x, high), QRectF(x, 0, self.width() * ratio - x, high))
        for layer, side in zip(self._layers, sides, strict=True):
            if not layer.image.isNull():
                self._draw_fitted(painter, layer, visible.intersected(side))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_line(painter, x, high, ratio)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take hold of the line where it is near or nothing can be panned."""
        is_left = event.button() is Qt.MouseButton.LeftButton
        if is_left and (self._is_near(event.position()) or not self.begins_pan(event)):
            self._holds_line = True
            self.set_line(event.position().x() / self.width())
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Move the line."""
        if self._holds_line:
            self.set_line(event.position().x() / self.width())
            return
        super().mouseMoveEvent(event)
        if not event.buttons():
            self.update_cursor()
            if self._is_near(event.position()):
                self.setCursor(Qt.CursorShape.SplitHCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Let go of it."""
        self._holds_line = False
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Zoom, unless it is meant for the line."""
        if not self._is_near(event.position()):
            super().mouseDoubleClickEvent(event)

    def _is_near(self, place: QPointF) -> bool:
        return abs(place.x() - self._line * self.width()) <= _NEAR

    def _draw_fitted(self, painter: QPainter, layer: Mipmap, visible: QRectF) -> None:
        """In its own shape, as large as the larger one allows."""
        frame = self.camera.target()
        size = layer.image.size().scaled(_rounded(frame.size()), Qt.AspectRatioMode.KeepAspectRatio)
        fitted = QSizeF(size) if _differs(layer.image.size(), self.camera.picture) else frame.size()
        corner = frame.topLeft() + QPointF(frame.width() - fitted.width(), frame.height() - fitted.height()) / 2
        target = QRectF(QPointF(round(corner.x()), round(corner.y())), fitted)
        if layer.image.hasAlphaChannel():
            self.draw_ground(painter, target.intersected(visible))
        layer.draw(painter, target, visible)

    def _draw_line(self, painter: QPainter, x: float, high: float, ratio: float) -> None:
        """Light with a dark edge, to be seen on any picture."""
        middle, radius = QPointF(x, high / 2), _KNOB * ratio
        for colour, wide in ((QPalette.ColorRole.Shadow, 4.0), (QPalette.ColorRole.Accent, 2.0)):
            pen = QPen(self.palette().color(colour), wide * ratio)
            painter.setPen(pen)
            painter.drawLine(QPointF(x, 0), QPointF(x, high))
            painter.setBrush(self.palette().color(QPalette.ColorRole.Base))
            painter.drawEllipse(middle, radius, radius)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Text), 1.5 * ratio))
        for way in (-1, 1):  # two arrows
            tip = middle + QPointF(way * radius * 0.6, 0)
            for up in (-1, 1):
                painter.drawLine(tip, tip + QPointF(-way, up) * radius * 0.3)


def _rounded(size: QSizeF) -> QSize:
    return QSize(round(size.width()), round(size.height()))


def _differs(one: QSize, other: QSize) -> bool:
    """Whether two sizes are of different shapes, beyond what rounding does."""
    return abs(one.width() * other.height() - other.width() * one.height()) > max(one.width(), one.height())
