"""Every transition of the policy, with scripted mechanics and a clock of our own."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.engine.adaptive import Adaptive, Outcome, Policy, Relay, Threaded
from pipelines.engine.shapes import ShapeKey
from pipelines.engine.timings import Timings
from pipelines.errors import Cancelled, DeviceLost, EngineFailure, NoRoom
from pipelines.events import Kernels, KernelsChanged, Notice
from tests.conftest import Recorder

if TYPE_CHECKING:
    from pathlib import Path

GENERIC, SPECIALISING, SPECIALISED, GRAPH = Kernels


def shape(side: int) -> ShapeKey:
    return ShapeKey((("sample", (1, 4, side, side)),), f"{side}x{side}")


SMALL, LARGE = shape(64), shape(128)


@dataclass
class ScriptedWork:
    outcome: Outcome | None = None
    cancelled: bool = False

    def poll(self) -> Outcome | None:
        return self.outcome

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Scripted:
    """Mechanics that do what they are told, and a record of what they were asked for."""

    kept: set[ShapeKey] = field(default_factory=set)
    difference: str = ""
    graphs: bool = True
    failing: dict[Kernels, Exception] = field(default_factory=dict)
    cannot_begin: Exception | None = None
    works: dict[ShapeKey, ScriptedWork] = field(default_factory=dict)
    ran: list[tuple[ShapeKey, Kernels]] = field(default_factory=list)
    forgotten: list[ShapeKey] = field(default_factory=list)
    settled: list[ShapeKey] = field(default_factory=list)
    compared: list[int] = field(default_factory=list)

    def is_kept(self, shape: ShapeKey) -> bool:
        return shape in self.kept

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: int) -> str:
        if kernels in self.failing:
            raise self.failing[kernels]
        self.ran.append((shape, kernels))
        return f"{kernels.value} {inputs}"

    def specialise(self, shape: ShapeKey) -> ScriptedWork:
        if self.cannot_begin is not None:
            raise self.cannot_begin
        self.works[shape] = ScriptedWork()
        return self.works[shape]

    def compare(self, shape: ShapeKey, inputs: int) -> str:
        self.compared.append(inputs)
        return self.difference

    def capture(self, shape: ShapeKey) -> bool:
        if GRAPH in self.failing:
            raise self.failing[GRAPH]
        return self.graphs

    def forget(self, shape: ShapeKey) -> None:
        self.forgotten.append(shape)

    def settle(self, shape: ShapeKey) -> None:
        self.settled.append(shape)


class Bench:
    """An `Adaptive` with all that a test looks at."""

    def __init__(self, policy: Policy | None = None, timings: Timings | None = None) -> None:
        self.now = 100.0
        self.mechanics = Scripted()
        self.events = Recorder()
        self.timings = timings or Timings()
        self.adaptive = Adaptive(
            "transformer toy", self.mechanics, self.events, self.timings, policy, clock=lambda: self.now
        )

    def call(self, key: ShapeKey = SMALL, inputs: int = 0, seconds: float = 1.0) -> str:
        self.now += seconds
        return self.adaptive(key, inputs)

    def finish(self, key: ShapeKey = SMALL, failure: str = "") -> None:
        self.mechanics.works[key].outcome = Outcome(failure)

    def states(self, key: ShapeKey = SMALL) -> list[Kernels]:
        """Without repetitions."""
        found: list[Kernels] = []
        for event in self.events.of(KernelsChanged):
            if event.shape == key.words and found[-1:] != [event.kernels]:
                found.append(event.kernels)
        return found

    def last(self) -> KernelsChanged:
        return self.events.of(KernelsChanged)[-1]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_shape_goes_from_generic_to_a_graph(bench: Bench) -> None:
    assert bench.call(inputs=1) == "generic 1"
    assert bench.call(inputs=2) == "specialising 2"
    bench.finish()
    assert bench.call(inputs=3) == "specialised 3"
    assert bench.mechanics.compared == [3]  # on the live inputs, before they are used
    assert bench.mechanics.settled == [SMALL]
    assert bench.call(inputs=4) == "specialised 4"
    assert bench.call(inputs=5) == "graph 5"
    assert bench.call(inputs=6) == "graph 6"
    assert bench.states() == [GENERIC, SPECIALISING, SPECIALISED, GRAPH]
    assert {event.component for event in bench.events.of(KernelsChanged)} == {"transformer"}
    assert bench.mechanics.forgotten == []


def test_what_was_kept_is_in_use_at_once(bench: Bench) -> None:
    bench.mechanics.kept = {SMALL}
    assert bench.call() == "specialised 0"
    assert "earlier launch" in bench.last().reason
    bench.call()
    assert bench.call() == "graph 0"
    assert bench.states() == [SPECIALISED, GRAPH]
    assert bench.mechanics.compared == []


def test_time_and_estimate_are_told_and_the_bar_is_never_full_early(bench: Bench) -> None:
    bench.timings.record("transformer toy", 10.0)
    bench.call()
    assert (bench.last().elapsed, bench.last().estimate) == (0.0, 10.0)
    for _ in range(30):
        bench.call()
        event = bench.last()
        assert event.kernels is SPECIALISING
        assert event.estimate is not None
        assert event.elapsed <= 0.951 * event.estimate
    assert bench.last().elapsed == pytest.approx(30.0)
    bench.finish()
    bench.call()
    assert bench.last().estimate is None
    assert bench.timings.estimate("transformer toy") == pytest.approx(31.0)  # as it took this time


def test_without_earlier_times_there_is_no_estimate(bench: Bench) -> None:
    bench.call()
    bench.call()
    assert bench.last() == KernelsChanged("transformer", "64x64", SPECIALISING, 1.0)


def test_the_elapsed_time_is_told_a_few_times_a_second_and_no_oftener(bench: Bench) -> None:
    bench.call()
    before = len(bench.events.events)
    for _ in range(100):
        bench.call(seconds=0.01)
    assert len(bench.events.events) - before == pytest.approx(4, abs=1)


@pytest.mark.parametrize("inputs", [0, 1])
def test_a_failed_specialisation_stays_generic_and_says_so(bench: Bench, inputs: int) -> None:
    bench.call()
    bench.finish(failure="no compiler")
    assert bench.call() == "generic 0"
    assert (bench.last().kernels, bench.last().reason) == (GENERIC, "no compiler")
    assert bench.mechanics.forgotten == [SMALL]
    for _ in range(5):
        assert bench.call() == "generic 0"
    assert len(bench.mechanics.works) == 1  # not tried again in this session
    assert bench.adaptive.statistics().shapes[0].failure == "no compiler"


def test_one_that_cannot_begin_stays_generic_and_says_so(bench: Bench) -> None:
    bench.mechanics.cannot_begin = NoRoom("no memory for it")
    bench.call()
    assert bench.last().reason == "no memory for it"
    bench.mechanics.cannot_begin = None
    assert bench.call() == "generic 0"
    assert bench.states() == [GENERIC]


def test_kernels_out_of_tolerance_are_turned_down(bench: Bench) -> None:
    bench.mechanics.difference = "it differs by 0.3"
    bench.call()
    bench.finish()
    assert bench.call() == "generic 0"
    assert "it differs by 0.3" in bench.last().reason
    assert bench.states() == [GENERIC, SPECIALISING, GENERIC]
    assert bench.mechanics.settled == []


@pytest.mark.parametrize("broken", [SPECIALISED, GRAPH])
def test_own_kernels_that_break_give_way_to_generic_ones_in_the_same_call(bench: Bench, broken: Kernels) -> None:
    bench.call()
    bench.finish()
    if broken is GRAPH:
        bench.call()
        bench.call()
        bench.mechanics.failing[GRAPH] = EngineFailure("it broke")
        assert bench.call() == "specialised 0"  # it cannot even be captured
        assert bench.states()[-1] is SPECIALISED
        return
    bench.mechanics.failing[broken] = EngineFailure("it broke")
    assert bench.call() == "generic 0"
    assert (bench.last().kernels, bench.last().reason) == (GENERIC, "it broke")


def test_a_graph_that_breaks_gives_way_too(bench: Bench) -> None:
    bench.call()
    bench.finish()
    for _ in range(3):
        bench.call()
    assert bench.states()[-1] is GRAPH
    bench.mechanics.failing[GRAPH] = NoRoom("no memory")
    assert bench.call() == "generic 0"
    assert bench.call() == "generic 0"


def test_generic_kernels_that_fail_are_a_failure(bench: Bench) -> None:
    bench.mechanics.failing[GENERIC] = EngineFailure("nothing runs")
    with pytest.raises(EngineFailure, match="nothing runs"):
        bench.call()


def test_a_lost_gpu_is_no_reason_to_fall_back(bench: Bench) -> None:
    bench.call()
    bench.finish()
    bench.mechanics.failing[SPECIALISED] = DeviceLost("gone")
    with pytest.raises(DeviceLost):
        bench.call()


def test_graphs_that_do_not_pay_are_not_asked_for_again(bench: Bench) -> None:
    bench.mechanics.graphs = False
    bench.call()
    bench.finish()
    for _ in range(6):
        bench.call()
    assert bench.states() == [GENERIC, SPECIALISING, SPECIALISED]


def test_one_shape_at_a_time_is_made_and_the_next_follows(bench: Bench) -> None:
    bench.call(SMALL)
    assert bench.call(LARGE) == "generic 0"
    assert set(bench.mechanics.works) == {SMALL}
    bench.finish(SMALL)
    assert bench.call(LARGE) == "generic 0"  # notices the end, and begins its own
    assert "checked when" in bench.events.of(KernelsChanged)[-2].reason
    assert set(bench.mechanics.works) == {SMALL, LARGE}
    assert bench.call(SMALL) == "specialised 0"
    bench.finish(LARGE)
    assert bench.call(LARGE) == "specialised 0"


def test_the_least_recently_used_shape_makes_room() -> None:
    bench = Bench(Policy(kept=2))
    sides = [shape(side) for side in (64, 128, 192)]
    bench.call(sides[0])
    bench.call(sides[1])
    bench.call(sides[0])
    bench.call(sides[2])
    assert bench.mechanics.forgotten == [sides[1]]
    assert bench.adaptive.statistics().evicted == 1
    assert {one.shape for one in bench.adaptive.statistics().shapes} == {sides[0], sides[2]}
    assert bench.call(sides[1]) == "generic 0"  # again from the start, and now without the first
    assert bench.mechanics.works[sides[0]].cancelled


def test_work_for_an_evicted_shape_is_stopped() -> None:
    bench = Bench(Policy(kept=1))
    bench.call(SMALL)
    bench.call(LARGE)
    assert bench.mechanics.works[SMALL].cancelled
    bench.finish(SMALL)
    bench.call(LARGE)
    assert bench.states(SMALL) == [GENERIC, SPECIALISING]
    assert bench.states(LARGE) == [GENERIC, SPECIALISING]


@pytest.mark.parametrize("state", list(Kernels))
def test_a_cancel_in_any_state_leaves_one_to_go_on_from(bench: Bench, state: Kernels) -> None:
    def cancel(event: object) -> None:
        if isinstance(event, KernelsChanged) and event.kernels is state:
            bench.events.on_event = None
            raise Cancelled

    bench.events.on_event = cancel
    cancelled, results = 0, list[str]()
    for _ in range(9):
        try:
            results.append(bench.call())
        except Cancelled:
            cancelled += 1
        if SMALL in bench.mechanics.works:
            bench.finish()
    assert cancelled == 1
    assert results[-1] == "graph 0"
    assert len(bench.mechanics.works) == 1  # what was begun was used, not begun again
    assert bench.mechanics.settled == [SMALL]


def test_closing_stops_work_and_frees_everything(bench: Bench) -> None:
    bench.call(SMALL)
    bench.call(LARGE)
    bench.adaptive.close()
    assert bench.mechanics.works[SMALL].cancelled
    assert set(bench.mechanics.forgotten) == {SMALL, LARGE}
    assert bench.adaptive.statistics().shapes == ()
    assert bench.call() == "generic 0"


def test_statistics_count_calls_and_seconds_by_state(bench: Bench) -> None:
    bench.call()
    bench.call()
    bench.finish()
    bench.call(seconds=4.0)
    (one,) = bench.adaptive.statistics().shapes
    assert one.calls == {GENERIC: 1, SPECIALISING: 1, SPECIALISED: 1}
    assert one.kernels is SPECIALISED
    assert one.making == pytest.approx(5.0)


def test_shapes_are_told_apart_by_their_sizes_not_by_their_words(bench: Bench) -> None:
    sizes = (("hidden_states", (1, 4096, 64)),)
    bench.call(ShapeKey(sizes, "1024x1024"))
    assert bench.call(ShapeKey(sizes, "512x2048")) == "specialising 0"
    assert bench.last().shape == "512x2048"


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["call", "finish", "fail", "break"])), max_size=40))
def test_the_policy_keeps_its_promises_whatever_happens(script: list[tuple[int, str]]) -> None:
    bench = Bench(Policy(kept=3))
    for number, action in script:
        key = shape(64 * (number + 1))
        work = bench.mechanics.works.get(key)
        match action:
            case "finish" if work is not None:
                work.outcome = Outcome()
            case "fail" if work is not None:
                work.outcome = Outcome("failed")
            case "break":
                bench.mechanics.failing = {SPECIALISED: EngineFailure("broke"), GRAPH: EngineFailure("broke")}
            case _:
                bench.mechanics.failing = {}
        assert bench.call(key).split()[1] == "0"
        assert len(bench.adaptive.statistics().shapes) <= 3
        made = [work for work in bench.mechanics.works.values() if work.outcome is None and not work.cancelled]
        assert len(made) <= 1
    for key in {event.shape for event in bench.events.of(KernelsChanged)}:
        states = bench.states(shape(int(key.split("x")[0])))
        for before, after in itertools.pairwise(states):
            assert after is GENERIC or list(Kernels).index(after) == list(Kernels).index(before) + 1


def test_work_on_a_thread_ends_in_an_outcome() -> None:
    def fail(stop: threading.Event) -> None:
        raise EngineFailure("no compiler")

    def break_down(stop: threading.Event) -> None:
        raise ZeroDivisionError("a fault")

    outcomes: list[Outcome | None] = []
    for make in (lambda stop: None, fail, break_down):
        work = Threaded(make, "kernels")
        work.join(5.0)
        outcomes.append(work.poll())
    good, failed, broken = outcomes
    assert good is not None
    assert good.failure == ""
    assert good.seconds is not None
    assert failed == Outcome("no compiler")
    assert broken == Outcome("ZeroDivisionError: a fault")


def test_work_on_a_thread_hears_that_nobody_waits() -> None:
    heard = threading.Event()

    def wait(stop: threading.Event) -> None:
        assert stop.wait(5.0)
        heard.set()

    work = Threaded(wait, "kernels")
    assert work.poll() is None
    work.cancel()
    assert heard.wait(5.0)


def test_a_relay_passes_events_to_whom_it_is_connected() -> None:
    relay, first, second = Relay(), Recorder(), Recorder()
    relay(Notice("lost"))
    for receiver in (first, second):
        relay.connect(receiver)
        relay(Notice("heard"))
    relay.connect(None)
    relay(Notice("lost"))
    assert first.events == second.events == [Notice("heard")]


def test_timings_survive_damage_and_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "kernels" / "timings.json"
    Timings(file).record("transformer a", 3.0)
    assert Timings(file).estimate("transformer a") == 3.0
    assert Timings(file).estimate("transformer b") == 3.0  # as its like took
    assert Timings(file).estimate("vae a") is None
    for content in ("", "[1]", '{"transformer a": -1}', '{"transformer a": 1e999}', "\0"):
        file.write_text(content)
        assert Timings(file).estimate("transformer a") is None
    file.unlink()
    file.mkdir()
    Timings(file).record("transformer a", 3.0)  # told in the log alone
