"""What things have taken on this machine, in a small file: estimates come from it. Losing it costs nothing.

Standard library only.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from pipelines.engine import numbers

if TYPE_CHECKING:
    from pathlib import Path

NEVER_MORE = 0.95  # of what was estimated, as long as a thing is not finished
_LONGEST = 1e6  # seconds; more is no duration but damage


class Timings:
    """Seconds by key. The first word of a key is its kind. Without a file they are kept in memory."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, float] = {}

    def estimate(self, key: str) -> float | None:
        """As the same thing took the last time, else as others of its kind did, else None."""
        known = self._read()
        if key in known:
            return known[key]
        kind = f"{key.partition(' ')[0]} "
        alike = [seconds for other, seconds in known.items() if other.startswith(kind)]
        return statistics.median(alike) if alike else None

    def record(self, key: str, seconds: float) -> None:
        """Keep what a thing took. A file that cannot be written is no failure."""
        self._known = {**self._read(), key: seconds}
        numbers.write(self._file, self._known)

    def _read(self) -> dict[str, float]:
        if self._file is None:
            return self._known
        return {key: seconds for key, seconds in numbers.read(self._file).items() if 0 < seconds < _LONGEST}


def extend(estimate: float | None, elapsed: float) -> float | None:
    """An estimate that what is still going on after `elapsed` seconds never reaches: no bar is full early."""
    return None if estimate is None else max(estimate, elapsed / NEVER_MORE)
