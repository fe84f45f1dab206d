"""Small tables of words that are as high as what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = 7  # before there is a scroll bar
_WIDEST = 360  # logical pixels that a column has


class WordTable(QTreeWidget):
    """Lines of words under headers. A line has a key, by which the choice is kept."""

    def __init__(self, name: str, headers: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setHeaderLabels(list(headers))
        self._keys: list[str] = []
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        header = self.header()
        header.setAccessibleName(name)
        header.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header.setSectionsMovable(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMaximumSectionSize(_WIDEST)

    def show_lines(self, lines: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        """Show these lines, each with its key. Where the keys are as before, only words that differ are changed."""
        keys = [key for key, _ in lines]
        if keys != self._keys:
            self._rebuild(keys)
        is_wider = False
        for number, (_, words) in enumerate(lines):
            item = self.topLevelItem(number)
            for place, text in enumerate(words):
                if item is not None and item.text(place) != text:
                    item.setText(place, text)
                    item.setToolTip(place, text)
                    is_wider = is_wider or place < len(words) - 1
        self.setVisible(bool(lines))
        if is_wider:
            for column in range(self.columnCount() - 1):
                self.resizeColumnToContents(column)
        if lines:
            self._fit(len(lines))

    def _rebuild(self, keys: list[str]) -> None:
        chosen = set(self.chosen())
        self._keys = keys
        self.clear()
        items = [QTreeWidgetItem() for _ in keys]
        for key, item in zip(keys, items, strict=True):
            item.setData(0, Qt.ItemDataRole.UserRole, key)
        self.addTopLevelItems(items)
        for key, item in zip(keys, items, strict=True):
            if key in chosen:
                item.setSelected(True)

    def chosen(self) -> tuple[str, ...]:
        """The keys of the chosen lines."""
        return tuple(str(item.data(0, Qt.ItemDataRole.UserRole)) for item in self.selectedItems())

    def _fit(self, lines: int) -> None:
        height = self.header().sizeHint().height() + min(lines, _LINES) * self.sizeHintForRow(0)
        self.setFixedHeight(height + 2 * self.frameWidth() + self.horizontalScrollBar().sizeHint().height())
