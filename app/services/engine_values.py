"""What the engine process tells of itself, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pipelines.events import Stage

if TYPE_CHECKING:
    from pipelines.events import Failure

DOING = {
    Stage.loading: "loading",
    Stage.encoding: "reading the prompt",
    Stage.denoising: "drawing",
    Stage.decoding: "decoding the picture",
    Stage.upscaling: "enlarging the picture",
    Stage.saving: "saving the picture",
}


class EngineState(Enum):
    """The engine process as the window shows it."""

    stopped = "stopped"  # not started yet, or it has ended; the next job starts a fresh one
    idle = "idle"
    working = "working"


class Ending(Enum):
    """How a job ended."""

    done = "done"
    cancelled = "cancelled"
    failed = "failed"  # the process told why, and lives
    crashed = "crashed"  # it took the process with it


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a job. `failure` says what happened where it is not `done`; a plain cancel has none."""

    job: int
    ending: Ending
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Stuck:
    """The process does not answer: what it is waiting for, in words, and since when, in seconds.

    `cancelling` tells a cancel that is not heeded from mere silence. `EngineClient.end_now` helps with both.
    """

    job: int
    doing: str
    seconds: float
    cancelling: bool
