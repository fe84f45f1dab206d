"""What all views of pictures have in common: zoom to the pointer, pan, and a ground that shows transparency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QNativeGestureEvent, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QWidget

from app.views.camera import Camera

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from app.views.mipmap import Mipmap

_SQUARE = 8  # logical pixels of the checkerboard
_ARROW = 64  # logical pixels a press
_WHEEL = 120.0  # Qt's units of a notch: eighths of a degree
_ARROWS = {
    Qt.Key.Key_Left: QPointF(_ARROW, 0),
    Qt.Key.Key_Right: QPointF(-_ARROW, 0),
    Qt.Key.Key_Up: QPointF(0, _ARROW),
    Qt.Key.Key_Down: QPointF(0, -_ARROW),
}


class PictureArea(QWidget):
    """An area that shows a picture through a `Camera`. A subclass paints by `paint_picture`, in screen pixels.

    Wheel and pinch zoom to the pointer, a double click goes between fitting and 100 %, dragging pans (with the middle
    button or the space bar always), and so do the arrow keys. Its actions have shortcuts while it has the focus.
    """

    def __init__(self, camera: Camera | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.camera = camera if camera is not None else Camera(self)
        self._grabbed: QPointF | None = None  # where the pointer was last, while it drags the picture
        self._space = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(96, 96)
        self.camera.moved.connect(self.update)
        self.zoom_in_action = self.add_action(self.tr("Zoom in"), self.zoom_in, "Ctrl++", "Ctrl+=", "+", "=")
        self.zoom_out_action = self.add_action(self.tr("Zoom out"), self.zoom_out, "Ctrl+-", "-")
        self.fit_action = self.add_action(self.tr("Fit to the window"), self.camera.fit, "Ctrl+0", "0")
        self.full_size_action = self.add_action(self.tr("100 %"), self.show_full_size, "Ctrl+1", "1")

    def add_action(self, text: str, slot: object, *shortcuts: str) -> QAction:
        """Add an action with shortcuts that count while the focus is here, even where the window has the same."""
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(shortcut) for shortcut in shortcuts])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def zoom_in(self) -> None:
        """A step nearer."""
        self.camera.zoom_by(1)

    def zoom_out(self) -> None:
        """A step further away."""
        self.camera.zoom_by(-1)

    def show_full_size(self) -> None:
        """One pixel of the picture on one of the screen."""
        self.camera.zoom_to(1.0)

    def paint_picture(self, painter: QPainter, visible: QRectF) -> None:
        """Paint what is in `visible`; the units are screen pixels and 0, 0 is the area's corner."""

    def draw_layer(self, painter: QPainter, layer: Mipmap, visible: QRectF) -> None:
        """Draw a picture where the camera has it, on a checkerboard where it is transparent."""
        target = self.camera.target()
        if layer.image.hasAlphaChannel():
            self.draw_ground(painter, target.intersected(visible))
        layer.draw(painter, target, visible)

    def draw_ground(self, painter: QPainter, area: QRectF) -> None:
        """Draw the checkerboard that transparent parts of a picture show."""
        if not area.isEmpty():
            painter.drawTiledPixmap(area, self._checkerboard())

    def at_device(self, point: QPointF) -> QPointF:
        """A place of the widget in screen pixels, as the camera counts."""
        return point * self.devicePixelRatioF()

    # Qt

    def event(self, event: QEvent) -> bool:
        """Take the keys of our own actions before the window does, and pinches of a touchpad."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._find(event):
            event.accept()
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            anchor = self.at_device(event.position())
            self.camera.zoom_to(self.camera.scale * (1 + event.value()), anchor)
            return True
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._measure()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Paint by `paint_picture`, in screen pixels."""
        ratio = self.devicePixelRatioF()
        painter = QPainter(self)
        corner = painter.deviceTransform()
        painter.scale(1 / ratio, 1 / ratio)
        # At 125 or 150 % a widget may begin between two screen pixels
        painter.translate(round(corner.dx()) - corner.dx(), round(corner.dy()) - corner.dy())
        exposed = event.rect()
        visible = QRectF(QPointF(exposed.topLeft()) * ratio, QSizeF(exposed.size()) * ratio)
        painter.fillRect(visible, self.palette().color(QPalette.ColorRole.Dark))
        self.paint_picture(painter, visible)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Tell the camera."""
        super().resizeEvent(event)
        self._measure()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        """Zoom to the pointer; with Shift, or sideways, pan."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            along = turned.x() or turned.y()
            self.camera.pan(QPointF(along, 0) * self.devicePixelRatioF() / 2)
        else:
            self.camera.zoom_by(turned.y() / _WHEEL, self.at_device(event.position()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take hold of the picture."""
        if self.begins_pan(event):
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Move it."""
        if self._grabbed is not None:
            self.camera.pan(self.at_device(event.position() - self._grabbed))
            self._grabbed = event.position()
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Let go of it."""
        if self._grabbed is not None:
            self._grabbed = None
            self.update_cursor()
        else:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Go between fitting and 100 %."""
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mouseDoubleClickEvent(event)
        elif self.camera.fits:
            self.camera.zoom_to(1.0, self.at_device(event.position()))
        else:
            self.camera.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Run an action, pan, or get ready to pan."""
        by = _ARROWS.get(Qt.Key(event.key())) if not self.has_modifiers(event) else None
        if action := self._find(event):
            action.trigger()
        elif by is not None and self.camera.can_pan:
            self.camera.pan(self.at_device(by))
        elif event.key() == Qt.Key.Key_Space and not event.isAutoRepeat() and self.camera.can_pan:
            self._space = True
            self.update_cursor()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """The space bar is up again."""
        if event.key() == Qt.Key.Key_Space and self._space and not event.isAutoRepeat():
            self._space = False
            self.update_cursor()
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802  # Qt's name
        """Forget the space bar."""
        self._space = False
        self.update_cursor()
        super().focusOutEvent(event)

    # For subclasses

    @property
    def is_panning_ready(self) -> bool:
        """Whether the space bar is held, so that any drag pans."""
        return self._space

    def begins_pan(self, event: QMouseEvent) -> bool:
        """Whether this press takes hold of the picture."""
        if not self.camera.can_pan:
            return False
        middle = event.button() is Qt.MouseButton.MiddleButton
        return middle or (event.button() is Qt.MouseButton.LeftButton and (self._space or self.pans_by_left(event)))

    def pans_by_left(self, event: QMouseEvent) -> bool:
        """Whether the left button alone pans."""
        return not self.has_modifiers(event)

    def update_cursor(self) -> None:
        """Show what the pointer would do."""
        if self._space:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    @staticmethod
    def has_modifiers(event: QKeyEvent | QMouseEvent) -> bool:
        """Whether Ctrl, Shift, Alt or Meta is held; the number pad is none."""
        return bool(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)

    def _find(self, event: QKeyEvent) -> QAction | None:
        """The action of ours that has this key."""
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = {QKeySequence(keys.value | event.key()).toString()}
        if event.text() in ("+", "="):  # on some keyboards they need Shift
            pressed.add(event.text())
        for action in self.actions():
            if action.isEnabled() and any(shortcut.toString() in pressed for shortcut in action.shortcuts()):
                return action
        return None

    def _measure(self) -> None:
        ratio = self.devicePixelRatioF()
        self.camera.set_area(QSizeF(self.size()) * ratio, ratio)

    def _checkerboard(self) -> QPixmap:
        side = round(_SQUARE * self.devicePixelRatioF())
        tile = QPixmap(2 * side, 2 * side)
        tile.fill(self.palette().color(QPalette.ColorRole.Base))
        painter = QPainter(tile)
        for x, y in ((0, 0), (side, side)):
            painter.fillRect(x, y, side, side, self.palette().color(QPalette.ColorRole.Midlight))
        painter.end()
        return tile
