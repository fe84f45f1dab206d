"""What a picture will look like, guessed while it is being denoised, for next to nothing.

Two steps: the flow tells where the latents are heading, and a linear map turns latents into colours. The map is fitted
to the checkpoint's own VAE, so it is right for any of them: to a small decoding of the first guess, and from the first
finished picture on to the pictures themselves.

Importing this loads PyTorch.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from pipelines.events import Preview

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVAL = 0.25  # seconds between two: each makes the GPU wait for the CPU once
_SMALL = 16  # latents a side that are decoded for the first fit
_MEMORY = 0.9  # how much the pictures before count, each time a new one is learnt
_RIDGE = 1e-3  # keeps channels that say nothing out of the map


class Scheduler(Protocol):
    """What is used of diffusers' flow-matching schedulers: noise levels from 1 to 0, and where it is among them."""

    sigmas: Tensor

    @property
    def step_index(self) -> int | None:
        """The number of the coming step."""
        ...


class Previews:
    """Guesses for one checkpoint. `decode` turns latents (1, c, h, w) into colours (1, 3, 8h, 8w) in -1 … 1."""

    def __init__(self, decode: Callable[[Tensor], Tensor]) -> None:
        self._decode = decode
        self._map: Tensor | None = None  # (c + 1, 3): a weight for each channel, and the constant
        self._sums: tuple[Tensor, Tensor] | None = None  # of all finished pictures, the latest weighing most
        self._before: Tensor | None = None
        self._shown = 0.0

    def begin(self) -> None:
        """A new picture begins."""
        self._before = None
        self._shown = 0.0

    def step(self, latents: Tensor, scheduler: Scheduler) -> Preview | None:
        """A guess after a step, from `latents` (1, c, h, w); None where it is too early for the next one."""
        before, self._before = self._before, latents
        index, now = scheduler.step_index, time.monotonic()
        if before is None or index is None or not 1 <= index < len(scheduler.sigmas) or now - self._shown < INTERVAL:
            return None
        sigma, sigma_next = float(scheduler.sigmas[index - 1]), float(scheduler.sigmas[index])
        if sigma == sigma_next:
            return None
        # Euler's step backwards: x' = x + (s' - s) v, and the picture is x' - s' v. For schedulers of higher order it
        # is an approximation.
        flow = (latents - before) / (sigma_next - sigma)
        guess = latents - sigma_next * flow
        if self._map is None:
            small = F.adaptive_avg_pool2d(guess, (min(_SMALL, guess.shape[2]), min(_SMALL, guess.shape[3])))
            self._map = _solve(*_sums(small, self._decode(small)))
        self._shown = now
        return _paint(guess, self._map)

    def learn(self, latents: Tensor, sample: Tensor) -> None:
        """A picture is finished: `latents` (1, c, h, w) are `sample` (1, 3, 8h, 8w)."""
        products, targets = _sums(latents, sample)
        if self._sums is not None:
            products, targets = products + _MEMORY * self._sums[0], targets + _MEMORY * self._sums[1]
        self._sums = products, targets
        self._map = _solve(products, targets)


def _sums(latents: Tensor, sample: Tensor) -> tuple[Tensor, Tensor]:
    """What least squares needs, (c + 1, c + 1) and (c + 1, 3), on the CPU: it is tiny."""
    x = _columns(latents)
    size = (latents.shape[2], latents.shape[3])
    y = F.adaptive_avg_pool2d(sample.float(), size)[0].flatten(1).T.cpu()  # (h * w, 3)
    return x.T @ x / len(x), x.T @ y / len(x)


def _solve(products: Tensor, targets: Tensor) -> Tensor:
    return (products + _RIDGE * torch.eye(len(products))).inverse() @ targets


def _columns(latents: Tensor) -> Tensor:
    """(1, c, h, w) to (h * w, c + 1), with a column of ones."""
    flat = latents[0].float().flatten(1).T.cpu()
    return torch.cat([flat, torch.ones(len(flat), 1)], dim=1)


def _paint(latents: Tensor, weights: Tensor) -> Preview:
    height, width = latents.shape[2:]
    colours = torch.nan_to_num(_columns(latents) @ weights).clamp(-1, 1)
    pixels = ((colours + 1) * 127.5).round().to(torch.uint8)
    return Preview(int(width), int(height), pixels.contiguous().numpy().tobytes())
