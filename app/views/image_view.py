"""One picture: looked at closely, copied, or dragged out as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDrag, QGuiApplication, QImage, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.views.mipmap import Mipmap
from app.views.picture_area import PictureArea

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QContextMenuEvent, QMouseEvent

    from app.views.camera import Camera

_DRAGGED = 128  # logical pixels of the picture under the pointer


class ImageView(PictureArea):
    """Shows a picture or, while it is drawn, its preview. With neither, `set_hint`'s words.

    What is dropped on it goes to the window, which knows what to do with it (`drop_choice.DropCatcher`).

    Signals:
        save_wanted, folder_wanted: the user asks to save a copy, or to see the file in its folder.
    """

    save_wanted = Signal()
    folder_wanted = Signal()

    def __init__(self, camera: Camera | None = None, parent: QWidget | None = None) -> None:
        super().__init__(camera, parent)
        self._layer: Mipmap | None = None
        self._is_preview = False
        self._path: Path | None = None
        self._name = ""
        self._hint = ""
        self._pressed: QPointF | None = None
        self.copy_action = self.add_action(self.tr("Copy"), self.copy, "Ctrl+C")
        self.save_action = self.add_action(self.tr("Save as…"), self.save_wanted, "Ctrl+S")
        self.folder_action = self.add_action(self.tr("Show in folder"), self.folder_wanted, "Ctrl+Shift+E")
        self._update_state()

    @property
    def path(self) -> Path | None:
        """The file of the picture that is shown, where it has one."""
        return self._path

    def set_image(
        self, image: QImage, path: Path | None = None, name: str = "", full_size: QSize | None = None
    ) -> None:
        """Show a finished picture.

        Args:
            image: its pixels; a null image empties the view.
            path: its file, which can then be dragged out, copied and saved.
            name: what it shows, in words, for screen readers: its prompt.
            full_size: its size, where `image` is a reduced copy.
        """
        self._show(image, full_size, is_preview=False)
        self._path = path if self._layer is not None else None
        self._name = name
        self._update_state()

    def set_preview(self, image: QImage, full_size: QSize | None = None) -> None:
        """Show a small picture as what will be one of `full_size`, while that is drawn. It cannot be dragged out."""
        self._show(image, full_size, is_preview=True)
        self._path = None
        self._update_state()

    def clear(self) -> None:
        """Show nothing."""
        self.set_image(QImage())

    def set_hint(self, text: str) -> None:
        """What is said where there is no picture."""
        self._hint = text
        self._update_state()
        self.update()

    def copy(self) -> None:
        """Put the picture on the clipboard, and its file beside it."""
        if (mime := self.mime_data()) is not None:
            QGuiApplication.clipboard().setMimeData(mime)

    def mime_data(self) -> QMimeData | None:
        """The picture for a drag or the clipboard: its file first, with the settings inside, then its pixels."""
        if self._layer is None or self._is_preview:
            return None
        mime = QMimeData()
        if self._path is not None:
            mime.setUrls([QUrl.fromLocalFile(str(self._path))])
        mime.setImageData(self._layer.image)
        return mime

    def menu(self) -> QMenu:
        """The context menu. An owner may add to it by adding actions to the view."""
        menu = QMenu(self)
        own = [self.copy_action, self.save_action, self.folder_action]
        zoom = [self.fit_action, self.full_size_action, self.zoom_in_action, self.zoom_out_action]
        added = [action for action in self.actions() if action not in own and action not in zoom]
        menu.addActions(added)
        menu.addSeparator()
        menu.addActions(own)
        menu.addSeparator()
        menu.addActions(zoom)
        return menu

    # Qt

    def paint_picture(self, painter: QPainter, visible: QRectF) -> None:
        """Paint the picture or the hint, and the focus where it came by the keyboard."""
        if self._layer is not None:
            self.draw_layer(painter, self._layer, visible)
        elif self._hint:
            painter.resetTransform()
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(24, 24, -24, -24), flags, self._hint)
        if self.hasFocus() and self._is_focus_shown():
            painter.resetTransform()
            pen = painter.pen()
            pen.setColor(self.palette().color(QPalette.ColorRole.Accent))
            pen.setWidthF(2.0)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802  # Qt's name
        """Show the menu."""
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take hold of the picture, to pan or to drag it out."""
        is_left = event.button() is Qt.MouseButton.LeftButton
        if is_left and not self.begins_pan(event) and self.mime_data() is not None:
            self._pressed = event.position()
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Drag it out where it moved far enough."""
        if self._pressed is None:
            super().mouseMoveEvent(event)
        elif (event.position() - self._pressed).manhattanLength() >= QApplication.startDragDistance():
            self._pressed = None
            self._drag_out()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Let go of it."""
        self._pressed = None
        super().mouseReleaseEvent(event)

    def _show(self, image: QImage, full_size: QSize | None, *, is_preview: bool) -> None:
        self._layer = None if image.isNull() else Mipmap(image, full_size)
        self._is_preview = is_preview and self._layer is not None
        self.camera.set_picture(self._layer.size if self._layer is not None else QSize())
        self.update()

    def _drag_out(self) -> None:
        mime = self.mime_data()
        if mime is None or self._layer is None:
            return
        drag = QDrag(self)
        drag.setMimeData(mime)
        side = round(_DRAGGED * self.devicePixelRatioF())
        mode = Qt.TransformationMode.SmoothTransformation
        small = QPixmap.fromImage(self._layer.image.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, mode))
        small.setDevicePixelRatio(self.devicePixelRatioF())
        drag.setPixmap(small)
        drag.exec(Qt.DropAction.CopyAction)  # a file manager that would move it gets a copy

    def _is_focus_shown(self) -> bool:
        window = self.window()
        return window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)

    def _update_state(self) -> None:
        is_whole = self._layer is not None and not self._is_preview
        self.copy_action.setEnabled(is_whole)
        self.save_action.setEnabled(is_whole)
        self.folder_action.setEnabled(self._path is not None)
        if self._layer is None:
            name = self._hint or self.tr("No picture")
        else:
            kind = self.tr("Preview of a picture") if self._is_preview else self.tr("Picture")
            size = self.tr("%1 by %2 pixels").replace("%1", str(self._layer.size.width()))
            size = size.replace("%2", str(self._layer.size.height()))
            name = ", ".join(part for part in (kind, size, self._name) if part)
        self.setAccessibleName(name)
