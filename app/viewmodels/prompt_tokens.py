"""How long the prompts are for the model, and what of them it does not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.viewmodels import tokenizing
from app.viewmodels.lane import Lane
from app.viewmodels.observable import Observed
from pipelines import checkpoints, prompts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.viewmodels.generation import Generation
    from app.viewmodels.tokenizing import Tokenizer
    from pipelines.events import Failure


@dataclass(frozen=True, slots=True)
class Length:
    """A prompt has `count` of at most `limit` tokens.

    `cut_from` is where in what was typed the model stops reading, in UTF-16 units, as Qt counts; None where it reads
    all. It is the length of what was typed where only words of the style are cut.
    """

    count: int
    limit: int
    cut_from: int | None = None


class PromptTokens(QObject):
    """Counts on a thread of its own. None stands for: not counted, or the model has no tokenizer that can count."""

    prompt, prompt_changed = Observed[Length | None](None), Signal(object)
    negative, negative_changed = Observed[Length | None](None), Signal(object)

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self._lane = Lane(self)
        self._loaded: tuple[Path, Tokenizer | None] | None = None  # of the thread alone
        self._wanted = 0
        for name in ("prompt", "negative_prompt", "style", "entry"):
            getattr(generation, f"{name}_changed").connect(self._ask)
        self._ask(None)

    def close(self) -> None:
        """End the thread."""
        self._lane.close()

    def _ask(self, _value: object) -> None:
        """Count what stands there now; what was asked for before is passed over."""
        page, entry = self._generation, self._generation.entry
        self._wanted += 1
        if entry is None or entry.location is None or page.able.negative_is_free:  # CLIP is given pieces of any number
            self.prompt = self.negative = None
            return
        work = _Work(
            entry.location, entry.layout, entry.max_sequence_length, page.style.lead, page.prompt,
            page.style.apply(page.prompt), page.negative_prompt, self._wanted,
        )  # fmt: skip
        self._lane.do(lambda: self._count(work), self._take, self._fail)

    def _count(self, work: _Work) -> tuple[Length | None, Length | None] | None:
        if work.number != self._wanted:
            return None
        if self._loaded is None or self._loaded[0] != work.model:
            self._loaded = (work.model, None)
            self._loaded = (work.model, tokenizing.load(_tokenizers_of(work)))
        tokenizer = self._loaded[1]
        if tokenizer is None:
            return None, None
        prompt = _measure(tokenizer, work.whole, work.limit, work.typed, len(work.lead))
        negative = _measure(tokenizer, work.negative, work.limit, work.negative, 0) if work.negative else None
        return prompt, negative

    def _take(self, found: tuple[Length | None, Length | None] | None) -> None:
        if found is not None:
            self.prompt, self.negative = found

    def _fail(self, _failure: Failure | None) -> None:
        """A model without a tokenizer tells of it when it is drawn with; the log has it now."""
        self.prompt = self.negative = None


@dataclass(frozen=True, slots=True)
class _Work:
    model: Path
    layout: str
    limit: int
    lead: str
    typed: str
    whole: str
    negative: str
    number: int


def _tokenizers_of(work: _Work) -> Path:
    """The folder that holds the tokenizers' folders; of a single file that ships, and only FLUX.1 is counted for."""
    return checkpoints.t5_tokenizer().parent if work.layout else work.model


def _measure(tokenizer: Callable[[str], tokenizing.Tokens], whole: str, limit: int, typed: str, lead: int) -> Length:
    """Count `whole`, in which `typed` stands after `lead` characters."""
    text = whole.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair is no text; it becomes one "?"
    read, _ = prompts.strip_weights(text)  # as the pipeline does before it counts
    tokens = tokenizer(read)
    cut = tokens.cut_at(limit)
    if cut is not None:
        place = min(max(_place_in(text, read, cut) - lead, 0), len(typed))
        cut = len(typed[:place].encode("utf-16-le", "surrogatepass")) // 2
    return Length(tokens.count, limit, cut)


def _place_in(text: str, read: str, place: int) -> int:
    """Where in `text` the character at `place` of `read` stands, which is `text` with some characters left out."""
    found = -1
    for character in read[: place + 1]:
        found = text.find(character, found + 1)
        if found < 0:
            return place  # a character was put in for others; the place is near
    return found
