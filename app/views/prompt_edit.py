"""The field for a prompt: plain text that grows with what is typed, and shows what the model does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent

_MARGIN = 10  # logical pixels that the frame and the document's own margin take


class PromptEdit(QPlainTextEdit):
    """`lines` are the fewest and the most that are shown at once. Tab goes on to the next control.

    Signals:
        edited (str): by the user.
        emphasis_wanted (bool): what is selected is to count more, or less.
    """

    edited = Signal(str)
    emphasis_wanted = Signal(bool)

    def __init__(self, lines: tuple[int, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._cut_from: int | None = None
        self._height = 0
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.textChanged.connect(self._notice)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def set_text(self, text: str) -> None:
        """Show this text; the cursor stays where it is when it is that already."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def mark_cut(self, cut_from: int | None) -> None:
        """Strike what stands from there on (in Qt's positions): the model does not read it. None: it reads all."""
        self._cut_from = cut_from
        marks: list[QTextEdit.ExtraSelection] = []
        if cut_from is not None and cut_from < self.document().characterCount() - 1:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(cut_from)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            style = QTextCharFormat()
            style.setForeground(self.palette().color(QPalette.ColorRole.PlaceholderText))
            style.setFontStrikeOut(True)
            mark.cursor, mark.format = cursor, style  # pyright: ignore[reportAttributeAccessIssue] # its stub has none
            marks.append(mark)
        self.setExtraSelections(marks)

    @property
    def cut_text(self) -> str:
        """What is marked as not read."""
        return "".join(
            selection.cursor.selectedText()  # pyright: ignore[reportAttributeAccessIssue] # its stub has none
            for selection in self.extraSelections()
        )

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As high as what is typed, within the limits."""
        line = self.fontMetrics().lineSpacing()
        wanted = min(max(self._shown_lines(), self._lines[0]), self._lines[1])
        return QSize(super().sizeHint().width(), wanted * line + 2 * _MARGIN)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Lines break elsewhere now."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Ctrl+Up and Ctrl+Down change the weight of words."""
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.emphasis_wanted.emit(event.key() == Qt.Key.Key_Up)
        else:
            super().keyPressEvent(event)

    @property
    def selected(self) -> tuple[int, int]:
        """Where the selection begins and ends, in characters of Python's; the cursor's place twice where none is."""
        cursor, text = self.textCursor(), self.toPlainText()
        return _characters(text, cursor.selectionStart()), _characters(text, cursor.selectionEnd())

    def replace_text(self, text: str, start: int, end: int) -> None:
        """Put other text in, which can be undone, and select a part of it (in characters of Python's)."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.endEditBlock()
        cursor.setPosition(_units(text[:start]))
        cursor.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def _shown_lines(self) -> int:
        block, count = self.document().firstBlock(), 0
        while block.isValid() and count < self._lines[1]:
            count += max(1, block.lineCount())
            block = block.next()
        return count

    def _fit(self, _size: object = None) -> None:
        height = self.sizeHint().height()
        if height != self._height:
            self._height = height
            self.updateGeometry()

    def _notice(self) -> None:
        self.edited.emit(self.toPlainText())


def _units(text: str) -> int:
    """Its length as Qt counts: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, units: int) -> int:
    """How many characters the first `units` of Qt's are."""
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass"))
