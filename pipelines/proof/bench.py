"""The benchmark: baseline and candidates side by side in one run, and everything that is needed to repeat it."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines import catalog
from pipelines.errors import EngineFailure, FirstlightError, InvalidRequest, NoRoom, UnusableFile
from pipelines.events import Notice
from pipelines.families import FAMILIES
from pipelines.proof import architecture, networks, rounds, starts, suites
from pipelines.proof.contenders import WAYS
from pipelines.proof.lora_files import write_random_lora
from pipelines.proof.nvml import Watch
from pipelines.proof.record import (
    BenchRecord,
    ContenderFacts,
    Memory,
    Overlap,
    Ratio,
    SequenceStep,
    Start,
    Timing,
)
from pipelines.proof.rig import Rig
from pipelines.request import GenerationRequest, LoraChoice

if TYPE_CHECKING:
    from pipelines.catalog import Entry
    from pipelines.devices import Machine
    from pipelines.events import Report
    from pipelines.proof.rig import Contender, Workshop
    from pipelines.proof.suites import Suite

PROMPT = "a red apple on a blue background"
SEED = 7


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured. The first contender is the baseline."""

    suite: Suite
    model: str
    contenders: tuple[Contender, ...]
    machine: Machine
    workshop: Workshop
    app_version: str


@dataclass(slots=True)
class _Found:
    """What was found so far."""

    contenders: list[ContenderFacts] = field(default_factory=list[ContenderFacts])
    timings: list[Timing] = field(default_factory=list[Timing])
    ratios: list[Ratio] = field(default_factory=list[Ratio])
    memory: list[Memory] = field(default_factory=list[Memory])
    starts: list[Start] = field(default_factory=list[Start])
    sequence: list[SequenceStep] = field(default_factory=list[SequenceStep])
    overlaps: list[Overlap] = field(default_factory=list[Overlap])
    notes: list[str] = field(default_factory=list[str])


def run(order: Order, report: Report) -> BenchRecord:
    """Measure, and return the record.

    Raises:
        InvalidRequest, UnusableFile: the model cannot be used.
        EngineFailure: the baseline cannot run.
        Cancelled: from `report`.
    """
    began = time.perf_counter()
    entry = catalog.find(order.model)
    request = make_request(order.model, entry, order.suite.steps)
    gpu = order.machine.compute_gpu()
    found = _Found()
    with Watch(gpu.index if gpu is not None else None) as watch:
        if order.suite.pictures:
            _SideBySide(order, entry, found, report).measure(request)
        if order.suite.sequence:
            _measure_sequences(order, entry, request, found, report)
        if order.suite.starts:
            _measure_starts(order, entry, request, found, report)
    return BenchRecord(
        suite=order.suite.name,
        model=entry.name,
        architecture=find_architecture(entry),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        app_version=order.app_version,
        machine=order.machine,
        contenders=tuple(found.contenders),
        timings=tuple(found.timings),
        ratios=tuple(found.ratios),
        memory=tuple(found.memory),
        starts=tuple(found.starts),
        sequence=tuple(found.sequence),
        overlaps=tuple(found.overlaps),
        conditions=watch.conditions(),
        notes=tuple(found.notes),
        seconds=round(time.perf_counter() - began, 1),
    )


def make_request(model: str, entry: Entry, steps: int = 0) -> GenerationRequest:
    """The picture that is always drawn: at the model's own size, steps (unless given) and guidance."""
    return GenerationRequest(
        prompt=PROMPT,
        model=model,
        width=entry.width,
        height=entry.height,
        num_inference_steps=steps or entry.steps,
        guidance_scale=entry.guidance_scale,
        seed=SEED,
    )


def find_architecture(entry: Entry) -> str:
    """What its networks are, as acceptance records have it."""
    from pipelines import checkpoints

    folder = checkpoints.configs(entry.layout) if entry.layout else entry.location
    if folder is None:
        return entry.family
    return architecture.digest(entry.family, folder / FAMILIES[entry.family].denoiser)


@dataclass(slots=True)
class _SideBySide:
    """All contenders in memory at once, as far as they go in, each at the same work in turns."""

    order: Order
    entry: Entry
    found: _Found
    report: Report
    rigs: list[Rig] = field(default_factory=list[Rig])

    def measure(self, request: GenerationRequest) -> None:
        """Do all of the suite that is done so. `request` has the model's own size."""
        suite = self.order.suite
        try:
            self._open(request)
            sizes = suites.sizes(suite, self.entry)
            for width, height in sizes:
                if one := self._draw(replace(request, width=width, height=height)):
                    self.found.ratios += one.ratios
                    self.found.memory += one.memory
            small = replace(request, width=sizes[0][0], height=sizes[0][1])
            for steps in suite.step_curve:
                if steps != small.num_inference_steps:
                    self._draw(replace(small, num_inference_steps=steps))
            if suite.batches != (1,):
                timings, notes = networks.measure_batches(self.rigs, small, suite.batches, suite.calls, self.report)
                self.found.timings += timings
                self.found.notes += notes
            if suite.loras:
                self._measure_loras(small)
            if suite.streams:
                self._measure_overlaps(small)
        finally:
            for rig in self.rigs:
                rig.close()

    def _open(self, request: GenerationRequest) -> None:
        workshop = self.order.workshop
        for contender in self.order.contenders:
            self.report(Notice(f"Loading {contender.name}"))
            try:
                rig = Rig(contender, request, workshop, self.report)
                self.rigs.append(rig)
                rig.draw(replace(request, num_inference_steps=1))  # also finds what fails when it first runs
            except (EngineFailure, NoRoom, InvalidRequest) as error:
                if contender is self.order.contenders[0]:
                    raise
                if self.rigs[-1].contender is contender:
                    self.rigs.pop().close()
                self.found.contenders.append(_tell_problem(contender, error))
                self.found.notes.append(f"{contender.name} was not measured: {error}")
                continue
            self.found.contenders.append(_tell(rig))

    def _draw(self, request: GenerationRequest, loras: int = 0) -> rounds.Round | None:
        suite = self.order.suite
        try:
            one = rounds.measure(self.rigs, request, suite.warmups, suite.rounds, self.report, loras=loras)
        except NoRoom as error:
            self.found.notes.append(f"{request.width}x{request.height} was left out: {error.message}")
            return None
        self.found.timings += one.timings
        return one

    def _measure_loras(self, request: GenerationRequest) -> None:
        """The cost of LoRAs of random weights on the denoiser's attention."""
        counts = self.order.suite.loras
        with tempfile.TemporaryDirectory(prefix="firstlight-bench-", ignore_cleanup_errors=True) as folder:
            try:
                files = [
                    write_random_lora(self.rigs[0], Path(folder) / f"{number}.safetensors")
                    for number in range(max(counts))
                ]
                for count in counts:
                    if count:
                        for rig in self.rigs:
                            rig.set_loras(tuple(LoraChoice(file, 0.1) for file in files[:count]))
                        self._draw(request, count)
            except (EngineFailure, InvalidRequest, UnusableFile) as error:
                self.found.notes.append(f"LoRAs were left out: {error}")
            finally:
                for rig in self.rigs:
                    rig.set_loras(())

    def _measure_overlaps(self, request: GenerationRequest) -> None:
        for rig in self.rigs:
            if rig.device.startswith("cuda"):
                self.found.overlaps += networks.measure_overlap(rig, request, self.order.suite.calls)
            else:
                self.found.notes.append(f"{rig.contender.name}: two networks at once need a CUDA GPU: left out")


def _tell(rig: Rig) -> ContenderFacts:
    contender = rig.contender
    plans = {name: f"{plan.device}: {plan.reason}" for name, plan in rig.plans.items()}
    loading = {name: round(seconds, 4) for name, seconds in rig.loading.items()}
    return ContenderFacts(contender.name, contender.backend.value, contender.precision.value, plans, loading)


def _tell_problem(contender: Contender, error: FirstlightError) -> ContenderFacts:
    return ContenderFacts(contender.name, contender.backend.value, contender.precision.value, {}, {}, error.message)


def _measure_sequences(order: Order, entry: Entry, request: GenerationRequest, found: _Found, report: Report) -> None:
    """Each contender alone, on an empty kernel cache: what it does in the background would disturb the others."""
    places = order.workshop.places
    for contender in order.contenders:
        if contender.option in WAYS and WAYS[contender.option].slow:
            continue
        report(Notice(f"Twelve requests in a fresh process: {contender.name}"))
        try:
            found.sequence += starts.measure_sequence(contender, request, entry.size_multiple, places)
        except EngineFailure as error:
            found.notes.append(f"{contender.name}: no sequence: {error.message}")


def _measure_starts(order: Order, entry: Entry, request: GenerationRequest, found: _Found, report: Report) -> None:
    places = order.workshop.places
    width, height = suites.sizes(order.suite, entry)[0]
    small = replace(request, width=width, height=height)
    for contender in order.contenders[-order.suite.starts :]:
        report(Notice(f"Fresh processes: {contender.name}"))
        try:
            found.starts += starts.measure(contender, small, places)
        except EngineFailure as error:
            found.notes.append(f"{contender.name}: no fresh process: {error.message}")
