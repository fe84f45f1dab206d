"""Edges of a picture as Canny found them, to the pixel those of OpenCV's `Canny`, which ControlNets were trained with.

Written on NumPy: OpenCV itself would be 150 MB for this one function. The method is that of J. Canny, "A Computational
Approach to Edge Detection" (1986); the details that OpenCV adds (https://docs.opencv.org, imgproc, `Canny`): Sobel
slopes of 3x3 without blurring first, their size as |x| + |y|, and of a colour picture each pixel's steepest channel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LOW, HIGH = 100, 200  # what ControlNets are used with: slopes that may go on, and that may begin, an edge
_Array = NDArray[np.int32]
# tan 22.5° in 15 bits, as OpenCV has it: whole numbers give the same edges on every machine
_TAN_22, _BITS = 13573, 15


def find_edges(pixels: NDArray[np.uint8], low: int = LOW, high: int = HIGH) -> NDArray[np.uint8]:
    """White lines on black, (height, width) of 0 and 255, for a picture of (height, width, channels)."""
    x, y = _slopes(pixels.astype(np.int32))
    steepness = np.abs(x) + np.abs(y)
    steepest = steepness.argmax(axis=-1)[..., None]
    x, y, steepness = (np.take_along_axis(one, steepest, axis=-1)[..., 0] for one in (x, y, steepness))
    ridge = (steepness > low) & _is_ridge(x, y, steepness)
    return np.where(_connect(ridge, ridge & (steepness > high)), 255, 0).astype(np.uint8)


def _slopes(pixels: _Array) -> tuple[_Array, _Array]:
    """Sobel's, to the right and downwards; outside, the edge is repeated."""
    padded = np.pad(pixels, ((1, 1), (1, 1), (0, 0)), mode="edge")
    down = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    across = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    return down[:, 2:] - down[:, :-2], across[2:] - across[:-2]


def _is_ridge(x: _Array, y: _Array, steepness: _Array) -> NDArray[np.bool_]:
    """Where no neighbour is steeper, along the slope; of two that are equal one counts."""
    height, width = steepness.shape
    around = np.pad(steepness, 1)

    def at(down: int, right: int) -> _Array:
        return around[1 + down : 1 + down + height, 1 + right : 1 + right + width]

    flat, run = np.abs(y) << _BITS, np.abs(x) * _TAN_22
    level, upright = flat < run, flat > run + (np.abs(x) << (_BITS + 1))  # tan 67.5° is 2 more than tan 22.5°
    falls = (x ^ y) < 0
    before = np.where(falls, at(-1, 1), at(-1, -1))
    after = np.where(falls, at(1, -1), at(1, 1))
    return np.select(
        [level, upright],
        [
            (steepness > at(0, -1)) & (steepness >= at(0, 1)),
            (steepness > at(-1, 0)) & (steepness >= at(1, 0)),
        ],
        (steepness > before) & (steepness > after),
    ).astype(np.bool_)


def _connect(ridge: NDArray[np.bool_], begins: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What of the ridges hangs together with a place where an edge may begin, corner to corner too."""
    width = ridge.shape[1] + 2
    waiting = np.pad(ridge, 1).ravel()
    found = np.zeros_like(waiting)
    around = np.array([down * width + right for down in (-1, 0, 1) for right in (-1, 0, 1)])
    front = np.flatnonzero(np.pad(begins, 1))
    while front.size:
        found[front], waiting[front] = True, False
        near = np.unique((front[:, None] + around).ravel())
        front = near[waiting[near]]
    return found.reshape(-1, width)[1:-1, 1:-1]
