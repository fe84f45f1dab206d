"""What the user is told, above the page: what happened, what to do, and the details for those who want them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.observable import follow
from app.views import icons, notice_words
from app.views.mark import Mark
from pipelines.events import Failure

if TYPE_CHECKING:
    from app.viewmodels.notices import Notice, Notices

_SHOWN = 3  # the newest; the others wait behind them


class NoticesView(QWidget):
    """The newest notices, one card each.

    Signals:
        report_wanted (): the user wants to save a report.
    """

    report_wanted = Signal()

    def __init__(self, notices: Notices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notices = notices
        self._cards: dict[int, _Card] = {}
        self._more = QPushButton()
        self._more.setProperty("role", "quiet")
        self._more.clicked.connect(notices.dismiss_all)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 10, 12, 6)
        self._column.setSpacing(6)
        self._column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignRight)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        follow(notices, "shown", self._show)

    def _show(self, shown: tuple[Notice, ...]) -> None:
        visible = {notice.number: notice for notice in shown[-_SHOWN:]}
        for number in [number for number in self._cards if number not in visible]:
            card = self._cards.pop(number)
            self._column.removeWidget(card)
            card.hide()  # at once; a deletion waits for the event loop
            card.deleteLater()
        for number, notice in visible.items():
            if number not in self._cards:
                self._cards[number] = self._add(notice)
            self._cards[number].show_count(notice.count)
        waiting = len(shown) - len(visible)
        self._more.setVisible(waiting > 0)
        self._more.setText(self.tr("%n more; close all", "", waiting))
        self.setVisible(bool(shown))

    def _add(self, notice: Notice) -> _Card:
        card = _Card(notice)
        card.closed.connect(self._notices.dismiss)
        card.pressed.connect(self._notices.remedy)
        card.report_wanted.connect(self.report_wanted)
        self._column.insertWidget(0, card)
        return card


class _Card(QFrame):
    """One notice."""

    closed = Signal(int)
    pressed = Signal(int)
    report_wanted = Signal()

    def __init__(self, notice: Notice) -> None:
        super().__init__()
        self._number = notice.number
        self.setObjectName("notice")
        self.setProperty("level", "problem" if notice.is_problem else "fact")
        self._headline = _label(notice_words.headline(notice))
        self._count = _label("")
        self._count.setProperty("role", "caption")
        self._details = QPlainTextEdit(readOnly=True)
        self._details.setAccessibleName(self.tr("Details"))
        self._details.setMaximumHeight(140)
        self._details.hide()
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addWidget(self._headline)
        if words := notice_words.advice(notice):
            text.addWidget(_label(words))
        text.addWidget(self._count)
        top = QHBoxLayout()
        top.addWidget(self._icon(notice), 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(text, 1)
        top.addLayout(self._buttons(notice))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self._details)
        self.setAccessibleName(self._headline.text())

    def show_count(self, count: int) -> None:
        """How often it happened."""
        self._count.setText(self.tr("Happened %n times", "", count))
        self._count.setVisible(count > 1)

    def _icon(self, notice: Notice) -> Mark:
        if notice.is_problem:
            return Mark("triangle-alert", icons.Tint.danger, 20, self.tr("Problem"))
        return Mark("info", icons.Tint.accent, 20, self.tr("Notice"))

    def _buttons(self, notice: Notice) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        if notice.remedy is not None:
            button = QPushButton(notice_words.button(notice.remedy))
            button.setObjectName("remedy")
            button.clicked.connect(self._press)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        if isinstance(notice.what, Failure):
            row.addWidget(self._details_button(notice.what), 0, Qt.AlignmentFlag.AlignVCenter)
        close = _quiet_button("x", self.tr("Close"))
        close.setObjectName("close")
        close.clicked.connect(self._close)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def _details_button(self, failure: Failure) -> QWidget:
        self._details.setPlainText(describe(failure))
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        details = QPushButton(self.tr("Details"))
        details.setProperty("role", "quiet")
        details.setCheckable(True)
        details.toggled.connect(self._details.setVisible)
        copy = _quiet_button("copy", self.tr("Copy the details"))
        copy.setObjectName("copy")
        copy.clicked.connect(self._copy)
        report = _quiet_button("file-input", self.tr("Save a report…"))
        report.setObjectName("report")
        report.clicked.connect(self.report_wanted)
        for widget in (details, copy, report):
            row.addWidget(widget)
        return box

    def _press(self) -> None:
        self.pressed.emit(self._number)

    def _close(self) -> None:
        self.closed.emit(self._number)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details.toPlainText())


def describe(failure: Failure) -> str:
    """A failure for a report: in English, whatever the language of the window."""
    return "\n".join(filter(None, (f"[{failure.kind}] {failure.message}", failure.action, failure.details)))


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _quiet_button(icon: str, name: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("role", "quiet")
    button.setIcon(icons.icon(icon))
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
