"""What a benchmark found, as one value that goes to JSON and back. Standard library only.

Times are in seconds, sizes in pixels, memory in bytes. Keys of a record never change their meaning within a `version`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from pipelines.errors import UnusableFile
from pipelines.replacing import replace_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.devices import Machine
    from pipelines.proof.clock import Stats
    from pipelines.proof.nvml import Conditions

VERSION = 1


@dataclass(frozen=True, slots=True)
class ContenderFacts:
    """What ran. `plans` has the reason of each component's plan; `loading` the seconds that it took to load."""

    name: str
    backend: str
    precision: str
    plans: dict[str, str]
    loading: dict[str, float]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of `what`: `picture`, `encode`, `denoise`, `decode`, or a component for a single call of it.

    `device` is the GPU's time; `warmup` has the times before those that count.
    """

    contender: str
    what: str
    size: str
    steps: int
    batch: int
    host: Stats
    device: Stats | None = None
    warmup: tuple[float, ...] = ()
    loras: int = 0

    @property
    def key(self) -> tuple[str, str, str, int, int, int]:
        """What tells it from others of its record."""
        return self.contender, self.what, self.size, self.steps, self.batch, self.loras

    @property
    def seconds(self) -> float:
        """The time that counts: the GPU's where there is one, for a single call."""
        return self.device.median if self.device is not None else self.host.median


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times faster the candidate is; the spread is that of the rounds, each against the one beside it."""

    candidate: str
    what: str
    size: str
    speedup: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Memory:
    """What a contender held at its peak while it drew, besides its `weights`."""

    contender: str
    size: str
    weights: int
    working: int


@dataclass(frozen=True, slots=True)
class Start:
    """A fresh process: until its libraries are loaded, then its networks, then a first and a second picture."""

    contender: str
    cache: str
    libraries: float
    loading: float
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class SequenceStep:
    """One request of the sequence. `kernels` is the state of the denoiser's kernels after it."""

    contender: str
    number: int
    size: str
    seconds: float
    kernels: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two components one after the other, and at once on two streams."""

    contender: str
    components: tuple[str, str]
    apart: float
    together: float


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """A whole run. `notes` say what was left out and why."""

    suite: str
    model: str
    architecture: str
    created: str
    app_version: str
    machine: Machine
    contenders: tuple[ContenderFacts, ...]
    timings: tuple[Timing, ...]
    ratios: tuple[Ratio, ...]
    memory: tuple[Memory, ...]
    starts: tuple[Start, ...]
    sequence: tuple[SequenceStep, ...]
    overlaps: tuple[Overlap, ...]
    conditions: Conditions
    notes: tuple[str, ...]
    seconds: float
    version: int = VERSION


def to_plain(value: object) -> Any:
    """Values, enums, paths and tuples as what JSON has."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PurePath):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in cast("list[object]", value)]
    return value


def write(value: object, file: Path) -> None:
    """Write it as JSON, whole or not at all.

    Raises:
        UnusableFile: it cannot be written.
    """
    write_text(json.dumps(to_plain(value), indent=1, allow_nan=False) + "\n", file)


def write_text(text: str, file: Path) -> None:
    """Write a file, whole or not at all.

    Raises:
        UnusableFile: it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, text.encode())
    except OSError as error:
        raise UnusableFile(
            f"The record {str(file)!r} cannot be written: {error.strerror or error}.", "Check the folder."
        ) from error


def read(file: Path) -> dict[str, Any]:
    """A record as plain values.

    Raises:
        UnusableFile: it is missing, damaged or of another version.
    """
    try:
        value: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableFile(f"The record {str(file)!r} cannot be read: {error}.", "Make a new one.") from error
    plain = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if plain.get("version") != VERSION:
        raise UnusableFile(f"The record {str(file)!r} is of another version of Firstlight.", "Make a new one.")
    return plain
