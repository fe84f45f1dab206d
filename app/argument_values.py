"""The values of the command line's arguments, read from their words. Imports nothing heavy."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.errors import InvalidRequest
from pipelines.request import REFINER_START, Backend, ControlChoice, HiresFix, LoraChoice, Outpaint, Precision

# A drive's letter is no part of its own; numbers at the end are weight, start and end
_CONTROL = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?[^:]+):(.+?)((?::[-+.\de]+){0,3})", re.IGNORECASE | re.DOTALL)


def parse_lora(text: str) -> LoraChoice:
    """Read `FILE` or `FILE:WEIGHT`. A colon within the file's name, as in `C:\\x.safetensors`, is no weight.

    Raises:
        InvalidRequest: no file is named, or its weight is not a number.
    """
    file, colon, weight = text.rpartition(":")
    if not colon or not file.lower().endswith(".safetensors"):
        return LoraChoice(parse_file(text))
    try:
        return LoraChoice(parse_file(file), float(weight))
    except ValueError:
        raise InvalidRequest(
            f"The LoRA weight {weight!r} is not a number.",
            "Write FILE:WEIGHT, for example style.safetensors:0.8.",
        ) from None


def parse_outpaint(text: str) -> Outpaint:
    """Read `LEFT,TOP,RIGHT,BOTTOM`, in pixels.

    Raises:
        InvalidRequest: not of that form, or out of range.
    """
    try:
        left, top, right, bottom = (int(part) for part in text.split(","))
    except ValueError:
        raise InvalidRequest(
            f"The margins {_shorten(text)!r} are not understood.",
            "Write them as LEFT,TOP,RIGHT,BOTTOM in pixels, for example 0,0,256,0.",
        ) from None
    return Outpaint(left, top, right, bottom)


def parse_hires(text: str) -> HiresFix:
    """Read `SCALE`, `SCALE:STRENGTH` or `SCALE:STRENGTH:STEPS`.

    Raises:
        InvalidRequest: not of that form, or out of range.
    """
    scale, _, rest = text.partition(":")
    strength, _, steps = rest.partition(":")
    usual = HiresFix()
    return HiresFix(
        Number("hires scale")(scale),
        Number("hires strength")(strength) if strength else usual.strength,
        Whole("number of hires steps")(steps) if steps else usual.num_inference_steps,
    )


def parse_refiner(text: str) -> tuple[str, float]:
    """Read `MODEL` or `MODEL:START`; a colon within a path, as in `C:\\refiner`, begins no number."""
    model, _, start = text.rpartition(":")
    try:
        return (model, float(start)) if model else (text, REFINER_START)
    except ValueError:
        return text, REFINER_START


def parse_control(text: str) -> ControlChoice:
    """Read `MODEL:IMAGE`, and after it up to three numbers: weight, start and end.

    Raises:
        InvalidRequest: not of that form, or out of range.
    """
    found = _CONTROL.fullmatch(text)
    if found is None:
        raise InvalidRequest(
            f"The control {_shorten(text)!r} is not understood.",
            "Write it as MODEL:IMAGE or MODEL:IMAGE:WEIGHT, for example canny.safetensors:edges.png:0.8.",
        )
    model, image, numbers = found.groups()
    values = [Number("control weight, start or end")(part) for part in numbers.split(":")[1:]]
    weight, start, end = (*values, *(1.0, 0.0, 1.0)[len(values) :])
    return ControlChoice(model, parse_file(image), weight, start, end)


def parse_file(text: str) -> Path:
    """Read a file's path.

    Raises:
        InvalidRequest: no file can have that name.
    """
    if not text or "\0" in text:
        raise InvalidRequest(f"The file name {text!r} is not possible.", "Give the path of a file.")
    return Path(text)


class Whole:
    """Reads a whole number; argparse's own words for a mistake ("invalid int value") are for programmers."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, text: str) -> int:
        """Read it; `InvalidRequest` where it is none."""
        try:
            return int(text)
        except ValueError:
            raise InvalidRequest(
                f"The {self._name} {_shorten(text)!r} is not a whole number.", "Write it in digits."
            ) from None


class Number:
    """Reads a number with an optional fraction."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, text: str) -> float:
        """Read it; `InvalidRequest` where it is none."""
        try:
            return float(text)
        except ValueError:
            raise InvalidRequest(
                f"The {self._name} {_shorten(text)!r} is not a number.", "Write it like 3.5."
            ) from None


class Choice:
    """Reads the name of an enum's member."""

    def __init__(self, choices: type[Backend] | type[Precision], name: str) -> None:
        self._choices = choices
        self._name = name

    def __call__(self, text: str) -> Backend | Precision:
        """Read it; `InvalidRequest` where there is none of that name."""
        try:
            return self._choices(text)
        except ValueError:
            raise InvalidRequest(
                f"There is no {self._name} {_shorten(text)!r}.", f"Use {one_of(self._choices)}."
            ) from None


def one_of(choices: type[Backend] | type[Precision]) -> str:
    """Their names in words: `a, b or c`."""
    names = [choice.value for choice in choices]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."
