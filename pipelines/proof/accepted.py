"""Acceptance records of this machine, and what `auto` makes of them. Standard library only, so planning can read it."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pipelines.proof.limits import Verdict
from pipelines.request import NARROW, Backend, Precision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pipelines.devices import Machine

FOLDER = "acceptance"
VERSION = 1
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a record holds for: the same networks, processor, driver and libraries."""

    architecture: str
    device: str
    driver: str
    torch: str
    tensorrt_rtx: str
    backend: str
    precision: str

    @property
    def file_name(self) -> str:
        """Where it is kept; libraries and driver are not in it, so a new record replaces the one before an update."""
        words = (self.architecture, self.device, self.backend, self.precision)
        return "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words) + ".json"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A verdict, and the seconds that a step of the denoiser takes so, and that it takes in the reference."""

    facts: Facts
    verdict: Verdict
    step: float
    reference_step: float


@dataclass(frozen=True, slots=True)
class Preference:
    """What the records make of a plan, and why, in words."""

    backend: Backend
    precision: Precision
    reason: str


def make_facts(machine: Machine, device: str, architecture: str, backend: str, precision: str) -> Facts:
    """Of a plan's device, such as `cpu` or `cuda:0`."""
    gpu = machine.find_gpu(device)
    return Facts(
        architecture=architecture,
        device=gpu.name if gpu is not None else machine.cpu,
        driver=gpu.driver if gpu is not None else "",
        torch=str(machine.versions.torch),
        tensorrt_rtx=str(machine.versions.tensorrt_rtx) if backend == Backend.tensorrt_rtx.value else "",
        backend=backend,
        precision=precision,
    )


def load(folder: Path) -> list[Accepted]:
    """All records of a folder; what cannot be read is left out and logged."""
    found: list[Accepted] = []
    try:
        files = sorted(folder.glob("*.json"))
    except OSError:
        return []
    for file in files:
        try:
            found.append(_parse(json.loads(file.read_text(encoding="utf-8"))))
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("the acceptance record %s is not used: %r", file, error)
    return found


def prefer(usual: Facts, records: Sequence[Accepted], backend: Backend = Backend.auto) -> Preference | None:
    """What to use instead of the usual plan, or None: the fastest that is accepted, and never what is rejected.

    `backend` is what the user asked for. Records of another machine, driver or library say nothing; nor do those of
    narrow precisions on a CPU, which works them out in fp32 and cannot be faster so, whatever a stopwatch said.
    """
    mine = [record for record in records if _holds(record.facts, usual) and not _is_worked_out(record.facts)]
    if backend is not Backend.auto:
        mine = [record for record in mine if record.facts.backend == backend.value]
    good = sorted((one for one in mine if one.verdict is not Verdict.reject), key=lambda one: one.step)
    now = next((one for one in mine if one.facts == usual), None)
    if now is not None and now.verdict is Verdict.reject:
        why = f"this machine's record rejects {usual.backend} {usual.precision}"
        if good:
            return _take(good[0], f"{why}; {good[0].facts.precision} is the fastest that it accepts")
        return Preference(Backend.eager, Precision.fp32, f"{why}, and accepts nothing else")
    if not good or good[0].facts == usual or good[0].step >= _step_of(usual, good[0], now):
        return None
    return _take(good[0], f"the fastest that this machine's record accepts ({good[0].verdict.value})")


def _step_of(usual: Facts, best: Accepted, now: Accepted | None) -> float:
    """Seconds of a step as it usually is: measured, or the reference's where that is the usual way."""
    if now is not None:
        return now.step
    is_reference = usual.backend == Backend.eager.value and usual.precision == Precision.fp32.value
    return best.reference_step if is_reference else 0.0


def _take(record: Accepted, reason: str) -> Preference:
    return Preference(Backend(record.facts.backend), Precision(record.facts.precision), reason)


def _holds(facts: Facts, usual: Facts) -> bool:
    """Whether a record was made with these networks on this machine as it is now."""
    same = ("architecture", "device", "driver", "torch")
    return all(getattr(facts, name) == getattr(usual, name) for name in same)


def _is_worked_out(facts: Facts) -> bool:
    return not facts.driver and Precision(facts.precision) in NARROW


def _parse(value: object) -> Accepted:
    plain = cast("dict[str, Any]", value)
    if plain["version"] != VERSION:
        raise ValueError("it is of another version")
    facts = Facts(**{name: str(word) for name, word in plain["facts"].items()})
    if facts.backend not in [one.value for one in Backend] or facts.precision not in [one.value for one in Precision]:
        raise ValueError("this version does not know what it is of")
    step, reference = float(plain["step"]), float(plain["reference_step"])
    return Accepted(facts, Verdict(plain["verdict"]), step, reference)
