"""The left column of the Generate page: all controls, and the button that draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.viewmodels.run import Phase
from app.views import icons
from app.views.advanced_panel import AdvancedPanel
from app.views.fields import Fold, ProblemLabel, choice, describe, line, named
from app.views.generate_words import sampler_name, say_more, say_problem
from app.views.lora_panel import LoraPanel
from app.views.more_panel import MorePanel
from app.views.prompt_panel import PromptPanel
from app.views.sampling_panel import SamplingPanel
from app.views.size_panel import SizePanel
from app.views.start_panel import StartPanel
from app.views.theme import SPACE
from app.views.wrapping import TallArea, wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.generate import GenerateModels
    from app.viewmodels.model_choices import ModelChoice
    from app.viewmodels.problems import Problem
    from app.viewmodels.queue import Queue

# Problems inside a folded part open it
_FOLDED = {
    Field.loras: "loras",
    Field.image: "start",
    Field.strength: "start",
    Field.scheduler: "advanced",
    Field.upscale: "advanced",
    Field.outpaint: "start",
    Field.hires: "more",
    Field.controls: "more",
}


class ControlsView(QWidget):
    """Scrolls, but for the buttons at its foot."""

    def __init__(self, models: GenerateModels) -> None:
        super().__init__()
        self._generation, self._run, self._queue = models.generation, models.run, models.queue
        self.model = choice()
        self._model_problem = ProblemLabel(self.model)
        self.prompt = PromptPanel(models.generation, models.tokens)
        self.size_panel = SizePanel(models.generation)
        self.sampling = SamplingPanel(models.generation)
        self.loras = LoraPanel(models.generation)
        self.start = StartPanel(models.generation)
        self.advanced = AdvancedPanel(models.generation)
        self.more = MorePanel(models.generation)
        self.folds = {
            "start": Fold(self.tr("Start picture"), self.start),
            "loras": Fold(self.tr("LoRA"), self.loras),
            "advanced": Fold(self.tr("Sampler and enlarging"), self.advanced),
            "more": Fold(self.tr("More"), self.more),
        }
        self.go_on = QPushButton(self.tr("Go on"))
        self._paused = self._make_paused(models.queue)
        self.generate, self.cancel = QPushButton(), QPushButton(self.tr("Cancel"))
        self._lay_out()
        self.model.activated.connect(self._take_model)
        self._follow()

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 14, 12, 12)
        column.setSpacing(12)
        column.addWidget(self.prompt)
        column.addWidget(line())
        column.addLayout(named(self.tr("&Model"), self.model, self.tr("Get more on the Models page.")))
        column.addWidget(self._model_problem)
        column.addWidget(self.size_panel)
        column.addWidget(self.sampling)
        column.addWidget(line())
        for fold in self.folds.values():
            column.addWidget(fold)
        column.addStretch(1)
        area = TallArea()
        area.set_inside(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(area, 1)
        whole.addWidget(self._paused)
        whole.addLayout(self._make_buttons())

    def _make_paused(self, queue: Queue) -> QWidget:
        """Without a word, a click on Generate would seem to do nothing."""
        whole = QWidget()
        label = wrapping_label("warning")
        label.setText(self.tr("The queue is paused."))
        self.go_on.clicked.connect(queue.toggle_pause)
        row = QHBoxLayout(whole)
        row.setContentsMargins(16, SPACE, 16, 0)
        row.addWidget(label, 1)
        row.addWidget(self.go_on)
        return whole

    def _make_buttons(self) -> QHBoxLayout:
        self.generate.setProperty("role", "primary")
        self.generate.setIcon(icons.icon("sparkles", icons.Tint.on_accent))
        self.generate.setMinimumHeight(40)
        self.generate.clicked.connect(self._generation.generate)
        describe(self.generate, self.tr("Generate"), self.tr("Draw the picture (Ctrl+Enter)"))
        self.cancel.setIcon(icons.icon("x"))
        self.cancel.setMinimumHeight(40)
        self.cancel.clicked.connect(self._generation.cancel)
        describe(self.cancel, self.tr("Cancel"), self.tr("Stop the picture that is being drawn (Esc)"))
        row = QHBoxLayout()
        row.setContentsMargins(16, SPACE, 16, 12)
        row.setSpacing(SPACE)
        row.addWidget(self.generate, 1)
        row.addWidget(self.cancel)
        return row

    def _follow(self) -> None:
        page = self._generation
        follow(page, "models", self._show_models)
        follow(page, "model", self._show_model)
        follow(page, "problems", self._show_problems)
        follow(self._run, "phase", self._show_phase)
        follow(self._queue, "paused", self._show_paused)
        for name in ("loras", "image", "scheduler", "upscale", "hires", "refiner", "controls", "able"):
            follow(page, name, self._show_summaries)

    def _take_model(self, index: int) -> None:
        self._generation.choose_model(self.model.itemData(index))

    def _show_models(self, models: tuple[ModelChoice, ...]) -> None:
        self.model.clear()
        for row in models:
            self.model.addItem(row.title, row.name)
        self._show_model(self._generation.model)

    def _show_model(self, name: str) -> None:
        index = self.model.findData(name)
        entry = self._generation.entry
        if index < 0 and entry is not None:  # a folder that is used by its path
            self.model.addItem(entry.title, name)
            index = self.model.count() - 1
        self.model.setCurrentIndex(index)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        found = of(Field.model, problems)
        self._model_problem.show_problem(say_problem(found) if found is not None else "")
        for problem in problems:
            if problem.field in _FOLDED:
                self.folds[_FOLDED[problem.field]].set_open(is_open=True)
        self.generate.setToolTip(say_problem(problems[0]) if problems else self.tr("Draw the picture (Ctrl+Enter)"))

    def _show_paused(self, paused: bool) -> None:
        self._paused.setVisible(paused)
        self._show_phase(self._run.phase)

    def _show_phase(self, phase: Phase) -> None:
        active = self._run.is_active
        waits = active or self._queue.paused
        self.generate.setText(self.tr("Add to the queue") if waits else self.tr("Generate"))
        self.cancel.setVisible(active)
        self.cancel.setEnabled(phase is not Phase.cancelling)

    def _show_summaries(self, _value: object) -> None:
        page = self._generation
        names = [row.path.stem for row in page.loras if row.enabled]
        self.folds["loras"].set_summary(", ".join(names))
        self.folds["start"].set_summary(page.image.name if page.image is not None else "")
        enlarged = f"{page.upscale} ×" if page.upscale > 1 else ""
        sampler = "" if page.scheduler == "default" else sampler_name(page.scheduler)
        self.folds["advanced"].set_summary(", ".join(part for part in (sampler, enlarged) if part))
        self.folds["more"].set_summary(say_more(page))
