"""How far a candidate may be from the reference: from `resources/acceptance.toml`, which the user's own file overrides.

Standard library only.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

import resources
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.request import Precision

FILE = "acceptance.toml"
_HIGHER_IS_NEARER = ("psnr", "ssim")


class Verdict(Enum):
    """What a result means, from good to bad."""

    accept = "accept"
    notes = "accept with notes"
    reject = "reject"


@dataclass(frozen=True, slots=True)
class Limit:
    """Up to `accept` a value is accepted, up to `reject` with notes; a NaN never is."""

    accept: float
    reject: float
    higher_is_nearer: bool

    def judge(self, value: float) -> Verdict:
        """What a value means."""
        sign = -1 if self.higher_is_nearer else 1
        if sign * value <= sign * self.accept:
            return Verdict.accept
        return Verdict.notes if sign * value <= sign * self.reject else Verdict.reject


@dataclass(frozen=True, slots=True)
class Limits:
    """Those of one precision. See the file for what they mean; `flat` is of any precision."""

    step_error: Limit
    network_error: Limit
    psnr: Limit
    ssim: Limit
    flip: Limit
    flat: float


@dataclass(frozen=True, slots=True)
class Published:
    """What somebody states for a card; `seconds` a picture, `memory_gib` in GiB."""

    gpu: str
    model: str
    precision: str
    width: int
    height: int
    steps: int
    mode: str
    seconds: float
    memory_gib: float


def read(precision: Precision, own: Path | None = None) -> Limits:
    """The limits of a precision, with those that the user's file `own` states in their place.

    Raises:
        UnusableFile: that file cannot be understood.
    """
    shipped = _load(resources.folder() / FILE)
    table = _find(shipped, precision)
    flat = shipped["pictures"]["flat"]
    if own is not None and own.is_file():
        stated = _load(own)
        table = {**table, **_find(stated, precision)}
        flat = stated.get("pictures", {}).get("flat", flat)
    try:
        limits = {name.name: _limit(name.name, table[name.name]) for name in fields(Limits) if name.name != "flat"}
        return Limits(**limits, flat=float(flat))
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableFile(
            f"The limits in {str(own)!r} cannot be understood: {error}.", "Write each as [accept, reject]."
        ) from error


def published(gpus: list[str]) -> list[Published]:
    """What is published for these cards."""
    rows = cast("list[dict[str, Any]]", _load(resources.folder() / FILE)["published"])
    return [Published(**row) for row in rows if any(row["gpu"] in gpu for gpu in gpus)]


def _find(table: dict[str, Any], precision: Precision) -> dict[str, Any]:
    return cast("dict[str, Any]", table.get(precision.value, table.get("other", {})))


def _limit(name: str, value: object) -> Limit:
    accept, reject = (float(one) for one in cast("list[float]", value))
    return Limit(accept, reject, name in _HIGHER_IS_NEARER)


def _load(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            return tomllib.load(stream)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UnusableFile(f"The limits in {str(file)!r} cannot be read: {error}.", "Mend or remove it.") from error
