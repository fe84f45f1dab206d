"""The queue at work: keeps every job in the library before it is drawn, and carries them to the engine in order."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.services.engine_values import Ending, Outcome
from app.services.job_store import ENDED, Job, JobState, JobStore
from pipelines.errors import FirstlightError
from pipelines.events import Failure, PictureSaved, PlanChosen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.services.engine_client import EngineClient
    from pipelines.events import Event
    from pipelines.request import GenerationRequest

KILLED = Failure(
    "app_killed",
    "Firstlight ended while this job was being drawn.",
    "If it happens again with this job, draw it smaller, or report it.",
)
_UNREADABLE = Failure(
    "unusable_file", "This job was written by a later version of Firstlight.", "Update Firstlight to draw it."
)
_ENDINGS = {Ending.done: JobState.done, Ending.cancelled: JobState.cancelled, Ending.failed: JobState.failed}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was found at the start: how many jobs wait (paused), and those set aside now since they end the process."""

    queued: int
    set_aside: tuple[Job, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture of a job, with how it was drawn. `request` remakes it alone."""

    job: int
    picture: PictureSaved
    request: GenerationRequest
    backend: str
    precision: str


class Jobs(QObject):
    """The queue. One job runs at a time.

    Signals:
        added (int), changed (int), removed (int): a job of that number; -1 for many at once.
        paused_changed (bool): only on a real change.
        drawn (Drawn): a picture is on disk.
        problem (Failure): the library could not be written; the queue is paused then, and the app goes on.
    """

    added = Signal(object)
    changed = Signal(object)
    removed = Signal(object)
    paused_changed = Signal(bool)
    drawn = Signal(object)
    problem = Signal(object)

    def __init__(self, store: JobStore, engine: EngineClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._paused = False
        self._running: Job | None = None
        self._plan = PlanChosen("", "", "", "")
        self._engine.reported.connect(self._hear)
        self._engine.ended.connect(self._end)

    @property
    def store(self) -> JobStore:
        """For reading: pages and counts."""
        return self._store

    @property
    def paused(self) -> bool:
        """Whether the next job waits for `resume`."""
        return self._paused

    @property
    def running(self) -> Job | None:
        """The job in hand, as it was when it began."""
        return self._running

    def restore(self) -> Restored:
        """Take up what the last session left. Jobs that wait stay paused until the user resumes.

        Raises:
            FirstlightError: the library cannot be read.
        """
        aside = self._store.restore(KILLED)
        queued = self._store.count((JobState.queued,))
        if queued:
            self._set_paused(paused=True)
        return Restored(queued, tuple(aside))

    def submit(self, request: GenerationRequest, folder: Path) -> int:
        """Keep the job, and draw it when its turn comes. Returns its number.

        Raises:
            FirstlightError: it could not be written, and will not be drawn.
        """
        job = self._store.add(request, folder)
        self.added.emit(job)
        self._advance()
        return job

    def cancel(self, job: int) -> None:
        """Stop it where it runs, or take it out of the queue."""
        if self._running is not None and self._running.id == job:
            self._engine.cancel(job)
            return
        found = self._store.get(job)
        if found is not None and found.state is JobState.queued:
            self._store.end(job, JobState.cancelled)
            self.changed.emit(job)

    def cancel_all(self) -> None:
        """Stop the running job and empty the queue."""
        if self._store.cancel_queued():
            self.changed.emit(-1)
        if self._running is not None:
            self._engine.cancel(self._running.id)

    def retry(self, job: int) -> None:
        """Queue a job that has ended once more, for the pictures that it still lacks."""
        found = self._store.get(job)
        if found is None or found.state not in ENDED or found.state is JobState.done:
            return
        self._store.queue_again(job)
        self._store.move(job, first=False)
        self.changed.emit(job)
        self._advance()

    def move(self, job: int, *, first: bool) -> None:
        """Make it the first or the last of those that wait."""
        self._store.move(job, first=first)
        self.changed.emit(job)

    def remove(self, job: int) -> None:
        """Forget a job that has ended. Its pictures stay."""
        self._store.remove(job)
        self.removed.emit(job)

    def remove_ended(self) -> None:
        """Forget all jobs that have ended. Their pictures stay."""
        if self._store.remove_ended():
            self.removed.emit(-1)

    def pause(self) -> None:
        """Let the running job end, and begin no other."""
        self._set_paused(paused=True)

    def resume(self) -> None:
        """Go on."""
        self._set_paused(paused=False)
        self._advance()

    def close(self) -> None:
        """Queue the running job for the next session, which is no fault of it. Call it after `EngineClient.close`."""
        self._paused = True
        QCoreApplication.sendPostedEvents(self)  # the last words of the engine's thread
        if self._running is not None:
            try:
                self._store.queue_again(self._running.id)
            except FirstlightError as error:
                log.error("the running job cannot be kept as queued: %s", error)
            self._running = None

    def _set_paused(self, *, paused: bool) -> None:
        if paused is not self._paused:
            self._paused = paused
            self.paused_changed.emit(paused)

    def _advance(self) -> None:
        """Begin the next job where nothing runs."""
        while not self._paused and self._running is None:
            try:
                job = self._store.first_queued()
                if job is None:
                    return
                self._begin(job)
            except FirstlightError as error:
                self._complain(error)

    def _begin(self, job: Job) -> None:
        request = job.request
        if request is None:
            self._store.end(job.id, JobState.failed, _UNREADABLE)
        elif job.pictures >= request.num_images:
            self._store.end(job.id, JobState.done)  # killed between its last picture and its end
        else:
            self._store.start(job.id)  # before it runs: if it takes the app with it, the next start knows
            self._running = job
            self._engine.draw(job.id, request.rest(job.pictures), job.folder)
        self.changed.emit(job.id)

    def _hear(self, job: int, event: Event) -> None:
        if self._running is None or self._running.id != job or self._running.request is None:
            return
        match event:
            case PlanChosen("transformer" | "unet"):
                self._plan = event
            case PictureSaved():
                alone = replace(self._running.request, seed=event.seed, num_images=1)
                self._keep(lambda: self._store.count_picture(job))
                self.drawn.emit(Drawn(job, event, alone, self._plan.backend, self._plan.precision))
                self.changed.emit(job)
            case _:
                pass  # progress and previews go from the engine to whom they concern

    def _end(self, outcome: Outcome) -> None:
        if self._running is None or self._running.id != outcome.job:
            return
        self._running = None
        self._keep(lambda: self._mark(outcome))
        self.changed.emit(outcome.job)
        self._advance()

    def _mark(self, outcome: Outcome) -> None:
        if outcome.ending is Ending.crashed and outcome.failure is not None:
            self._store.end_by_death(outcome.job, outcome.failure)
        else:
            self._store.end(outcome.job, _ENDINGS.get(outcome.ending, JobState.failed), outcome.failure)

    def _keep(self, write: Callable[[], object]) -> None:
        try:
            write()
        except FirstlightError as error:
            self._complain(error)

    def _complain(self, error: FirstlightError) -> None:
        self._set_paused(paused=True)
        self.problem.emit(Failure(error.kind, error.message, error.action))
