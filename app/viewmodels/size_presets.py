"""Sizes to choose from, by shape: computed from the area that a model was made for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.request import SIDE_MAX, SIDE_MIN

if TYPE_CHECKING:
    from pipelines.catalog import Entry

# Width to height, from wide to tall
RATIOS = ((21, 9), (16, 9), (3, 2), (4, 3), (5, 4), (1, 1), (4, 5), (3, 4), (2, 3), (9, 16), (9, 21))


@dataclass(frozen=True, slots=True)
class SizePreset:
    """One shape as the model draws it best: `ratio` is width to height, sizes are pixels."""

    ratio: tuple[int, int]
    width: int
    height: int


def presets(entry: Entry) -> tuple[SizePreset, ...]:
    """A size for each shape, of about the model's own area and never resized; shapes it cannot draw are left out."""
    found = (_nearest(entry, ratio) for ratio in RATIOS)
    return tuple(preset for preset in found if preset is not None)


def same_shape(width: int, height: int, entry: Entry) -> tuple[int, int]:
    """The preset of `entry` that comes nearest to the shape of `width` x `height`."""
    wanted = math.log(width / height)
    best = min(presets(entry), key=lambda one: abs(math.log(one.ratio[0] / one.ratio[1]) - wanted), default=None)
    return (best.width, best.height) if best is not None else (entry.width, entry.height)


def _nearest(entry: Entry, ratio: tuple[int, int]) -> SizePreset | None:
    """Both sides multiples, the area within what was trained, and the shape as near as that allows."""
    if ratio[0] == ratio[1] and entry.width == entry.height:
        return SizePreset(ratio, entry.width, entry.height)
    shape = ratio[0] / ratio[1]
    area, multiple = entry.width * entry.height, entry.size_multiple
    middle = math.sqrt(area * shape) / multiple
    best: tuple[float, SizePreset] | None = None
    for columns in range(max(1, math.floor(middle) - 1), math.ceil(middle) + 3):
        for rows in {math.floor(columns / shape), math.ceil(columns / shape)}:
            width, height = columns * multiple, rows * multiple
            if not _fits(width, height, entry):
                continue
            error = 4 * abs(math.log(width / height / shape)) + abs(math.log(width * height / area))
            if best is None or error < best[0]:
                best = (error, SizePreset(ratio, width, height))
    return best[1] if best is not None else None


def _fits(width: int, height: int, entry: Entry) -> bool:
    short, long = min(width, height), max(width, height)
    if short < SIDE_MIN or long > (entry.max_side or SIDE_MAX):
        return False
    return entry.min_pixels <= width * height <= entry.max_pixels
