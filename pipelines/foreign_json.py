"""JSON that other tools left in pictures: read with tolerance, and brought to A1111's names of settings."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Fields = dict[str, object]

_DIGITS_MAX = 40  # beyond any seed; Python refuses to read numbers of thousands of digits


def read_object(text: str) -> Fields | None:
    """The JSON object in `text`; None where there is none. NaN, infinities and endless numbers become None."""
    try:
        document: object = json.loads(text, parse_constant=_nothing, parse_int=_whole)
    except (ValueError, RecursionError):
        return None
    return as_object(document)


def as_object(value: object) -> Fields | None:
    """`value` where it is a JSON object, else None."""
    return cast("Fields", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object]:
    """`value` where it is a JSON list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A setting as text; empty where it is no single value: none, a truth, a list, an object, not a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else ""
    return str(value)


def first_text(fields: Mapping[str, object], *names: str) -> str:
    """The text of the first of these fields that has one."""
    return next((text for name in names if (text := text_of(fields.get(name)))), "")


def settings_from(fields: Mapping[str, object], names: Iterable[tuple[str, tuple[str, ...]]]) -> list[tuple[str, str]]:
    """(A1111's name, text) of the settings that are there. `names` gives each one's names in this tool."""
    return [(title, text) for title, own in names if (text := first_text(fields, *own))]


def size_of(fields: Mapping[str, object]) -> list[tuple[str, str]]:
    """`Size` from `width` and `height`, where both are there."""
    width, height = text_of(fields.get("width")), text_of(fields.get("height"))
    return [("Size", f"{width}x{height}")] if width and height else []


def loras_of(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """`Loras` from names and weights, as our own pictures tell them."""
    told = ", ".join(f"{name}:{weight}" if weight else name for name, weight in pairs if name)
    return [("Loras", told)] if told else []


def _nothing(_name: str) -> None:
    return None


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS_MAX else None
