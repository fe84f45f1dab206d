"""Getting the engine of an installed Firstlight: what will be fetched, NVIDIA's licence, progress, cancel, retry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.runtime_install import Phase, RuntimeProgress, Source
from app.services.runtime_parts import PartName, carries
from app.services.settings_table import PACKAGE_MIRROR, PROXY
from app.viewmodels.observable import Observed
from pipelines.errors import Cancelled

if TYPE_CHECKING:
    from app.services.runtime import Runtime
    from app.services.runtime_parts import Part
    from app.services.settings import Settings
    from pipelines.devices import Gpu, Machine
    from pipelines.events import Failure

DRIVER_MINIMUM = 580  # the first driver series of CUDA 13, which TensorRT-RTX for CUDA 13 needs
CAPABILITY_MINIMUM = (7, 5)  # Turing, the oldest GPU that TensorRT-RTX knows


class Stage(Enum):
    """Where it is."""

    offered = "offered"
    working = "working"
    stopping = "stopping"
    failed = "failed"
    done = "done"


class Graphics(Enum):
    """What NVIDIA's part would do on this machine."""

    usable = "usable"
    none = "none"
    too_old = "too_old"
    old_driver = "old_driver"


@dataclass(frozen=True, slots=True)
class Offer:
    """What would be fetched, in bytes. `is_local`: it came with the setup program, and no network is needed."""

    download: int
    disk: int
    is_local: bool


class RuntimeModel(QObject):
    """The page that gets the engine.

    Signals (each with the new value, beside `finished`):
        stage_changed, progress_changed, failure_changed, accepted_changed, offer_changed.
        finished (): everything asked for is there.
    """

    stage_changed = Signal(object)
    progress_changed = Signal(object)
    failure_changed = Signal(object)
    accepted_changed = Signal(object)
    offer_changed = Signal(object)
    finished = Signal()

    stage = Observed(Stage.offered)
    progress = Observed[RuntimeProgress | None](None)
    failure = Observed["Failure | None"](None)
    accepted = Observed(False)  # NVIDIA's licence, by this user, in this session
    offer = Observed(Offer(0, 0, is_local=False))

    def __init__(
        self, runtime: Runtime, settings: Settings, machine: Machine | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runtime = runtime
        self._settings = settings
        self.graphics, self.driver = judge_graphics(machine.gpus if machine else ())
        runtime.progressed.connect(self._take_progress)
        runtime.ended.connect(self._end)
        self._count()

    @property
    def licence(self) -> str:
        """NVIDIA's licence in full; empty where there is nothing of NVIDIA's to fetch.

        Raises:
            UnusableFile: it cannot be read.
        """
        nvidia = any(part.name is PartName.nvidia for part in self._runtime.installation.missing)
        return self._runtime.installation.read_licence() if nvidia and self.graphics is Graphics.usable else ""

    @property
    def is_wanted(self) -> bool:
        """Whether the window should begin with this page: nothing can be drawn without."""
        return self._runtime.installation.needs_engine

    @property
    def is_offered(self) -> bool:
        """Whether there is something to get that would be of use here."""
        installation = self._runtime.installation
        return installation.needs_engine or (bool(installation.missing) and self.graphics is Graphics.usable)

    def accept(self, accepted: bool) -> None:
        """Take note that the licence was accepted, or not: then its part is left out."""
        self.accepted = accepted
        self._count()

    def set_source(self, mirror: str, proxy: str) -> None:
        """Keep where packages come from; empty: PyPI, and the system's own proxy."""
        self._settings.set(PACKAGE_MIRROR, mirror.strip())
        self._settings.set(PROXY, proxy.strip())

    @property
    def source(self) -> Source:
        """Where packages come from."""
        return Source(self._settings.text(PACKAGE_MIRROR), self._settings.text(PROXY))

    def start(self) -> None:
        """Begin, or begin again."""
        if self.stage in (Stage.working, Stage.stopping):
            return
        parts = self._wanted()
        self.failure = None
        if not parts:
            self._finish()
            return
        self.stage = Stage.working
        self._runtime.install(parts, self.source)

    def cancel(self) -> None:
        """Stop; acknowledged at once."""
        if self.stage is Stage.working:
            self.stage = Stage.stopping
            self._runtime.cancel()

    def close(self) -> None:
        """End the work."""
        self._runtime.close()

    def _wanted(self) -> tuple[Part, ...]:
        return tuple(
            part for part in self._runtime.installation.missing if part.name is not PartName.nvidia or self.accepted
        )

    def _count(self) -> None:
        parts = self._wanted()
        installation = self._runtime.installation
        local = bool(parts) and all(carries(installation, part) for part in parts)
        self.offer = Offer(sum(part.download for part in parts), sum(part.unpacked for part in parts), is_local=local)

    def _take_progress(self, progress: RuntimeProgress) -> None:
        if self.stage is Stage.working:
            self.progress = progress

    def _end(self, failure: Failure | None) -> None:
        self.progress = None
        self._count()
        if failure is None:
            self._finish()
        elif failure.kind == Cancelled.kind:
            self.stage = Stage.offered
        else:
            self.failure = failure
            self.stage = Stage.failed

    def _finish(self) -> None:
        self.stage = Stage.done
        self.finished.emit()


def judge_graphics(gpus: tuple[Gpu, ...]) -> tuple[Graphics, str]:
    """What TensorRT-RTX can do with these GPUs, and the driver that is installed."""
    if not gpus:
        return Graphics.none, ""
    gpu = max(gpus, key=lambda gpu: gpu.compute_capability)
    series = gpu.driver.partition(".")[0]
    if gpu.compute_capability < CAPABILITY_MINIMUM:
        return Graphics.too_old, gpu.driver
    if series.isdigit() and int(series) < DRIVER_MINIMUM:
        return Graphics.old_driver, gpu.driver
    return Graphics.usable, gpu.driver


def say_share(progress: RuntimeProgress) -> float | None:
    """How much is done, 0 to 1; None where that is not known."""
    if progress.phase is not Phase.fetching or progress.total <= 0:
        return None
    return min(1.0, progress.done / progress.total)
