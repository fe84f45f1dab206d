from __future__ import annotations

import pytest

from app.viewmodels.pace import Pace
from pipelines.events import Progress, Stage


def steps(pace: Pace, begin: float, each: float, count: int, total: int, first: float = 0.0) -> float:
    now = begin
    for done in range(count + 1):
        pace.hear(Progress(Stage.denoising, done, total), now)
        now += each + (first if done == 0 else 0.0)
    return now - each


def test_nothing_is_guessed_before_two_steps_after_the_first() -> None:
    pace = Pace(1, 0)
    pace.hear(Progress(Stage.loading, 3, 5), 0.0)
    assert pace.remaining(1.0) is None
    steps(pace, 10.0, 1.0, 2, 10, first=9.0)
    assert pace.remaining(30.0) is None
    pace.hear(Progress(Stage.denoising, 3, 10), 22.0)
    assert pace.remaining(22.0) == pytest.approx(7.0)


def test_the_slow_first_step_does_not_count() -> None:
    pace = Pace(1, 0)
    now = steps(pace, 0.0, 1.0, 5, 20, first=60.0)
    assert pace.remaining(now) == pytest.approx(15.0)
    assert pace.remaining(now + 0.5) == pytest.approx(14.5)
    assert pace.remaining(now + 50) == pytest.approx(14.0)  # a late step takes nothing away from the others


def test_pictures_to_come_count_with_what_follows_their_steps() -> None:
    pace = Pace(3, 0)
    now = steps(pace, 0.0, 1.0, 4, 4)
    assert pace.remaining(now) is None  # what follows the steps is not known yet
    pace.hear(Progress(Stage.decoding, 0, 1), now)
    pace.save(now + 2.0)
    assert pace.remaining(now + 2.0) == pytest.approx(2 * (4 + 2))
    assert pace.saved == 1
    known = Pace(2, 0, pace.afterwards)
    now = steps(known, 0.0, 1.0, 2, 4)
    assert known.remaining(now) is None
    known.hear(Progress(Stage.denoising, 3, 4), now + 1)
    assert known.remaining(now + 1) == pytest.approx(1 + 2 + 4 + 2)


def test_it_is_never_finished_before_the_end_is_told() -> None:
    pace = Pace(2, 0)
    seen: list[float] = [pace.fraction]
    for picture in range(2):
        now = steps(pace, picture * 10.0, 1.0, 4, 4)
        seen.append(pace.fraction)
        for stage in (Stage.decoding, Stage.upscaling, Stage.saving):
            pace.hear(Progress(stage, 0, 1), now)
            seen.append(pace.fraction)
        pace.save(now)
        seen.append(pace.fraction)
    assert seen == sorted(seen)
    assert 0.45 <= seen[1] < 0.5 <= seen[5]
    assert max(seen) < 1


def test_what_was_saved_before_a_restart_counts() -> None:
    assert Pace(4, 3).fraction == 0.75
