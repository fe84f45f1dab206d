"""What only some pictures need: a second pass at a larger size, a refiner, ControlNets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QSpinBox, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.views.control_panel import ControlPanel
from app.views.fields import ProblemLabel, choice, describe, named, side_by_side
from app.views.generate_words import say_problem
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label
from pipelines.families import Picture
from pipelines.request import HIRES_MAX, HIRES_MIN, STEPS_MAX

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.problems import Problem
    from pipelines.request import HiresFix


class MorePanel(QWidget):
    """The three of them; what the model cannot do is hidden."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self.second_pass = SecondPass(generation)
        self.refiner = RefinerRow(generation)
        self.controls = ControlPanel(generation)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for part in (self.second_pass, self.refiner, self.controls):
            column.addWidget(part)


class SecondPass(QWidget):
    """The hires fix: on or off, how much larger, how much is drawn anew, in how many steps."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.wanted = QCheckBox(self.tr("Draw twice, the second time larger"))
        tip = self.tr("Also called hires fix: more detail in large pictures, and nothing drawn double.")
        describe(self.wanted, self.wanted.text(), tip)
        self.scale, self.strength, self.steps = _decimal(HIRES_MIN, HIRES_MAX), _decimal(0.05, 1.0), QSpinBox()
        self.scale.setSingleStep(0.25)
        self.scale.setSuffix(" ×")
        self.steps.setRange(0, STEPS_MAX)
        self.steps.setSpecialValueText(self.tr("Same"))
        self.steps.setKeyboardTracking(False)
        self._values = QWidget()
        self._note = wrapping_label("caption")
        self._problem = ProblemLabel(self.scale)
        self._lay_out()
        self.wanted.clicked.connect(generation.use_second_pass)
        self.scale.valueChanged.connect(self._take_scale)
        self.strength.valueChanged.connect(self._take_strength)
        self.steps.valueChanged.connect(self._take_steps)
        follow(generation, "hires", self._show)
        for name in ("image", "able", "final_size"):
            follow(generation, name, self._show_use)
        follow(generation, "problems", self._show_problems)

    def _lay_out(self) -> None:
        row = side_by_side(
            named(self.tr("Larger by"), self.scale),
            named(self.tr("Drawn anew"), self.strength, self.tr("How much of the picture the second pass changes.")),
            named(self.tr("Steps"), self.steps, self.tr("Of the second pass.")),
        )
        row.setContentsMargins(0, 0, 0, 0)
        self._values.setLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for part in (self.wanted, self._values, self._problem, self._note):
            column.addWidget(part)

    def _take_scale(self, value: float) -> None:
        self._generation.change_second_pass(scale=value)

    def _take_strength(self, value: float) -> None:
        self._generation.change_second_pass(strength=value)

    def _take_steps(self, value: int) -> None:
        self._generation.change_second_pass(num_inference_steps=value)

    def _show(self, hires: HiresFix | None) -> None:
        self.wanted.setChecked(hires is not None)
        if hires is not None:
            # A value with more places than are shown stays as it is
            for box, value in ((self.scale, hires.scale), (self.strength, hires.strength)):
                with QSignalBlocker(box):
                    box.setValue(value)
            with QSignalBlocker(self.steps):
                self.steps.setValue(hires.num_inference_steps)
        self._show_use()

    def _show_use(self, _value: object = None) -> None:
        page = self._generation
        self.setVisible(page.able.picture is Picture.start)
        usable = page.image is None
        self.wanted.setEnabled(usable)
        self._values.setVisible(usable and page.hires is not None)
        words = self.tr("The picture gets %1 × %2 pixels.") if usable else self.tr("Not with a start picture.")
        width, height = page.final_size
        self._note.setText(words.replace("%1", str(width)).replace("%2", str(height)))
        self._note.setVisible(page.hires is not None)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        found = of(Field.hires, problems)
        self._problem.show_problem(say_problem(found) if found is not None else "")


class RefinerRow(QWidget):
    """The model for the last steps, and where it begins."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.model, self.start = choice(), _decimal(0.0, 1.0)
        row = side_by_side(
            named(self.tr("Refiner"), self.model, self.tr("A model that draws the last steps.")),
            named(self.tr("From"), self.start, self.tr("The share of the steps after which the refiner goes on.")),
        )
        row.setContentsMargins(0, 0, 0, 0)
        self.setLayout(row)
        self.model.activated.connect(self._take_model)
        self.start.valueChanged.connect(self._take_start)
        for name in ("refiners", "refiner", "able"):
            follow(generation, name, self._show)
        follow(generation, "refiner_start", self._show_start)

    def _take_model(self, index: int) -> None:
        self._generation.refiner = self.model.itemData(index)

    def _take_start(self, value: float) -> None:
        self._generation.refiner_start = value

    def _show(self, _value: object) -> None:
        page = self._generation
        self.setVisible(bool(page.able.refiner))
        self.model.clear()
        self.model.addItem(self.tr("None"), "")
        for one in page.refiners:
            self.model.addItem(one.title, one.name)
        if self.model.findData(page.refiner) < 0:  # a file that is used by its path, or one that is gone
            self.model.addItem(page.refiner, page.refiner)
        self.model.setCurrentIndex(self.model.findData(page.refiner))
        self.start.setEnabled(bool(page.refiner))

    def _show_start(self, value: float) -> None:
        with QSignalBlocker(self.start):
            self.start.setValue(value)


def _decimal(low: float, high: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setSingleStep(0.05)
    box.setKeyboardTracking(False)
    return box
