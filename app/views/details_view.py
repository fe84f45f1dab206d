"""All settings of a picture, to read and to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication, QPalette, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.views.picture_words import as_text, fact_name, fact_value

if TYPE_CHECKING:
    from app.viewmodels.picture_details import Detail

_GAP = 8  # logical pixels above each name


class DetailsView(QTextEdit):
    """One text, so that any part of it can be marked: each setting's name, and what it is below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details: tuple[Detail, ...] = ()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(self.tr("Settings of the picture"))

    def set_details(self, details: tuple[Detail, ...]) -> None:
        """Show these."""
        self._details = details
        self._write()

    def copy_all(self) -> None:
        """Put all of it on the clipboard, as plain text."""
        QGuiApplication.clipboard().setText(as_text(self._details))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._write()

    def _write(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        muted, plain = QTextCharFormat(), QTextCharFormat()
        muted.setForeground(self.palette().color(QPalette.ColorRole.PlaceholderText))
        for number, detail in enumerate(self._details):
            head, body = QTextBlockFormat(), QTextBlockFormat()
            head.setTopMargin(_GAP if number else 0)
            if number:
                cursor.insertBlock()
            cursor.setBlockFormat(head)
            cursor.insertText(fact_name(detail), muted)
            cursor.insertBlock(body)
            cursor.insertText(fact_value(detail).replace("\n", "\u2028"), plain)  # a line, not a paragraph
        self.moveCursor(QTextCursor.MoveOperation.Start)
