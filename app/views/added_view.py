"""What an import brought: what came, and what was left out and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.views import icons, messages
from app.views.theme import SPACE

if TYPE_CHECKING:
    from app.services.models import Added
    from app.services.registry import Model
    from app.viewmodels.models import Models

_NAMED = 5  # models by name, before the rest is only counted


class AddedView(QFrame):
    """Hidden until there is something to tell, and again when it was put away."""

    def __init__(self, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._more = QPushButton(self.tr("What was left out"))
        self._more.setCheckable(True)
        self._more.setProperty("role", "quiet")
        self._more.toggled.connect(self._show_list)
        close = QToolButton()
        close.setIcon(icons.icon("x"))
        close.setProperty("role", "quiet")
        close.setToolTip(self.tr("Put away"))
        close.setAccessibleName(self.tr("Put away"))
        close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        close.clicked.connect(self.hide)
        self._list = QPlainTextEdit()
        self._list.setReadOnly(True)
        self._list.setTabChangesFocus(True)
        self._list.setAccessibleName(self.tr("What was left out"))
        self._list.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._list.setMaximumHeight(self._list.fontMetrics().lineSpacing() * 6)
        row = QHBoxLayout()
        row.addWidget(self._words, 1)
        row.addWidget(self._more)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, SPACE, SPACE, SPACE)
        column.addLayout(row)
        column.addWidget(self._list)
        self.hide()
        models.added.connect(self._show_added)

    def show_appeared(self, models: tuple[Model, ...]) -> None:
        """Tell of new files in a folder that is watched."""
        self._tell(self.tr("%n new models appeared in your folders: %1.", "", len(models)), models, [])

    def _show_added(self, added: Added) -> None:
        left_out = [f"{found.path}: {messages.translate(found.problem)}" for found in added.problems]
        reasons = (
            (added.scan.pickles, self.tr("a pickle file, which could run any program")),
            (added.scan.links, self.tr("a link; links are not followed")),
            (added.scan.closed, self.tr("a folder that cannot be looked into")),
        )
        left_out += [f"{path}: {why}" for paths, why in reasons for path in paths]
        if added.models:
            text = self.tr("%n models were added: %1.", "", len(added.models))
        else:
            text = self.tr("Nothing new was found there.")
        if left_out:
            rest = self.tr("%n things were left out.", "", len(left_out))
            text = f"{text} {rest}"
        self._tell(text, added.models, left_out)

    def _tell(self, text: str, models: tuple[Model, ...], left_out: list[str]) -> None:
        names = [model.name for model in models[:_NAMED]]
        if len(models) > _NAMED:
            names.append("…")
        self._words.setText(text.replace("%1", ", ".join(names)))
        self._list.setPlainText("\n".join(left_out))
        self._more.setChecked(False)
        self._more.setVisible(bool(left_out))
        self._list.hide()
        self.show()

    def _show_list(self, shown: bool) -> None:
        self._list.setVisible(shown)
