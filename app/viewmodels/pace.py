"""How far a job is, and how long it will still take, from nothing but its own steps so far; and how far kernels are."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from pipelines.engine.timings import NEVER_MORE
from pipelines.events import Kernels, Stage

if TYPE_CHECKING:
    from pipelines.events import Progress

_WARM_UP = 1  # steps: the first one allocates, compiles and copies
_RECENT = 12  # steps that count: a size that gets its own kernels half-way becomes faster
_DRAWN = 0.9  # of a picture is done when its steps are; decoding, enlarging and saving are the rest
_ALMOST = 0.99


class Pace:
    """Times are seconds of one monotonic clock. `count` pictures in all, `saved` of them on disk before this run.

    `afterwards` is how long it took from the last step to the saved picture, where a picture of the same size was drawn
    before.
    """

    def __init__(self, count: int, saved: int, afterwards: float | None = None) -> None:
        self.count = count
        self.saved = saved
        self._share = 0.0  # of the current picture
        self._left = 0  # steps of the current picture
        self._total = 0
        self._last: float | None = None  # when the last step was done
        self._steps: list[float] = []
        self._drawn: float | None = None  # when the last step of the current picture was done
        self.afterwards = afterwards  # seconds from there to the saved picture

    @property
    def fraction(self) -> float:
        """What is done of all pictures, below 1 until the last one is on disk."""
        if self.saved >= self.count:
            return _ALMOST  # the end itself is told by the engine
        return min((self.saved + self._share) / self.count, _ALMOST)

    def hear(self, progress: Progress, now: float) -> None:
        """Take a report."""
        if progress.stage is Stage.denoising:
            self._hear_step(progress, now)
        elif progress.stage in (Stage.decoding, Stage.upscaling, Stage.saving):
            order = {Stage.decoding: 0.0, Stage.upscaling: 0.3, Stage.saving: 0.9}[progress.stage]
            self._share = max(self._share, _DRAWN + (1 - _DRAWN) * order)

    def save(self, now: float) -> None:
        """A picture is on disk."""
        self.saved += 1
        self._share, self._left, self._last = 0.0, 0, None
        if self._drawn is not None:
            self.afterwards, self._drawn = now - self._drawn, None

    def remaining(self, now: float) -> float | None:
        """Seconds until the end, or None where what was measured so far does not tell.

        While the time after the last step is not known, it is left out of one picture, and nothing is said of several.
        """
        if len(self._steps) < 2 or not self._total or (self.afterwards is None and self.count - self.saved > 1):
            return None
        step = median(self._steps[-_RECENT:])
        afterwards = self.afterwards or 0.0
        pictures = max(self.count - self.saved - 1, 0)
        rest = pictures * (self._total * step + afterwards)
        if self._last is None:  # between two pictures
            return rest + (self._total * step + afterwards if self.saved < self.count else 0.0)
        spent = now - self._last
        if self._left:
            return rest + max(self._left * step - min(spent, step), 0.0) + afterwards
        return rest + max(afterwards - spent, 0.0)

    def _hear_step(self, progress: Progress, now: float) -> None:
        if self._last is not None and progress.done > _WARM_UP:
            self._steps.append(now - self._last)
        self._last = now
        self._total, self._left = progress.total, progress.total - progress.done
        self._share = _DRAWN * progress.done / progress.total if progress.total else 0.0
        if not self._left:
            self._drawn = now


def making_fraction(kernels: Kernels, elapsed: float, estimate: float | None) -> float | None:
    """How much of the making of kernels is done, never all of it; None where nothing is made or it cannot be told.

    Args:
        kernels: the state that they are in.
        elapsed: seconds in this state so far.
        estimate: how many it takes in all, if that can be guessed.
    """
    if kernels is not Kernels.specialising or not estimate:
        return None
    return min(elapsed / estimate, NEVER_MORE)
