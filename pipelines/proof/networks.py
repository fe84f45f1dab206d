"""Single networks on the inputs of a real picture: several pictures at once, and two networks at once.

Importing this loads PyTorch.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import torch

from pipelines.errors import EngineFailure, NoRoom
from pipelines.events import Notice
from pipelines.proof.clock import summarise
from pipelines.proof.probe import repeat
from pipelines.proof.record import Overlap, Timing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from pipelines.events import Report
    from pipelines.proof.rig import Rig
    from pipelines.request import GenerationRequest


def measure_batches(
    rigs: Sequence[Rig], request: GenerationRequest, batches: Sequence[int], calls: int, report: Report
) -> tuple[list[Timing], list[str]]:
    """Call each network for that many pictures at once, contenders in turns; with notes of what did not run."""
    for rig in rigs:
        rig.draw(request)
    inputs = [{name: dict(probe.inputs) for name, probe in rig.probes.items()} for rig in rigs]
    size = f"{request.width}x{request.height}"
    timings: list[Timing] = []
    notes: list[str] = []
    for name, batch in itertools.product(rigs[0].probes, batches):
        report(Notice(f"{name} at {size}, {batch} at once"))
        for rig in rigs:
            rig.clear()
        warmups: dict[str, float] = {}
        for number in range(calls + 1):
            for rig, given in zip(rigs, inputs, strict=True):
                if rig.contender.name in warmups or number == 0:
                    problem = _call(rig, name, repeat(given[name], batch), warmups if number == 0 else None)
                    if problem:
                        notes.append(f"{rig.contender.name}: {name} at {size}, {batch} at once: {problem}")
        timings += [_tell(rig, name, size, batch, warmups) for rig in rigs if rig.contender.name in warmups]
    return timings, notes


def _call(rig: Rig, name: str, tensors: dict[str, Tensor], warmups: dict[str, float] | None) -> str:
    """One call; the first is only timed as warm-up. Says what went wrong, if anything did."""
    began = time.perf_counter()
    try:
        rig.probes[name](tensors)
    except (EngineFailure, NoRoom) as error:
        return error.message
    rig.wait()
    if warmups is not None:
        warmups[rig.contender.name] = round(time.perf_counter() - began, 6)
        rig.probes[name].clear()
    return ""


def _tell(rig: Rig, name: str, size: str, batch: int, warmups: dict[str, float]) -> Timing:
    calls = rig.probes[name].calls()
    device = [call.device for call in calls if call.device is not None]
    contender = rig.contender.name
    host = summarise([call.host for call in calls])
    return Timing(contender, name, size, 0, batch, host, summarise(device) if device else None, (warmups[contender],))


def measure_overlap(rig: Rig, request: GenerationRequest, calls: int) -> list[Overlap]:
    """Pairs of networks, first one after the other and then on two streams. On a CUDA GPU only."""
    rig.draw(request)
    inputs = {name: dict(probe.inputs) for name, probe in rig.probes.items()}
    encoder = "text_encoder_2" if "text_encoder_2" in inputs else "text_encoder"
    pairs = ((encoder, "vae"), (rig.denoiser, "vae"))
    return [_overlap(rig, pair, inputs, calls) for pair in pairs]


def _overlap(rig: Rig, pair: tuple[str, str], inputs: dict[str, dict[str, Tensor]], calls: int) -> Overlap:
    streams = [torch.cuda.Stream(rig.device) for _ in pair]

    def run(*, together: bool) -> float:
        rig.wait()
        began = time.perf_counter()
        for name, stream in zip(pair, streams, strict=True):
            with torch.cuda.stream(stream if together else streams[0]):
                rig.probes[name](inputs[name])
        rig.wait()
        return time.perf_counter() - began

    run(together=True)
    apart: list[float] = []
    together: list[float] = []
    for _ in range(calls):  # in turns
        apart.append(run(together=False))
        together.append(run(together=True))
    return Overlap(rig.contender.name, pair, summarise(apart).median, summarise(together).median)
