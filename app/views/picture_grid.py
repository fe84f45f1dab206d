"""A grid of tiles over a list model, as fast with 100,000 rows as with ten.

Qt's own QListView lays every row out when one is added: half a second with 100,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QStyle, QStyleOptionViewItem, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    _Index = QModelIndex | QPersistentModelIndex

_GAP = 8  # logical pixels between tiles
_WHEEL_ROWS = 0.35  # of a tile's height a notch of the wheel


class PictureGrid(QAbstractItemView):
    """Tiles of one size, as many in a row as fit, with Qt's own selection and keys.

    Signals:
        seen (int, int): these rows, first and last, are in sight since scrolling or resizing.
    """

    seen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tile = QSize(196, 196)
        self._anchor = QPersistentModelIndex()  # what was first in sight when it was last scrolled,
        self._anchor_y = 0  # and where
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "canvas")
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)

    @property
    def tile(self) -> QSize:
        """The size of a tile."""
        return self._tile

    def set_tile(self, side: int) -> None:
        """Make the tiles this wide and high, in logical pixels; what is in the middle stays in sight."""
        middle = self.indexAt(self.viewport().rect().center())
        self._tile = QSize(side, side)
        self.updateGeometries()
        if middle.isValid():
            self.scrollTo(middle, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.viewport().update()

    @property
    def columns(self) -> int:
        """Tiles in a row. Room for the scroll bar is always left, or it would come and go with what it changes."""
        width = self.contentsRect().width() - self.verticalScrollBar().sizeHint().width()
        return max(1, (width - _GAP) // (self._tile.width() + _GAP))

    def rows_in_sight(self) -> tuple[int, int]:
        """The first and the last row of the list that is in sight; (0, -1) where there is none."""
        columns, step, top = self.columns, self._tile.height() + _GAP, self.verticalOffset()
        first = max(0, (top - _GAP) // step) * columns
        last = ((top + self.viewport().height()) // step + 1) * columns - 1
        return first, min(last, self._count() - 1)

    # What QAbstractItemView asks for

    def visualRect(self, index: _Index) -> QRect:  # noqa: N802  # Qt's name
        """Where a tile is in the viewport."""
        if not index.isValid():
            return QRect()
        row, column = divmod(index.row(), self.columns)
        step = self._tile + QSize(_GAP, _GAP)
        spare = self.viewport().width() - self.columns * step.width() - _GAP
        corner = QPoint(spare // 2 + _GAP + column * step.width(), _GAP + row * step.height() - self.verticalOffset())
        return QRect(corner, self._tile)

    def indexAt(self, point: QPoint) -> QModelIndex:  # noqa: N802  # Qt's name
        """The tile at a point of the viewport; none between two tiles."""
        first, last = self.rows_in_sight()
        row = (point.y() + self.verticalOffset() - _GAP) // (self._tile.height() + _GAP) * self.columns
        for number in range(max(row, first), min(row + self.columns, last + 1)):
            index = self.model().index(number, 0)
            if self.visualRect(index).contains(point):
                return index
        return QModelIndex()

    def scrollTo(  # noqa: N802  # Qt's name
        self, index: _Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Bring a tile into sight."""
        area, tile = self.viewport().rect(), self.visualRect(index).adjusted(0, -_GAP, 0, _GAP)
        hints = QAbstractItemView.ScrollHint
        by = 0
        if hint is hints.PositionAtTop or (hint is hints.EnsureVisible and tile.top() < 0):
            by = tile.top()
        elif hint is hints.PositionAtBottom or (hint is hints.EnsureVisible and tile.bottom() > area.bottom()):
            by = min(tile.bottom() - area.bottom(), tile.top())
        elif hint is hints.PositionAtCenter:
            by = tile.center().y() - area.center().y()
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + by)

    def horizontalOffset(self) -> int:  # noqa: N802  # Qt's name
        """Never scrolled sideways."""
        return 0

    def verticalOffset(self) -> int:  # noqa: N802  # Qt's name
        """How far it is scrolled."""
        return self.verticalScrollBar().value()

    def isIndexHidden(self, _index: _Index) -> bool:  # noqa: N802  # Qt's name
        """None is."""
        return False

    def moveCursor(  # noqa: N802  # Qt's name
        self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Where a key leads."""
        count = self._count()
        if not count:
            return QModelIndex()
        current = self.currentIndex()
        if not current.isValid():
            return self.model().index(self.rows_in_sight()[0], 0)
        columns, row = self.columns, current.row()
        page = max(1, self.viewport().height() // (self._tile.height() + _GAP)) * columns
        moves = QAbstractItemView.CursorAction
        steps = {
            moves.MoveLeft: -1,
            moves.MovePrevious: -1,
            moves.MoveRight: 1,
            moves.MoveNext: 1,
            moves.MoveUp: -columns,
            moves.MoveDown: columns,
            moves.MovePageUp: -page,
            moves.MovePageDown: page,
            moves.MoveHome: -count,
            moves.MoveEnd: count,
        }
        wanted = row + steps[action]
        if action in (moves.MoveUp, moves.MoveDown) and not 0 <= wanted < count:
            last_line = (count - 1) // columns
            below = action is moves.MoveDown and row // columns < last_line
            wanted = count - 1 if below else row
        return self.model().index(min(max(wanted, 0), count - 1), 0)

    def keyboardSearch(self, search: str) -> None:  # noqa: N802  # Qt's name
        """Nothing: Qt would read all rows to find one that begins with `search`, and Ctrl+F finds more."""

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:  # noqa: N802  # Qt's name
        """Choose what a drag of the pointer covers; else, by Shift, from one tile to the other as text is read."""
        chosen, model = QItemSelection(), self.model()
        if self.state() is not QAbstractItemView.State.DragSelectingState:
            first, last = sorted((self._row_at(rect.topLeft()), self._row_at(rect.bottomRight())))
            if self.indexAt(rect.bottomRight()).isValid() or rect.width() > 1 or rect.height() > 1:
                chosen.select(model.index(first, 0), model.index(last, 0))
        else:
            for first, last in self._spans(rect.normalized()):
                chosen.select(model.index(first, 0), model.index(last, 0))
        self.selectionModel().select(chosen, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:  # noqa: N802  # Qt's name
        """What of a selection is in sight."""
        first, last = self.rows_in_sight()
        region = QRegion()
        for part in (selection.at(number) for number in range(selection.count())):
            for row in range(max(part.top(), first), min(part.bottom(), last) + 1):
                region += QRegion(self.visualRect(self.model().index(row, 0)))
        return region

    def updateGeometries(self) -> None:  # noqa: N802  # Qt's name
        """Tell the scroll bar how far it goes."""
        lines = -(-self._count() // self.columns)
        step = self._tile.height() + _GAP
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, lines * step + _GAP - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(round(step * _WHEEL_ROWS))
        super().updateGeometries()
        self.seen.emit(*self.rows_in_sight())

    # Qt's events and changes of the model

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Paint the tiles that are in sight, and no others."""
        painter = QPainter(self.viewport())
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        plain, selection = option.state, self.selectionModel()
        first, last = self.rows_in_sight()
        for row in range(first, last + 1):
            index = self.model().index(row, 0)
            rect = self.visualRect(index)
            if not rect.intersects(event.rect()):
                continue
            state = plain
            if selection.isSelected(index):
                state |= QStyle.StateFlag.State_Selected
            if index == self.currentIndex() and self.hasFocus():
                state |= QStyle.StateFlag.State_HasFocus
            option.state, option.rect = state, rect  # pyright: ignore[reportAttributeAccessIssue] - Qt's stubs lack them
            self.itemDelegateForIndex(index).paint(painter, option, index)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Other columns: what was first in sight stays in sight."""
        anchor, was_scrolled = self._anchor.row(), self.verticalOffset() > 0
        super().resizeEvent(event)
        self.updateGeometries()
        if was_scrolled and anchor >= 0:
            self.scrollTo(self.model().index(anchor, 0), QAbstractItemView.ScrollHint.PositionAtTop)

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802  # Qt's name
        """Other tiles come into sight."""
        self.scrollDirtyRegion(dx, dy)
        self.viewport().scroll(dx, dy)
        self._anchor = QPersistentModelIndex(self.model().index(self.rows_in_sight()[0], 0))
        self._anchor_y = self.visualRect(self._anchor).y()
        self.seen.emit(*self.rows_in_sight())

    def rowsInserted(self, parent: _Index, start: int, end: int) -> None:  # noqa: N802  # Qt's name
        """What is looked at stays in sight when newer pictures come."""
        super().rowsInserted(parent, start, end)
        self.updateGeometries()
        bar = self.verticalScrollBar()
        if bar.value() and self._anchor.isValid():
            bar.setValue(bar.value() + self.visualRect(self._anchor).y() - self._anchor_y)
        self.viewport().update()

    def rowsAboutToBeRemoved(self, parent: _Index, start: int, end: int) -> None:  # noqa: N802  # Qt's name
        """The focus goes to a neighbour."""
        super().rowsAboutToBeRemoved(parent, start, end)
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def _row_at(self, point: QPoint) -> int:
        """The row of the list that is nearest to a point, in sight or not."""
        step, columns = self._tile + QSize(_GAP, _GAP), self.columns
        left = self.visualRect(self.model().index(0, 0)).left()
        column = min(max((point.x() - left) // step.width(), 0), columns - 1)
        line = max((point.y() + self.verticalOffset() - _GAP) // step.height(), 0)
        return min(line * columns + column, self._count() - 1)

    def _spans(self, rect: QRect) -> Iterator[tuple[int, int]]:
        """First and last row of each line of tiles that a rectangle touches."""
        columns, count, step = self.columns, self._count(), self._tile.height() + _GAP
        first_line = max(0, (rect.top() + self.verticalOffset() - _GAP) // step)
        for line in range(first_line, max(0, (rect.bottom() + self.verticalOffset()) // step) + 1):
            rows = [
                row
                for row in range(line * columns, min((line + 1) * columns, count))
                if self.visualRect(self.model().index(row, 0)).intersects(rect)
            ]
            if rows:
                yield rows[0], rows[-1]

    def _count(self) -> int:
        model = self.model()
        return model.rowCount() if model is not None else 0
