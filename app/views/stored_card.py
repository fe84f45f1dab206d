"""What cards have in common that show what the engine keeps on disk: a table, what can be done with it, and a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMessageBox, QPushButton, QSpinBox, QVBoxLayout, QWidget

from app.views import icons
from app.views.flow import FlowLayout
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.views.tables import WordTable

MB = 1_000_000
_LIMITS = (10, 1_000_000)  # MB


class StoredCard(QFrame):
    """What both cards have: a title, words about it, the table, buttons, and the limit."""

    def __init__(self, title: str, about: str, table: WordTable, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        words = wrapping_label("caption")
        words.setText(about)
        self.table = table
        self.table.itemSelectionChanged.connect(self.show_buttons)
        self.state = wrapping_label("caption")
        self.buttons = FlowLayout()
        self.limit = QSpinBox()
        self.limit.setRange(*_LIMITS)
        self.limit.setSingleStep(100)
        self.limit.setSuffix(" MB")
        self.limit.setKeyboardTracking(False)
        self.limit.setGroupSeparatorShown(True)
        label = QLabel(self.tr("&At most"))
        label.setBuddy(self.limit)
        self.limit.setAccessibleName(self.tr("%1: at most").replace("%1", title))
        self.limit.setToolTip(self.tr("What was not used for longest goes first"))
        foot = QHBoxLayout()
        foot.addWidget(self.state, 1)
        foot.addWidget(label)
        foot.addWidget(self.limit)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE)
        column.addWidget(heading)
        column.addWidget(words)
        column.addWidget(self.table)
        column.addLayout(self.buttons)
        column.addLayout(foot)

    def add_button(self, text: str, icon: str, slot: Callable[[], object], role: str = "") -> QPushButton:
        """Add one under the table."""
        button = QPushButton(text)
        button.setIcon(icons.icon(icon, icons.Tint.danger if role == "danger" else icons.Tint.text))
        button.setProperty("role", role)
        button.clicked.connect(slot)
        self.buttons.addWidget(button)
        return button

    def show_limit(self, limit: int) -> None:
        """Show it, unless the user is just changing it."""
        if not self.limit.hasFocus():
            self.limit.blockSignals(True)
            self.limit.setValue(round(limit / MB))
            self.limit.blockSignals(False)

    def show_buttons(self) -> None:
        """Show which can be used now."""
        raise NotImplementedError

    def ask(self, title: str, text: str, more: str, yes: str, then: Callable[[], object]) -> None:
        """Ask before something is deleted."""
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, parent=self)
        box.setInformativeText(more)
        button = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        button.clicked.connect(lambda: then())  # without the signal's own value
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
