"""Twelve requests over five sizes, as a user would make them, on an empty kernel cache."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.proof.record import SequenceStep
from pipelines.proof.suites import SEQUENCE, scale

if TYPE_CHECKING:
    from pipelines.proof.rig import Rig
    from pipelines.request import GenerationRequest


def measure(rig: Rig, request: GenerationRequest, multiple: int) -> list[SequenceStep]:
    """Draw them one after the other. `request` has the model's own size."""
    steps: list[SequenceStep] = []
    for number, part in enumerate(SEQUENCE, start=1):
        width, height = scale((request.width, request.height), part, multiple)
        began = time.perf_counter()
        rig.draw(replace(request, width=width, height=height, seed=request.seed + number))
        seconds = round(time.perf_counter() - began, 4)
        last = rig.kernels.get(rig.denoiser)
        state = last.kernels.value if last is not None else ""
        steps.append(SequenceStep(rig.contender.name, number, f"{width}x{height}", seconds, state))
    return steps
