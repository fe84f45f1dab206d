"""Under which conditions an NVIDIA GPU works: clocks, power, temperature and what holds it back.

Through NVIDIA's management library, if the package nvidia-ml-py is there (extra `proof`). Without it, or where the
driver does not answer, there is nothing to tell, and the record says why.
"""

from __future__ import annotations

import importlib
import logging
import threading
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)
_EVERY = 0.5  # seconds between two looks
# Bits of nvmlDeviceGetCurrentClocksEventReasons that mean that the GPU could be faster (nvml.h)
_BRAKES = {
    0x0000000000000004: "power limit",
    0x0000000000000008: "hardware slowdown",
    0x0000000000000020: "temperature limit",
    0x0000000000000040: "hardware temperature limit",
    0x0000000000000080: "power brake",
}


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a GPU: clocks in MHz, power in watts, temperature in degrees Celsius, memory in bytes."""

    graphics_clock: int
    memory_clock: int
    power: float
    temperature: int
    memory_used: int
    brakes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conditions:
    """A GPU during a measurement. `problem` says why nothing is known, where nothing is."""

    name: str = ""
    driver: str = ""
    power_limit: float = 0.0
    begin: Look | None = None
    end: Look | None = None
    lowest_clock: int = 0
    highest_clock: int = 0
    highest_power: float = 0.0
    highest_temperature: int = 0
    highest_memory: int = 0
    brakes: tuple[str, ...] = ()
    problem: str = ""


class Watch:
    """Looks at the GPU every half a second while it is entered. `index` is CUDA's number of it."""

    def __init__(self, index: int | None) -> None:
        self._index = index
        self._stop = threading.Event()
        self._looks: list[Look] = []
        self._library: Any = None
        self._handle: Any = None
        self._thread: threading.Thread | None = None
        self._problem = "" if index is not None else "there is no NVIDIA GPU at work"
        self._facts = ("", "", 0.0)

    def __enter__(self) -> Watch:
        if self._index is not None:
            self._open(self._index)
        if self._handle is not None:
            self._thread = threading.Thread(target=self._work, name="nvml", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5)
        if self._handle is not None:
            self._look()
            self._library.nvmlShutdown()

    def conditions(self) -> Conditions:
        """What was seen."""
        looks = self._looks
        if not looks:
            return Conditions(problem=self._problem or "the driver gave no answer")
        return Conditions(
            *self._facts,
            begin=looks[0],
            end=looks[-1],
            lowest_clock=min(look.graphics_clock for look in looks),
            highest_clock=max(look.graphics_clock for look in looks),
            highest_power=max(look.power for look in looks),
            highest_temperature=max(look.temperature for look in looks),
            highest_memory=max(look.memory_used for look in looks),
            brakes=tuple(sorted({brake for look in looks for brake in look.brakes})),
        )

    def _open(self, index: int) -> None:
        try:
            self._library = importlib.import_module("pynvml")
        except ImportError:
            self._problem = "the package nvidia-ml-py is not installed"
            return
        try:
            self._library.nvmlInit()
            handle = self._find(index)
            limit = self._library.nvmlDeviceGetPowerManagementLimit(handle) / 1000
            name, driver = self._library.nvmlDeviceGetName(handle), self._library.nvmlSystemGetDriverVersion()
            self._facts = (_text(name), _text(driver), limit)
        except Exception as error:  # noqa: BLE001  # a probe: its many errors all mean that nothing is known
            log.warning("NVML does not answer: %s", error)
            self._problem = f"the driver does not answer: {error}"
            return
        self._handle = handle

    def _find(self, index: int) -> Any:
        """By what PyTorch says of the GPU: NVML has another order, and does not know CUDA_VISIBLE_DEVICES."""
        torch: Any = importlib.import_module("torch")
        if not torch.cuda.is_available():
            return self._library.nvmlDeviceGetHandleByIndex(index)
        uuid = str(torch.cuda.get_device_properties(index).uuid)
        return self._library.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}")

    def _work(self) -> None:
        while True:
            self._look()
            if self._stop.wait(_EVERY):
                return

    def _look(self) -> None:
        library, handle = self._library, self._handle
        try:
            bits = int(library.nvmlDeviceGetCurrentClocksEventReasons(handle))
            look = Look(
                graphics_clock=int(library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_GRAPHICS)),
                memory_clock=int(library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_MEM)),
                power=library.nvmlDeviceGetPowerUsage(handle) / 1000,
                temperature=int(library.nvmlDeviceGetTemperature(handle, library.NVML_TEMPERATURE_GPU)),
                memory_used=int(library.nvmlDeviceGetMemoryInfo(handle).used),
                brakes=tuple(words for bit, words in _BRAKES.items() if bits & bit),
            )
        except Exception as error:  # noqa: BLE001  # as above: a card that lacks one of these is told by its absence
            self._problem = f"the driver does not answer: {error}"
            return
        self._looks.append(look)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
