"""How the picture is drawn: steps, guidance, how many, and the seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLineEdit, QSpinBox, QToolButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.views import icons
from app.views.fields import ProblemLabel, describe, icon_button, named, side_by_side
from app.views.generate_words import say_problem
from app.views.theme import SPACE
from pipelines.request import COUNT_MAX, GUIDANCE_MAX, STEPS_MAX

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.model_choices import Abilities
    from app.viewmodels.problems import Problem

_SEED = QRegularExpression(r"\d{0,20}")


class SamplingPanel(QWidget):
    """Numbers."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.steps, self.count, self.guidance = QSpinBox(), QSpinBox(), QDoubleSpinBox()
        self.steps.setRange(1, STEPS_MAX)
        self.count.setRange(1, COUNT_MAX)
        self.guidance.setRange(0.0, GUIDANCE_MAX)
        self.guidance.setSingleStep(0.5)
        self.guidance.setDecimals(2)
        for box in (self.steps, self.count, self.guidance):
            box.setAccelerated(True)
            box.setKeyboardTracking(False)
        self.seed = QLineEdit()
        self.seed.setValidator(QRegularExpressionValidator(_SEED, self.seed))
        self.lock = QToolButton()
        self._problem = ProblemLabel(self.seed)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        steps = named(self.tr("S&teps"), self.steps, self.tr("More steps take longer and show finer detail."))
        tip = self.tr("How closely the picture follows the prompt.")
        guidance = named(self.tr("G&uidance"), self.guidance, tip)
        count = named(
            self.tr("Pi&ctures"), self.count, self.tr("How many pictures are drawn, each with the next seed.")
        )
        column.addLayout(side_by_side(steps, guidance, count))
        column.addLayout(named(self.tr("S&eed"), self._make_seed()))
        tip = self.tr("The same seed with the same settings draws the same picture.")
        describe(self.seed, self.tr("Seed"), tip)
        column.addWidget(self._problem)

    def _make_seed(self) -> QWidget:
        self.lock.setCheckable(True)
        self.lock.setProperty("role", "quiet")
        self.lock.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        describe(self.lock, self.tr("Keep this seed"), self.tr("Keep this seed; else each click draws with a new one."))
        self.roll = icon_button("dice-5", self.tr("New random seed"), self._generation.roll_seed)
        self.reuse = icon_button("history", self.tr("Seed of the last picture"), self._generation.reuse_seed)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.seed, 1)
        for button in (self.lock, self.roll, self.reuse):
            row.addWidget(button)
        whole.setFocusProxy(self.seed)
        return whole

    def _connect(self) -> None:
        page = self._generation
        self.steps.valueChanged.connect(self._take_steps)
        self.guidance.valueChanged.connect(self._take_guidance)
        self.count.valueChanged.connect(self._take_count)
        self.seed.textEdited.connect(page.type_seed)
        self.lock.clicked.connect(self._take_lock)
        follow(page, "steps", self.steps.setValue)
        follow(page, "guidance", self._show_guidance)
        follow(page, "count", self.count.setValue)
        follow(page, "seed", self._show_seed)
        follow(page, "seed_locked", self._show_lock)
        follow(page, "last_seed", self._show_last)
        follow(page, "able", self._show_able)
        follow(page, "problems", self._show_problems)

    def _take_steps(self, value: int) -> None:
        self._generation.steps = value

    def _take_guidance(self, value: float) -> None:
        self._generation.guidance = value

    def _take_count(self, value: int) -> None:
        self._generation.count = value

    def _take_lock(self, locked: bool) -> None:
        self._generation.seed_locked = locked

    def _show_guidance(self, value: float) -> None:
        with QSignalBlocker(self.guidance):  # a value with more places than are shown stays as it is
            self.guidance.setValue(value)

    def _show_seed(self, seed: int) -> None:
        if self.seed.text() != str(seed):
            self.seed.setText(str(seed))

    def _show_lock(self, locked: bool) -> None:
        self.lock.setChecked(locked)
        self.lock.setIcon(icons.icon("lock" if locked else "lock-open"))

    def _show_last(self, seed: int | None) -> None:
        self.reuse.setEnabled(seed is not None)

    def _show_able(self, able: Abilities) -> None:
        self.guidance.setEnabled(able.guidance)
        no_use = self.tr("This model has no guidance to set.")
        self.guidance.setToolTip(self.tr("How closely the picture follows the prompt.") if able.guidance else no_use)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        found = of(Field.seed, problems)
        self._problem.show_problem(say_problem(found) if found is not None else "")
        if found is None:
            self._show_seed(self._generation.seed)
