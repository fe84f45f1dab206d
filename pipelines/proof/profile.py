"""Where the time of a picture goes: by network, by kernel or operation, and what happens between them.

PyTorch's profiler watches one picture after a warm-up. What runs inside a TensorRT engine is one entry here: its own
layers are not looked into. Importing this loads PyTorch.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from torch import profiler

from pipelines.events import Notice
from pipelines.proof.advice import advise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from pipelines.engine.base import Component
    from pipelines.events import Report
    from pipelines.proof.rig import Rig
    from pipelines.request import GenerationRequest

_MARK = "component: "
_CPU: Any = importlib.import_module("torch.autograd").DeviceType.CPU
_MOST = 40  # rows that are kept
_COPIES = ("memcpy", "aten::copy_", "aten::_to_copy", "aten::clone", "aten::contiguous")
_LAUNCHES = ("cudalaunchkernel", "culaunchkernel", "cudagraphlaunch")


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel (or on a CPU an operation) within a network: how often, and seconds of its own in all."""

    component: str
    name: str
    calls: int
    seconds: float
    share: float
    advice: str = ""


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """A network: seconds on the thread that calls, seconds that the GPU was busy for it (0 without one)."""

    component: str
    calls: int
    host: float
    device: float


@dataclass(frozen=True, slots=True)
class Profile:
    """One picture. `gaps` are seconds in which the GPU waited for the host (None without one)."""

    contender: str
    size: str
    steps: int
    wall: float
    components: tuple[ComponentRow, ...]
    rows: tuple[Row, ...]
    launches: int
    copies: int
    copy_seconds: float
    gaps: float | None
    top: tuple[Row, ...]
    version: int = 1


class _Marked:
    """A component whose calls are named in the profile."""

    def __init__(self, component: Component, name: str) -> None:
        self._component = component
        self._name = _MARK + name

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        with profiler.record_function(self._name):
            return self._component(tensors)

    def close(self) -> None:
        self._component.close()


def profile(rig: Rig, request: GenerationRequest, report: Report, trace: Path | None = None) -> Profile:
    """Draw once to warm up, and once watched; `trace` is where to write a trace for Chrome's viewer."""
    has_gpu = rig.device.startswith("cuda")
    report(Notice(f"Warming up: {rig.contender.name}"))
    rig.draw(request)
    rig.settle(request)
    rig.wrap(_Marked)
    kinds = [profiler.ProfilerActivity.CPU, *([profiler.ProfilerActivity.CUDA] if has_gpu else [])]
    report(Notice("Drawing under the profiler"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the profiler, about itself
        with profiler.profile(activities=kinds, acc_events=True) as watched:
            drawn = rig.draw(request)
        events = cast("list[Any]", [*(watched.events() or [])])
        if trace is not None:
            trace.parent.mkdir(parents=True, exist_ok=True)
            watched.export_chrome_trace(str(trace))
    rows = _rank(_sum_kernels(events) if has_gpu else _sum_operations(events))
    copies = [row for row in rows if any(word in row.name.lower() for word in _COPIES)]
    kernels = [(event.time_range.start, event.time_range.end) for event in events if _is_on_gpu(event)]
    top = tuple(replace(row, advice=advise(row.name, row.component)) for row in rows[:3])
    return Profile(
        contender=rig.contender.name,
        size=f"{request.width}x{request.height}",
        steps=request.num_inference_steps,
        wall=round(drawn.seconds, 6),
        components=tuple(_sum_components(events, rig)),
        rows=tuple(rows[:_MOST]),
        launches=sum(event.name.lower().startswith(_LAUNCHES) for event in events),
        copies=sum(row.calls for row in copies),
        copy_seconds=round(sum(row.seconds for row in copies), 6),
        gaps=round(max(0.0, drawn.seconds - _busy(kernels)), 6) if has_gpu else None,
        top=top,
    )


def _is_on_gpu(event: Any) -> bool:
    return event.device_type != _CPU and not str(event.name).startswith(_MARK)


def _find_component(event: Any) -> str:
    """The network in whose call an event of the host lies."""
    while event is not None:
        if str(event.name).startswith(_MARK):
            return str(event.name).removeprefix(_MARK)
        event = event.cpu_parent
    return "pipeline"


def _sum_operations(events: Sequence[Any]) -> dict[tuple[str, str], tuple[int, float]]:
    """Of the CPU: each operation without those that it calls."""
    found: dict[tuple[str, str], tuple[int, float]] = {}
    for event in events:
        if not str(event.name).startswith(_MARK):
            _add(found, (_find_component(event), str(event.name)), float(event.self_cpu_time_total) / 1e6)
    return found


def _sum_kernels(events: Sequence[Any]) -> dict[tuple[str, str], tuple[int, float]]:
    """Of the GPU: each kernel, by the network whose operation launched it."""
    found: dict[tuple[str, str], tuple[int, float]] = {}
    for event in events:
        for kernel in event.kernels:
            _add(found, (_find_component(event), str(kernel.name)), float(kernel.duration) / 1e6)
    return found


def _add(found: dict[tuple[str, str], tuple[int, float]], key: tuple[str, str], seconds: float) -> None:
    calls, before = found.get(key, (0, 0.0))
    found[key] = calls + 1, before + seconds


def _rank(found: dict[tuple[str, str], tuple[int, float]]) -> list[Row]:
    whole = sum(seconds for _, seconds in found.values()) or 1.0
    rows = [
        Row(component, name, calls, round(seconds, 6), round(seconds / whole, 4))
        for (component, name), (calls, seconds) in found.items()
    ]
    return sorted(rows, key=lambda row: -row.seconds)


def _sum_components(events: Sequence[Any], rig: Rig) -> Iterator[ComponentRow]:
    for name in rig.probes:
        mine = [event for event in events if event.name == _MARK + name and event.device_type == _CPU]
        host = sum(float(event.cpu_time_total) for event in mine) / 1e6
        device = sum(float(event.device_time_total) for event in mine) / 1e6
        yield ComponentRow(name, len(mine), round(host, 6), round(device, 6))


def _busy(ranges: Sequence[tuple[float, float]]) -> float:
    """Seconds that are covered by any of the ranges, which are in microseconds."""
    busy, last = 0.0, float("-inf")
    for start, end in sorted(ranges):
        busy += max(0.0, end - max(start, last))
        last = max(last, end)
    return busy / 1e6
