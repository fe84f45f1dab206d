"""Prompt, style and negative prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.viewmodels import emphasis
from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.views.fields import Fold, ProblemLabel, choice, describe, named
from app.views.generate_words import say_problem, style_name
from app.views.prompt_edit import PromptEdit
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.model_choices import Abilities
    from app.viewmodels.problems import Problem
    from app.viewmodels.prompt_tokens import Length, PromptTokens
    from pipelines.styles import Style


class PromptPanel(QWidget):
    """What to draw, in words."""

    def __init__(self, generation: Generation, tokens: PromptTokens) -> None:
        super().__init__()
        self._generation = generation
        self.prompt = PromptEdit((4, 12))
        self.prompt.setPlaceholderText(self.tr("Describe the picture"))
        self.negative = PromptEdit((2, 6))
        self.style_box = choice()
        for style in generation.styles:
            self.style_box.addItem(style_name(style), style.key)
            self.style_box.setItemData(self.style_box.count() - 1, style.template, Qt.ItemDataRole.ToolTipRole)
        self._count = QLabel()
        self._count.setProperty("role", "caption")
        self._problem = ProblemLabel(self.prompt)
        self._cut = wrapping_label("warning")
        self._cost = wrapping_label("caption")
        self._fold = self._make_negative()
        self._lay_out()
        self.prompt.edited.connect(self._take_prompt)
        self.negative.edited.connect(self._take_negative)
        self.prompt.emphasis_wanted.connect(self._emphasise_prompt)
        self.negative.emphasis_wanted.connect(self._emphasise_negative)
        self.style_box.activated.connect(self._take_style)
        follow(generation, "prompt", self.prompt.set_text)
        follow(generation, "negative_prompt", self._show_negative)
        follow(generation, "style", self._show_style)
        follow(generation, "able", self._show_able)
        follow(generation, "problems", self._show_problems)
        follow(tokens, "prompt", self._show_length)
        follow(tokens, "negative", self._show_negative_length)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        name = QLabel(self.tr("&Prompt"))
        name.setProperty("role", "heading")
        name.setBuddy(self.prompt)
        describe(self.prompt, self.tr("Prompt"), self.tr("What the picture shows. Ctrl+Enter draws it."))
        head.addWidget(name, 1)
        head.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(head)
        column.addWidget(self.prompt)
        column.addWidget(self._problem)
        column.addWidget(self._cut)
        column.addLayout(named(self.tr("St&yle"), self.style_box, self.tr("Words that are put round the prompt.")))
        column.addWidget(self._fold)

    def _make_negative(self) -> Fold:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.negative)
        column.addWidget(self._cost)
        describe(self.negative, self.tr("Negative prompt"), self.tr("What the picture is to keep away from."))
        return Fold(self.tr("Negative prompt"), body)

    # What the user does

    def _take_prompt(self, text: str) -> None:
        self._generation.prompt = text

    def _take_negative(self, text: str) -> None:
        self._generation.negative_prompt = text

    def _take_style(self, index: int) -> None:
        self._generation.style = self._generation.styles[index]

    def _emphasise_prompt(self, stronger: bool) -> None:
        self._emphasise(self.prompt, stronger=stronger)

    def _emphasise_negative(self, stronger: bool) -> None:
        self._emphasise(self.negative, stronger=stronger)

    def _emphasise(self, edit: PromptEdit, *, stronger: bool) -> None:
        if self._generation.able.weighs_words:
            changed = emphasis.change(edit.toPlainText(), *edit.selected, stronger=stronger)
            edit.replace_text(changed.text, changed.start, changed.end)

    # What is shown

    def _show_negative(self, text: str) -> None:
        self.negative.set_text(text)
        self._fold.set_summary(" ".join(text.split()))
        if text:
            self._fold.set_open(is_open=True)

    def _show_style(self, style: Style) -> None:
        self.style_box.setCurrentIndex(self.style_box.findData(style.key))

    def _show_able(self, able: Abilities) -> None:
        self._cost.setText(self.tr("With this model, a negative prompt takes twice the time."))
        self._cost.setVisible(not able.negative_is_free)
        tip = self.tr("What the picture shows. Ctrl+Enter draws it.")
        weights = self.tr("Ctrl+Up and Ctrl+Down let words count more or less.")
        self.prompt.setToolTip(f"{tip}\n{weights}" if able.weighs_words else tip)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        found = of(Field.prompt, problems)
        self._problem.show_problem(say_problem(found) if found is not None else "")

    def _show_length(self, length: Length | None) -> None:
        self._count.setText("" if length is None else f"{length.count} / {length.limit}")
        self._count.setToolTip(self.tr("Pieces of words in the prompt, and how many of them the model reads"))
        cut = length.cut_from if length is not None else None
        self.prompt.mark_cut(cut)
        self._cut.setVisible(cut is not None)
        if cut is None:
            return
        if self.prompt.cut_text:
            self._cut.setText(self.tr("The model does not read the words that are struck out."))
        else:
            self._cut.setText(self.tr("The model does not read the last words of the style."))

    def _show_negative_length(self, length: Length | None) -> None:
        self.negative.mark_cut(length.cut_from if length is not None else None)
