"""A component with a stopwatch on it, which also keeps what went in and came out where that is wanted.

Importing this loads PyTorch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor

    from pipelines.engine.base import Component


@dataclass(frozen=True, slots=True)
class Call:
    """What one call took in seconds: on the thread that called, and on the GPU (None without one)."""

    host: float
    device: float | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """The inputs and outputs of one call, on the CPU."""

    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]


class Probe:
    """Stands round a component. `keeps`: `exchanges` has all calls since `clear`; `inputs` has the last."""

    def __init__(self, component: Component, device: str, *, keeps: bool = False) -> None:
        self._component = component
        self._cuda = device.startswith("cuda") and torch.cuda.is_available()
        self._calls: list[tuple[float, tuple[torch.cuda.Event, torch.cuda.Event] | None]] = []
        self.keeps = keeps
        self.exchanges: list[Exchange] = []
        self.inputs: dict[str, Tensor] = {}

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        self.inputs = dict(tensors)
        events = (_event(), _event()) if self._cuda else None
        began = time.perf_counter()
        if events is not None:
            events[0].record()
        outputs = self._component(tensors)
        if events is not None:
            events[1].record()
        self._calls.append((time.perf_counter() - began, events))
        if self.keeps:
            self.exchanges.append(Exchange(_copy(tensors), _copy(outputs)))
        return outputs

    def wrap(self, wrapper: Callable[[Component, str], Component], name: str) -> None:
        """Put something round the component."""
        self._component = wrapper(self._component, name)

    def close(self) -> None:
        """See `Component`."""
        self._component.close()

    def clear(self) -> None:
        """Forget the calls so far."""
        self._calls.clear()
        self.exchanges.clear()

    def calls(self) -> list[Call]:
        """What the calls since `clear` took. Waits for the GPU."""
        if self._cuda:
            torch.cuda.synchronize()
        found: list[Call] = []
        for host, events in self._calls:
            device = events[0].elapsed_time(events[1]) / 1000 if events is not None else None
            found.append(Call(host, device))
        return found


def repeat(tensors: Mapping[str, Tensor], count: int) -> dict[str, Tensor]:
    """The same inputs for `count` pictures at once; positions have no batch, and stay as they are."""
    return {name: _repeat(name, tensor, count) for name, tensor in tensors.items()}


def _repeat(name: str, tensor: Tensor, count: int) -> Tensor:
    if name in ("img_ids", "txt_ids") or tensor.ndim == 0:
        return tensor
    return tensor.repeat(count, *(1 for _ in tensor.shape[1:]))


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)


def _copy(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}
