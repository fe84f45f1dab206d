"""The latest pictures in one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QPainter, QPainterPath, QPalette, QPen, QPixmap, QPixmapCache
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.picture_list import Role
from app.views import icons

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QWheelEvent

    from app.viewmodels.recent import Recent

_TILE = 84  # logical pixels a side
_RADIUS = 6.0


class Filmstrip(QListView):
    """Choosing one shows it; it can be dragged out, and its menu takes its settings over."""

    def __init__(self, recent: Recent) -> None:
        super().__init__()
        self._recent = recent
        self.setAccessibleName(self.tr("Latest pictures"))
        self.setModel(recent.list)
        self.setItemDelegate(_Tile(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setSpacing(2)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("filmstrip")
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)
        self.setDragDropMode(QListView.DragDropMode.DragOnly)
        self.setMovement(QListView.Movement.Static)
        self.setFixedHeight(_TILE + 26)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.reuse_action = self._add(self.tr("Use its settings"), self._reuse, "Ctrl+R")
        self.start_action = self._add(self.tr("Use as start picture"), self._start, "Ctrl+Shift+R")
        self.selectionModel().currentChanged.connect(self._choose)
        follow(recent, "chosen", self._show_chosen)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        """The wheel goes along the row."""
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (event.angleDelta().y() or event.angleDelta().x()))
        event.accept()

    def _add(self, text: str, slot: object, shortcut: str) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(shortcut))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _choose(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and self.hasFocus():
            self._recent.choose(index.row())

    def mouseReleaseEvent(self, event: object) -> None:  # noqa: N802  # Qt's name
        """A click on the one that is current already shows it, too."""
        super().mouseReleaseEvent(event)  # pyright: ignore[reportArgumentType] # a QMouseEvent
        if self.currentIndex().isValid():
            self._recent.choose(self.currentIndex().row())

    def _reuse(self) -> None:
        self._recent.reuse(self.currentIndex().row())

    def _start(self) -> None:
        self._recent.start_from(self.currentIndex().row())

    def _show_chosen(self, picture: int) -> None:
        row = self._recent.list.row_of(picture) if picture else -1
        if row < 0:
            self.clearSelection()
        elif self.currentIndex().row() != row:
            self.setCurrentIndex(self._recent.list.index(row))


class _Tile(QStyledItemDelegate):
    """A thumbnail cut to a square, or a mark where there is none."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: object) -> QSize:  # noqa: N802  # Qt's name
        return QSize(_TILE, _TILE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue] # Qt's stubs lack it
        widget: QWidget = option.widget  # pyright: ignore[reportAttributeAccessIssue]
        state: QStyle.StateFlag = option.state  # pyright: ignore[reportAttributeAccessIssue]
        side = min(rect.width(), rect.height()) - 4
        frame = QRectF(0, 0, side, side)
        frame.moveCenter(QRectF(rect).center())
        shape = QPainterPath()
        shape.addRoundedRect(frame, _RADIUS, _RADIUS)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        small = index.data(Role.thumbnail)
        pixmap = _load(small, widget.devicePixelRatioF())
        painter.setClipPath(shape)
        if pixmap is None:
            painter.fillPath(shape, widget.palette().color(QPalette.ColorRole.Midlight))
            icons.icon("image", icons.Tint.muted).paint(painter, frame.toRect().adjusted(28, 28, -28, -28))
        else:
            painter.drawPixmap(frame, pixmap, QRectF(pixmap.rect()))
        painter.setClipping(False)
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(_accent(widget), 2.5))
            painter.drawPath(shape)
        painter.restore()


def _accent(widget: QWidget) -> QColor:
    return widget.palette().color(QPalette.ColorRole.Accent)


def _load(file: Path | object, ratio: float) -> QPixmap | None:
    """The middle square of a thumbnail, small; kept by Qt."""
    if not hasattr(file, "suffix"):
        return None
    side = round(_TILE * ratio)
    key = f"filmstrip {file} {side}"
    found = QPixmap()
    if QPixmapCache.find(key, found):
        return found
    whole = QPixmap(str(file))
    if whole.isNull():
        return None
    edge = min(whole.width(), whole.height())
    cut = whole.copy((whole.width() - edge) // 2, (whole.height() - edge) // 2, edge, edge)
    small = cut.scaled(side, side, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    QPixmapCache.insert(key, small)
    return small
