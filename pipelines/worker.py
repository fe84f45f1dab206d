"""The engine process: requests in, events out.

It runs as a child (`multiprocessing`, started by spawn) so that a GPU fault, an out-of-memory kill or a call that
cannot be interrupted never takes the window down. Only the frozen values below cross the pipe: never a tensor, never
an exception object. The parent imports this module too, so it imports nothing heavy.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pipelines.errors import Cancelled, DeviceLost, EngineFailure, FirstlightError, NoRoom
from pipelines.events import Event, Failure, JobCancelled, JobFinished, JobStarted, PictureSaved

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.connection import Connection

    from pipelines.engine.base import Places
    from pipelines.events import Report
    from pipelines.images import Target
    from pipelines.request import GenerationRequest

ORPHAN_GRACE = 5.0  # seconds for a clean end (no half-written file) when the window has died
_OOM_SCORE = Path("/proc/self/oom_score_adj")
# What CUDA and its libraries say when a context is broken for good; running out of memory is not among it, nor is a
# GPU that the kernels were not built for.
_DEVICE_LOST = ("cuda error", "cudnn_status_execution_failed", "cublas_status_execution_failed")
_DEVICE_FINE = ("out of memory", "no kernel image", "invalid device ordinal", "driver version is insufficient")

_MAY_HOLD_MEMORY = {EngineFailure.kind, NoRoom.kind}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draw:
    """Command: draw `request` into `folder`. `job` is the sender's number for it."""

    job: int
    request: GenerationRequest
    folder: Path


@dataclass(frozen=True, slots=True)
class Cancel:
    """Command: stop the job as soon as it reports next."""

    job: int


@dataclass(frozen=True, slots=True)
class Close:
    """Command: stop whatever runs, free everything, end."""


Command = Draw | Cancel | Close


@dataclass(frozen=True, slots=True)
class Sent:
    """Message: an event of a job."""

    job: int
    event: Event


@dataclass(frozen=True, slots=True)
class LogLine:
    """Message: a log record, for the log file that the parent keeps."""

    level: int
    logger: str
    text: str


Message = Sent | LogLine


class Drawing(Protocol):
    """What the worker uses of `pipelines.session.Session`."""

    def generate(self, request: GenerationRequest, target: Target, report: Report) -> tuple[PictureSaved, ...]:
        """Draw and save."""
        ...

    def close(self) -> None:
        """Free the loaded model."""
        ...


def main(connection: Connection, fault_file: str = "", places: Places | None = None) -> None:
    """Serve `connection` with a real session; a native crash leaves its Python stack in `fault_file`.

    `places` are where engines and their kernels are kept.
    """
    with _fault_log(fault_file):
        serve(connection, lambda: _open_session(places))


def serve(connection: Connection, open_session: Callable[[], Drawing]) -> None:
    """Carry out commands, one job at a time, until told to close or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole terminal; the parent decides for both
    _volunteer_for_oom_killer()
    _let_the_window_go_first()
    worker = _Worker(connection, open_session)
    handler = _Forward(worker.send)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        worker.run()
    finally:
        root.removeHandler(handler)


class _Worker:
    """One session, one lane of work, and a thread that listens meanwhile, so that a cancel is heard at once."""

    def __init__(self, connection: Connection, open_session: Callable[[], Drawing]) -> None:
        self._connection = connection
        self._open_session = open_session
        self._session: Drawing | None = None
        self._jobs: queue.SimpleQueue[Draw | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._closing = False
        self._sending = threading.Lock()

    def run(self) -> None:
        threading.Thread(target=self._listen, name="commands", daemon=True).start()
        while (draw := self._jobs.get()) is not None and not self._closing:
            ending = self._carry_out(draw)
            self.send(Sent(draw.job, ending))
            if isinstance(ending, Failure) and ending.kind == DeviceLost.kind:
                return  # every further call would fail in this process, freeing too
            if isinstance(ending, Failure) and ending.kind in _MAY_HOLD_MEMORY:
                self._free()  # what a failure half-way has left; the exception that held on to it is gone by now
        self._free()

    def send(self, message: Message) -> None:
        """Send one value. Nothing is done where nobody listens any more: `_listen` ends the work then."""
        with self._sending, contextlib.suppress(OSError):
            self._connection.send(message)

    def _listen(self) -> None:
        while True:
            try:
                command: Command = self._connection.recv()
            except (EOFError, OSError):
                command = Close()
                self._die_later()
            match command:
                case Draw():
                    self._jobs.put(command)
                case Cancel(job):
                    self._cancelled.add(job)
                case Close():
                    self._closing = True
                    self._jobs.put(None)
                    return

    def _die_later(self) -> None:
        """The parent is gone: nobody is left who could end a call that does not end by itself."""
        timer = threading.Timer(ORPHAN_GRACE, os._exit, (1,))
        timer.daemon = True
        timer.start()

    def _carry_out(self, draw: Draw) -> JobFinished | JobCancelled | Failure:
        self.send(Sent(draw.job, JobStarted()))
        try:
            self._check(draw.job)
            from pipelines.images import Target  # late: it loads Pillow and NumPy

            if self._session is None:
                self._session = self._open_session()
            self._session.generate(draw.request, Target(draw.folder, is_dir=True), self._reporter(draw.job))
        except Cancelled:
            return JobCancelled()
        except Exception as error:  # noqa: BLE001  # the worker's edge: whatever happened crosses as words
            return _describe(error)
        return JobFinished()

    def _reporter(self, job: int) -> Report:
        def report(event: Event, /) -> None:
            if isinstance(event, PictureSaved):
                self.send(Sent(job, event))  # first: a picture on disk is told of, cancelled or not
                self._check(job)
            else:
                self._check(job)
                self.send(Sent(job, event))

        return report

    def _check(self, job: int) -> None:
        if self._closing or job in self._cancelled:
            raise Cancelled

    def _free(self) -> None:
        if self._session is None:
            return
        try:
            self._session.close()
        except Exception:  # a broken GPU context fails here, too
            log.exception("the session cannot be closed")
        self._session = None


class _Forward(logging.Handler):
    """Sends log records to the parent as text: two processes cannot share one rotating file."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._send(LogLine(record.levelno, record.name, self.format(record)))
        except Exception:  # noqa: BLE001  # logging can never fail a job: a record may hold anything
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the library's name
        """Drop the record."""


def _open_session(places: Places | None) -> Drawing:
    from pipelines import devices
    from pipelines.session import Session

    return Session(devices.probe(), previews=True, places=places)


def _describe(error: Exception) -> Failure:
    """The failure as words, with the traceback as text to copy."""
    details = "".join(traceback.format_exception(error))
    log.error("the job failed:\n%s", details)
    own = _in_own_words(error)
    return Failure(own.kind, own.message, own.action, details)


def _in_own_words(error: Exception) -> FirstlightError:
    if _is_device_lost(error):
        return DeviceLost("The GPU stopped answering.", "Try again; if it happens often, update the driver.")
    if isinstance(error, FirstlightError):
        return error
    if isinstance(error, MemoryError) or "out of memory" in str(error):
        return NoRoom("There is not enough memory.", "Close other programs or ask for a smaller size.")
    return EngineFailure(
        f"The engine has a fault: {type(error).__name__}: {error}.", "Please report it with the details."
    )


def _is_device_lost(error: BaseException) -> bool:
    """Whether the GPU's context is broken: told by the text, since PyTorch need not be loaded to ask."""
    seen: BaseException | None = error
    while seen is not None:
        text = f"{type(seen).__name__}: {seen}".lower()
        if any(words in text for words in _DEVICE_LOST) and not any(words in text for words in _DEVICE_FINE):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _volunteer_for_oom_killer() -> None:
    """On Linux, be the one that is ended when memory runs out: the window and its queue are to stay."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # not allowed in some containers
            _OOM_SCORE.write_text("500", encoding="ascii")


def _let_the_window_go_first() -> None:
    """Where both want a processor: the window needs it for milliseconds, and at once."""
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else 5)


@contextlib.contextmanager
def _fault_log(path: str) -> Generator[None]:
    if not path:
        yield
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115  # closed below; only opening may fail
    except OSError as error:
        log.warning("no fault log: %s", error)
        yield
        return
    with file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
