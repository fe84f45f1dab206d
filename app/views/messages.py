"""What pipelines and services say, in the language of the window.

They say it in English, often in another process, with names and numbers inside: `The disk of D:\\ is nearly full.`
`message_list.py` has all their sentences with gaps for what varies (written by `python -m resources.translations`);
a sentence that fits one of them is shown in its translation, with the gaps filled again.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.views.window_words import WINDOW_WORDS

if TYPE_CHECKING:
    from pipelines.events import Failure

CONTEXT = "Messages"
_GAP = re.compile(r"\{(\d+)\}")
_FOR_TERMINALS = re.compile(r"--[a-z]|'firstlight ")
_JOINTS = ("; ", ", and ")  # reasons are put together with these


def translate(text: str) -> str:
    """`text`, a sentence or several, in the language of the window; as it is where there is no translation."""
    if not text or not (_is_translating() or _FOR_TERMINALS.search(text)):
        return text
    return _translate_known(text) or _translate_reasons(text) or text


def _translate_known(text: str) -> str:
    """The translation of what is known in full; empty where it is not."""
    return _translate_sentences(text) or _translate_all_reasons(text) or _translate_whole(text)


def say(failure: Failure) -> str:
    """A failure in one or two sentences."""
    return f"{translate(failure.message)} {translate(failure.action)}".strip()


def _translate_whole(text: str) -> str:
    """The translation of the template that all of `text` fits; empty where it fits none."""
    for pattern, template in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            words = QCoreApplication.translate(CONTEXT, template)
            return _fill(WINDOW_WORDS.get(template, template) if words == template else words, found)
    return ""


def _translate_sentences(text: str) -> str:
    """Several sentences that are all known; empty where they are not. A gap may hold what looks like an end."""
    for end in re.finditer(r"[.?] ", text):
        head = _translate_whole(text[: end.start() + 1])
        rest = text[end.end() :]
        tail = _translate_sentences(rest) or _translate_whole(rest)
        if head and tail:
            return f"{head} {tail}"
    return ""


def _translate_all_reasons(text: str) -> str:
    """Reasons that were put together and are all known; empty where they are not."""
    parts = text.split("; ")
    words = [_translate_whole(part) for part in parts]
    return "; ".join(words) if len(parts) > 1 and all(words) else ""


def _translate_reasons(text: str) -> str:
    """Reasons that were put together, as far as they are known."""
    for joint in _JOINTS:
        if joint in text:
            between = QCoreApplication.translate(CONTEXT, joint) if joint.strip("; ") else joint
            return between.join(translate(part) for part in text.split(joint))
    return ""


def _fill(words: str, found: re.Match[str]) -> str:
    """The gaps of `words` filled with what was found; that may be words to translate, too."""
    return _GAP.sub(lambda gap: translate(found[f"g{gap[1]}"]), words)


def _is_translating() -> bool:
    return QCoreApplication.translate(CONTEXT, "Cancelled.") != "Cancelled."


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Each template as an expression; those that say most come first, as the others may fit the same text."""
    from app.views.message_list import MESSAGES

    templates = sorted(MESSAGES, key=lambda template: len(_GAP.sub("", template)), reverse=True)
    return tuple((_pattern(template), template) for template in templates)


def _pattern(template: str) -> re.Pattern[str]:
    parts = _GAP.split(template)  # words and numbers of gaps in turn
    words = (re.escape(part) if index % 2 == 0 else f"(?P<g{part}>.*?)" for index, part in enumerate(parts))
    return re.compile("".join(words), re.DOTALL)
