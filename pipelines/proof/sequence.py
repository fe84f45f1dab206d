"""Twelve requests over five sizes, as a user would make them, on an empty kernel cache."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.events import KernelsChanged, Notice
from pipelines.proof.record import SequenceStep
from pipelines.proof.suites import SEQUENCE, scale

if TYPE_CHECKING:
    from pipelines.events import Event, Report
    from pipelines.proof.rig import Rig
    from pipelines.request import GenerationRequest


class States:
    """A report that keeps the last state of each component's kernels, and passes everything on."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.kernels: dict[str, str] = {}

    def __call__(self, event: Event, /) -> None:
        """Take one event."""
        if isinstance(event, KernelsChanged):
            self.kernels[event.component] = event.kernels.value
        self._report(event)


def measure(rig: Rig, request: GenerationRequest, multiple: int, states: States) -> list[SequenceStep]:
    """Draw them one after the other. `request` has the largest common size; `states` is what the rig reports to."""
    steps: list[SequenceStep] = []
    for number, part in enumerate(SEQUENCE, start=1):
        width, height = scale((request.width, request.height), part, multiple)
        states(Notice(f"{rig.contender.name}: request {number} of {len(SEQUENCE)}, {width}x{height}"))
        began = time.perf_counter()
        rig.draw(replace(request, width=width, height=height, seed=request.seed + number))
        seconds = round(time.perf_counter() - began, 4)
        state = states.kernels.get(rig.denoiser, "")
        steps.append(SequenceStep(rig.contender.name, number, f"{width}x{height}", seconds, state))
    return steps
