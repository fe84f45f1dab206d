"""Stronger and weaker words: `(word:1.1)`, as the prompts of Stable Diffusion have it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STEP = 0.1
_HIGHEST = 2.0
_WEIGHTED = re.compile(r"\((?P<text>[^()]*):(?P<weight>\d+(?:\.\d+)?)\)")
_WORD_END = re.compile(r"[\s,.;()]")


@dataclass(frozen=True, slots=True)
class Emphasised:
    """The new prompt, and what is selected in it."""

    text: str
    start: int
    end: int


def change(text: str, start: int, end: int, *, stronger: bool) -> Emphasised:
    """Give what is selected, or the word at the cursor, a tenth more or less weight; at 1 the brackets go."""
    for found in _WEIGHTED.finditer(text):
        if found.start() <= start and end <= found.end():
            return _put(text, found.start(), found.end(), found["text"], float(found["weight"]), stronger=stronger)
    if start == end:
        start, end = _word_at(text, start)
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    if start == end:
        return Emphasised(text, start, end)
    return _put(text, start, end, text[start:end], 1.0, stronger=stronger)


def _put(text: str, start: int, end: int, words: str, weight: float, *, stronger: bool) -> Emphasised:
    weight = round(min(max(weight + (_STEP if stronger else -_STEP), 0.0), _HIGHEST), 2)
    new = words if weight == 1.0 else f"({words}:{weight:g})"
    return Emphasised(text[:start] + new + text[end:], start, start + len(new))


def _word_at(text: str, place: int) -> tuple[int, int]:
    start, end = place, place
    while start > 0 and not _WORD_END.match(text[start - 1]):
        start -= 1
    while end < len(text) and not _WORD_END.match(text[end]):
        end += 1
    return start, end
