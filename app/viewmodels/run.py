"""The job in hand as the Generate page shows it, from the click to its end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.engine_values import Ending, Outcome, Stuck
from app.services.job_store import Job
from app.services.settings_table import LIVE_PREVIEW
from app.viewmodels.notices import Notices, Remedy
from app.viewmodels.observable import Observed
from app.viewmodels.pace import Pace
from pipelines.errors import FirstlightError
from pipelines.events import Failure, Notice, PictureSaved, PlanChosen, Preview, Progress, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.engine_client import EngineClient
    from app.services.jobs import Drawn, Jobs
    from app.services.settings import Settings
    from pipelines.events import Event

_TICK = 200  # milliseconds between two looks at the clock


class Phase(Enum):
    """Where the job in hand is."""

    none = "none"  # there was no job yet
    starting = "starting"  # the engine process has not reported yet
    running = "running"
    cancelling = "cancelling"
    ended = "ended"


@dataclass(frozen=True, slots=True)
class Doing:
    """What is being done: `done` of `total` units of a stage. `detail` names a component, where one is loaded."""

    stage: Stage
    done: int = 0
    total: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds since the job began and, where this run itself allows an honest guess, until it ends."""

    elapsed: float = 0.0
    remaining: float | None = None


class Run(QObject):
    """Follows the engine through one job after the other.

    Signals:
        drawn (Drawn): a picture of the job is on disk.
    """

    phase, phase_changed = Observed(Phase.none), Signal(object)
    job, job_changed = Observed[Job | None](None), Signal(object)  # as it was when it began
    doing, doing_changed = Observed[Doing | None](None), Signal(object)
    picture, picture_changed = Observed((0, 0)), Signal(object)  # the one being drawn, from 1, and how many in all
    fraction, fraction_changed = Observed[float](0.0), Signal(object)  # 1 only when all is on disk
    times, times_changed = Observed(Times()), Signal(object)
    preview, preview_changed = Observed[Preview | None](None), Signal(object)
    plans, plans_changed = Observed[tuple[PlanChosen, ...]](()), Signal(object)
    notices, notices_changed = Observed[tuple[str, ...]](()), Signal(object)
    stuck, stuck_changed = Observed[Stuck | None](None), Signal(object)
    outcome, outcome_changed = Observed[Outcome | None](None), Signal(object)
    drawn = Signal(object)

    def __init__(
        self,
        jobs: Jobs,
        engine: EngineClient,
        notices: Notices,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._bridge = notices
        self._jobs = jobs
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._pace = Pace(1, 1)
        self._kind: tuple[object, ...] = ()
        self._began = 0.0
        self._ticking = QTimer(self, interval=_TICK)
        self._ticking.timeout.connect(self._tick)
        jobs.changed.connect(self._look)
        jobs.drawn.connect(self._show_drawn)
        engine.reported.connect(self._hear)
        engine.cancelling.connect(self._hear_cancel)
        engine.stuck.connect(self._hear_stuck)
        engine.ended.connect(self._end)
        self._look(-1)

    @property
    def is_active(self) -> bool:
        """Whether a job is in hand."""
        return self.phase in (Phase.starting, Phase.running, Phase.cancelling)

    @property
    def can_retry(self) -> bool:
        """Whether the job that has ended lacks pictures that it could still get."""
        return self.phase is Phase.ended and self.outcome is not None and self.outcome.ending is not Ending.done

    def cancel(self) -> None:
        """Stop the job."""
        if self.job is not None and self.is_active:
            self._jobs.cancel(self.job.id)

    def end_now(self) -> None:
        """End the engine process, since it does not answer."""
        self._engine.end_now()

    def retry(self) -> None:
        """Queue the job again, for what it lacks."""
        if self.job is not None and self.can_retry:
            self._retry(self.job.id)

    # What happens

    def _look(self, _job: int) -> None:
        """The queue has begun another job, perhaps."""
        job = self._jobs.running
        if job is None or self.is_active:
            return  # where one of ours is active still, its end comes next and looks again
        self._began = self._clock()
        count = job.request.num_images if job.request is not None else 1
        kind = _kind_of(job)
        self._pace = Pace(count, job.pictures, self._pace.afterwards if kind == self._kind else None)
        self._kind = kind
        self.job, self.doing, self.outcome, self.stuck, self.preview = job, None, None, None, None
        self.plans, self.notices, self.fraction = (), (), 0.0
        self.picture = (min(job.pictures + 1, count), count)
        self.times = Times()
        self.phase = Phase.starting
        self._ticking.start()

    def _hear(self, job: int, event: Event) -> None:
        if not self._is_mine(job):
            return
        self.stuck = self.stuck if self.phase is Phase.cancelling else None
        match event:
            case Progress(stage, done, total, detail):
                self._pace.hear(event, self._clock())
                self.doing = Doing(stage, done, total, detail)
                self.fraction = self._pace.fraction
            case Preview():
                self.preview = event if self._settings.flag(LIVE_PREVIEW) else None
            case PlanChosen():
                self.plans = (*(plan for plan in self.plans if plan.component != event.component), event)
            case Notice(message):
                self.notices = (*self.notices, message)
            case PictureSaved():
                self._pace.save(self._clock())
                self.picture = (min(self._pace.saved + 1, self._pace.count), self._pace.count)
                self.fraction = self._pace.fraction
            case _:
                pass  # the strip shows what kernels and caches do
        if self.phase is Phase.starting:
            self.phase = Phase.running
        self._tick()

    def _show_drawn(self, drawn: Drawn) -> None:
        if self._is_mine(drawn.job):
            self.drawn.emit(drawn)

    def _hear_cancel(self, job: int) -> None:
        if self._is_mine(job):
            self.phase = Phase.cancelling

    def _hear_stuck(self, stuck: Stuck) -> None:
        if self._is_mine(stuck.job):
            self.stuck = stuck

    def _end(self, outcome: Outcome) -> None:
        if not self._is_mine(outcome.job):
            return
        self._ticking.stop()
        self.times = Times(self._clock() - self._began, 0.0 if outcome.ending is Ending.done else None)
        self.fraction = 1.0 if outcome.ending is Ending.done else self.fraction
        self.doing, self.stuck, self.preview = None, None, None
        self.outcome = outcome
        self.phase = Phase.ended
        if outcome.failure is not None and outcome.ending is not Ending.cancelled:
            retry = partial(self._retry, outcome.job)
            self._bridge.tell(outcome.failure, remedy=Remedy.try_again, run=retry)
        self._look(-1)  # `Jobs` may have heard of the end first, and begun the next

    def _retry(self, job: int) -> None:
        try:
            self._jobs.retry(job)
        except FirstlightError as error:
            self._bridge.tell(Failure(error.kind, error.message, error.action))

    def _is_mine(self, job: int) -> bool:
        return self.is_active and self.job is not None and self.job.id == job

    def _tick(self) -> None:
        now = self._clock()
        self.times = Times(now - self._began, self._pace.remaining(now))


def _kind_of(job: Job) -> tuple[object, ...]:
    """Jobs of one kind take the same time after the last step."""
    request = job.request
    return (request.model, request.picture_size, request.upscale, request.hires, request.backend) if request else ()
