"""Where a picture lies in the area that shows it, and how large. Geometry alone; all in the screen's own pixels."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, QSizeF, Signal

SCALE_MAX = 64.0  # screen pixels a picture pixel
FIT_MAX = 2.0  # a small picture is enlarged no further by fitting; times the screen's own scale
_STEP = 1.25


class Camera(QObject):
    """Zoom and place of a picture, shared by the views that show it at the same place (comparing, painting a mask).

    Lengths are device pixels of the screen, so that a scale of 1 is exact on every screen. `ratio` is the screen's
    device pixels to a logical one.

    Signals:
        moved: anything about it is different now.
    """

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._picture = QSize()
        self._area = QSizeF()
        self._ratio = 1.0
        self._scale = 1.0
        self._origin = QPointF()  # the picture's upper left corner
        self._fits = True

    @property
    def picture(self) -> QSize:
        """The picture's size; empty where there is none."""
        return self._picture

    @property
    def scale(self) -> float:
        """Screen pixels to one of the picture."""
        return self._scale

    @property
    def fits(self) -> bool:
        """Whether the zoom follows the area's size."""
        return self._fits

    @property
    def can_pan(self) -> bool:
        """Whether there is more of the picture than the area shows."""
        shown = self.target()
        return shown.width() > self._area.width() + 0.5 or shown.height() > self._area.height() + 0.5

    def target(self) -> QRectF:
        """Where the whole picture lies in the area, which begins at 0, 0."""
        return QRectF(self._origin, QSizeF(self._picture) * self._scale)

    def to_picture(self, point: QPointF) -> QPointF:
        """The place in the picture, in its pixels, that is shown at `point` of the area."""
        return (point - self._origin) / self._scale

    def set_picture(self, size: QSize) -> None:
        """Show a picture of this size. One of another size is fitted; the place in one of the same size is kept."""
        if size == self._picture:
            return
        self._picture = QSize(size)
        self.fit()

    def set_area(self, size: QSizeF, ratio: float) -> None:
        """The area has this size now; what was in its middle stays there."""
        if size == self._area and ratio == self._ratio:
            return
        middle = self.to_picture(self._middle())
        self._scale *= ratio / self._ratio if not self._fits else 1.0
        self._area, self._ratio = QSizeF(size), ratio
        if self._fits:
            self.fit()
        else:
            self._origin = self._middle() - middle * self._scale
            self._settle()

    def fit(self) -> None:
        """Show all of it, and keep doing so when the area changes."""
        self._fits = True
        self._scale = self._fitting()
        self._origin = QPointF()
        self._settle()

    def zoom_to(self, scale: float, anchor: QPointF | None = None) -> None:
        """Set the scale; what is at `anchor` of the area (its middle by default) stays there."""
        if self._picture.isEmpty():
            return
        anchor = self._middle() if anchor is None else anchor
        place = self.to_picture(anchor)
        self._scale = min(max(scale, min(self._fitting(), 1.0) / 4), SCALE_MAX)
        self._fits = False
        self._origin = anchor - place * self._scale
        self._settle()

    def zoom_by(self, steps: float, anchor: QPointF | None = None) -> None:
        """Zoom in (or out) by steps of a quarter, and stop at 100 % on the way."""
        scale = self._scale * _STEP**steps
        if (self._scale - 1.0) * (scale - 1.0) < 0:
            scale = 1.0
        self.zoom_to(scale, anchor)

    def pan(self, by: QPointF) -> None:
        """Move the picture, no further than its edges."""
        if self.can_pan:
            self._origin += by
            self._settle()

    def _middle(self) -> QPointF:
        return QPointF(self._area.width() / 2, self._area.height() / 2)

    def _fitting(self) -> float:
        if self._picture.isEmpty() or self._area.isEmpty():
            return 1.0
        wide = self._area.width() / self._picture.width()
        high = self._area.height() / self._picture.height()
        return min(wide, high, FIT_MAX * self._ratio)

    def _settle(self) -> None:
        """Keep the picture in the area: in its middle where it is smaller, at most at its edges where it is larger.

        Its corner is on a whole pixel, so that at 100 % each of its pixels is one of the screen.
        """
        shown = QSizeF(self._picture) * self._scale
        x = _keep(self._origin.x(), shown.width(), self._area.width())
        y = _keep(self._origin.y(), shown.height(), self._area.height())
        self._origin = QPointF(x, y)
        self.moved.emit()


def _keep(origin: float, shown: float, area: float) -> float:
    if shown <= area:
        return float(round((area - shown) / 2))
    return float(round(min(max(origin, area - shown), 0.0)))
