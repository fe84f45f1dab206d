"""Work in the background comes back to the thread that asked."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from app.viewmodels.lane import Courier, Lane
from pipelines.errors import Cancelled, UnusableFile
from tests.app.viewmodels.model_parts import Ear

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.events import Failure


def test_results_come_back_to_this_thread_in_order(wait: Callable[..., None]) -> None:
    lane, results, threads = Lane(), list[int](), set[int]()
    here = threading.get_ident()

    def work(number: int) -> int:
        threads.add(threading.get_ident())
        return number

    def take(number: int) -> None:
        assert threading.get_ident() == here
        results.append(number)

    for number in range(20):
        lane.do(lambda number=number: work(number), take, lambda failure: None)
    wait(lambda: len(results) == 20)
    assert results == list(range(20))
    assert here not in threads
    lane.close()


def test_failures_come_as_values(wait: Callable[..., None]) -> None:
    lane, failures = Lane(), list["Failure | None"]()

    def fail(error: Exception) -> None:
        raise error

    for error in (UnusableFile("What.", "Do."), Cancelled(), ZeroDivisionError("x")):
        lane.do(lambda error=error: fail(error), lambda result: None, failures.append)
    wait(lambda: len(failures) == 3)
    first, stopped, fault = failures
    assert first is not None
    assert (first.kind, first.message, first.action) == ("unusable_file", "What.", "Do.")
    assert stopped is None
    assert fault is not None
    assert "ZeroDivisionError" in fault.message
    lane.close()


def test_nothing_comes_after_the_end(wait: Callable[..., None]) -> None:
    lane, results, gate = Lane(), list[object](), threading.Event()
    began = threading.Event()

    def work() -> None:
        began.set()
        gate.wait(10)

    lane.do(work, results.append, results.append)
    lane.do(lambda: results.append("never"), results.append, results.append)
    assert began.wait(10)
    threading.Timer(0.05, gate.set).start()
    lane.close()
    wait(gate.is_set)
    assert results == []


def test_a_courier_lets_few_reports_through_and_stops_the_work() -> None:
    courier = Courier()
    ear = Ear(courier.moved)
    for number in range(1000):
        courier(number)
    assert ear.heard[0] == 0
    assert len(ear.heard) < 50
    courier.stop()
    with pytest.raises(Cancelled):
        courier(1)
    courier.start()
    courier(2)
    assert ear.heard[-1] == 2
