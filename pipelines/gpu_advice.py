"""What slows a GPU down on this machine, and what its owner can change. Loads nothing heavy."""

from __future__ import annotations

import importlib
import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipelines.devices import DRIVER_MIN

if TYPE_CHECKING:
    from pipelines.devices import Gpu, Machine

_GIB = 2**30
_LITTLE = 0.5  # of the memory free: below, something else holds a lot of it
_KEY = r"SYSTEM\CurrentControlSet\Control\GraphicsDrivers"
_VALUE, _ON = "HwSchMode", 2  # Microsoft's documentation of hardware-accelerated GPU scheduling: 1 is off
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GpuState:
    """`scheduling`: whether Windows' hardware-accelerated GPU scheduling is on; None elsewhere, or not known."""

    scheduling: bool | None
    advice: tuple[str, ...]


def look(machine: Machine) -> GpuState:
    """Look at what decides besides the GPU itself. Never fails."""
    scheduling = read_scheduling()
    return GpuState(scheduling, advise(machine, scheduling))


def advise(machine: Machine, scheduling: bool | None) -> tuple[str, ...]:
    """What its owner can change, one sentence each."""
    is_windows = machine.system.startswith("Windows")
    found = [text for gpu in machine.gpus for text in _advise_gpu(gpu)]
    if machine.gpus and is_windows and scheduling is False:
        found.append(
            "Turn on hardware-accelerated GPU scheduling (Settings, System, Display, Graphics): "
            "CUDA graphs gain most with it."
        )
    if machine.gpus and is_windows:
        found.append(
            "Let no GPU memory spill into main memory, which is many times slower: in NVIDIA Control Panel, "
            "set 'CUDA - Sysmem Fallback Policy' to 'Prefer No Sysmem Fallback'."
        )
    return tuple(found)


def read_scheduling() -> bool | None:
    """Whether Windows' hardware-accelerated GPU scheduling is on; None where it is not Windows, or does not say."""
    if sys.platform != "win32":
        return None
    winreg: Any = importlib.import_module("winreg")
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _KEY) as key:
            value, _ = winreg.QueryValueEx(key, _VALUE)
    except OSError as error:
        log.info("Windows does not say how the GPU is scheduled: %s", error)
        return None
    return value == _ON


def _advise_gpu(gpu: Gpu) -> list[str]:
    found: list[str] = []
    major = gpu.driver.partition(".")[0]
    if major.isdecimal() and int(major) < DRIVER_MIN:
        found.append(f"Update the driver of the {gpu.name}: it is {gpu.driver}, and {DRIVER_MIN} is needed.")
    if gpu.memory_free is not None and gpu.memory_free < _LITTLE * gpu.memory_total:
        held = (gpu.memory_total - gpu.memory_free) / _GIB
        found.append(f"Close what holds {held:.1f} GiB of the memory of the {gpu.name}: games, browsers, other models.")
    return found
