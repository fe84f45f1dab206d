"""Python's garbage, collected on the window's thread alone.

Python collects on whichever thread happens to allocate. A QObject in a cycle that dies on another thread than its own
leaves its running timers behind, and Qt calls them: the process crashes some time later, somewhere else.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def left_to_us() -> Generator[None]:
    """Within this Python collects nothing of itself: call `collect` often, on the thread that has the QObjects."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def collect() -> None:
    """Collect the oldest generation that is due by Python's own thresholds, if one is."""
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation]:
            gc.collect(generation)
            return
