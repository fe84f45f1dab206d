"""Times of steps and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.services.jobs import Drawn
from app.viewmodels.timings import StepRun, Timings
from pipelines.events import PictureSaved, PlanChosen, Progress, Stage
from pipelines.request import Backend
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.viewmodels.conftest import Bench


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_of_each_step(benches: Callable[..., Bench], wait: Callable[..., None]) -> None:
    bench, clock = benches(start=False), Clock()
    timings = Timings(bench.desk.engine, bench.desk.library, clock=clock)
    report = bench.desk.engine.reported
    for number in range(12):
        report.emit(1, PlanChosen("transformer", "inductor", "bf16", "", "cuda:0"))
        report.emit(1, Progress(Stage.denoising, 0, 3))
        for step, seconds in enumerate((2.0, 0.5, 0.25), start=1):
            clock.now += seconds + number
            report.emit(1, Progress(Stage.denoising, step, 3))
        report.emit(1, PictureSaved(Path("x.png"), 1, 640, 512, 3.0))
        clock.now += 100  # what is between two pictures is no step
    assert len(timings.runs) == 8
    last = timings.runs[-1]
    assert last == StepRun((13.0, 11.5, 11.25), "640 × 512", "inductor")
    assert last.median == 11.5
    report.emit(2, Progress(Stage.denoising, 0, 3))
    clock.now += 1
    report.emit(2, Progress(Stage.denoising, 1, 3))
    wait(lambda: timings.runs[-1].seconds == (1.0,))  # one that is being drawn


def test_pictures_of_the_library_newest_last(benches: Callable[..., Bench]) -> None:
    bench = benches(start=False)
    timings = Timings(bench.desk.engine, bench.desk.library)
    for number in range(3):
        saved = PictureSaved(Path(f"/nowhere/{number}.png"), number, 64, 64, 1.0 + number)
        bench.desk.library.add(Drawn(1, saved, request("x"), "eager", "fp32"))
    assert timings.pictures == ()  # nobody has looked yet
    timings.refresh()
    assert [one.seconds for one in timings.pictures] == [1.0, 2.0, 3.0]
    assert timings.pictures[0].backend == "eager"
    assert timings.pictures[0].steps == request("x").num_inference_steps
    bench.desk.library.add(
        Drawn(1, PictureSaved(Path("/nowhere/9.png"), 9, 64, 64, 9.0), request("x"), "eager", "fp32")
    )
    assert timings.pictures[-1].seconds == 9.0


@pytest.mark.parametrize("count", [2])
def test_a_real_job(
    benches: Callable[..., Bench], wait: Callable[..., None], tiny_model: Path, tmp_path: Path, count: int
) -> None:
    bench = benches()
    timings = Timings(bench.desk.engine, bench.desk.library)
    timings.refresh()
    job = request("x", model=str(tiny_model), backend=Backend.fake, num_inference_steps=4, num_images=count)
    bench.desk.jobs.submit(job, tmp_path)
    wait(lambda: len(timings.pictures) == count)
    assert [len(run.seconds) for run in timings.runs] == [4] * count
    assert all(0 < run.median < 60 for run in timings.runs)
    assert timings.runs[-1].backend == "fake"
