"""The adaptive policy: what state the kernels of each shape are in, and when they change it. Standard library only.

Every accelerated backend runs on it; only the mechanics differ. A shape that was never seen runs at once on generic
kernels. While it does, those for this very shape are made in the background; between two steps they are checked on
the live inputs and swapped in; once they have settled they become one graph. The least recently used shapes go.

All happens on the thread that calls: background work is asked between two steps, so events come in order, and a
report that cancels leaves everything in a state from which the next call goes on.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pipelines.engine.timings import extend
from pipelines.errors import DeviceLost, EngineFailure, FirstlightError, NoRoom
from pipelines.events import Kernels, KernelsChanged

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.engine.shapes import ShapeKey
    from pipelines.engine.timings import Timings
    from pipelines.events import Event, Report

In = TypeVar("In")
Out = TypeVar("Out")
_In_contra = TypeVar("_In_contra", contravariant=True)
_Out_co = TypeVar("_Out_co", covariant=True)
_OWN = (Kernels.specialised, Kernels.graph)  # states in which a shape's own kernels run
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How background work ended: well where `failure` is empty. `seconds` is how long it took, where that is known."""

    failure: str = ""
    seconds: float | None = None


class Work(Protocol):
    """Kernels in the making."""

    def poll(self) -> Outcome | None:
        """How it ended, or None while it goes on. Returns at once."""
        ...

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        ...


class Mechanics(Protocol[_In_contra, _Out_co]):
    """What a backend can do with the kernels of one component. The policy decides when, on one thread."""

    def is_kept(self, shape: ShapeKey) -> bool:
        """Whether the shape's own kernels are there from an earlier launch."""
        ...

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: _In_contra) -> _Out_co:
        """Call the network with the kernels of that state.

        Raises:
            EngineFailure, NoRoom: it cannot run so.
        """
        ...

    def specialise(self, shape: ShapeKey) -> Work:
        """Begin to make the shape's own kernels in the background."""
        ...

    def compare(self, shape: ShapeKey, inputs: _In_contra) -> str:
        """Run generic and own kernels on the same inputs; say how they differ if they do beyond tolerance, else ""."""
        ...

    def capture(self, shape: ShapeKey) -> bool:
        """Let the next calls be launched as one graph; False where graphs do not pay."""
        ...

    def forget(self, shape: ShapeKey) -> None:
        """Free what is held for the shape."""
        ...

    def settle(self, shape: ShapeKey) -> None:
        """The shape's kernels are in use: a good moment to keep them for the next launch."""
        ...


@dataclass(frozen=True, slots=True)
class Policy:
    """`kept` shapes at most; counts are of calls in a state before the next; `report_every` is in seconds."""

    kept: int = 8
    calls_generic: int = 1
    calls_specialised: int = 2
    report_every: float = 0.25


@dataclass(frozen=True, slots=True)
class ShapeStatistics:
    """What a shape has seen in this session. `seconds` and `calls` are by state; `making` is seconds, 0 if not made."""

    shape: ShapeKey
    kernels: Kernels
    calls: dict[Kernels, int]
    seconds: dict[Kernels, float]
    making: float = 0.0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Statistics:
    """`evicted` shapes were forgotten to make room."""

    shapes: tuple[ShapeStatistics, ...]
    evicted: int


@dataclass(slots=True)
class _State:
    """A shape's life. `since` is when the state began, `used` a count that grows with every call."""

    shape: ShapeKey
    kernels: Kernels
    since: float
    used: int = 0
    in_state: int = 0
    reported: float = 0.0
    estimate: float | None = None
    is_ready: bool = False  # made, yet not checked and swapped in
    making: float = 0.0
    failure: str = ""
    calls: dict[Kernels, int] = field(default_factory=dict[Kernels, int])
    seconds: dict[Kernels, float] = field(default_factory=dict[Kernels, float])


class Adaptive(Generic[In, Out]):
    """One component on the policy. Not for use from two threads at once.

    `key` names what is made to `timings`: the component first, then what decides how long it takes.
    """

    def __init__(
        self,
        key: str,
        mechanics: Mechanics[In, Out],
        report: Report,
        timings: Timings,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._key = key
        self._component = key.partition(" ")[0]
        self._mechanics = mechanics
        self._report = report
        self._timings = timings
        self._policy = policy or Policy()
        self._clock = clock
        self._states: dict[ShapeKey, _State] = {}
        self._making: tuple[_State, Work] | None = None
        self._calls = 0
        self._evicted = 0

    def __call__(self, shape: ShapeKey, inputs: In) -> Out:
        """Run the network.

        Raises:
            EngineFailure, NoRoom: not even generic kernels can.
            Cancelled: from the report.
        """
        self._collect(shape)
        state = self._admit(shape)
        self._advance(state, inputs)
        outputs = self._run(state, inputs)
        self._start(state)
        return outputs

    def statistics(self) -> Statistics:
        """What happened so far."""
        return Statistics(
            tuple(
                ShapeStatistics(
                    one.shape, one.kernels, dict(one.calls), dict(one.seconds), round(one.making, 3), one.failure
                )
                for one in self._states.values()
            ),
            self._evicted,
        )

    def close(self) -> None:
        """Stop background work and free all shapes. It can be used again."""
        self._drop_work()
        for state in self._states.values():
            self._mechanics.forget(state.shape)
        self._states.clear()

    def _admit(self, shape: ShapeKey) -> _State:
        """The state of a shape, with room made for one that is new."""
        self._calls += 1
        state = self._states.get(shape)
        if state is not None:
            state.used, state.shape = self._calls, shape
            return state
        if len(self._states) >= self._policy.kept:
            self._evict()
        kept = self._mechanics.is_kept(shape)
        kernels = Kernels.specialised if kept else Kernels.generic
        state = _State(shape, kernels, self._clock(), self._calls)
        self._states[shape] = state
        self._say(state, "kept from an earlier launch" if kept else "")
        return state

    def _evict(self) -> None:
        oldest = min(self._states.values(), key=lambda one: one.used)
        if self._making is not None and self._making[0] is oldest:
            self._drop_work()
        del self._states[oldest.shape]
        self._evicted += 1
        self._mechanics.forget(oldest.shape)

    def _drop_work(self) -> None:
        if self._making is not None:
            self._making[1].cancel()
            self._making = None

    def _collect(self, current: ShapeKey) -> None:
        """Ask background work, whichever shape it is for."""
        if self._making is None:
            return
        state, work = self._making
        if state.shape == current:
            state.shape = current  # the words may be others
        outcome = work.poll()
        if outcome is None:
            self._say_making(state)
            return
        self._making = None
        state.making = self._clock() - state.since if outcome.seconds is None else outcome.seconds
        if outcome.failure:
            self._give_up(state, outcome.failure)
            return
        state.is_ready = True
        self._timings.record(self._key, state.making)
        if state.shape != current:
            self._say(state, "made; checked when the size is next used")

    def _advance(self, state: _State, inputs: In) -> None:
        """Between two steps: swap in what is ready."""
        if state.is_ready:
            state.is_ready = False
            try:
                difference = self._mechanics.compare(state.shape, inputs)
            except DeviceLost:
                raise
            except (EngineFailure, NoRoom) as error:
                difference = error.message
            if difference:
                self._give_up(state, f"the kernels for this size were turned down: {difference}")
                return
            self._mechanics.settle(state.shape)
            self._enter(state, Kernels.specialised)
        elif state.kernels is Kernels.specialised and state.in_state == self._policy.calls_specialised:
            self._capture(state)

    def _capture(self, state: _State) -> None:
        try:
            captured = self._mechanics.capture(state.shape)
        except DeviceLost:
            raise
        except (EngineFailure, NoRoom) as error:
            log.warning("%s %s has no graph: %s", self._component, state.shape.words, error.message)
            return  # its own kernels go on, launched one by one
        if captured:
            self._enter(state, Kernels.graph)

    def _run(self, state: _State, inputs: In) -> Out:
        began = self._clock()
        try:
            outputs = self._mechanics.run(state.shape, state.kernels, inputs)
        except DeviceLost:
            raise
        except (EngineFailure, NoRoom) as error:
            if state.kernels not in _OWN:
                raise
            self._give_up(state, error.message)
            began = self._clock()
            outputs = self._mechanics.run(state.shape, Kernels.generic, inputs)
        state.in_state += 1
        state.calls[state.kernels] = state.calls.get(state.kernels, 0) + 1
        state.seconds[state.kernels] = state.seconds.get(state.kernels, 0.0) + self._clock() - began
        return outputs

    def _start(self, state: _State) -> None:
        """Begin to make a shape's kernels, one shape at a time."""
        waits = state.kernels is Kernels.generic and not state.failure
        if not waits or self._making is not None or state.in_state < self._policy.calls_generic:
            return
        try:
            work = self._mechanics.specialise(state.shape)
        except DeviceLost:
            raise
        except (EngineFailure, NoRoom) as error:
            self._give_up(state, error.message)
            return
        self._making = state, work
        state.estimate = self._timings.estimate(self._key)
        self._enter(state, Kernels.specialising)

    def _give_up(self, state: _State, why: str) -> None:
        """Back to generic kernels for this session."""
        log.warning("%s %s stays on generic kernels: %s", self._component, state.shape.words, why)
        state.failure = why
        state.is_ready = False
        self._mechanics.forget(state.shape)
        self._enter(state, Kernels.generic, why)

    def _enter(self, state: _State, kernels: Kernels, reason: str = "") -> None:
        state.kernels, state.since, state.in_state = kernels, self._clock(), 0
        self._say(state, reason)

    def _say_making(self, state: _State) -> None:
        if self._clock() - state.reported >= self._policy.report_every:
            self._say(state, "")

    def _say(self, state: _State, reason: str) -> None:
        state.reported = self._clock()
        elapsed = state.reported - state.since
        estimate = extend(state.estimate, elapsed) if state.kernels is Kernels.specialising else None
        event = KernelsChanged(self._component, state.shape.words, state.kernels, elapsed, estimate, reason)
        self._report(event)


class Threaded:
    """Work on a thread of its own. `make` is given a flag that is set when nobody waits any more."""

    def __init__(self, make: Callable[[threading.Event], None], name: str) -> None:
        self._make = make
        self._stop = threading.Event()
        self._outcome: Outcome | None = None
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def poll(self) -> Outcome | None:
        """See `Work`."""
        return self._outcome

    def cancel(self) -> None:
        """See `Work`."""
        self._stop.set()

    def join(self, seconds: float | None = None) -> None:
        """Wait for its end."""
        self._thread.join(seconds)

    def _work(self) -> None:
        began = time.monotonic()
        try:
            self._make(self._stop)
            outcome = Outcome(seconds=time.monotonic() - began)
        except FirstlightError as error:
            outcome = Outcome(error.message)
        except Exception as error:  # the thread's edge: whatever happened, the generic kernels go on
            log.exception("making kernels failed")
            outcome = Outcome(f"{type(error).__name__}: {error}")
        self._outcome = outcome


class Relay:
    """A report whose receiver changes: components live longer than the request that they were loaded for."""

    def __init__(self) -> None:
        self._receiver: Report | None = None

    def __call__(self, event: Event, /) -> None:
        """Pass it on. Between two requests nobody listens."""
        if self._receiver is not None:
            self._receiver(event)

    def connect(self, receiver: Report | None) -> None:
        """Let another one receive."""
        self._receiver = receiver
