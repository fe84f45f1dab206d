"""Sizes and times in words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QLocale

from app.views.measures import say_age, say_memory, say_seconds, say_size, say_speed, say_time_left

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY = 86_400


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


def test_sizes() -> None:
    assert [say_size(count) for count in (0, 999, 7000, 1_500_000, 23_800_000_000)] == [
        "0 bytes", "999 bytes", "7 kB", "1.5 MB", "23.8 GB",
    ]  # fmt: skip
    assert say_speed(34_000_000) == "34.0 MB/s"
    assert (say_memory(12 * 2**30), say_memory(1.5 * 2**30)) == ("12 GB", "1.5 GB")


def test_sizes_in_german() -> None:
    QLocale.setDefault(QLocale("de_DE"))
    assert say_size(1_500_000) == "1,5 MB"
    assert say_seconds(2.75) in ("2,8 s", "2,7 s")


def test_times() -> None:
    assert [say_seconds(seconds) for seconds in (0.094, 2.71, 125.4)] == ["0.09 s", "2.7 s", "2 min 5 s"]
    assert [say_time_left(seconds) for seconds in (0.1, 45, 90, 7300)] == [
        "about 1 seconds left", "about 45 seconds left", "about 2 minutes left", "about 2 hours left",
    ]  # fmt: skip  # the plurals of English are in its translation


def test_ages() -> None:
    now = time.time()
    assert [say_age(now - age) for age in (1, 300, 7200, 3 * _DAY)] == [
        "just now", "5 minutes ago", "2 hours ago", "3 days ago",
    ]  # fmt: skip
    assert say_age(0) in ("01/01/1970", "1/1/70")
