"""The main window: navigation at the side, the page in the middle, notices above it, the engine's state below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.views import icons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QCloseEvent

_ICON = QSize(22, 22)  # logical pixels


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page of the window: `key` names it for code, `title` for the user; `make` is called when it is first shown.

    One without an icon is not in the navigation.
    """

    key: str
    title: str
    icon: str
    make: Callable[[], QWidget]


class MainWindow(QMainWindow):
    """The frame round the pages; `show_page` fills it.

    Signals:
        page_changed (str): the page of that key is shown.
        closing (): the user closes the window, or the system does.
    """

    page_changed = Signal(str)
    closing = Signal()

    def __init__(
        self, pages: Sequence[PageSpec], notices: QWidget | None = None, status: QWidget | None = None
    ) -> None:
        super().__init__()
        self.setWindowTitle("Firstlight")
        self.setMinimumSize(760, 520)
        self.page = ""
        self._pages = {page.key: page for page in pages}
        self._made: dict[str, QWidget] = {}
        self._stack = QStackedWidget()
        listed = [page for page in pages if page.icon]
        self._navigation = _Navigation(listed)
        self._navigation.chosen.connect(self.show_page)
        self._lay_out(notices)
        if status is not None:
            self.statusBar().setSizeGripEnabled(False)
            self.statusBar().addWidget(status, 1)
        for number, page in enumerate(listed, start=1):
            shortcut = QShortcut(QKeySequence(f"Ctrl+{number}"), self)
            shortcut.activated.connect(self._navigation.button(page.key).click)
        QShortcut(QKeySequence("Ctrl+Q"), self).activated.connect(self.close)

    page: str
    """The key of the page that is shown."""

    def show_page(self, key: str) -> None:
        """Show that page; it is made now where it was not shown before."""
        widget = self.page_widget(key)
        self.page = key
        self._stack.setCurrentWidget(widget)
        widget.setFocus()  # else it falls to the navigation
        self._navigation.check(key)
        self.page_changed.emit(key)

    def page_widget(self, key: str) -> QWidget:
        """The page of that key, made where it was not yet."""
        if key not in self._made:
            self._made[key] = self._pages[key].make()
            self._stack.addWidget(self._made[key])
        return self._made[key]

    def made_pages(self) -> dict[str, QWidget]:
        """The pages that were made so far."""
        return dict(self._made)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        """Tell that the window closes, and let it."""
        self.closing.emit()
        super().closeEvent(event)

    def _lay_out(self, notices: QWidget | None) -> None:
        middle = QVBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        if notices is not None:
            middle.addWidget(notices)
        middle.addWidget(self._stack, 1)
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._navigation)
        row.addLayout(middle, 1)
        self.setCentralWidget(centre)


class _Navigation(QWidget):
    """One button a page, icon above its name."""

    chosen = Signal(str)

    def __init__(self, pages: Sequence[PageSpec]) -> None:
        super().__init__()
        self.setObjectName("navigation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Pages"))
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(4)
        for number, page in enumerate(pages, start=1):
            if page.key == "preferences":
                column.addStretch(1)  # at the bottom, where it is looked for
            column.addWidget(self._add(page, number))

    def button(self, key: str) -> QToolButton:
        """The button of that page."""
        return self._buttons[key]

    def check(self, key: str) -> None:
        """Show it as chosen; none where it is not in the navigation."""
        self._group.setExclusive(False)
        for name, button in self._buttons.items():
            button.setChecked(name == key)
        self._group.setExclusive(True)

    def _add(self, page: PageSpec, number: int) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"page_{page.key}")
        button.setText(page.title)
        button.setIcon(icons.icon(page.icon, icons.Tint.muted))
        button.setIconSize(_ICON)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus on the page
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setAccessibleName(page.title)
        shortcut = QKeySequence(f"Ctrl+{number}").toString(QKeySequence.SequenceFormat.NativeText)
        button.setToolTip(f"{page.title} ({shortcut})")
        button.clicked.connect(lambda: self.chosen.emit(page.key))
        self._group.addButton(button)
        self._buttons[page.key] = button
        return button
