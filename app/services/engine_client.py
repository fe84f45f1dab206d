"""The thread that owns the engine process. It outlives every crash of it, and the window waits for neither."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import queue
import threading
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QThread, Signal

from app.services.engine_process import CLOSE_SECONDS, EngineProcess
from app.services.engine_values import DOING, Ending, EngineState, Outcome, Stuck
from pipelines import worker
from pipelines.errors import DeviceLost
from pipelines.events import (
    Failure,
    JobCancelled,
    JobFinished,
    JobStarted,
    Notice,
    PictureSaved,
    Progress,
)

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from PySide6.QtCore import QObject

    from app.services.engine_process import Main
    from pipelines.events import Event
    from pipelines.request import GenerationRequest

CANCEL_SECONDS = 2.0  # a process that has not stopped by then is said to be stuck
SILENCE_SECONDS = 60.0  # and so is one that has said nothing for this long; compiling may be, so it is only told

log = logging.getLogger(__name__)


class _Wish(Enum):
    warm_up = "warm_up"
    end_now = "end_now"
    quit = "quit"


@dataclass(slots=True)
class _Run:
    """The job in hand, as only the thread sees it. Times are of `time.monotonic`."""

    draw: worker.Draw
    heard: float
    doing: str = "starting"
    pictures: int = 0
    cancelled: float | None = None
    told: set[bool] = field(default_factory=set[bool])
    retried: bool = False
    ended_by_user: bool = False


class EngineClient(QThread):
    """Owns the child process and carries one job at a time to it; the order of jobs is the queue's affair.

    Connect methods of QObjects: a slot that is a plain function would run on this thread.

    Signals:
        reported (int, Event): what a job reports, in order; not its end.
        cancelling (int): a cancel was taken note of; emitted before `cancel` returns.
        stuck (Stuck): offer the user `end_now`.
        ended (Outcome): exactly once for each `draw`.
        state_changed (EngineState): a real change only.
    """

    reported = Signal(object, object)
    cancelling = Signal(object)
    stuck = Signal(object)
    ended = Signal(object)
    state_changed = Signal(object)

    def __init__(self, fault_file: Path | None = None, main: Main = worker.main, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main = main
        self._fault_file = fault_file
        self._inbox: queue.SimpleQueue[worker.Command | _Wish] = queue.SimpleQueue()
        self._bell, self._rope = multiprocessing.Pipe(duplex=False)
        self._ringing = threading.Lock()
        # Below: of the thread alone
        self._process: EngineProcess | None = None
        self._run: _Run | None = None
        self._state = EngineState.stopped
        self._quitting = False

    # For the window's thread

    def draw(self, job: int, request: GenerationRequest, folder: Path) -> None:
        """Begin a job; `ended` must have been emitted for the one before."""
        self._post(worker.Draw(job, request, folder))

    def cancel(self, job: int) -> None:
        """Ask the job to stop. Does nothing where it is not the one in hand."""
        self.cancelling.emit(job)
        self._post(worker.Cancel(job))

    def end_now(self) -> None:
        """End the process, whatever it is doing: the job in hand counts as cancelled."""
        self._post(_Wish.end_now)

    def warm_up(self) -> None:
        """Start the process before the first job needs it."""
        self._post(_Wish.warm_up)

    def close(self) -> None:
        """End the process and the thread, within about `CLOSE_SECONDS`, whatever they do. Call it once, last."""
        if self.isRunning():
            self._post(_Wish.quit)
            self.wait(int(CLOSE_SECONDS * 1000) + 3000)
        with self._ringing:
            self._bell.close()
            self._rope.close()

    def _post(self, command: worker.Command | _Wish) -> None:
        self._inbox.put(command)
        with self._ringing:
            self._rope.send_bytes(b"!")

    # The thread

    def run(self) -> None:
        """Serve until `close`; Qt calls this."""
        while not self._quitting:
            sources: list[Connection | int] = [self._bell]
            if self._process is not None:
                sources += self._process.waitables
            ready = multiprocessing.connection.wait(sources, self._patience())
            if self._bell in ready:
                self._bell.recv_bytes()
                self._obey(self._inbox.get())
            if self._process is not None and len(ready) > (self._bell in ready):
                self._listen(self._process)
            self._complain()
        if self._process is not None:
            for message in self._process.close():
                if isinstance(message, worker.Sent) and isinstance(message.event, PictureSaved):
                    self.reported.emit(message.job, message.event)  # it is on disk: nobody is to lose sight of it
            self._process = None

    def _obey(self, command: worker.Command | _Wish) -> None:
        match command:
            case worker.Draw():
                self._run = _Run(command, time.monotonic())
                self._begin(command)
            case worker.Cancel(job):
                if self._process is not None and self._run is not None and self._run.draw.job == job:
                    self._run.cancelled = self._run.cancelled or time.monotonic()
                    self._process.send(command)
            case _Wish.end_now:
                self._end_process_now()
            case _Wish.warm_up:
                self._start()
            case _:
                self._quitting = True

    def _end_process_now(self) -> None:
        """Not left to the process's own end: one that hangs inside a driver ends for nobody."""
        process = self._process
        if process is None:
            return
        if self._run is not None:
            self._run.ended_by_user = True
        process.kill()
        self._listen(process)  # what it had said before
        if self._process is process:
            self._mourn(process)

    def _begin(self, draw: worker.Draw) -> None:
        if self._start() and self._process is not None:
            self._process.send(draw)
            self._set_state(EngineState.working)

    def _start(self) -> bool:
        """Have a process; where the system cannot start one, the job in hand ends with the reason."""
        if self._process is None:
            try:
                self._process = EngineProcess(self._main, self._fault_file)
            except OSError as error:
                log.exception("the engine process cannot be started")
                failure = Failure(
                    "no_room",
                    f"The engine process cannot be started: {error.strerror or error}.",
                    "Close other programs and try again.",
                )
                self._end(Ending.failed, failure)
                return False
            self._set_state(EngineState.idle)
        return True

    def _listen(self, process: EngineProcess) -> None:
        messages = process.receive()
        if messages is None:
            self._mourn(process)
            return
        for message in messages:
            match message:
                case worker.LogLine(level, logger, text):
                    logging.getLogger(logger).log(level, "%s", text)
                case worker.Sent(job, event):
                    if self._run is not None and self._run.draw.job == job:
                        self._take(self._run, event)

    def _take(self, run: _Run, event: Event) -> None:
        run.heard = time.monotonic()
        run.told.discard(False)
        match event:
            case JobFinished():
                self._end(Ending.done)
            case JobCancelled():
                self._end(Ending.cancelled)
            case Failure(DeviceLost.kind) if not run.retried and run.cancelled is None:
                self._try_again(run)
            case Failure():
                self._end(Ending.failed, event)
            case _:
                if isinstance(event, PictureSaved):
                    run.pictures += 1
                elif isinstance(event, Progress):
                    run.doing = " ".join(filter(None, (DOING[event.stage], event.detail)))
                if not (run.retried and isinstance(event, JobStarted)):
                    self.reported.emit(run.draw.job, event)

    def _try_again(self, run: _Run) -> None:
        """After sleep or a driver reset: once more in a fresh process, for the pictures that are still missing."""
        self._drop_process()
        run.retried = True
        run.doing = "starting"
        words = "The GPU stopped answering, as it may after sleep: the engine was started again, and the job with it."
        self.reported.emit(run.draw.job, Notice(words))
        if run.pictures >= run.draw.request.num_images:
            self._end(Ending.done)
            return
        self._begin(worker.Draw(run.draw.job, run.draw.request.rest(run.pictures), run.draw.folder))

    def _mourn(self, process: EngineProcess) -> None:
        """The process has ended by itself, or was ended."""
        run, self._process = self._run, None
        failure = process.describe_end(f"while it was {run.doing}" if run is not None else "while it was idle")
        self._set_state(EngineState.stopped)
        if run is None:
            log.warning("%s %s", failure.message, failure.details)
        elif run.ended_by_user:
            words = f"You ended the engine process while it was {run.doing}."
            self._end(Ending.cancelled, Failure("cancelled", words, ""))
        elif run.cancelled is not None:
            self._end(Ending.cancelled, failure)
        else:
            log.error("%s %s", failure.message, failure.details)
            self._end(Ending.crashed, failure)

    def _drop_process(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
            self._set_state(EngineState.stopped)

    def _end(self, ending: Ending, failure: Failure | None = None) -> None:
        run, self._run = self._run, None
        if failure is not None and failure.kind == DeviceLost.kind:
            self._drop_process()
        self._set_state(EngineState.idle if self._process is not None else EngineState.stopped)
        if run is not None:
            self.ended.emit(Outcome(run.draw.job, ending, failure))

    def _set_state(self, state: EngineState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)

    # Patience

    def _deadlines(self, run: _Run) -> list[tuple[float, float, bool]]:
        """(when to complain, since when it is so, whether about a cancel) of what was not complained about yet."""
        found: list[tuple[float, float, bool]] = []
        if run.cancelled is not None and True not in run.told:
            found.append((run.cancelled + CANCEL_SECONDS, run.cancelled, True))
        if run.cancelled is None and False not in run.told:
            found.append((run.heard + SILENCE_SECONDS, run.heard, False))
        return found

    def _patience(self) -> float | None:
        """Seconds until there is something to complain about; None is for ever."""
        if self._run is None:
            return None
        ends = [end for end, _, _ in self._deadlines(self._run)]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _complain(self) -> None:
        run, now = self._run, time.monotonic()
        if run is None:
            return
        for end, since, cancelling in self._deadlines(run):
            if now >= end:
                run.told.add(cancelling)
                self.stuck.emit(Stuck(run.draw.job, run.doing, now - since, cancelling))
