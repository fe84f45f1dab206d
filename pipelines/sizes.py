"""Which size is drawn for a size that is asked for: pure, and says why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.catalog import Entry


@dataclass(frozen=True, slots=True)
class RenderSize:
    """The sizes on the way to a picture, in pixels.

    The network draws `width` x `height`; its middle, `content_width` x `content_height`, is cut out and
    resized to the size asked for where it differs. `reason` is empty where nothing is resized: a border that
    is cut off goes unnoticed.
    """

    width: int
    height: int
    content_width: int
    content_height: int
    reason: str = ""

    @property
    def left(self) -> int:
        """Where the content begins."""
        return (self.width - self.content_width) // 2

    @property
    def top(self) -> int:
        """Where the content begins."""
        return (self.height - self.content_height) // 2


def choose(width: int, height: int, entry: Entry) -> RenderSize:
    """Decide what is drawn for a picture of `width` x `height` by a model with the limits of `entry`."""
    drawn = _pad(width, height, entry.size_multiple)
    if width * height > entry.max_pixels or (entry.max_side and max(width, height) > entry.max_side):
        smaller = _fit_below(width, height, entry)
        if smaller.width * smaller.height < drawn.width * drawn.height:
            return _because(smaller, width, height, entry, "at most", "enlarged")
    elif width * height < entry.min_pixels:
        larger = _fit_above(width, height, entry)
        if larger.width * larger.height > drawn.width * drawn.height:
            return _because(larger, width, height, entry, "at least", "reduced")
    return drawn


def choose_again(width: int, height: int, entry: Entry) -> RenderSize:
    """What is drawn in a second pass: any size, since the first has laid the picture out at one that is known."""
    return _pad(width, height, entry.size_multiple)


def _because(drawn: RenderSize, width: int, height: int, entry: Entry, bound: str, change: str) -> RenderSize:
    limit = entry.min_pixels if bound == "at least" else entry.max_pixels
    side = math.isqrt(limit)
    beyond_side = bound == "at most" and width * height <= limit
    trained = f"sides of {bound} {entry.max_side}" if beyond_side else f"{bound} about {side}x{side}"
    reason = (
        f"Drawn at {drawn.content_width}x{drawn.content_height} and {change} to {width}x{height}: "
        f"{entry.title} was trained for {trained} pixels."
    )
    return RenderSize(drawn.width, drawn.height, drawn.content_width, drawn.content_height, reason)


def _fit_below(width: int, height: int, entry: Entry) -> RenderSize:
    """The largest drawing of that shape within the model's area and side, its border included."""
    scale = math.sqrt(entry.max_pixels / (width * height))
    if entry.max_side:
        scale = min(scale, entry.max_side / max(width, height))
    multiple = entry.size_multiple
    # Sides rounded down to multiples; the content is the largest area inside that has the shape asked for.
    inner_width = max(multiple, int(width * scale) // multiple * multiple)
    inner_height = max(multiple, int(height * scale) // multiple * multiple)
    fit = min(inner_width / width, inner_height / height)
    content = max(1, round(width * fit)), max(1, round(height * fit))
    return _pad(*content, multiple)


def _fit_above(width: int, height: int, entry: Entry) -> RenderSize:
    """The smallest drawing of that shape that has the model's least area, never past its largest."""
    scale = math.sqrt(entry.min_pixels / (width * height))
    if entry.max_side:
        scale = min(scale, entry.max_side / max(width, height))
    return _pad(round(width * scale), round(height * scale), entry.size_multiple)


def _pad(width: int, height: int, multiple: int) -> RenderSize:
    return RenderSize(-(-width // multiple) * multiple, -(-height // multiple) * multiple, width, height)
