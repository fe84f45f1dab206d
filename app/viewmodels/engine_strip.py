"""The engine's state, always in sight: how the networks run, and how far they are adapted to the size on the page.

Everything comes from the engine's own events. A backend that adapts nothing tells nothing of kernels, and then there is
nothing of them to show.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.engine_values import EngineState
from app.viewmodels.observable import Observed
from app.viewmodels.pace import making_fraction
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.engine_client import EngineClient
    from app.viewmodels.generation import Generation
    from pipelines.events import Event

_DRAWING = ("transformer", "unet")  # the component that nearly all the time goes into
_TICK = 500  # milliseconds


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How far the drawing network is adapted to one size.

    `elapsed` and `estimate` are seconds; `fraction` stays below 1 however long it takes, and is None where there is no
    honest guess.
    """

    shape: str
    kernels: Kernels
    elapsed: float = 0.0
    estimate: float | None = None
    reason: str = ""

    @property
    def fraction(self) -> float | None:
        """How much of the specialising is done."""
        return making_fraction(self.kernels, self.elapsed, self.estimate)


class EngineStrip(QObject):
    """What the strip at the foot of the window shows.

    Signals:
        engine_page_wanted (): the user asks for more.
    """

    state, state_changed = Observed(EngineState.stopped), Signal(object)
    plans, plans_changed = Observed[tuple[PlanChosen, ...]](()), Signal(object)  # of the last job, by component
    adaptation, adaptation_changed = Observed[Adaptation | None](None), Signal(object)  # None: nothing adapts here
    cache, cache_changed = Observed[CacheRead | None](None), Signal(object)
    engine_page_wanted = Signal()

    def __init__(
        self, engine: EngineClient, generation: Generation, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._generation = generation
        self._clock = clock
        self._shapes: dict[str, tuple[KernelsChanged, float]] = {}  # with the time that it was told
        self._adapts = False
        self._ticking = QTimer(self, interval=_TICK)
        self._ticking.timeout.connect(self._show)
        engine.reported.connect(self._hear)
        engine.state_changed.connect(self._hear_state)
        generation.drawn_size_changed.connect(self._show)

    @property
    def plan(self) -> PlanChosen | None:
        """The plan of the drawing network, where one was chosen."""
        return next((plan for plan in self.plans if plan.component in _DRAWING), None)

    def show_more(self) -> None:
        """Ask for the Engine page."""
        self.engine_page_wanted.emit()

    def _hear(self, _job: int, event: Event) -> None:
        match event:
            case PlanChosen():
                if (known := self.plan) and event.component == known.component and _differ(known, event):
                    self._forget()  # other networks than those that were adapted
                self.plans = (*(plan for plan in self.plans if plan.component != event.component), event)
            case KernelsChanged(component, shape) if component in _DRAWING:
                self._adapts = True
                self._shapes[shape] = (event, self._clock())
                self._show()
            case CacheRead(component) if component in _DRAWING:
                self._adapts = True
                self.cache = event
                self._show()
            case _:
                pass

    def _hear_state(self, state: EngineState) -> None:
        self.state = state
        if state is EngineState.stopped:
            self._forget()  # kernels in memory went with the process

    def _forget(self) -> None:
        self._shapes.clear()
        self._adapts = False
        self.cache = None
        self._show()

    def _show(self, _size: object = None) -> None:
        """Say how things are for the size on the page. A size that was not drawn yet begins on generic kernels."""
        size = self._generation.drawn_size
        if not self._adapts or size is None:
            self.adaptation = None
            self._ticking.stop()
            return
        shape = f"{size.width}x{size.height}"
        event, told = self._shapes.get(shape, (KernelsChanged("", shape, Kernels.generic), self._clock()))
        is_making = event.kernels is Kernels.specialising
        elapsed = event.elapsed + (self._clock() - told if is_making else 0.0)
        self.adaptation = Adaptation(shape, event.kernels, elapsed, event.estimate, event.reason)
        if is_making and not self._ticking.isActive():
            self._ticking.start()
        elif not is_making:
            self._ticking.stop()


def _differ(one: PlanChosen, other: PlanChosen) -> bool:
    return (one.backend, one.precision, one.device) != (other.backend, other.precision, other.device)
