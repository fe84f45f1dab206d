"""A newer version: what is new, and whether to get it. Nothing happens without a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QProgressBar, QVBoxLayout, QWidget

from app.services.files import say_bytes
from app.viewmodels.observable import follow
from app.viewmodels.updates import Updates, UpdateStage
from app.views import messages

if TYPE_CHECKING:
    from pipelines.events import Failure


class UpdateDialog(QDialog):
    """For the version that was found."""

    def __init__(self, updates: Updates, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._updates = updates
        found = updates.update
        assert found is not None  # the dialog is for one
        self.setWindowTitle(self.tr("New version"))
        self.setMinimumWidth(480)
        about = QLabel(
            self.tr("Firstlight {version} is there ({size}). Your models, pictures and settings stay.").format(
                version=found.version, size=say_bytes(found.size)
            )
        )
        about.setWordWrap(True)
        notes = QPlainTextEdit(found.notes)
        notes.setReadOnly(True)
        notes.setAccessibleName(self.tr("What is new"))
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._problem = QLabel()
        self._problem.setWordWrap(True)
        self._problem.setProperty("role", "warning")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(self.tr("Not now"))
        self._go = buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self._go.setProperty("role", "primary")
        self._go.clicked.connect(self._act)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (about, notes, self._bar, self._problem, buttons):
            column.addWidget(widget)
        follow(updates, "stage", self._show_stage)
        follow(updates, "done", self._show_done)
        follow(updates, "failure", self._show_failure)

    def reject(self) -> None:
        """Close, and fetch no further."""
        self._updates.cancel()
        super().reject()

    def _act(self) -> None:
        if self._updates.stage is UpdateStage.ready:
            self._updates.install()
        else:
            self._updates.fetch()

    def _show_stage(self, stage: UpdateStage) -> None:
        self._bar.setVisible(stage is UpdateStage.fetching)
        self._go.setEnabled(stage is not UpdateStage.fetching)
        ready = stage is UpdateStage.ready
        self._go.setText(self.tr("Close Firstlight and install") if ready else self.tr("Download"))

    def _show_done(self, done: int) -> None:
        found = self._updates.update
        self._bar.setValue(int(1000 * done / found.size) if found else 0)

    def _show_failure(self, failure: Failure | None) -> None:
        self._problem.setText("" if failure is None else messages.say(failure))
        self._problem.setVisible(failure is not None)
