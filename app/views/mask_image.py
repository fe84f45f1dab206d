"""The painted mask as pixels, with what was before."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.services.masks import Mask

_UNDO_BYTES = 256_000_000


@dataclass(frozen=True, slots=True)
class _Patch:
    """A part of the mask as it was."""

    rect: QRect
    pixels: QImage

    @property
    def size(self) -> int:
        return self.pixels.sizeInBytes()


class MaskImage:
    """Alpha is what is drawn anew. A stroke, from `begin` to `end`, is undone as one."""

    def __init__(self, size: QSize) -> None:
        self.image = QImage(size, QImage.Format.Format_Alpha8)
        self.image.fill(0)
        self._before: QImage | None = None
        self._touched = QRect()
        self._undo: list[_Patch] = []
        self._redo: list[_Patch] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to undo."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is anything to do again."""
        return bool(self._redo)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is painted."""
        return not bytes(self.image.constBits()).strip(b"\0")

    def begin(self) -> None:
        """A stroke begins."""
        self._before = self.image.copy()
        self._touched = QRect()

    def line(self, start: QPointF, end: QPointF, width: float, *, erase: bool) -> QRect:
        """Draw with a round brush; returns what was touched."""
        painter = QPainter(self.image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        modes = QPainter.CompositionMode
        painter.setCompositionMode(modes.CompositionMode_DestinationOut if erase else modes.CompositionMode_SourceOver)
        painter.setPen(
            QPen(QColor("black"), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        if start == end:
            painter.drawPoint(start)
        else:
            painter.drawLine(start, end)
        painter.end()
        reach = int(width / 2) + 2
        area = QRect(start.toPoint(), end.toPoint()).normalized().adjusted(-reach, -reach, reach, reach)
        area = area.intersected(self.image.rect())
        self._touched = self._touched.united(area)
        return area

    def end(self) -> None:
        """The stroke is done."""
        if self._before is not None and not self._touched.isEmpty():
            self._keep(_Patch(self._touched, self._before.copy(self._touched)))
        self._before = None

    def invert(self) -> None:
        """What is drawn anew stays, and what stays is drawn anew."""
        self.begin()
        self.image.reinterpretAsFormat(QImage.Format.Format_Grayscale8)
        self.image.invertPixels()
        self.image.reinterpretAsFormat(QImage.Format.Format_Alpha8)
        self._touch_all()

    def clear(self) -> None:
        """Nothing is drawn anew."""
        self.begin()
        self.image.fill(0)
        self._touch_all()

    def take(self, picture: QImage) -> None:
        """Take over a mask: white is drawn anew, transparency is white. Another shape is cut about its middle."""
        self.begin()
        ground = QImage(picture.size(), QImage.Format.Format_RGB32)
        ground.fill(Qt.GlobalColor.white)
        painter = QPainter(ground)
        painter.drawImage(0, 0, picture)
        painter.end()
        mode, smooth = Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        fitted = ground.scaled(self.image.size(), mode, smooth)
        spare = fitted.size() - self.image.size()
        grey = fitted.copy(QRect(spare.width() // 2, spare.height() // 2, self.image.width(), self.image.height()))
        self.image = grey.convertToFormat(QImage.Format.Format_Grayscale8)
        self.image.reinterpretAsFormat(QImage.Format.Format_Alpha8)
        self._touch_all()

    def undo(self) -> None:
        """As it was before the last stroke."""
        self._swap(self._undo, self._redo)

    def redo(self) -> None:
        """The stroke that was undone, again."""
        self._swap(self._redo, self._undo)

    def values(self) -> Mask:
        """The mask for the layers below."""
        image = self.image
        return Mask(image.width(), image.height(), image.bytesPerLine(), bytes(image.constBits()))

    def _touch_all(self) -> None:
        self._touched = self.image.rect()
        self.end()

    def _keep(self, patch: _Patch) -> None:
        self._redo.clear()
        self._undo.append(patch)
        while len(self._undo) > 1 and sum(one.size for one in self._undo) > _UNDO_BYTES:
            self._undo.pop(0)

    def _swap(self, source: list[_Patch], target: list[_Patch]) -> None:
        if not source:
            return
        patch = source.pop()
        target.append(_Patch(patch.rect, self.image.copy(patch.rect)))
        painter = QPainter(self.image)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(patch.rect.topLeft(), patch.pixels)
        painter.end()


def image_of(mask: Mask) -> QImage:
    """A mask from the layers below, as alpha."""
    return QImage(mask.pixels, mask.width, mask.height, mask.stride, QImage.Format.Format_Alpha8).copy()
