from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.services.engine_values import EngineState
from app.viewmodels.engine_strip import Adaptation, EngineStrip
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.viewmodels.conftest import Bench


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def bench(benches: Callable[..., Bench]) -> Bench:
    return benches(start=False)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def strip(bench: Bench, clock: Clock) -> EngineStrip:
    return EngineStrip(bench.desk.engine, bench.generation, clock)


RTX = PlanChosen("transformer", "tensorrt_rtx", "bf16", "because it is fastest", "cuda:0")


def test_a_backend_that_adapts_nothing_shows_nothing_of_kernels(bench: Bench, strip: EngineStrip) -> None:
    for name in ("text_encoder", "transformer"):
        bench.desk.engine.reported.emit(1, PlanChosen(name, "eager", "fp32", "on the CPU", "cpu"))
    assert strip.plan == PlanChosen("transformer", "eager", "fp32", "on the CPU", "cpu")
    assert (strip.adaptation, strip.cache) == (None, None)


def test_it_follows_the_size_on_the_page(bench: Bench, strip: EngineStrip) -> None:
    report = bench.desk.engine.reported
    report.emit(1, RTX)
    report.emit(1, CacheRead("transformer", hit=False, reason="the driver is another one"))
    assert strip.adaptation == Adaptation("256x256", Kernels.generic)
    report.emit(1, KernelsChanged("transformer", "256x256", Kernels.graph))
    assert strip.adaptation == Adaptation("256x256", Kernels.graph)
    bench.generation.choose_size(320, 256)
    assert strip.adaptation == Adaptation("320x256", Kernels.generic)
    bench.generation.choose_size(250, 250)  # odd: drawn as 256
    assert strip.adaptation == Adaptation("256x256", Kernels.graph)
    assert strip.cache is not None
    assert not strip.cache.hit


def test_specialising_counts_on_and_is_never_finished_early(bench: Bench, strip: EngineStrip, clock: Clock) -> None:
    event = KernelsChanged("transformer", "256x256", Kernels.specialising, 2.0, 10.0)
    bench.desk.engine.reported.emit(1, event)
    clock.now += 3
    strip._show()  # pyright: ignore[reportPrivateUsage]
    assert strip.adaptation is not None
    assert strip.adaptation.elapsed == pytest.approx(5.0)
    assert strip.adaptation.fraction == pytest.approx(0.5)
    clock.now += 300
    strip._show()  # pyright: ignore[reportPrivateUsage]
    assert strip.adaptation.fraction == 0.95
    unknown = KernelsChanged("transformer", "256x256", Kernels.specialising, 2.0, None)
    bench.desk.engine.reported.emit(1, unknown)
    assert strip.adaptation.fraction is None


def test_what_was_in_memory_goes_with_the_process_and_the_plan(bench: Bench, strip: EngineStrip) -> None:
    engine = bench.desk.engine
    engine.reported.emit(1, RTX)
    engine.reported.emit(1, KernelsChanged("transformer", "256x256", Kernels.specialised))
    engine.state_changed.emit(EngineState.stopped)
    assert strip.adaptation is None
    engine.reported.emit(2, RTX)
    engine.reported.emit(2, KernelsChanged("transformer", "256x256", Kernels.specialised))
    engine.reported.emit(3, PlanChosen("transformer", "eager", "bf16", "asked for", "cuda:0"))
    assert strip.adaptation is None


def test_other_components_do_not_count(bench: Bench, strip: EngineStrip) -> None:
    bench.desk.engine.reported.emit(1, KernelsChanged("vae", "256x256", Kernels.specialised))
    assert strip.adaptation is None
