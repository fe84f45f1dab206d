"""The picture with the mask over it, painted with mouse or pen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPointingDevice, QTabletEvent

from app.views.mask_image import MaskImage
from app.views.mipmap import Mipmap
from app.views.picture_area import PictureArea

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QMouseEvent
    from PySide6.QtWidgets import QWidget

_OPACITY = 0.5
_PRESSURE_MIN = 0.1  # a pen that barely touches still draws


class MaskCanvas(PictureArea):
    """Left paints, right erases; the middle button or the space bar pans. With Shift a straight line is drawn.

    Signals:
        painted: the mask is another now, and no stroke is going on.
        begun: a stroke begins.
    """

    painted = Signal()
    begun = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.brush = 64  # pixels of the picture
        self.erases = False
        self._layer: Mipmap | None = None
        self._mask: MaskImage | None = None
        self._soft: Mipmap | None = None
        self._last: QPointF | None = None  # where the stroke is, in pixels of the picture
        self._before: QPointF | None = None  # where the last one ended
        self._erasing = False
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setAccessibleName(self.tr("Picture to paint the mask on"))

    @property
    def painted_mask(self) -> MaskImage | None:
        """What is painted; None where there is no picture."""
        return self._mask

    @property
    def is_painting(self) -> bool:
        """Whether a stroke is going on."""
        return self._last is not None

    def set_picture(self, image: QImage, size: QSize) -> None:
        """Paint on this picture, which is of that size, beginning with an empty mask."""
        self._layer = Mipmap(image, size)
        self._mask = MaskImage(image.size())
        self._soft = self._last = self._before = None
        self.camera.set_picture(size)
        self.update()

    def set_soft(self, soft: QImage | None) -> None:
        """Show the mask softened, as `soft` is; None shows it as painted."""
        self._soft = Mipmap(soft) if soft is not None else None
        self.update()

    def paint_picture(self, painter: QPainter, visible: QRectF) -> None:
        """Paint the picture, what will be drawn anew in a colour over it, and the brush."""
        if self._layer is None or self._mask is None:
            return
        self.draw_layer(painter, self._layer, visible)
        self._draw_mask(painter, visible)
        if self._pointer is not None and not self.is_panning_ready:
            self._draw_brush(painter)

    def begins_pan(self, event: QMouseEvent) -> bool:
        """Painting has the left button, unless the space bar is held."""
        return self.camera.can_pan and (event.button() is Qt.MouseButton.MiddleButton or self.is_panning_ready)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Begin a stroke."""
        paints = event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton)
        if self._mask is None or not paints or self.begins_pan(event):
            super().mousePressEvent(event)
            return
        straight = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        erase = self.erases or event.button() is Qt.MouseButton.RightButton
        self._begin(event.position(), 1.0, erase=erase, straight=straight)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Go on with it."""
        self._move_pointer(event.position())
        if self._last is not None:
            self._draw_to(event.position(), 1.0)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """End it."""
        if self._last is not None:
            self._end()
        else:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Two quick dabs are two dabs."""
        self.mousePressEvent(event)

    def tabletEvent(self, event: QTabletEvent) -> None:  # noqa: N802  # Qt's name
        """A pen: its pressure is the brush's width, and its other end erases."""
        pressure = max(event.pressure(), _PRESSURE_MIN)
        kind = event.type()
        if (
            kind is QEvent.Type.TabletPress
            and event.button() is Qt.MouseButton.LeftButton
            and not self.is_panning_ready
        ):
            turned = event.pointerType() is QPointingDevice.PointerType.Eraser
            self._begin(event.position(), pressure, erase=self.erases or turned, straight=False)
        elif kind is QEvent.Type.TabletMove and self._last is not None:
            self._move_pointer(event.position())
            self._draw_to(event.position(), pressure)
        elif kind is QEvent.Type.TabletRelease and self._last is not None:
            self._end()
        else:
            event.ignore()  # it comes again as an event of the mouse
            return
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802  # Qt's name
        """The brush is seen."""
        self._move_pointer(event.position())
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """The brush is not seen any more."""
        self._pointer = None
        self.update()
        super().leaveEvent(event)

    def _begin(self, at: QPointF, pressure: float, *, erase: bool, straight: bool) -> None:
        if self._mask is None:
            return
        self._mask.begin()
        self._erasing = erase
        place = self._place(at)
        start = self._before if straight and self._before is not None else place
        self._last = start
        self._soft = None
        self.begun.emit()
        self._draw_to(at, pressure)

    def _draw_to(self, at: QPointF, pressure: float) -> None:
        if self._mask is None or self._last is None:
            return
        place = self._place(at)
        wide = max(1.0, self.brush * pressure * self._pixels_per_picture)
        self._mask.line(self._last, place, wide, erase=self._erasing)
        self._last = place
        self.update()

    def _end(self) -> None:
        if self._mask is not None:
            self._mask.end()
        self._before, self._last = self._last, None
        self.painted.emit()

    @property
    def _pixels_per_picture(self) -> float:
        """Pixels of the mask to one of the picture: less than 1 where the picture is shown reduced."""
        return self._mask.image.width() / self.camera.picture.width() if self._mask is not None else 1.0

    def _place(self, at: QPointF) -> QPointF:
        return self.camera.to_picture(self.at_device(at)) * self._pixels_per_picture

    def _move_pointer(self, at: QPointF) -> None:
        self._pointer = at
        self.update()

    def _draw_mask(self, painter: QPainter, visible: QRectF) -> None:
        layer = self._soft if self._soft is not None else Mipmap(self._mask.image) if self._mask is not None else None
        area = self.camera.target().intersected(visible).toAlignedRect()
        if layer is None or area.isEmpty():
            return
        tint = QImage(area.size(), QImage.Format.Format_ARGB32_Premultiplied)
        ground = QColor("white")
        ground.setAlphaF(_OPACITY)
        tint.fill(ground)
        over = QPainter(tint)
        over.setBrushOrigin(-area.topLeft())  # or the stripes would jump where a part alone is painted
        stripes = QColor(0, 0, 0, 150)  # light with dark stripes is seen on any picture, in either theme
        over.fillRect(tint.rect(), QBrush(stripes, Qt.BrushStyle.BDiagPattern))
        over.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        target = self.camera.target().translated(-QPointF(area.topLeft()))
        across = layer.image.width() / target.width()
        down = layer.image.height() / target.height()
        part = QRectF(tint.rect())
        source = QRectF(-target.x() * across, -target.y() * down, part.width() * across, part.height() * down)
        over.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        over.drawImage(part, layer.image, source)
        over.end()
        painter.drawImage(area.topLeft(), tint)

    def _draw_brush(self, painter: QPainter) -> None:
        """Its outline, light and dark, to be seen on any picture."""
        if self._pointer is None:
            return
        radius = self.brush * self.camera.scale / 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, more in ((Qt.GlobalColor.black, 1.0), (Qt.GlobalColor.white, 0.0)):
            painter.setPen(QPen(colour, self.devicePixelRatioF()))
            painter.drawEllipse(self.at_device(self._pointer), radius + more, radius + more)
