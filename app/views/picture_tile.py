"""One picture of the gallery: its thumbnail, whether it is chosen, a favourite, or gone."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImageReader, QPainter, QPainterPath, QPalette, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.viewmodels.picture_list import Lack, Role
from app.views import icons

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtWidgets import QWidget

    from app.services.picture_store import Picture

_PADDING = 6  # logical pixels round the thumbnail
_RADIUS = 6.0
_ICON = 20
_ENLARGED_MAX = 2.0  # a thumbnail smaller than its tile, as of a small picture on a fine screen
_BYTES_KEPT = 96_000_000  # of pixels of thumbnails
_BUDGET = 0.012  # seconds of decoding in one turn of the event loop


class Pixmaps:
    """Thumbnails as pixels, those used last; decoded a few at a time, so that scrolling never waits for them."""

    def __init__(self, view: QWidget) -> None:
        self._view = view
        self._kept: OrderedDict[tuple[Path, int], QPixmap] = OrderedDict()
        self._bytes = 0
        self._spent = 0.0
        self._turn = QTimer(view, singleShot=True, interval=0)
        self._turn.timeout.connect(self._begin_turn)
        self._owed = False

    @property
    def bytes_kept(self) -> int:
        """How much memory they take."""
        return self._bytes

    def get(self, path: Path, side: int) -> QPixmap | None:
        """The thumbnail, no larger than `side` screen pixels; None where it is to be decoded in a later turn."""
        key = (path, side)
        if (found := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return found
        if not self._turn.isActive():
            self._turn.start()
        if self._spent > _BUDGET:
            self._owed = True
            return None
        begin = time.perf_counter()
        pixmap = _decode(path, side)
        self._spent += time.perf_counter() - begin
        self._kept[key] = pixmap
        self._bytes += 4 * pixmap.width() * pixmap.height()
        while self._bytes > _BYTES_KEPT:
            _, old = self._kept.popitem(last=False)
            self._bytes -= 4 * old.width() * old.height()
        return pixmap

    def _begin_turn(self) -> None:
        self._spent = 0.0
        if self._owed:
            self._owed = False
            self._view.update()


class PictureTile(QStyledItemDelegate):
    """Paints a tile. The picture's words are for screen readers and the tooltip."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.pixmaps = Pixmaps(view)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        """The grid decides."""
        return cast("QRect", option.rect).size()  # pyright: ignore[reportAttributeAccessIssue] - Qt's stubs lack it

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint it."""
        rect = cast("QRect", option.rect)  # pyright: ignore[reportAttributeAccessIssue] - Qt's stubs lack it
        state = cast("QStyle.StateFlag", option.state)  # pyright: ignore[reportAttributeAccessIssue]
        palette = QGuiApplication.palette()  # not the style sheet's, which has one colour for all grounds
        picture = cast("Picture | None", index.data(Role.picture))
        small = cast("Path | Lack", index.data(Role.thumbnail))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(small, Path):
            ground = QPainterPath()
            ground.addRoundedRect(QRectF(rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)), _RADIUS, _RADIUS)
            painter.fillPath(ground, palette.color(QPalette.ColorRole.Window))
        inner = rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        place = self._paint_picture(painter, inner, small, palette)
        if picture is not None and picture.favourite:
            self._paint_star(painter, place, palette)
        self._paint_frame(painter, rect, state, palette)
        painter.restore()

    def _paint_picture(self, painter: QPainter, area: QRect, small: Path | Lack, palette: QPalette) -> QRect:
        """Paint the thumbnail, or why there is none; returns where it is."""
        if isinstance(small, Path):
            ratio = painter.device().devicePixelRatioF()
            pixmap = self.pixmaps.get(small, round(max(area.width(), area.height()) * ratio))
            if pixmap is None or pixmap.isNull():
                return area
            largest = (pixmap.size() / ratio * _ENLARGED_MAX).boundedTo(area.size())
            target = QRect(QPoint(), pixmap.size().scaled(largest, Qt.AspectRatioMode.KeepAspectRatio))
            target.moveCenter(area.center())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(target, pixmap)
            return target
        if small in (Lack.gone, Lack.damaged):
            icon = icons.icon("image" if small is Lack.gone else "triangle-alert", icons.Tint.muted)
            middle = QRect(0, 0, 32, 32)
            middle.moveCenter(area.center() - QPoint(0, 14))
            icon.paint(painter, middle)
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            text = self.tr("The file is gone") if small is Lack.gone else self.tr("It cannot be shown")
            below = area.adjusted(4, area.height() // 2 + 10, -4, 0)
            painter.drawText(below, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, text)
        return area

    def _paint_star(self, painter: QPainter, rect: QRect, palette: QPalette) -> None:
        """In a small round of its own, to be seen on any picture."""
        place = QRect(rect.right() - _ICON - 6, rect.top() + 7, _ICON, _ICON)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawEllipse(place.adjusted(-3, -3, 3, 3))
        painter.setBrush(palette.color(QPalette.ColorRole.Accent))
        middle, points = QRectF(place).center(), QPolygonF()
        for corner in range(10):
            far = _ICON * (0.5 if corner % 2 == 0 else 0.22)
            angle = math.pi * (corner / 5 - 0.5)
            points.append(middle + QPointF(math.cos(angle) * far, math.sin(angle) * far))
        painter.drawPolygon(points)

    def _paint_frame(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, palette: QPalette) -> None:
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        if not is_chosen and not has_focus:
            return
        colour = palette.color(QPalette.ColorRole.Accent)
        pen = QPen(colour, 3.0 if is_chosen else 1.5)
        if has_focus and not is_chosen:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5), _RADIUS, _RADIUS)


def _decode(path: Path, side: int) -> QPixmap:
    reader = QImageReader(str(path))
    size = reader.size()
    if size.width() > side or size.height() > side:
        reader.setScaledSize(size.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio))
    return QPixmap.fromImageReader(reader)
