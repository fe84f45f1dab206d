"""The first page of all: a first picture by one click, and what this machine can do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.background import Background
from app.services.settings_table import FIRST_RUN_DONE
from app.viewmodels.observable import Observed
from pipelines import catalog, devices
from pipelines.styles import NO_STYLE

if TYPE_CHECKING:
    from app.services.library import Library
    from app.services.settings import Settings
    from app.viewmodels.generation import Generation
    from pipelines.devices import Machine

EXAMPLES = (  # what the starter model draws well; it reads English only
    "a red apple on a blue background",
    "a fox in the snow",
    "a castle on a meadow",
    "three mushrooms on a green background",
    "a palm tree on the beach",
)
_LITTLE_MEMORY = 12 * 2**30  # bytes; large models are read from the disk again and again with less
_RTX = (7, 5)  # the compute capability from which TensorRT-RTX runs


class Hint(Enum):
    """What this machine is good for, or what would make it faster; the view has the words."""

    accelerated = "accelerated"  # subject: the GPU
    gpu_idle = "gpu_idle"  # subject: the GPU; details: why
    gpu_too_old = "gpu_too_old"  # subject: the GPU
    no_gpu = "no_gpu"
    little_memory = "little_memory"


@dataclass(frozen=True, slots=True)
class Outlook:
    """One hint and what it is about."""

    hint: Hint
    subject: str = ""
    details: str = ""


class FirstRun(QObject):
    """Shown until a first picture was asked for, or the page was skipped.

    Signals:
        finished (): the page has done its work; go to Generate.
    """

    machine: Observed[Machine | None] = Observed(None)
    machine_changed = Signal(object)
    outlook: Observed[tuple[Outlook, ...]] = Observed(())
    outlook_changed = Signal(object)
    finished = Signal()
    _probed = Signal(object)

    def __init__(self, settings: Settings, library: Library, generation: Generation) -> None:
        super().__init__()
        self._settings = settings
        self._library = library
        self._generation = generation
        self._background = Background()
        self._probed.connect(self._take_machine)

    @property
    def is_wanted(self) -> bool:
        """Whether the page is to be shown at the start."""
        return not self._settings.flag(FIRST_RUN_DONE) and not self._library.store.ids()

    def look(self) -> None:
        """Look at the machine, in the background."""
        if self.machine is None:
            self._background.do(lambda: self._probed.emit(devices.probe()))

    def draw(self, prompt: str) -> None:
        """Draw it with the starter model, as that draws best."""
        generation = self._generation
        generation.choose_model(catalog.STARTER)
        if generation.entry is not None:
            generation.choose_size(generation.entry.width, generation.entry.height)
        generation.style, generation.prompt, generation.count = NO_STYLE, prompt, 1
        generation.generate()
        self.skip()

    def skip(self) -> None:
        """Not again."""
        self._settings.set(FIRST_RUN_DONE, value=True)
        self.finished.emit()

    def close(self) -> None:
        """Wait for what is being looked at."""
        self._background.close()

    def _take_machine(self, machine: Machine) -> None:
        self.machine = machine
        self.outlook = judge(machine)


def judge(machine: Machine) -> tuple[Outlook, ...]:
    """What to say of a machine."""
    found: list[Outlook] = []
    gpu = machine.gpus[0] if machine.gpus else None
    if gpu is None:
        found.append(Outlook(Hint.no_gpu))
    elif not all(machine.lack(backend) for backend in ("tensorrt_rtx", "inductor")):
        found.append(Outlook(Hint.accelerated, gpu.name))
    elif gpu.compute_capability < _RTX:
        found.append(Outlook(Hint.gpu_too_old, gpu.name))
    else:
        found.append(Outlook(Hint.gpu_idle, gpu.name, machine.lack("tensorrt_rtx")))
    if machine.memory_total < _LITTLE_MEMORY:
        found.append(Outlook(Hint.little_memory))
    return tuple(found)
