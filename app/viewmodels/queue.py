"""The queue as a list: the job being drawn, those that wait in their order, those that have ended, newest first."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.services.job_store import ENDED, Job, JobState
from app.viewmodels.observable import Observed
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.services.jobs import Jobs
    from app.viewmodels.notices import Notices
    from app.viewmodels.run import Run

_PAGE = 100  # jobs that are read in one go
_KEPT = 2000  # jobs that are kept in memory

Index = QModelIndex | QPersistentModelIndex


class QueueRole(IntEnum):
    """What the model tells of a row."""

    job = Qt.ItemDataRole.UserRole
    fraction = Qt.ItemDataRole.UserRole + 1  # of the job being drawn; -1 for others


class Queue(QAbstractListModel):
    """Keeps the numbers of all jobs, and reads the jobs themselves as they come into sight."""

    waiting, waiting_changed = Observed(0), Signal(object)
    ended, ended_changed = Observed(0), Signal(object)
    paused, paused_changed = Observed(False), Signal(object)

    def __init__(self, jobs: Jobs, run: Run, notices: Notices) -> None:
        super().__init__()
        self._jobs = jobs
        self._run = run
        self._notices = notices
        self._ids: list[int] = []
        self._rows: dict[int, Job] = {}
        self._sync()
        self.paused = jobs.paused
        for signal in (jobs.added, jobs.changed, jobs.removed):
            signal.connect(self._notice)
        jobs.paused_changed.connect(self._notice_pause)
        run.fraction_changed.connect(self._show_fraction)

    # For views

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802  # Qt's name
        """How many jobs there are."""
        return 0 if parent is not None and parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A job and its parts."""
        job = self.job_at(index.row()) if index.isValid() else None
        if job is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return job.title
            case QueueRole.job:
                return job
            case QueueRole.fraction:
                return self._run.fraction if job.state is JobState.running else -1.0
            case _:
                return None

    def job_at(self, row: int) -> Job | None:
        """The job in that row."""
        if not 0 <= row < len(self._ids):
            return None
        number = self._ids[row]
        if number not in self._rows:
            self._read(row)
        return self._rows.get(number)

    # What the user does

    def cancel(self, job: int) -> None:
        """Stop it, or take it out of those that wait."""
        self._do(lambda: self._jobs.cancel(job))

    def retry(self, job: int) -> None:
        """Queue it again, for what it lacks."""
        self._do(lambda: self._jobs.retry(job))

    def remove(self, job: int) -> None:
        """Forget one that has ended; its pictures stay."""
        self._do(lambda: self._jobs.remove(job))

    def move_first(self, job: int) -> None:
        """Let it be drawn next."""
        self._do(lambda: self._jobs.move(job, first=True))

    def move_last(self, job: int) -> None:
        """Let it be drawn after all others."""
        self._do(lambda: self._jobs.move(job, first=False))

    def toggle_pause(self) -> None:
        """Begin no other job, or go on."""
        self._do(self._jobs.resume if self._jobs.paused else self._jobs.pause)

    def cancel_all(self) -> None:
        """Stop the running job and empty the queue."""
        self._do(self._jobs.cancel_all)

    def clear_ended(self) -> None:
        """Forget all that have ended; their pictures stay."""
        self._do(self._jobs.remove_ended)

    def _do(self, action: Callable[[], object]) -> None:
        try:
            action()
        except FirstlightError as error:
            self._tell(error)

    # What happens

    def _notice(self, job: int) -> None:
        if job < 0:
            self._rows.clear()
        else:
            self._rows.pop(job, None)
        self._sync()
        if job < 0 and self._ids:
            self.dataChanged.emit(self.index(0), self.index(len(self._ids) - 1))
        elif job in self._ids:
            row = self._ids.index(job)
            self.dataChanged.emit(self.index(row), self.index(row))

    def _notice_pause(self, paused: bool) -> None:
        self.paused = paused

    def _show_fraction(self, _fraction: float) -> None:
        first = self.job_at(0)
        if first is not None and first.state is JobState.running:
            self.dataChanged.emit(self.index(0), self.index(0), [QueueRole.fraction])

    def _sync(self) -> None:
        """Read the numbers anew, and tell views what is new, gone or moved: they keep their place in the list."""
        store = self._jobs.store
        try:
            running = store.ids((JobState.running,))
            waiting = store.ids((JobState.queued,))
            ended = store.ids(ENDED, newest_first=True)
        except FirstlightError as error:
            self._tell(error)
            return
        self._replace([*running, *waiting, *ended])
        self.waiting, self.ended = len(waiting), len(ended)

    def _replace(self, new: list[int]) -> None:
        old = self._ids
        start = _common(old, new)
        end = _common(reversed(old[start:]), reversed(new[start:]))
        before, after = old[start : len(old) - end], new[start : len(new) - end]
        if not before and not after:
            return
        parent = QModelIndex()
        if move := _single_move(before, after):
            source, target = start + move[0], start + move[1]
            # Qt counts the place to move to as it is before the row is taken out
            self.beginMoveRows(parent, source, source, parent, target + (1 if target > source else 0))
            self._ids = new
            self.endMoveRows()
            return
        if before:
            self.beginRemoveRows(parent, start, start + len(before) - 1)
            self._ids = [*old[:start], *old[len(old) - end :]]
            self.endRemoveRows()
        if after:
            self.beginInsertRows(parent, start, start + len(after) - 1)
            self._ids = new
            self.endInsertRows()

    def _read(self, row: int) -> None:
        """Read the page round a row."""
        if len(self._rows) > _KEPT:
            self._rows.clear()
        start = max(0, row - _PAGE // 4)
        wanted = [number for number in self._ids[start : start + _PAGE] if number not in self._rows]
        try:
            self._rows.update((job.id, job) for job in self._jobs.store.rows(wanted))
        except FirstlightError as error:
            self._tell(error)

    def _tell(self, error: FirstlightError) -> None:
        self._notices.tell(Failure(error.kind, error.message, error.action))


def _common(one: Iterable[int], other: Iterable[int]) -> int:
    """How many are the same from the beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _single_move(before: list[int], after: list[int]) -> tuple[int, int] | None:
    """(from, to) where one number has changed its place and nothing else."""
    if len(before) != len(after) or len(before) < 2:
        return None
    if before[1:] == after[:-1] and before[0] == after[-1]:
        return 0, len(before) - 1
    if before[:-1] == after[1:] and before[-1] == after[0]:
        return len(before) - 1, 0
    return None
