"""What this machine is, which ways to run networks it has, and what each lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views import icons
from app.views.engine_phrases import say_advice, say_backend, say_reason
from app.views.mark import Mark
from app.views.measures import say_memory
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.engine import BackendRow, EnginePanel
    from pipelines.devices import Machine

_ICON = 18  # logical pixels


class MachineView(QFrame):
    """A card with the machine on top and a line for each backend."""

    def __init__(self, panel: EnginePanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self.setProperty("role", "card")
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE)
        title = QLabel(self.tr("This machine"))
        title.setProperty("role", "heading")
        self._facts = QFormLayout()
        self._facts.setHorizontalSpacing(2 * SPACE)
        self._facts.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._lines = QGridLayout()
        self._lines.setHorizontalSpacing(SPACE)
        self._lines.setVerticalSpacing(SPACE // 2 + 2)
        self._lines.setColumnStretch(2, 1)
        column.addWidget(title)
        column.addLayout(self._facts)
        column.addSpacing(SPACE)
        column.addLayout(self._lines)
        self._waiting = wrapping_label("caption")
        self._waiting.setText(self.tr("Looking at this machine…"))
        column.addWidget(self._waiting)
        follow(panel, "machine", self._show)

    def _show(self, machine: Machine | None) -> None:
        self._waiting.setVisible(machine is None)
        if machine is None or self._facts.rowCount():
            return  # it is looked at once
        for gpu in machine.gpus:
            text = self.tr("%1, %2, driver %3, compute capability %4")
            capability = f"{gpu.compute_capability[0]}.{gpu.compute_capability[1]}"
            for number, word in enumerate((gpu.name, say_memory(gpu.memory_total), gpu.driver, capability), start=1):
                text = text.replace(f"%{number}", word)
            self._fact(self.tr("GPU"), text)
        if not machine.gpus:
            self._fact(self.tr("GPU"), self.tr("No NVIDIA GPU was found."))
        cores = self.tr("%1, %n cores", "", machine.cores).replace("%1", machine.cpu)
        self._fact(self.tr("Processor"), cores)
        self._fact(self.tr("Memory"), say_memory(machine.memory_total))
        self._fact(self.tr("System"), machine.system)
        for row in self._panel.backends:
            self._line(row)

    def _fact(self, name: str, value: str) -> None:
        title, text = wrapping_label("caption"), wrapping_label()
        title.setWordWrap(False)
        title.setText(name)
        text.setText(value)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts.addRow(title, text)

    def _line(self, row: BackendRow) -> None:
        number = self._lines.rowCount()
        name, tint = ("circle-check", icons.Tint.accent) if row.ready else ("circle-x", icons.Tint.muted)
        mark = Mark(name, tint, _ICON)
        title = QLabel(say_backend(row.backend.value))
        words = wrapping_label("caption")
        ready = self.tr("Ready.")
        lacks = self.tr("Not ready: %1.").replace("%1", say_reason(row.reason))
        parts = (ready if row.ready else lacks, say_advice(row.advice))
        words.setText(" ".join(part for part in parts if part))
        mark.setAccessibleName(words.text())
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        top = Qt.AlignmentFlag.AlignTop
        self._lines.addWidget(mark, number, 0, top)
        self._lines.addWidget(title, number, 1, top)
        self._lines.addWidget(words, number, 2)
