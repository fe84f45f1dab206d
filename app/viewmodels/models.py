"""The models of this machine and those to be had: looked at, added, checked, mended and removed."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import needs
from app.services.models import Changes, Removal, Usage
from app.services.registry import Keeping
from app.services.reveal import show_in_folder
from app.services.shelf import Shelved, read_shelf
from app.viewmodels.lane import Courier, Lane
from app.viewmodels.observable import Observed
from pipelines import devices
from pipelines.devices import Machine
from pipelines.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.services.model_files import FileProgress, Verdict
    from app.services.needs import MemoryNeed
    from app.services.registry import Model
    from app.services.wiring import ModelServices
    from pipelines.events import Failure


class Task(Enum):
    """What is being done to files."""

    adding = "adding"
    copying = "copying"
    checking = "checking"
    removing = "removing"


@dataclass(frozen=True, slots=True)
class Work:
    """The work in hand: `done` of `total` bytes, 0 of 0 where that cannot be told. `name` is a model or a place."""

    task: Task
    name: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found; `mending` tells that the damaged files were put into the queue of downloads."""

    model: Model
    verdicts: tuple[Verdict, ...]
    mending: bool = False

    @property
    def damaged(self) -> tuple[Verdict, ...]:
        """The files that are not whole."""
        return tuple(verdict for verdict in self.verdicts if verdict.problem)


@dataclass(frozen=True, slots=True)
class _Look:
    rows: tuple[Shelved, ...]
    usage: Usage
    changes: Changes


class Models(QObject):
    """The list, and the one piece of work on files that may run at a time.

    Signals, besides those of its values:
        added (Added): an import has ended.
        checked (Checked): a check has ended.
        removal_planned (Removal): ask the user, then call `remove`.
        removed (str): a model of that name is not remembered any more.
        not_binned (Removal): there is no bin that takes it; offer to delete it for good.
        appeared (tuple of Model): new files in a folder that is watched.
        queued (str): a download of that name was put into the queue.
        problem (Failure): something could not be done.
    """

    rows = Observed[tuple[Shelved, ...]](())
    rows_changed = Signal(object)
    usage = Observed[Usage | None](None)
    usage_changed = Signal(object)
    machine = Observed[Machine | None](None)
    machine_changed = Signal(object)
    work = Observed[Work | None](None)
    work_changed = Signal(object)
    looking = Observed(False)
    looking_changed = Signal(object)

    added = Signal(object)
    checked = Signal(object)
    removal_planned = Signal(object)
    removed = Signal(object)
    not_binned = Signal(object)
    appeared = Signal(object)
    queued = Signal(object)
    problem = Signal(object)

    def __init__(
        self,
        services: ModelServices,
        parent: QObject | None = None,
        *,
        probe: Callable[[], Machine] = devices.probe,
    ) -> None:
        super().__init__(parent)
        self._models = services.models
        self._downloads = services.downloads
        self._probe = probe
        self._looks = Lane(self)
        self._works = Lane(self)
        self._courier = Courier(self)
        self._courier.moved.connect(self._show_progress)
        self._wanted_again = False
        self._closing = threading.Event()

    # Looking

    def refresh(self) -> None:
        """Look at the files again, in the background. Cheap to call often."""
        if self.looking:
            self._wanted_again = True
            return
        self.looking = True
        self._looks.do(self._look, self._take_look, self._miss_look)
        if self.machine is None:
            self._looks.do(self._probe, self._take_machine, self._complain)

    def find(self, name: str) -> Shelved | None:
        """The row of that name."""
        return next((row for row in self.rows if row.name == name), None)

    def memory_needs(self, row: Shelved) -> tuple[MemoryNeed, ...]:
        """What it needs of this machine in each precision; nothing where that is not known (yet)."""
        if self.machine is None or row.entry is None:
            return ()
        return needs.memory_needs(row.entry, self.machine)

    def _look(self) -> _Look:
        changes = self._models.refresh(self._check)
        return _Look(read_shelf(self._models), self._models.usage(), changes)

    def _check(self) -> None:
        """In the background: a folder on a slow drive does not hold the window when it closes."""
        if self._closing.is_set():
            raise Cancelled

    def _take_look(self, look: _Look) -> None:
        self.looking = False
        self.rows, self.usage = look.rows, look.usage
        if look.changes.appeared:
            self.appeared.emit(look.changes.appeared)
        self._look_again()

    def _miss_look(self, failure: Failure | None) -> None:
        self.looking = False
        self._complain(failure)
        self._look_again()

    def _look_again(self) -> None:
        if self._wanted_again:
            self._wanted_again = False
            self.refresh()

    def _take_machine(self, machine: Machine) -> None:
        self.machine = machine

    # Working

    def add(self, place: Path, *, copy: bool = False) -> None:
        """Use what is there, a file or a folder, in place or as a copy of our own."""
        task = Task.copying if copy else Task.adding
        self._begin(
            Work(task, str(place)),
            lambda: self._models.add(place, copy=copy, report=self._courier),
            self.added.emit,
        )

    def check(self, name: str, *, mend: bool = False) -> None:
        """Check every byte of a model; with `mend`, fetch again what is damaged of one that was downloaded."""
        model = self._models.find(name)
        if model is None:
            return

        def work() -> Checked:
            verdicts = self._models.verify(model, self._courier)
            bad = [verdict.file for verdict in verdicts if verdict.problem]
            mending = mend and bool(bad) and model.keeping is Keeping.downloaded
            if mending:
                self._downloads.fetch_again(model, bad)
            return Checked(model, verdicts, mending)

        self._begin(Work(Task.checking, name, 0, model.size), work, self._end_check)

    def plan_removal(self, name: str) -> None:
        """Find out what removing it would take; `removal_planned` tells."""
        model = self._models.find(name)
        if model is not None:
            self._looks.do(lambda: self._models.plan_removal(model), self.removal_planned.emit, self._complain)

    def remove(self, removal: Removal, *, permanently: bool = False) -> None:
        """Put it into the bin, or delete it for good, and forget it."""

        def work() -> str:
            self._models.remove(removal, permanently=permanently)
            return removal.model.name

        self._begin(
            Work(Task.removing, removal.model.name),
            work,
            self.removed.emit,
            None if permanently else lambda failure: self._miss_bin(removal, failure),
        )

    def show_in_folder(self, name: str) -> None:
        """Show its files in the system's file manager."""
        row = self.find(name)
        if row is not None and (place := row.location) is not None:
            self._looks.do(lambda: show_in_folder(place), lambda shown: None, self._complain)

    def stop(self) -> None:
        """Stop the work in hand; nothing half-done is left."""
        self._courier.stop()

    def close(self) -> None:
        """End, for good."""
        self._closing.set()
        self._courier.stop()
        self._works.close()
        self._looks.close()

    def _begin(
        self,
        what: Work,
        work: Callable[[], object],
        then: Callable[..., object],
        failed: Callable[[Failure], object] | None = None,
    ) -> None:
        if self.work is not None:
            return  # the page offers nothing while there is work

        def end(result: object) -> None:
            self.work = None
            then(result)
            self.refresh()

        def miss(failure: Failure | None) -> None:
            self.work = None
            if failure is not None:
                (failed or self.problem.emit)(failure)
            self.refresh()

        self._courier.start()
        self.work = what
        self._works.do(work, end, miss)

    def _show_progress(self, progress: FileProgress) -> None:
        if self.work is not None and progress.total:
            self.work = replace(self.work, done=progress.done, total=progress.total)

    def _end_check(self, checked: Checked) -> None:
        self.checked.emit(checked)
        if checked.mending:
            self.queued.emit(checked.model.name)

    def _miss_bin(self, removal: Removal, failure: Failure) -> None:
        if removal.paths and failure.kind == "unusable_file":
            self.not_binned.emit(removal)
        else:
            self.problem.emit(failure)

    def _complain(self, failure: Failure | None) -> None:
        if failure is not None:
            self.problem.emit(failure)


def usage_total(usage: Usage) -> int:
    """Bytes of all models together."""
    return sum(size for _, size in usage.models)
