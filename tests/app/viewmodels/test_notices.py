"""The one bridge for what the user is told."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from app.viewmodels.notices import Notices, Remedy, Told
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

FULL = Failure("no_room", "The disk is full.", "Free some space.", "details")


def test_kept_until_put_away_and_the_same_counts_up() -> None:
    notices = Notices()
    heard: list[object] = []
    notices.shown_changed.connect(heard.append)
    notices.tell(FULL)
    notices.tell("The settings were broken.")
    notices.tell(FULL)
    full, broken = notices.shown
    assert (full.what, full.count, full.is_problem) == (FULL, 2, True)
    assert (broken.what, broken.count, broken.is_problem) == ("The settings were broken.", 1, False)
    notices.dismiss(full.number)
    assert notices.shown == (broken,)
    notices.tell(FULL)
    assert notices.shown[-1].number > broken.number
    notices.retract("The settings were broken.")
    assert [notice.what for notice in notices.shown] == [FULL]
    assert len(heard) == 6


def test_a_remedy_is_run_once_and_puts_the_notice_away() -> None:
    notices, runs = Notices(), []
    notices.tell(Told.queue_restored, "3", remedy=Remedy.resume_queue, run=lambda: runs.append(1))
    number = notices.shown[0].number
    notices.remedy(number)
    notices.remedy(number)
    assert (runs, notices.shown) == ([1], ())


def test_only_so_many_are_kept() -> None:
    notices = Notices()
    for number in range(60):
        notices.tell(f"{number}")
    assert [notice.what for notice in notices.shown] == [f"{number}" for number in range(10, 60)]


def test_from_any_thread_it_arrives_on_the_window_s(wait: Callable[..., None]) -> None:
    notices, threads = Notices(), []
    notices.shown_changed.connect(lambda _: threads.append(threading.current_thread()))
    thread = threading.Thread(target=lambda: notices.tell("from elsewhere"))
    thread.start()
    thread.join()
    wait(lambda: notices.shown)
    assert threads == [threading.main_thread()]
