"""The last benchmark of this machine, from the records that `firstlight bench` keeps."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipelines.errors import UnusableFile
from pipelines.proof import record

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "bench"  # of the records
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BenchTime:
    """A whole picture: median and 95th percentile in seconds; `size` is as in `1024x1024`."""

    contender: str
    size: str
    seconds: float
    tail: float


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a record says of whole pictures, in its own order; the first contender is the baseline."""

    model: str
    suite: str
    created: str
    steps: int
    times: tuple[BenchTime, ...]

    @property
    def contenders(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(dict.fromkeys(one.contender for one in self.times))

    @property
    def sizes(self) -> tuple[str, ...]:
        """All sizes, smallest first."""
        return tuple(dict.fromkeys(one.size for one in self.times))

    def find(self, contender: str, size: str) -> BenchTime | None:
        """That of a contender at a size."""
        return next((one for one in self.times if (one.contender, one.size) == (contender, size)), None)


class Benchmarks:
    """The records in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def look(self) -> Benchmark | None:
        """The newest that has pictures; what cannot be read is passed over. Names begin with the time."""
        for file in sorted(self._folder.glob("*.json"), reverse=True):
            try:
                found = _parse(record.read(file))
            except (UnusableFile, KeyError, TypeError, ValueError) as error:
                log.warning("the record %s is not shown: %s", file, error)
                continue
            if found.times:
                return found
        return None


def _parse(plain: dict[str, Any]) -> Benchmark:
    pictures = [one for one in plain["timings"] if one["what"] == "picture" and not one["loras"]]
    steps = int(pictures[0]["steps"]) if pictures else 0
    times = tuple(
        BenchTime(str(one["contender"]), str(one["size"]), float(one["host"]["median"]), float(one["host"]["tail"]))
        for one in pictures
        if one["steps"] == steps
    )
    return Benchmark(str(plain["model"]), str(plain["suite"]), str(plain["created"]), steps, times)
