"""The engine as the Engine page shows it: this machine, how the networks run and why, engines, kernels on disk."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.engine_values import EngineState
from app.viewmodels.lane import Lane
from app.viewmodels.observable import Observed
from app.viewmodels.pace import making_fraction
from pipelines import devices
from pipelines.devices import Machine
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen
from pipelines.request import Backend

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from app.services.benchmarks import Benchmark, Benchmarks
    from app.services.caches import Caches, CacheState
    from app.services.engine_client import EngineClient
    from app.services.engines import EngineList, Engines
    from pipelines.events import Event, Failure

T = TypeVar("T")
_TICK = 500  # milliseconds between two looks at what is being made
_MOST = 40  # sizes that are remembered; the oldest go first
_TURING = (7, 5)  # compute capability of the oldest RTX GPUs


class Advice(Enum):
    """What helps a backend that does not run here."""

    get_gpu = "get a GPU"
    newer_gpu = "newer GPU"
    rtx_gpu = "RTX GPU"  # this one is no RTX GPU, however fast
    new_driver = "new driver"
    install_rtx = "install TensorRT-RTX"
    cuda_torch = "PyTorch with CUDA"
    none = "none"


@dataclass(frozen=True, slots=True)
class BackendRow:
    """A way to run networks. `reason` says in words why it is not ready, and is empty where it is."""

    backend: Backend
    ready: bool
    reason: str
    advice: Advice


@dataclass(frozen=True, slots=True)
class KernelRow:
    """The kernels of a component for one size. `elapsed` and `estimate` are seconds in the present state."""

    component: str
    shape: str
    kernels: Kernels
    elapsed: float = 0.0
    estimate: float | None = None
    reason: str = ""

    @property
    def fraction(self) -> float | None:
        """How much of the making is done, never all of it; None where nothing is made or it cannot be told."""
        return making_fraction(self.kernels, self.elapsed, self.estimate)


@dataclass(frozen=True, slots=True)
class EngineServices:
    """What the page works with. `probe` looks at the machine."""

    engine: EngineClient
    engines: Engines
    caches: Caches
    benchmarks: Benchmarks
    probe: Callable[[], Machine]


class EnginePanel(QObject):
    """Listens to the engine process from the start; looks at the disk when it is asked to.

    Signals, besides those of its values:
        exported (Path): kernels were written there.
        imported (Imported): kernels were taken in, and which were not.
        cleared (Cleared): kernels were deleted.
        problem (Failure): something could not be done.
    """

    machine, machine_changed = Observed[Machine | None](None), Signal(object)
    plans, plans_changed = Observed[tuple[PlanChosen, ...]](()), Signal(object)
    kernels, kernels_changed = Observed[tuple[KernelRow, ...]](()), Signal(object)
    reads, reads_changed = Observed[tuple[CacheRead, ...]](()), Signal(object)
    engines, engines_changed = Observed["EngineList | None"](None), Signal(object)
    caches, caches_changed = Observed["CacheState | None"](None), Signal(object)
    benchmark, benchmark_changed = Observed["Benchmark | None"](None), Signal(object)
    busy, busy_changed = Observed(False), Signal(object)

    exported = Signal(object)
    imported = Signal(object)
    cleared = Signal(object)
    problem = Signal(object)

    def __init__(
        self,
        services: EngineServices,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._clock = clock
        self._lane = Lane(self)
        self._told: dict[tuple[str, str], tuple[KernelsChanged, float]] = {}
        self._jobs = 0
        self._ticking = QTimer(self, interval=_TICK)
        self._ticking.timeout.connect(self._show_kernels)
        services.engine.reported.connect(self._hear)
        services.engine.state_changed.connect(self._hear_state)

    @property
    def backends(self) -> tuple[BackendRow, ...]:
        """The ways to run networks, the fastest first; empty until the machine was looked at."""
        return list_backends(self.machine) if self.machine is not None else ()

    # Looking

    def refresh(self) -> None:
        """Look at the machine and at the disk, in the background."""
        if self.machine is None:
            self._lane.do(self._services.probe, self._take_machine, self._complain)
        self._lane.do(self._services.engines.look, self._take_engines, self._complain)
        self._lane.do(self._services.caches.look, self._take_caches, self._complain)
        self._lane.do(self._services.benchmarks.look, self._take_benchmark, self._complain)

    # Engines and kernels on disk

    def remove_engine(self, name: str) -> None:
        """Delete a built engine."""
        self._change(lambda: self._services.engines.remove(name), _ignore)

    def set_engine_limit(self, limit: int) -> None:
        """Let all engines together have so many bytes."""
        self._change(lambda: self._services.engines.set_limit(limit), _ignore)

    def clear_caches(self, names: Collection[str] = ()) -> None:
        """Delete the kernels of these names, or all."""
        wanted = tuple(names)
        self._change(lambda: self._services.caches.clear(wanted), self.cleared.emit)

    def set_cache_limit(self, limit: int) -> None:
        """Let all kernels together have so many bytes."""
        self._change(lambda: self._services.caches.set_limit(limit), _ignore)

    def export_caches(self, target: Path, names: Collection[str] = ()) -> None:
        """Write the kernels of these names, or all, into one file."""
        wanted = tuple(names)

        def work() -> Path:
            self._services.caches.export(target, wanted)
            return target

        self._change(work, self.exported.emit)

    def import_caches(self, source: Path) -> None:
        """Take in kernels from a machine like this."""
        self._change(lambda: self._services.caches.take_in(source), self.imported.emit)

    def close(self) -> None:
        """End, for good."""
        self._ticking.stop()
        self._lane.close()

    def _change(self, work: Callable[[], T], then: Callable[[T], object]) -> None:
        self._jobs += 1
        self.busy = True

        def end(result: T) -> None:
            self._end_job()
            then(result)

        def miss(failure: Failure | None) -> None:
            self._end_job()
            self._complain(failure)

        self._lane.do(work, end, miss)

    def _end_job(self) -> None:
        self._jobs -= 1
        self.busy = self._jobs > 0
        self.refresh()

    def _take_machine(self, machine: Machine) -> None:
        self.machine = machine

    def _take_engines(self, engines: EngineList) -> None:
        self.engines = engines

    def _take_caches(self, caches: CacheState) -> None:
        self.caches = caches

    def _take_benchmark(self, benchmark: Benchmark | None) -> None:
        self.benchmark = benchmark

    def _complain(self, failure: Failure | None) -> None:
        if failure is not None:
            self.problem.emit(failure)

    # The engine process

    def _hear(self, _job: int, event: Event) -> None:
        match event:
            case PlanChosen(component):
                self.plans = (*(plan for plan in self.plans if plan.component != component), event)
            case CacheRead(component):
                self.reads = (*(read for read in self.reads if read.component != component), event)
            case KernelsChanged(component, shape):
                self._told.pop((component, shape), None)
                self._told[component, shape] = (event, self._clock())
                if len(self._told) > _MOST:
                    del self._told[next(iter(self._told))]
                self._show_kernels()
            case _:
                pass

    def _hear_state(self, state: EngineState) -> None:
        if state is EngineState.stopped:  # kernels in memory went with the process
            self._told.clear()
            self.reads = ()
            self._show_kernels()
        elif state is EngineState.idle and self.caches is not None:
            self.refresh()  # what a job has kept

    def _show_kernels(self) -> None:
        rows = [self._kernel_row(event, told) for event, told in self._told.values()]
        self.kernels = tuple(reversed(rows))
        making = any(row.kernels is Kernels.specialising for row in rows)
        if making and not self._ticking.isActive():
            self._ticking.start()
        elif not making:
            self._ticking.stop()

    def _kernel_row(self, event: KernelsChanged, told: float) -> KernelRow:
        row = KernelRow(event.component, event.shape, event.kernels, event.elapsed, event.estimate, event.reason)
        if event.kernels is Kernels.specialising:
            return replace(row, elapsed=event.elapsed + self._clock() - told)
        return row


def list_backends(machine: Machine) -> tuple[BackendRow, ...]:
    """The ways to run networks on a machine, the fastest first."""
    rows = [_backend_row(backend, machine) for backend in (Backend.tensorrt_rtx, Backend.inductor)]
    has_torch = machine.versions.torch is not None
    return (*rows, BackendRow(Backend.eager, has_torch, "", Advice.none))


def _backend_row(backend: Backend, machine: Machine) -> BackendRow:
    reason = machine.lack(backend.value)
    if not reason:
        return BackendRow(backend, ready=True, reason="", advice=Advice.none)
    if not machine.gpus:
        advice = Advice.get_gpu
    elif machine.gpus[0].compute_capability < _TURING:
        advice = Advice.newer_gpu
    elif backend is Backend.tensorrt_rtx:
        advice = _advise_rtx(machine)
    else:
        advice = Advice.none if machine.versions.torch_cuda else Advice.cuda_torch
    return BackendRow(backend, ready=False, reason=reason, advice=advice)


def _advise_rtx(machine: Machine) -> Advice:
    gpu = machine.gpus[0]
    if gpu.compute_capability not in devices.RTX_CAPABILITIES and gpu.compute_capability < devices.RTX_NEWEST:
        return Advice.rtx_gpu
    major = gpu.driver.partition(".")[0]
    if major.isdecimal() and int(major) < devices.DRIVER_MIN:
        return Advice.new_driver
    return Advice.none if machine.versions.tensorrt_rtx else Advice.install_rtx


def _ignore(done: None) -> None:
    """There is nothing more to tell."""
