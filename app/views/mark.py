"""An icon that stands by itself, and follows the theme as those of buttons do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views import icons

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class Mark(QWidget):
    """The icon of that name, `size` logical pixels wide and high; `meaning` says it to who does not see it."""

    def __init__(self, name: str, tint: icons.Tint, size: int, meaning: str = "") -> None:
        super().__init__()
        self._icon = icons.icon(name, tint)
        self._size = QSize(size, size)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(meaning)
        self.setToolTip(meaning)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """The icon's size."""
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Paint it in the colours of the moment."""
        self._icon.paint(QPainter(self), QRect(0, 0, self._size.width(), self._size.height()))
