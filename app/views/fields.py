"""Pieces that forms are made of: a name above its control, a problem below it, a part that folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.views import icons
from app.views.theme import SPACE, repolish
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from collections.abc import Callable

_ICON = QSize(16, 16)  # logical pixels


def named(name: str, control: QWidget, tip: str = "") -> QVBoxLayout:
    """The control under its name, which leads to it by its underlined letter and for screen readers."""
    label = QLabel(name)
    label.setProperty("role", "caption")
    label.setBuddy(control)
    describe(control, name, tip)
    column = QVBoxLayout()
    column.setSpacing(SPACE // 2)
    column.addWidget(label)
    column.addWidget(control)
    return column


def describe(control: QWidget, name: str, tip: str = "") -> None:
    """Give the control its accessible name and its explanation."""
    control.setAccessibleName(name.replace("&", ""))
    if tip:
        control.setToolTip(tip)
        control.setAccessibleDescription(tip)


def side_by_side(*parts: QLayout | QWidget) -> QHBoxLayout:
    """All of them in a row, equally wide."""
    row = QHBoxLayout()
    row.setSpacing(SPACE)
    for part in parts:
        if isinstance(part, QWidget):
            row.addWidget(part, 1)
        else:
            row.addLayout(part, 1)
    return row


def choice() -> QComboBox:
    """A box to choose from that takes the room there is, however long its texts are."""
    box = QComboBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    return box


def line() -> QWidget:
    """A thin line between two parts."""
    drawn = QWidget()
    drawn.setFixedHeight(1)
    drawn.setAutoFillBackground(True)
    drawn.setBackgroundRole(QPalette.ColorRole.Mid)
    return drawn


def icon_button(name: str, text: str, action: Callable[[], object], tip: str = "") -> QToolButton:
    """A button that shows an icon and is called `text`."""
    button = QToolButton()
    button.setIcon(icons.icon(name))
    button.setIconSize(_ICON)
    button.setProperty("role", "quiet")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(action)
    describe(button, text, tip or text)
    return button


class ProblemLabel(QWidget):
    """One sentence under a control; without one it takes no room. Marks the control, too."""

    def __init__(self, *controls: QWidget) -> None:
        super().__init__()
        self._controls = controls
        self.text = wrapping_label()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        self.hide()

    def show_problem(self, words: str, *, is_fault: bool = True) -> None:
        """Say it; `is_fault` tells what has to be mended from a mere hint."""
        self.text.setText(words)
        role = "problem" if is_fault else "warning"
        if self.text.property("role") != role:
            self.text.setProperty("role", role)
            repolish(self.text)
        self.setVisible(bool(words))
        for control in self._controls:
            wrong = bool(words) and is_fault
            if control.property("problem") is not wrong:
                control.setProperty("problem", wrong)
                repolish(control)


class Fold(QWidget):
    """A part with a heading that opens and closes it. Closed, it says in short what is inside.

    Signals:
        opened (bool): by the user or by `set_open`.
    """

    opened = Signal(bool)

    def __init__(self, title: str, body: QWidget, *, is_open: bool = False) -> None:
        super().__init__()
        self._body = body
        self._text = ""
        self._button = QToolButton()
        self._button.setText(title)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setIconSize(_ICON)
        self._button.setProperty("role", "quiet")
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._button.setAccessibleName(title)
        self._summary = QLabel()
        self._summary.setProperty("role", "caption")
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._is_open = is_open
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self._button)
        head.addWidget(self._summary, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE // 2)
        column.addLayout(head)
        column.addWidget(body)
        self._button.clicked.connect(self._toggle)
        self._show()

    @property
    def is_open(self) -> bool:
        """Whether what is inside is shown."""
        return self._is_open

    def set_open(self, *, is_open: bool) -> None:
        """Open or close it."""
        if is_open is not self._is_open:
            self._is_open = is_open
            self._show()
            self.opened.emit(is_open)

    def set_summary(self, text: str) -> None:
        """What is inside, in a few words."""
        self._text = text
        self._show()

    def _toggle(self) -> None:
        self.set_open(is_open=not self._is_open)

    def _show(self) -> None:
        """The summary keeps its room when it is open, so that the heading stays at the left."""
        self._button.setIcon(icons.icon("chevron-down" if self._is_open else "chevron-right", icons.Tint.muted))
        state = self.tr("open") if self._is_open else self.tr("folded")
        self._button.setAccessibleDescription(", ".join(part for part in (state, self._text) if part))
        self._body.setVisible(self._is_open)
        self._summary.setText("" if self._is_open else self._text)
