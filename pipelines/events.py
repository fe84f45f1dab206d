"""What a running request reports. Frozen values: they cross threads and processes.

One callable carries them all: progress goes out and cancel comes in through `Report`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class Stage(Enum):
    """Where a request is. The order is the order of a run."""

    loading = "loading"
    encoding = "encoding"
    denoising = "denoising"
    decoding = "decoding"
    upscaling = "upscaling"
    saving = "saving"


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` units of a stage are finished; `detail` names the unit (a component, a step)."""

    stage: Stage
    done: int
    total: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PlanChosen:
    """How a component will run, and why, in words. `device` is PyTorch's name: `cpu`, `cuda:0`."""

    component: str
    backend: str
    precision: str
    reason: str
    device: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know that is no failure, such as a size that is drawn smaller and enlarged."""

    message: str


@dataclass(frozen=True, slots=True)
class PictureSaved:
    """One picture is on disk, whole. `seed` alone remakes it; times are in seconds."""

    path: Path
    seed: int
    width: int
    height: int
    model_seconds: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A `FirstlightError` as a value. `details` is for copying into a report, never shown first."""

    kind: str
    message: str
    action: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the picture looks like so far, small: `pixels` is RGB, 8 bits each, row by row from the top."""

    width: int
    height: int
    pixels: bytes


class Kernels(Enum):
    """How far a component's kernels are adapted to a shape. The order is the order of a life."""

    generic = "generic"  # run any shape
    specialising = "specialising"  # generic ones run while those for this shape are made in the background
    specialised = "specialised"
    graph = "graph"  # specialised, and launched as one CUDA graph


@dataclass(frozen=True, slots=True)
class KernelsChanged:
    """A component's kernels for one shape (such as `1024x1024`) are in another state, or are still being made.

    `elapsed` is seconds in this state so far; `estimate` is how long it takes in all, from the last times on this
    machine, or None where there is no honest guess. `reason` says in words why, where it is not plain.
    """

    component: str
    shape: str
    kernels: Kernels
    elapsed: float = 0.0
    estimate: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StepGoesOn:
    """A long call of a component has done so many of its steps; told now and then, so that a cancel is heard."""

    component: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class CacheRead:
    """Whether the kernels of an earlier launch were found for a component, and why not, in words."""

    component: str
    hit: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JobStarted:
    """The engine process has taken the job up."""


@dataclass(frozen=True, slots=True)
class JobFinished:
    """Every picture of the job is on disk. No event of the job follows, as after `JobCancelled` and `Failure`."""


@dataclass(frozen=True, slots=True)
class JobCancelled:
    """The job stopped since the user asked for it; pictures that were saved before stay."""


Event = (
    Progress
    | PlanChosen
    | Notice
    | PictureSaved
    | Failure
    | Preview
    | KernelsChanged
    | StepGoesOn
    | CacheRead
    | JobStarted
    | JobFinished
    | JobCancelled
)


class Report(Protocol):
    """Receives events in order, on the thread that does the work.

    Raises:
        Cancelled: the user has asked to stop; the caller lets it pass.
    """

    def __call__(self, event: Event, /) -> None:
        """Take one event."""
        ...
