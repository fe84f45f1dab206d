"""What is folded away at first: sampler, enlarging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.views.fields import ProblemLabel, choice, describe, named
from app.views.generate_words import sampler_name, say_problem
from app.views.theme import SPACE

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.problems import Problem

_FACTORS = (1, 2, 4)


class AdvancedPanel(QWidget):
    """Sampler and enlarging."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.sampler, self.upscale = choice(), choice()
        self.upscale.addItem(self.tr("Off"), 1)
        for factor in _FACTORS[1:]:
            self.upscale.addItem(self.tr("%1 times as wide and high").replace("%1", str(factor)), factor)
        self._sampler_problem = ProblemLabel(self.sampler)
        self._upscale_problem = ProblemLabel(self.upscale)
        self.reset = QPushButton(self.tr("Reset"))
        tip = self.tr("Steps, guidance and sampler as the model has them")
        describe(self.reset, tip, tip)
        self.reset.clicked.connect(generation.reset_sampling)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(named(self.tr("S&ampler"), self.sampler, self.tr("How the picture is worked out of noise.")))
        column.addWidget(self._sampler_problem)
        column.addLayout(named(self.tr("En&large"), self.upscale, self.tr("Enlarges the finished picture.")))
        column.addWidget(self._upscale_problem)
        column.addWidget(self.reset)
        self.sampler.activated.connect(self._take_sampler)
        self.upscale.activated.connect(self._take_upscale)
        follow(generation, "samplers", self._show_samplers)
        follow(generation, "scheduler", self._show_sampler)
        follow(generation, "upscale", self._show_upscale)
        follow(generation, "problems", self._show_problems)

    def _take_sampler(self, index: int) -> None:
        self._generation.scheduler = self.sampler.itemData(index)

    def _take_upscale(self, index: int) -> None:
        self._generation.upscale = self.upscale.itemData(index)

    def _show_samplers(self, names: tuple[str, ...]) -> None:
        self.sampler.clear()
        for name in names:
            self.sampler.addItem(sampler_name(name), name)
        self._show_sampler(self._generation.scheduler)

    def _show_sampler(self, name: str) -> None:
        self.sampler.setCurrentIndex(self.sampler.findData(name))  # none where the model has none of that name

    def _show_upscale(self, factor: int) -> None:
        self.upscale.setCurrentIndex(self.upscale.findData(factor))

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        for field, label in ((Field.scheduler, self._sampler_problem), (Field.upscale, self._upscale_problem)):
            found = of(field, problems)
            label.show_problem(say_problem(found) if found is not None else "")
