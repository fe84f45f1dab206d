"""The downloads: how far each is, and pausing, resuming, cancelling them."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.queue import Download, State
from app.viewmodels.lane import Lane, as_failure
from app.viewmodels.observable import Observed
from pipelines.errors import Cancelled, FirstlightError
from pipelines.events import Failure, Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.services.downloads import DownloadProgress, Downloads, Outcome

log = logging.getLogger(__name__)
_ORDER = (State.running, State.waiting, State.paused, State.failed)
_WANTED = (State.running, State.waiting)
_LEAVE_SECONDS = 3.0  # at the end; a connection that hangs is left behind, and what it brought stays


@dataclass(frozen=True, slots=True)
class Row:
    """A download as it is shown. Bytes, bytes a second, seconds; None where it cannot be told."""

    download: Download
    done: int = 0
    total: int | None = None
    speed: float = 0.0
    seconds_left: float | None = None
    file: str = ""

    @property
    def name(self) -> str:
        """Its name, which is that of the model that it will be."""
        return self.download.name


class DownloadQueue(QObject):
    """The queue, and the thread that works through it.

    What the last session left waits until the user lets it go on: nobody's network is used unasked.

    Signals, besides those of its values:
        finished (Model): a download has become a model.
        noticed (str): what the user should know that is no failure.
        problem (Failure): something could not be done. The failure of a download stands in its row.
    """

    rows = Observed[tuple[Row, ...]](())
    rows_changed = Signal(object)
    running = Observed(False)
    running_changed = Signal(object)
    left_over = Observed(0)
    left_over_changed = Signal(object)

    finished = Signal(object)
    noticed = Signal(str)
    problem = Signal(object)

    _reported = Signal(object)
    _one_ended = Signal(object)
    _ended = Signal(object)

    def __init__(self, downloads: Downloads, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self._lane = Lane(self)
        self._worker: threading.Thread | None = None
        self._closing = threading.Event()
        self._known: tuple[Download, ...] = ()
        self._progress: dict[str, DownloadProgress] = {}
        self._arrived: dict[str, int] = {}
        self._reported.connect(self._take_report)
        self._one_ended.connect(self._take_end)
        self._ended.connect(self._end_run)

    def restore(self) -> None:
        """Show what the last session left."""

        def take(found: tuple[tuple[Download, ...], Mapping[str, int]]) -> None:
            self._take_queue(found)
            if not self.running:
                self.left_over = len(self.rows)

        self._lane.do(self._read, take, self._complain)

    def go_on(self) -> None:
        """Let everything go on that is paused, failed or was cut off."""

        def work() -> tuple[tuple[Download, ...], Mapping[str, int]]:
            for one in self._downloads.queue.all():
                if one.state in (State.paused, State.failed):
                    self._downloads.resume(one.name)
            return self._read()

        self._lane.do(work, self._take_and_run, self._complain)

    def add(
        self,
        wish: str,
        name: str = "",
        *,
        then: Callable[[Download], object] | None = None,
        failed: Callable[[Failure], object] | None = None,
    ) -> None:
        """Put a download into the queue, and begin: a name of the catalog, owner/model, or an https address."""

        def take(found: Download) -> None:
            if then is not None:
                then(found)
            self._change(lambda: None)

        def miss(failure: Failure | None) -> None:
            if failure is not None:
                (failed or self.problem.emit)(failure)

        self._lane.do(lambda: self._downloads.add(wish, name), take, miss)

    def pause(self, name: str) -> None:
        """Stop a download and keep what has arrived."""
        self._change(lambda: self._downloads.pause(name), run=False)

    def resume(self, name: str) -> None:
        """Let a download go on."""
        self._change(lambda: self._downloads.resume(name))

    def retry_denied(self) -> None:
        """Let those go on that wanted a token or a licence accepted."""
        for row in self.rows:
            if row.download.state is State.failed and row.download.denial:
                self.resume(row.name)

    def pause_all(self) -> None:
        """Stop all of them and keep what has arrived."""

        def work() -> None:
            for one in self._downloads.queue.all():
                if one.state in (State.waiting, State.running):
                    self._downloads.pause(one.name)

        self._change(work, run=False)

    def cancel(self, name: str) -> None:
        """Stop a download and delete what has arrived."""
        self._change(lambda: self._downloads.cancel(name), run=False)

    def refresh(self) -> None:
        """Begin what was put into the queue elsewhere."""
        self._change(lambda: None)

    def close(self) -> None:
        """Stop, keep what has arrived, and end. A connection that hangs is not waited for."""
        self._closing.set()
        if self._worker is not None:
            self._worker.join(_LEAVE_SECONDS)
        self._lane.close()

    # The queue as a file

    def _read(self) -> tuple[tuple[Download, ...], Mapping[str, int]]:
        found = self._downloads.queue.all()
        return found, {one.name: self._downloads.arrived(one.name) for one in found}

    def _change(self, work: Callable[[], None], *, run: bool = True) -> None:
        def change() -> tuple[tuple[Download, ...], Mapping[str, int]]:
            work()
            return self._read()

        self._lane.do(change, self._take_and_run if run else self._take_queue, self._complain)

    def _take_queue(self, found: tuple[tuple[Download, ...], Mapping[str, int]]) -> None:
        self._known, arrived = found
        self._arrived = dict(arrived)
        self._show()
        self.left_over = min(self.left_over, len(self.rows))

    def _take_and_run(self, found: tuple[tuple[Download, ...], Mapping[str, int]]) -> None:
        self._take_queue(found)
        self._run()

    def _show(self) -> None:
        rows = [self._row(one) for one in self._known]
        self.rows = tuple(sorted(rows, key=lambda row: _ORDER.index(row.download.state)))

    def _row(self, download: Download) -> Row:
        done = self._arrived.get(download.name, 0)
        if download.state in _WANTED and not self.running:
            download = replace(download, state=State.paused)  # by the end of the last session
        progress = self._progress.get(download.name)
        if progress is None or download.state is not State.running:
            return Row(download, max(done, progress.done if progress else 0), download.total or None)
        return Row(download, progress.done, progress.total, progress.speed, progress.seconds_left, progress.file)

    # The work

    def _run(self) -> None:
        if self.running or self._closing.is_set() or not any(one.state in _WANTED for one in self._known):
            return
        self.left_over = 0
        self.running = True
        self._show()
        self._worker = threading.Thread(target=self._work, name="downloads", daemon=True)
        self._worker.start()

    def _work(self) -> None:
        """On the thread."""
        failure: Failure | None = None
        try:
            self._downloads.run(self._report, self._report_end)
        except Cancelled:
            return  # the window is closing
        except FirstlightError as error:
            failure = as_failure(error)
        except Exception as fault:  # the thread's edge: a fault of ours is told, and the page goes on
            log.exception("downloading failed")
            failure = Failure("fault", f"Firstlight has a fault: {type(fault).__name__}.", "The log has the details.")
        if not self._closing.is_set():
            self._ended.emit(failure)

    def _report(self, event: DownloadProgress | Notice) -> None:
        """On the thread."""
        if self._closing.is_set():
            raise Cancelled
        self._reported.emit(event)

    def _report_end(self, outcome: Outcome) -> None:
        """On the thread."""
        if not self._closing.is_set():
            self._one_ended.emit(outcome)

    def _take_report(self, event: DownloadProgress | Notice) -> None:
        if isinstance(event, Notice):
            self.noticed.emit(event.message)
            return
        self._progress[event.name] = event
        shown = next((row for row in self.rows if row.name == event.name), None)
        if shown is None or shown.download.state is not State.running:  # the file knows better
            self._lane.do(self._read, self._take_queue, self._complain)
        self.rows = tuple(self._row(row.download) if row is shown else row for row in self.rows)

    def _take_end(self, outcome: Outcome) -> None:
        self._progress.pop(outcome.download.name, None)
        if outcome.model is not None:
            self.finished.emit(outcome.model)
        self._change(lambda: None, run=False)

    def _end_run(self, failure: Failure | None) -> None:
        self.running = False
        self._worker = None
        self._progress.clear()
        if failure is not None:
            self.problem.emit(failure)
        self._change(lambda: None, run=failure is None)  # also what was added at the last moment

    def _complain(self, failure: Failure | None) -> None:
        if failure is not None:
            self.problem.emit(failure)
