"""Fooocus' settings in its pictures: JSON in the PNG text `parameters`, in JPEG and WebP in EXIF's UserComment.

As Fooocus' `modules/meta_parser.py` writes them with its own scheme (its other one is A1111's text). `resolution` is
the text of a pair, `seed` is text, a LoRA is `lora_combined_N`: "name : weight" (some forks put "True : " before
it), and `full_prompt` is the prompt with its styles, a list. RuinedFooocus uses other names for the same things.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.a1111 import Parameters
from pipelines.foreign_json import as_list, first_text, loras_of, read_object, settings_from, size_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.foreign_json import Fields

_NAMES = (
    ("Steps", ("steps",)),
    ("Sampler", ("sampler", "sampler_name")),
    ("Schedule type", ("scheduler",)),
    ("CFG scale", ("guidance_scale", "cfg")),
    ("Seed", ("seed",)),
    ("Model", ("base_model", "base_model_name")),
    ("Performance", ("performance",)),
    ("Styles", ("styles",)),
    ("Version", ("version", "software")),
)
_MARKS = ("base_model", "base_model_name", "metadata_scheme", "full_prompt")  # one of them tells Fooocus from others
_PAIR = re.compile(r"\D*(\d{1,5})\D+(\d{1,5})\D*")


def parse_fooocus(text: str) -> Parameters | None:
    """Read it; None where it is no such JSON."""
    fields = read_object(text)
    if fields is None or not any(mark in fields for mark in _MARKS):
        return None
    pairs = settings_from(fields, _NAMES) + (_resolution(fields) or size_of(fields)) + loras_of(_loras(fields))
    return Parameters(
        prompt=_prompt(fields, ("prompt", "Prompt"), "full_prompt"),
        negative_prompt=_prompt(fields, ("negative_prompt", "Negative"), "full_negative_prompt"),
        settings=tuple(pairs),
    )


def _prompt(fields: Fields, names: tuple[str, ...], full: str) -> str:
    return first_text(fields, *names) or ", ".join(filter(None, map(text_of, as_list(fields.get(full)))))


def _resolution(fields: Fields) -> list[tuple[str, str]]:
    found = _PAIR.fullmatch(text_of(fields.get("resolution"))[:100])
    return [("Size", f"{found[1]}x{found[2]}")] if found else []


def _loras(fields: Fields) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if name.startswith("lora_combined_"):
            *words, weight = text_of(value).split(" : ")
            yield (words[-1] if words else weight), (weight if words else "")
