"""The work on model files that is going on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from app.viewmodels.models import Task, Work
from app.viewmodels.observable import follow
from app.views import icons
from app.views.measures import say_size
from app.views.theme import SPACE

if TYPE_CHECKING:
    from app.viewmodels.models import Models

_BAR = 1000


class WorkView(QFrame):
    """Hidden while nothing is done."""

    def __init__(self, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._what = QLabel()
        self._what.setTextFormat(Qt.TextFormat.PlainText)
        self._what.setWordWrap(True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._stop = QPushButton(self.tr("Stop"))
        self._stop.setIcon(icons.icon("x"))
        self._stop.clicked.connect(models.stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        row.setSpacing(SPACE)
        row.addWidget(self._what, 2)
        row.addWidget(self._bar, 1)
        row.addWidget(self._stop)
        follow(models, "work", self._show)

    def _show(self, work: Work | None) -> None:
        self.setVisible(work is not None)
        if work is None:
            return
        text = {
            Task.adding: self.tr("Looking at %1"),
            Task.copying: self.tr("Copying %1"),
            Task.checking: self.tr("Checking %1"),
            Task.removing: self.tr("Removing %1"),
        }[work.task].replace("%1", work.name)
        if work.total:
            sizes = self.tr("%1 of %2").replace("%1", say_size(work.done)).replace("%2", say_size(work.total))
            text = f"{text}  ·  {sizes}"
        self._what.setText(text)
        self._bar.setAccessibleName(text)
        self._bar.setRange(0, _BAR if work.total else 0)
        self._bar.setValue(round(_BAR * work.done / work.total) if work.total else 0)
        self._stop.setVisible(work.task is not Task.removing)
