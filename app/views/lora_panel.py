"""LoRAs: small files that teach a model something more, each with its weight."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field
from app.views import icons
from app.views.fields import ProblemLabel, describe, icon_button
from app.views.generate_words import say_problem
from app.views.theme import SPACE
from pipelines.request import LORA_WEIGHT_MAX

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.problems import Problem
    from app.viewmodels.remembered import LoraRow

_NAME_WIDTH = 120  # logical pixels; the tooltip has the whole path


class LoraPanel(QWidget):
    """One row a LoRA, and a button to add more."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.rows: list[LoraRowView] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(SPACE // 2)
        self.add_button = QPushButton(icons.icon("plus"), self.tr("Add LoRA…"))
        self.add_button.clicked.connect(self._ask)
        self._problem = ProblemLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(self._list)
        column.addWidget(self._problem)
        column.addWidget(self.add_button)
        follow(generation, "loras", self._show_rows)
        follow(generation, "problems", self._show_problems)

    def _ask(self) -> None:
        """Not a modal loop: the window goes on meanwhile."""
        dialog = QFileDialog(self, self.tr("Add LoRA"), "", self.tr("LoRA files (*.safetensors)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._take_files)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_files(self, files: list[str]) -> None:
        self._generation.add_loras(Path(file) for file in files)

    def _show_rows(self, loras: tuple[LoraRow, ...]) -> None:
        while len(self.rows) > len(loras):
            row = self.rows.pop()
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(loras):
            self.rows.append(LoraRowView(self._generation, len(self.rows)))
            self._list.addWidget(self.rows[-1])
        for view, row in zip(self.rows, loras, strict=True):
            view.show_row(row)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        self._problem.show_problem("\n".join(say_problem(one) for one in problems if one.field is Field.loras))


class LoraRowView(QWidget):
    """Name with a tick, weight, and a button to take it off."""

    def __init__(self, generation: Generation, index: int) -> None:
        super().__init__()
        self._generation = generation
        self._index = index
        self.enabled = QCheckBox()
        self.weight = QDoubleSpinBox()
        self.weight.setRange(-LORA_WEIGHT_MAX, LORA_WEIGHT_MAX)
        self.weight.setSingleStep(0.05)
        self.weight.setKeyboardTracking(False)
        self.weight.setMinimumWidth(64)
        describe(self.weight, self.tr("Weight"), self.tr("1 is as it was trained, 0 is off, below 0 the opposite."))
        self.remove = icon_button("x", self.tr("Remove"), self._remove)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE // 2)
        row.addWidget(self.enabled, 1)
        row.addWidget(self.weight)
        row.addWidget(self.remove)
        self.enabled.clicked.connect(self._take_enabled)
        self.weight.valueChanged.connect(self._take_weight)

    def show_row(self, row: LoraRow) -> None:
        """Show this LoRA."""
        name = row.path.stem
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _NAME_WIDTH)
        self.enabled.setText(shown.replace("&", "&&"))
        self.enabled.setChecked(row.enabled)
        describe(self.enabled, name, str(row.path))
        with QSignalBlocker(self.weight):  # a value with more places than are shown stays as it is
            self.weight.setValue(row.weight)
        self.weight.setEnabled(row.enabled)

    def _take_enabled(self, enabled: bool) -> None:
        self._generation.change_lora(self._index, enabled=enabled)

    def _take_weight(self, weight: float) -> None:
        self._generation.change_lora(self._index, weight=weight)

    def _remove(self) -> None:
        self._generation.remove_lora(self._index)
