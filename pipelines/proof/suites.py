"""What each suite of the benchmark does. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.catalog import Entry

Size = tuple[int, int]
PARTS = ("pictures", "sequence", "starts")


@dataclass(frozen=True, slots=True)
class Suite:
    """Sizes are in parts of the model's own side; `steps` of 0 are the model's own.

    `warmups` and `rounds` are pictures of each contender and size. The curves: `step_curve` are numbers of steps,
    `batches` pictures at once in each network, `loras` numbers of LoRAs; each at the smallest size. `starts` of the
    last contenders are measured in fresh processes, with a cold and a warm cache. `sequence` draws twelve requests over
    five sizes, each contender in a fresh process. `pictures` is everything else. `precisions`: in all that the machine
    has. `rivals`: also with PyTorch's compiler as it comes.
    """

    name: str
    scales: tuple[tuple[float, float], ...]
    steps: int
    warmups: int
    rounds: int
    step_curve: tuple[int, ...] = ()
    batches: tuple[int, ...] = (1,)
    loras: tuple[int, ...] = ()
    calls: int = 5
    starts: int = 0
    sequence: bool = False
    streams: bool = False
    precisions: bool = False
    rivals: bool = False
    pictures: bool = True

    def narrow(self, only: Sequence[str], steps: int) -> Suite:
        """Only these `PARTS` of it, unless there are none, with that number of steps, unless it is 0.

        Raises:
            InvalidRequest: there is no such part.
        """
        unknown = [name for name in only if name not in PARTS]
        if unknown:
            raise InvalidRequest(f"A benchmark has no part {unknown[0]!r}.", f"Use {', '.join(PARTS)}.")
        parts = only or PARTS
        return replace(
            self,
            steps=steps or self.steps,
            pictures=self.pictures and "pictures" in parts,
            sequence=self.sequence and "sequence" in parts,
            starts=self.starts if "starts" in parts else 0,
        )


QUICK = Suite(
    name="quick",
    scales=((1, 1), (1.25, 1), (1.5, 1.5)),
    steps=4,
    warmups=1,
    rounds=3,
    step_curve=(1, 2),
    batches=(1, 2),
    calls=2,
    starts=1,
)
ADAPTIVE = Suite(name="adaptive", scales=((1, 1),), steps=0, warmups=1, rounds=3, starts=1, sequence=True, rivals=True)
PRECISION = Suite(
    name="precision",
    scales=((0.5, 0.5), (1, 1), (1.25, 1.25)),
    steps=0,
    warmups=1,
    rounds=5,
    batches=(1, 4),
    precisions=True,
)
FULL = Suite(
    name="full",
    scales=((0.5, 0.5), (0.75, 0.75), (1, 1), (1.25, 1), (1.25, 1.25), (1.5, 1.5)),
    steps=0,
    warmups=2,
    rounds=7,
    step_curve=(1, 4, 12, 28),
    batches=(1, 2, 4, 8),
    loras=(0, 1, 2, 4),
    calls=10,
    starts=1,
    sequence=True,
    streams=True,
    precisions=True,
)
SUITES = {suite.name: suite for suite in (QUICK, ADAPTIVE, PRECISION, FULL)}
# Twelve requests over five sizes, as parts of the model's side: new sizes come late, old ones come back
SEQUENCE: tuple[tuple[float, float], ...] = (
    (1, 1), (1, 1), (1.25, 1), (1, 1), (1, 1.25), (1.25, 1),
    (1.25, 1.25), (1, 1.25), (1.5, 1), (1, 1), (1.25, 1.25), (1.5, 1),
)  # fmt: skip


def find(name: str) -> Suite:
    """The suite of that name.

    Raises:
        InvalidRequest: there is none.
    """
    if name not in SUITES:
        raise InvalidRequest(f"There is no suite {name!r}.", f"Use {', '.join(SUITES)}.")
    return SUITES[name]


def scale(size: Size, part: tuple[float, float], multiple: int) -> Size:
    """A part of a size, rounded to what the model draws without cropping; never below 64 pixels a side."""
    sides = (round(side * share / multiple) * multiple for side, share in zip(size, part, strict=True))
    width, height = (max(64, min(4096, side)) for side in sides)
    return width, height


def sizes(suite: Suite, entry: Entry) -> list[Size]:
    """The suite's sizes for a model, smallest first: those of its own that it draws as they are, without resizing."""
    own = entry.width, entry.height
    found = {scale(own, part, entry.size_multiple) for part in suite.scales}
    drawn = {size for size in found if entry.min_pixels <= size[0] * size[1] <= entry.max_pixels} or {own}
    return sorted(drawn, key=lambda size: (size[0] * size[1], size))
