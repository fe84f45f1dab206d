"""Checkpoints, clocks and learning rates that the stages share."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from torch import nn

_SAVE_EVERY = 60.0  # seconds


class Clock:
    """Counts a stage's training seconds over several runs and says when a run or the stage must stop."""

    def __init__(self, budget: float, deadline: float, spent: float = 0.0) -> None:
        """`budget`: seconds for the whole stage; `deadline`: `time.monotonic()` at which this run must be over."""
        self.budget, self._deadline, self._spent = budget, deadline, spent
        self._started = self._saved = time.monotonic()

    @property
    def spent(self) -> float:
        """Training seconds so far, earlier runs included."""
        return self._spent + time.monotonic() - self._started

    @property
    def fraction(self) -> float:
        """Progress of the stage, 0 … 1."""
        return min(1.0, self.spent / self.budget)

    @property
    def finished(self) -> bool:
        """Whether the stage's budget is used up."""
        return self.spent >= self.budget

    @property
    def out_of_time(self) -> bool:
        """Whether this run must stop, finished or not."""
        return self.finished or time.monotonic() >= self._deadline

    def time_to_save(self) -> bool:
        """True once a minute."""
        if time.monotonic() - self._saved < _SAVE_EVERY:
            return False
        self._saved = time.monotonic()
        return True


def save(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint whole or not at all."""
    temporary = path.with_suffix(".part")
    torch.save(state, temporary)
    temporary.replace(path)


def load(path: Path, device: torch.device | str) -> dict[str, Any] | None:
    """Read a checkpoint, or None where there is none."""
    return torch.load(path, map_location=device, weights_only=True) if path.exists() else None


class Average:
    """Exponential moving average of a module's parameters, kept in a twin module."""

    def __init__(self, source: nn.Module, twin: nn.Module, decay: float) -> None:
        twin.load_state_dict(source.state_dict())
        self.twin = twin.requires_grad_(False).eval()
        self._decay = decay
        self._pairs = (list(twin.parameters()), list(source.parameters()))

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Move towards the source; faster in the first steps, when the average is still made of noise."""
        decay = min(self._decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self._pairs[0], self._pairs[1], 1 - decay)


def warm_then_linear(fraction: float, step: int, *, warmup: int = 300, hold: float = 0.5) -> float:
    """Learning-rate factor: linear warm-up, constant until `hold` of the budget, then linear to zero."""
    return min(1.0, (step + 1) / warmup) * min(1.0, max(0.0, (1 - fraction) / (1 - hold)))


def warm_then_cosine(fraction: float, step: int, *, warmup: int = 100) -> float:
    """Learning-rate factor: linear warm-up, then a half cosine to zero."""
    return min(1.0, (step + 1) / warmup) * (0.5 + 0.5 * math.cos(math.pi * fraction))


def set_rate(optimizers: Iterable[torch.optim.Optimizer], factor: float) -> None:
    """Scale every group's rate; the full rate is kept in the group as `full_lr`."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group.setdefault("full_lr", group["lr"]) * factor
