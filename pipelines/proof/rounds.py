"""Contenders measured in turns: each round all of them draw the same picture, so what disturbs one disturbs all.

Importing this loads PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines import memory
from pipelines.events import Notice
from pipelines.proof.clock import summarise
from pipelines.proof.peaks import Peak
from pipelines.proof.record import Memory, Ratio, Timing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.events import Report
    from pipelines.proof.probe import Call
    from pipelines.proof.rig import Drawn, Rig
    from pipelines.request import GenerationRequest

STAGES = ("picture", "encode", "denoise", "decode")


@dataclass(slots=True)
class _Seen:
    """What one contender did at one size."""

    warmup: list[Drawn] = field(default_factory=list["Drawn"])
    drawn: list[Drawn] = field(default_factory=list["Drawn"])
    calls: dict[str, list[Call]] = field(default_factory=dict[str, "list[Call]"])
    memory: int = 0


@dataclass(slots=True)
class Round:
    """All contenders at one size, with their times by `Timing`."""

    timings: list[Timing]
    ratios: list[Ratio]
    memory: list[Memory]


def measure(
    rigs: Sequence[Rig], request: GenerationRequest, warmups: int, rounds: int, report: Report, *, loras: int = 0
) -> Round:
    """Draw `request` with each, first to warm up, then in `rounds` in turns; the first rig is the baseline."""
    size = f"{request.width}x{request.height}"
    report(Notice(f"{size}, {request.num_inference_steps} steps: {', '.join(rig.contender.name for rig in rigs)}"))
    seen = {rig.contender.name: _Seen() for rig in rigs}
    for rig in rigs:
        _warm_up(rig, seen[rig.contender.name], request, max(1, warmups))
    for number in range(rounds):
        # Every other round the other way round: none is always the one that finds the caches of another
        for rig in rigs if number % 2 == 0 else reversed(rigs):
            rig.clear()
            one = seen[rig.contender.name]
            one.drawn.append(rig.draw(request))
            for name, probe in rig.probes.items():
                one.calls.setdefault(name, []).extend(probe.calls())
    timings = [
        timing
        for rig in rigs
        for timing in _tell(rig.contender.name, size, request.num_inference_steps, seen[rig.contender.name], loras)
    ]
    names = [rig.contender.name for rig in rigs]
    memory = [Memory(rig.contender.name, size, _weigh(rig), seen[rig.contender.name].memory) for rig in rigs]
    return Round(timings, list(_compare(names, size, seen)), memory)


def _warm_up(rig: Rig, seen: _Seen, request: GenerationRequest, count: int) -> None:
    for _ in range(count):
        seen.warmup.append(rig.draw(request))
    rig.settle(request)
    with Peak(rig.device) as peak:  # one more picture, which is not timed
        rig.draw(request)
    seen.memory = peak.working


def _tell(name: str, size: str, steps: int, seen: _Seen, loras: int) -> Iterator[Timing]:
    for stage in STAGES:
        warmup = tuple(round(_stage(drawn, stage), 6) for drawn in seen.warmup)
        host = summarise([_stage(drawn, stage) for drawn in seen.drawn])
        yield Timing(name, stage, size, steps, 1, host, None, warmup, loras)
    for component, calls in seen.calls.items():
        if calls:
            device = [call.device for call in calls if call.device is not None]
            host = summarise([call.host for call in calls])
            yield Timing(name, component, size, steps, 1, host, summarise(device) if device else None, (), loras)


def _stage(drawn: Drawn, stage: str) -> float:
    match stage:
        case "encode":
            return drawn.encode
        case "denoise":
            return drawn.denoise
        case "decode":
            return drawn.decode
        case _:
            return drawn.seconds


def _compare(names: Sequence[str], size: str, seen: dict[str, _Seen]) -> Iterator[Ratio]:
    baseline = seen[names[0]]
    for name in names[1:]:
        for stage in STAGES:
            before = [_stage(drawn, stage) for drawn in baseline.drawn]
            after = [_stage(drawn, stage) for drawn in seen[name].drawn]
            each = [old / new for old, new in zip(before, after, strict=True)]
            speedup = summarise(before).median / summarise(after).median
            yield Ratio(name, stage, size, *(round(one, 4) for one in (speedup, min(each), max(each))))


def _weigh(rig: Rig) -> int:
    """Bytes of the networks' weights as the contender holds them."""
    return sum(memory.weigh(spec, rig.plans[spec.name]) for spec in rig.specs)
