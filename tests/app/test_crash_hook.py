"""Faults of our own while the window is open."""

from __future__ import annotations

import logging
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QTimer, qWarning

from app.crash_hook import CrashHook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.events import Failure


@pytest.fixture
def told() -> Iterator[list[Failure]]:
    told: list[Failure] = []
    hook = CrashHook(told.append)
    before = sys.excepthook, threading.excepthook
    hook.install()
    yield told
    hook.remove()
    assert (sys.excepthook, threading.excepthook) == before


def fail() -> None:
    raise ZeroDivisionError("in a slot")


@pytest.mark.no_qt_log
def test_a_fault_in_a_slot_is_told_and_the_loop_goes_on(
    told: list[Failure], wait: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    after: list[int] = []
    QTimer.singleShot(0, fail)
    QTimer.singleShot(10, lambda: after.append(1))
    wait(lambda: after)
    (failure,) = told
    assert failure.kind == "fault"
    assert "ZeroDivisionError: in a slot" in failure.message
    assert "def fail" not in failure.details
    assert "test_crash_hook.py" in failure.details
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.no_qt_log
def test_a_fault_on_a_thread_is_told(told: list[Failure]) -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert [failure.kind for failure in told] == ["fault"]


@pytest.mark.no_qt_log
def test_what_qt_complains_of_is_logged(told: list[Failure], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        qWarning("QObject: something is odd")
    assert ("qt", logging.WARNING, "QObject: something is odd") in caplog.record_tuples
    assert told == []
