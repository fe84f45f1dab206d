"""A label of one line that shortens its text to the room it has, and tells the whole by its tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget


class ElidedLabel(QLabel):
    """For names of files and the like. `whole_text` is what it was given."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.whole_text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.set_whole_text(text)

    def set_whole_text(self, text: str) -> None:
        """Show this."""
        self.whole_text = text
        self.setToolTip(text)
        self.setAccessibleName(text)
        self._shorten()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """A long text makes no wide window."""
        return QSize(40, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As wide as the whole text."""
        return QSize(self.fontMetrics().horizontalAdvance(self.whole_text) + 8, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Shorten it anew."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        one_line = self.whole_text.replace("\n", " ")
        self.setText(self.fontMetrics().elidedText(one_line, Qt.TextElideMode.ElideMiddle, self.width()))
