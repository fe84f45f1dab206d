"""Prompts as AUTOMATIC1111 writes them: weights, BREAK, alternatives and wildcards. Pure; standard library only.

Weights (https://github.com/AUTOMATIC1111/stable-diffusion-webui/wiki/Features, "Attention/emphasis"): `(word)` counts
1.1 times, `[word]` 1/1.1 times, `(word:1.5)` 1.5 times; brackets nest; `\\(`, `\\)`, `\\[`, `\\]` and `\\\\` are the
characters themselves. BREAK ends a chunk of the text encoder. `{a|b}` and `__name__` are drawn: one of the
alternatives, one line of the file name.txt.
"""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

ROUND, SQUARE = 1.1, 1 / 1.1  # what one pair of brackets multiplies by
_TOKEN = re.compile(
    r"""\\[()\[\]\\]                            # a character itself
    |  :\s*(?P<weight>[+-]?(?:\d+\.?\d*|\.\d+))\s*\)  # the end of a bracket with its weight
    |  (?P<break>\s*\bBREAK\b\s*)
    |  [()\[\]]
    |  \s+ | [^\\()\[\]:B\s]+ | .               # text; B may begin a BREAK""",
    re.VERBOSE | re.DOTALL,
)
_EXPLICIT = re.compile(r"(?<!\\)\((?P<text>[^()]*?):\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*\)")
_BREAK = re.compile(r"\bBREAK\b")
_DRAWN = re.compile(r"__(?P<name>[^\W_][\w./-]*?)__|\{(?P<choices>[^{}|]*\|[^{}]*)\}")
_DEPTH = 32  # brackets in brackets; further ones are text
_ROUNDS = 100  # drawn values may hold further ones; files that name each other would never end


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one weight. `ends_chunk`: a BREAK, which has no text."""

    text: str
    weight: float = 1.0
    ends_chunk: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """A prompt with everything drawn, and what was drawn for what, in order."""

    prompt: str
    values: tuple[tuple[str, str], ...] = ()


def parse(prompt: str) -> tuple[Piece, ...]:
    """The pieces of a prompt; neighbours of equal weight are one piece. Anything is a prompt: nothing is refused."""
    reader = _Reader()
    for match in _TOKEN.finditer(prompt):
        text, weight = match[0], match["weight"]
        if text in ("(", "[") and reader.open(text):
            continue
        if weight is not None and reader.is_open("("):
            reader.close("(", float(weight))
        elif text == ")" and reader.is_open("("):
            reader.close("(", ROUND)
        elif text == "]" and reader.is_open("["):
            reader.close("[", SQUARE)
        elif match["break"]:
            reader.add(None)
        else:
            reader.add(text[1] if text[0] == "\\" and len(text) == 2 else text)
    return reader.finish()


class _Reader:
    """The texts so far with their weights (None: a chunk ends), and where each bracket that is open began."""

    def __init__(self) -> None:
        self._texts: list[str | None] = []
        self._weights: list[float] = []
        self._opened: dict[str, list[int]] = {"(": [], "[": []}

    def add(self, text: str | None) -> None:
        self._texts.append(text)
        self._weights.append(1.0)

    def is_open(self, bracket: str) -> bool:
        return bool(self._opened[bracket])

    def open(self, bracket: str) -> bool:
        """Begin a bracket; False where there are too many for one to mean anything."""
        if sum(map(len, self._opened.values())) >= _DEPTH:
            return False
        self._opened[bracket].append(len(self._texts))
        return True

    def close(self, bracket: str, factor: float) -> None:
        for i in range(self._opened[bracket].pop(), len(self._weights)):
            self._weights[i] *= factor

    def finish(self) -> tuple[Piece, ...]:
        """What was never closed reaches to the end; neighbours of equal weight become one."""
        for bracket, factor in (("(", ROUND), ("[", SQUARE)):
            while self.is_open(bracket):
                self.close(bracket, factor)
        pieces: list[Piece] = []
        # A chunk's end is a group of its own: no weight is a text.
        keyed = zip(self._texts, self._weights, strict=True)
        for key, group in itertools.groupby(keyed, lambda one: None if one[0] is None else one[1]):
            texts = [text for text, _ in group]
            if key is None:
                pieces += [Piece("", ends_chunk=True)] * len(texts)
            else:
                pieces.append(Piece("".join(text for text in texts if text is not None), key))
        return tuple(pieces) or (Piece(""),)


def strip_weights(prompt: str) -> tuple[str, bool]:
    """A prompt for an encoder that takes no weights, and whether it had any.

    Only `(text:1.2)` and BREAK are taken for syntax: such encoders read whole sentences, in which plain brackets are
    brackets.
    """
    parts = _BREAK.split(prompt)
    text = " ".join(part.strip() for part in parts) if len(parts) > 1 else prompt
    for _ in range(_DEPTH):  # from the innermost outwards
        text = _EXPLICIT.sub(lambda match: match["text"], text)
    return (text.strip() if text != prompt else prompt), text != prompt


def draw(prompt: str, seed: int, folder: Path | None) -> Drawn:
    """Draw every `{a|b}` and `__name__` of a prompt, the same ones for the same seed.

    `folder` holds the wildcards' files: name.txt, one value a line, # for remarks; `__a/b__` is b.txt in its folder a.

    Raises:
        UnusableFile: there is no such file, or nothing in it.
        InvalidRequest: the values name each other without end.
    """
    generator, values = random.Random(seed), list[tuple[str, str]]()  # no secret
    for _ in range(_ROUNDS):
        match = _DRAWN.search(prompt)
        if match is None:
            return Drawn(prompt, tuple(values))
        if match["name"] is not None:
            value = generator.choice(_read(match["name"], folder))
        else:
            value = generator.choice(match["choices"].split("|")).strip()
        values.append((match[0], value))
        prompt = prompt[: match.start()] + value + prompt[match.end() :]
    raise InvalidRequest(
        f"The prompt has more than {_ROUNDS} wildcards, or wildcards that name each other without end.", "Use fewer."
    )


def _read(name: str, folder: Path | None) -> list[str]:
    if folder is None:
        raise UnusableFile(f"There is no folder of wildcards, so __{name}__ stands for nothing.", "Set the folder.")
    parts = name.replace("\\", "/").split("/")
    file = folder.joinpath(*parts).with_name(f"{parts[-1]}.txt")
    if ".." in parts or not file.resolve().is_relative_to(folder.resolve()):  # a prompt may come from anywhere
        raise InvalidRequest(f"The wildcard __{name}__ leads out of its folder.", "Use a plain name.")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableFile(
            f"The wildcard __{name}__ cannot be read from {str(file)!r}.", "Put a text file there, one value a line."
        ) from error
    values = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not values:
        raise UnusableFile(f"The wildcard file {str(file)!r} holds no value.", "Write one value a line.")
    return values
