"""Times and what is told of many of them: the median, the tail and the extremes."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TAIL = 0.95  # of all times are not above the tail


@dataclass(frozen=True, slots=True)
class Stats:
    """Seconds of `count` repetitions; `tail` is the 95th percentile."""

    count: int
    median: float
    tail: float
    best: float
    worst: float


def summarise(seconds: Sequence[float]) -> Stats:
    """What is told of these times; there is at least one."""
    ordered = sorted(seconds)
    tail = ordered[min(len(ordered) - 1, math.ceil(TAIL * len(ordered)) - 1)]  # nearest rank: a time that was seen
    median = statistics.median(ordered)
    return Stats(len(ordered), *(round(value, 6) for value in (median, tail, ordered[0], ordered[-1])))
