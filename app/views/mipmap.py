"""A picture in halves of its size, so that it is drawn small both smoothly and fast."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

_PIXELS_SEEN = 8.0  # times enlarged: from here on pixels are shown as squares; a fitted small picture is not there yet


class Mipmap:
    """Smaller copies of `image`, made when they are first drawn (25 ms for 4096x4096).

    `size` is that of the whole picture, where `image` is a reduced copy of it or a small preview.
    """

    def __init__(self, image: QImage, size: QSize | None = None) -> None:
        self._levels = [image]
        self.size = QSize(size) if size is not None else image.size()

    @property
    def image(self) -> QImage:
        """The picture as it was given."""
        return self._levels[0]

    def draw(self, painter: QPainter, target: QRectF, visible: QRectF) -> None:
        """Draw what is in `visible`, with the whole picture in `target`; both in the painter's units."""
        clip = target.intersected(visible)
        if clip.isEmpty() or self.image.isNull():
            return
        level = self._level(target.width() / self.image.width())
        across, down = level.width() / target.width(), level.height() / target.height()
        source = QRectF(
            (clip.x() - target.x()) * across,
            (clip.y() - target.y()) * down,
            clip.width() * across,
            clip.height() * down,
        )
        enlarged = target.width() / self.size.width() >= _PIXELS_SEEN and self.image.size() == self.size
        exact = level is self.image and across == 1.0 and down == 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not exact and not enlarged)
        painter.drawImage(clip, level, source)

    def _level(self, scale: float) -> QImage:
        """The smallest copy that is no smaller than drawn."""
        index = 0
        while scale <= 0.5 and min(self._levels[index].width(), self._levels[index].height()) > 1:
            if index + 1 == len(self._levels):
                self._levels.append(_half(self._levels[index]))
            index += 1
            scale *= 2
        return self._levels[index]


def _half(image: QImage) -> QImage:
    size = QSize((image.width() + 1) // 2, (image.height() + 1) // 2)
    return image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
