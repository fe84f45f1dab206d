"""What the `fake` backend adds to its stand-ins: the adaptive policy, by a script of times and faults.

So the window, the command line and tests can see every state on any machine. The script is read from the environment
variable FIRSTLIGHT_FAKE, such as `making=2 generic=0.1 own=0.05 fault=compare`.
"""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

from pipelines.engine.adaptive import Adaptive, Threaded
from pipelines.engine.cache import TIMINGS
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.keeper import Keeper
from pipelines.engine.shapes import Shapes
from pipelines.engine.timings import Timings
from pipelines.errors import EngineFailure, InvalidRequest
from pipelines.events import Kernels

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping

    from torch import Tensor

    from pipelines.engine.base import Component, Places
    from pipelines.engine.shapes import ShapeKey
    from pipelines.events import Report

VARIABLE = "FIRSTLIGHT_FAKE"
_STORY = b"The fake backend compiles nothing."


class Fault(Enum):
    """What goes wrong."""

    none = "none"
    making = "making"  # the compiler fails
    compare = "compare"  # its kernels compute something else
    breaking = "breaking"  # they fail when they run
    rejecting = "rejecting"  # kernels of an earlier launch are not taken


@dataclass(frozen=True, slots=True)
class Script:
    """Seconds that a call takes on `generic` and on its `own` kernels, and that `making` them takes."""

    generic: float = 0.0
    own: float = 0.0
    making: float = 1.0
    fault: Fault = Fault.none


def read_script(text: str) -> Script:
    """Read what the environment variable says; an empty text is the usual script.

    Raises:
        InvalidRequest: it cannot be understood.
    """
    values: dict[str, float | Fault] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        try:
            values[name] = Fault(value) if name == "fault" else float(value)
        except ValueError:
            raise InvalidRequest(f"{VARIABLE} cannot be understood at {word!r}.", "Write it as making=2.") from None
    if unknown := set(values) - {one.name for one in fields(Script)}:
        raise InvalidRequest(f"{VARIABLE} knows no {min(unknown)!r}.", "It knows generic, own, making and fault.")
    return Script(**values)  # pyright: ignore[reportArgumentType]  # by the names above


class Rehearsal:
    """A stand-in that adapts by the script."""

    def __init__(self, component: Component, name: str, report: Report, places: Places | None, script: Script) -> None:
        self._component = component
        folder = places.kernels if places is not None else None
        facts = CacheFacts("fake", name, "fp32", "", "", "1", platform.system(), "")
        self._mechanics = _Mechanics(component, Keeper(folder, facts, name), script)
        self._mechanics.read(report)
        timings = Timings(folder / TIMINGS if folder is not None else None)
        self._shapes = Shapes()
        self._adaptive = Adaptive(f"{name} fake", self._mechanics, report, timings)

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        return self._adaptive(self._shapes.find(tensors), tensors)

    def close(self) -> None:
        """See `Component`."""
        self._adaptive.close()
        self._component.close()


class _Mechanics:
    """See `adaptive.Mechanics`."""

    def __init__(self, component: Component, keeper: Keeper, script: Script) -> None:
        self._component = component
        self._keeper = keeper
        self._script = script

    def read(self, report: Report) -> None:
        content = self._keeper.load(report)
        if content is not None and self._script.fault is Fault.rejecting:
            self._keeper.reject("the script says so", report)
        elif content is not None:
            self._keeper.trust(report)

    def is_kept(self, shape: ShapeKey) -> bool:
        return self._keeper.is_kept(shape)

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        is_own = kernels in (Kernels.specialised, Kernels.graph)
        if is_own and self._script.fault is Fault.breaking:
            raise EngineFailure("The kernels of the script break.")
        time.sleep(self._script.own if is_own else self._script.generic)
        return self._component(inputs)

    def specialise(self, shape: ShapeKey) -> Threaded:
        return Threaded(self._make, "fake-kernels")

    def compare(self, shape: ShapeKey, inputs: Mapping[str, Tensor]) -> str:
        return "they differ by 0.5, and 0.02 is allowed" if self._script.fault is Fault.compare else ""

    def capture(self, shape: ShapeKey) -> bool:
        return True

    def forget(self, shape: ShapeKey) -> None:
        """Nothing is held."""

    def settle(self, shape: ShapeKey) -> None:
        self._keeper.keep(shape, _STORY)

    def _make(self, stop: threading.Event) -> None:
        if not stop.wait(self._script.making) and self._script.fault is Fault.making:
            raise EngineFailure("The compiler of the script fails.")


def from_environment() -> Script:
    """The script that the user has set."""
    return read_script(os.environ.get(VARIABLE, ""))
