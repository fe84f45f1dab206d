"""ControlNets: models that let a picture follow the lines of another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field
from app.views import icons
from app.views.fields import ProblemLabel, choice, describe, icon_button, named, side_by_side
from app.views.generate_words import preprocessor_name, say_problem, translate
from app.views.start_panel import PICTURES, FileRow
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label
from pipelines.request import CONTROL_WEIGHT_MAX, PREPROCESSORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.viewmodels.generation import Generation
    from app.viewmodels.problems import Problem
    from pipelines.request import ControlChoice


class ControlPanel(QWidget):
    """One block a ControlNet, and a button to add more; hidden where the model takes none."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.rows: list[ControlView] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(SPACE)
        self.add_button = QPushButton(icons.icon("plus"), self.tr("Follow a picture (ControlNet)…"))
        self.add_button.clicked.connect(self._ask)
        self._none = wrapping_label("caption")
        self._none.setText(self.tr("Add a ControlNet on the Models page first."))
        self._problem = ProblemLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(self._list)
        for part in (self._problem, self.add_button, self._none):
            column.addWidget(part)
        follow(generation, "controls", self._show_rows)
        for name in ("controlnets", "able"):
            follow(generation, name, self._show_use)
        follow(generation, "problems", self._show_problems)

    def _ask(self) -> None:
        ask_picture(self, self._take_picture)

    def _take_picture(self, file: str) -> None:
        self._generation.add_control(Path(file))

    def _show_rows(self, controls: tuple[ControlChoice, ...]) -> None:
        while len(self.rows) > len(controls):
            row = self.rows.pop()
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(controls):
            self.rows.append(ControlView(self._generation, len(self.rows)))
            self._list.addWidget(self.rows[-1])
        for view, one in zip(self.rows, controls, strict=True):
            view.show_control(one)

    def _show_use(self, _value: object) -> None:
        page = self._generation
        self.setVisible(page.able.controls)
        self.add_button.setEnabled(bool(page.controlnets))
        self._none.setVisible(not page.controlnets)
        self._show_rows(page.controls)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        self._problem.show_problem("\n".join(say_problem(one) for one in problems if one.field is Field.controls))


class ControlView(QWidget):
    """Model, picture, what is made of the picture first, weight, and in which share of the steps it acts."""

    def __init__(self, generation: Generation, index: int) -> None:
        super().__init__()
        self._generation = generation
        self._index = index
        self.model, self.preprocessor = choice(), choice()
        for name in PREPROCESSORS:
            self.preprocessor.addItem(preprocessor_name(name), name)
        self.picture = FileRow(self.tr("Picture to follow"), self._ask, self._remove)
        self.weight, self.start, self.end = _share(CONTROL_WEIGHT_MAX), _share(1.0), _share(1.0)
        self.remove = icon_button("x", self.tr("Remove"), self._remove)
        self._lay_out()
        self.model.activated.connect(self._take_model)
        self.preprocessor.activated.connect(self._take_preprocessor)
        self.weight.valueChanged.connect(self._take_weight)
        self.start.valueChanged.connect(self._take_range)
        self.end.valueChanged.connect(self._take_range)

    def _lay_out(self) -> None:
        describe(self.model, self.tr("ControlNet"))
        describe(self.preprocessor, self.tr("Made of the picture first"))
        head = QHBoxLayout()
        head.setSpacing(SPACE // 2)
        head.addWidget(self.model, 1)
        head.addWidget(self.remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE // 2)
        column.addLayout(head)
        column.addLayout(side_by_side(self.picture, self.preprocessor))
        column.addLayout(
            side_by_side(
                named(self.tr("Weight"), self.weight, self.tr("How strongly the picture is followed; 0 is off.")),
                named(self.tr("From"), self.start, self.tr("The share of the steps after which it begins to act.")),
                named(self.tr("To"), self.end, self.tr("The share of the steps after which it acts no more.")),
            )
        )

    def show_control(self, one: ControlChoice) -> None:
        """Show this ControlNet."""
        self.model.clear()
        for model in self._generation.controlnets:
            self.model.addItem(model.title, model.name)
        if self.model.findData(one.model) < 0:  # a file that is used by its path, or one that is gone
            self.model.addItem(Path(one.model).name, one.model)
        self.model.setCurrentIndex(self.model.findData(one.model))
        self.preprocessor.setCurrentIndex(self.preprocessor.findData(one.preprocessor))
        self.picture.show_file(one.image)
        self.picture.clear.hide()
        for box, value, most in (
            (self.weight, one.weight, CONTROL_WEIGHT_MAX),
            (self.start, one.start, one.end),
            (self.end, one.end, 1.0),
        ):
            with QSignalBlocker(box):  # a value with more places than are shown stays as it is
                box.setMaximum(most)
                box.setValue(value)

    def _ask(self) -> None:
        ask_picture(self, self._take_picture)

    def _take_picture(self, file: str) -> None:
        self._generation.change_control(self._index, image=Path(file))

    def _take_model(self, index: int) -> None:
        self._generation.change_control(self._index, model=self.model.itemData(index))

    def _take_preprocessor(self, index: int) -> None:
        self._generation.change_control(self._index, preprocessor=self.preprocessor.itemData(index))

    def _take_weight(self, value: float) -> None:
        self._generation.change_control(self._index, weight=value)

    def _take_range(self, _value: float) -> None:
        end = self.end.value()
        self._generation.change_control(self._index, start=min(self.start.value(), end), end=end)

    def _remove(self) -> None:
        self._generation.remove_control(self._index)


def ask_picture(parent: QWidget, take: Callable[[str], object]) -> None:
    """Ask for a picture file. Not a modal loop: the window goes on meanwhile."""
    pictures = translate("Generate", "Pictures")
    dialog = QFileDialog(parent, translate("Generate", "Picture to follow"), "", f"{pictures} ({PICTURES})")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _share(most: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(0.0, most)
    box.setSingleStep(0.05)
    box.setKeyboardTracking(False)
    return box
