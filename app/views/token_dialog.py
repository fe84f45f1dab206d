"""Entering a token for a server that wants a login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views import icons, messages
from app.views.theme import SPACE

if TYPE_CHECKING:
    from app.viewmodels.tokens import TokenDesk
    from pipelines.events import Failure


class TokenDialog(QDialog):
    """For the host that the desk looks at. It closes when the token is kept."""

    def __init__(self, desk: TokenDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setWindowTitle(self.tr("Access token"))
        self.setMinimumWidth(440)
        self._build()
        follow(desk, "host", self._show_host)
        follow(desk, "known", self._show_known)
        follow(desk, "busy", self._show_busy)
        desk.stored.connect(self._take_stored)
        desk.problem.connect(self._show_problem)

    def _build(self) -> None:
        self._about = QLabel()
        self._about.setWordWrap(True)
        self._state = QLabel()
        self._state.setProperty("role", "caption")
        self._state.setWordWrap(True)
        self._page = QPushButton(self.tr("Open the page where tokens are made"))
        self._page.setIcon(icons.icon("external-link"))
        self._page.setAutoDefault(False)
        self._page.clicked.connect(self._open_page)
        label = QLabel(self.tr("&Token"))
        self._token = QLineEdit()
        self._token.setEchoMode(QLineEdit.EchoMode.Password)
        self._token.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
        self._token.textChanged.connect(self._show_busy)
        label.setBuddy(self._token)
        self._problem = QLabel()
        self._problem.setProperty("role", "warning")
        self._problem.setWordWrap(True)
        self._problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._keep = buttons.addButton(self.tr("Keep in the keyring"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._keep.setProperty("role", "primary")
        self._remove = buttons.addButton(self.tr("Remove"), QDialogButtonBox.ButtonRole.ResetRole)
        self._remove.setProperty("role", "danger")
        buttons.accepted.connect(self._store)
        buttons.rejected.connect(self.reject)
        self._remove.clicked.connect(self._forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE + SPACE // 2)
        for widget in (self._about, self._state, self._page, label, self._token, self._problem, buttons):
            column.addWidget(widget)
        self._token.setFocus()

    def _show_host(self, host: str) -> None:
        text = self.tr(
            "Some models are only given to accounts of %1 that have accepted a licence. A token shows who is asking. "
            "It is kept in the keyring of your system, and sent to %1 alone."
        )
        self._about.setText(text.replace("%1", host))

    def _show_known(self, known: bool | None) -> None:
        self._remove.setVisible(bool(known))
        if known is None:
            self._state.setText(self.tr("Looking for a token…"))
        else:
            self._state.setText(self.tr("There is a token.") if known else self.tr("There is no token yet."))

    def _show_busy(self, _: object = None) -> None:
        self._keep.setEnabled(bool(self._token.text().strip()) and not self._desk.busy)
        self._remove.setEnabled(not self._desk.busy)

    def _show_problem(self, failure: Failure) -> None:
        self._problem.setText(messages.say(failure))
        self._problem.show()

    def _open_page(self) -> None:
        QDesktopServices.openUrl(QUrl(self._desk.page))

    def _store(self) -> None:
        self._problem.hide()
        self._desk.store(self._token.text())

    def _forget(self) -> None:
        self._problem.hide()
        self._desk.store("")

    def _take_stored(self) -> None:
        self._token.clear()
        self.accept()
