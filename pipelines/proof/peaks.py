"""How much memory a piece of work holds at its peak, beyond what was held before."""

from __future__ import annotations

import importlib
import threading
from typing import Any

import psutil

_EVERY = 0.005  # seconds between two looks at the process
_CUDA = "cuda"


class Peak:
    """Measures while it is entered; `working` has the bytes then. Looking costs time, so nothing is timed inside.

    On a GPU it is PyTorch's allocator that counts; memory that TensorRT takes itself is in NVML's figures only.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._before = 0
        self._highest = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.working = 0

    def __enter__(self) -> Peak:
        if self._device.startswith(_CUDA):
            cuda = _cuda()
            cuda.synchronize(self._device)
            cuda.reset_peak_memory_stats(self._device)
            self._before = int(cuda.memory_allocated(self._device))
        else:
            self._before = self._highest = _held()
            self._thread = threading.Thread(target=self._look, name="peak", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._thread is None:
            cuda = _cuda()
            cuda.synchronize(self._device)
            self._highest = int(cuda.max_memory_allocated(self._device))
        else:
            self._stop.set()
            self._thread.join()
        self.working = max(0, self._highest - self._before)

    def _look(self) -> None:
        while not self._stop.wait(_EVERY):
            self._highest = max(self._highest, _held())


def _held() -> int:
    return int(psutil.Process().memory_info().rss)


def _cuda() -> Any:
    return importlib.import_module("torch").cuda
