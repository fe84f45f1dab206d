from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from app.services.engine_values import Ending
from app.services.job_store import JobState
from app.services.settings_table import BACKEND, LIVE_PREVIEW
from app.viewmodels.notices import Remedy
from app.viewmodels.run import Doing, Phase
from pipelines.events import Preview, Stage
from tests.app.viewmodels.conftest import Bench
from tests.pipelines import scripted

if TYPE_CHECKING:
    from pathlib import Path

Benches = Callable[..., Bench]
Wait = Callable[..., None]


class Log(QObject):
    """Keeps every value that a signal carried."""

    def __init__(self, *signals: object) -> None:
        super().__init__()
        self.seen: list[object] = []
        for signal in signals:
            signal.connect(self.take)  # pyright: ignore[reportAttributeAccessIssue]

    def take(self, value: object) -> None:
        self.seen.append(value)


def draw(bench: Bench, prompt: str, count: int = 1) -> int:
    page = bench.generation
    page.prompt, page.count = prompt, count
    request = replace(page.make_request(), width=64, height=64)
    return bench.desk.jobs.submit(request, bench.folders.pictures)


def test_a_job_is_followed_from_its_start_to_its_end(benches: Benches, wait: Wait) -> None:
    bench = benches(scripted.main)
    run = bench.run
    phases, doing = Log(run.phase_changed), Log(run.doing_changed)
    draw(bench, "steps 6")
    assert run.phase is Phase.starting
    wait(lambda: run.phase is Phase.ended)
    assert phases.seen == [Phase.starting, Phase.running, Phase.ended]
    assert Doing(Stage.denoising, 3, 6) in doing.seen
    assert run.outcome is not None
    assert run.outcome.ending is Ending.done
    assert (run.fraction, run.times.remaining, run.doing) == (1.0, 0.0, None)
    assert run.times.elapsed > 0.1
    assert not run.can_retry


def test_pictures_and_plans_are_counted(benches: Benches, wait: Wait) -> None:
    bench = benches(scripted.main)
    pictures, fractions = Log(bench.run.picture_changed), Log(bench.run.fraction_changed)
    draw(bench, "save", 3)
    wait(lambda: bench.run.phase is Phase.ended)
    assert pictures.seen == [(1, 3), (2, 3), (3, 3)]
    assert fractions.seen == sorted(fractions.seen, key=lambda value: float(str(value)))
    assert fractions.seen[-1] == 1.0
    assert 1.0 not in fractions.seen[:-1]


def test_previews_and_notices_arrive(benches: Benches, wait: Wait, tmp_path: Path) -> None:
    bench = benches(scripted.main)
    previews = Log(bench.run.preview_changed)
    draw(bench, f"lost once {tmp_path / 'flag'}", 2)
    wait(lambda: bench.run.phase is Phase.ended)
    assert previews.seen[0] == Preview(1, 1, b"\1\2\3")
    assert bench.run.preview is None
    assert "2 to draw" in bench.run.notices
    assert any("started again" in notice for notice in bench.run.notices)


def test_previews_can_be_switched_off(benches: Benches, wait: Wait, tmp_path: Path) -> None:
    bench = benches(scripted.main)
    bench.desk.settings.set(LIVE_PREVIEW, value=False)
    previews = Log(bench.run.preview_changed)
    draw(bench, f"lost once {tmp_path / 'flag'}", 2)
    wait(lambda: bench.run.phase is Phase.ended)
    assert previews.seen == []


def test_cancel_while_drawing(benches: Benches, wait: Wait) -> None:
    bench = benches(scripted.main)
    draw(bench, "steps 5000")
    wait(lambda: bench.run.doing is not None)
    bench.generation.cancel()
    assert bench.run.phase is Phase.cancelling  # acknowledged at once
    wait(lambda: bench.run.phase is Phase.ended)
    assert bench.run.outcome is not None
    assert bench.run.outcome.ending is Ending.cancelled
    assert bench.notices.shown == ()
    assert bench.run.can_retry


def test_a_cancel_that_is_not_heeded_offers_the_end(benches: Benches, wait: Wait) -> None:
    bench = benches(scripted.main)
    draw(bench, "hang")
    wait(lambda: bench.run.doing is not None)
    bench.run.cancel()
    wait(lambda: bench.run.stuck is not None, 20)
    assert bench.run.stuck is not None
    assert bench.run.stuck.doing == "loading transformer"
    bench.run.end_now()
    wait(lambda: bench.run.phase is Phase.ended)
    assert bench.run.stuck is None
    assert bench.desk.jobs.store.ids((JobState.cancelled,)) != []
    draw(bench, "save")
    wait(lambda: bench.desk.jobs.store.ids((JobState.done,)))


@pytest.mark.parametrize("prompt", ["kill", "raise NoRoom"])
def test_a_failure_is_told_with_a_way_to_try_again(benches: Benches, wait: Wait, prompt: str) -> None:
    bench = benches(scripted.main)
    job = draw(bench, prompt)
    wait(lambda: bench.run.phase is Phase.ended and bench.notices.shown)
    assert bench.run.outcome is not None
    assert bench.run.outcome.ending is (Ending.crashed if prompt == "kill" else Ending.failed)
    notice = bench.notices.shown[0]
    assert notice.remedy is Remedy.try_again
    bench.notices.remedy(notice.number)
    assert bench.desk.jobs.running is not None
    assert bench.desk.jobs.running.id == job
    wait(lambda: bench.run.phase is Phase.ended)


def test_the_end_of_one_is_told_before_the_next_begins(benches: Benches, wait: Wait) -> None:
    bench = benches(scripted.main)
    outcomes = Log(bench.run.outcome_changed)
    bench.desk.jobs.pause()
    first, second = draw(bench, "raise NoRoom"), draw(bench, "save")
    bench.desk.jobs.resume()
    wait(lambda: bench.run.job is not None and bench.run.job.id == second and bench.run.phase is Phase.ended)
    endings = [(outcome.job, outcome.ending) for outcome in outcomes.seen if outcome is not None]  # pyright: ignore[reportAttributeAccessIssue]
    assert endings == [(first, Ending.failed), (second, Ending.done)]
    assert bench.told() == ["There is no room."]


def test_the_real_engine_shows_preview_plan_and_pictures(benches: Benches, wait: Wait, tiny_model: Path) -> None:
    bench = benches()
    page, run = bench.generation, bench.run
    previews, plans = Log(run.preview_changed), Log(run.plans_changed)
    page.choose_model(str(tiny_model))
    page.prompt, page.steps, page.count = "a tiny fox", 6, 2
    page.generate()
    wait(lambda: run.phase is Phase.ended, 120)
    assert run.outcome is not None
    assert run.outcome.ending is Ending.done, bench.told()
    assert any(isinstance(preview, Preview) for preview in previews.seen)
    assert {plan.component for plan in run.plans} >= {"transformer", "vae"}
    assert {plan.device for plan in run.plans} == {"cpu"}
    assert plans.seen
    assert len(bench.desk.library.store.ids()) == 2


def test_cancel_while_loading(benches: Benches, wait: Wait, tiny_model: Path) -> None:
    bench = benches()
    bench.desk.settings.set(BACKEND, "fake")
    bench.generation.choose_model(str(tiny_model))
    bench.generation.generate()
    wait(lambda: bench.run.doing is not None and bench.run.doing.stage is Stage.loading, 120)
    bench.generation.cancel()
    wait(lambda: bench.run.phase is Phase.ended, 120)
    assert bench.run.outcome is not None
    assert bench.run.outcome.ending is Ending.cancelled
    bench.generation.steps = 2
    bench.generation.generate()
    wait(lambda: bench.desk.jobs.store.ids((JobState.done,)), 120)
    assert bench.run.fraction == 1.0
