"""Whether a backend and precision draw what they should: the same seeds through PyTorch in fp32 and the candidate.

First the reference draws, and what went into and came out of every network is kept. Then the candidate is given the
very same inputs, step by step, so that an error is seen where it arises; and draws the pictures on its own, so that
it is seen what becomes of it. Only one of the two is in memory at a time.

Importing this loads PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from pipelines import catalog
from pipelines.engine import checking
from pipelines.errors import Cancelled, DeviceLost, EngineFailure, NoRoom
from pipelines.events import Notice
from pipelines.proof import accepted, likeness, limits
from pipelines.proof.bench import find_architecture, make_request
from pipelines.proof.clock import summarise
from pipelines.proof.limits import Verdict
from pipelines.proof.rig import Contender, Rig
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PIL import Image

    from pipelines.devices import Machine
    from pipelines.events import Report
    from pipelines.proof.limits import Limit, Limits
    from pipelines.proof.probe import Exchange
    from pipelines.proof.rig import Workshop
    from pipelines.proof.suites import Size
    from pipelines.request import GenerationRequest

_BROKEN = 1e9  # what is told of an error that is not finite: JSON has no infinity
_ORDER = list(Verdict)


class Judge(Protocol):
    """Says how well a picture shows what was asked for, from 0 to 1."""

    def __call__(self, picture: Image.Image, prompt: str, /) -> float:
        """Judge it."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be judged: a candidate at these sizes and seeds. `own_limits` is the user's file of limits."""

    model: str
    contender: Contender
    machine: Machine
    workshop: Workshop
    sizes: tuple[Size, ...]
    seeds: tuple[int, ...]
    app_version: str
    steps: int = 0
    own_limits: Path | None = None
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was measured: its worst value, where that was, and what it means."""

    what: str
    value: float
    limit: Limit | None
    where: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class StepError:
    """The error of each step of one picture."""

    size: str
    seed: int
    errors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PictureLikeness:
    """How alike candidate's and reference's pictures are; `adherence` (candidate, reference) is the judge's."""

    size: str
    seed: int
    psnr: float
    ssim: float
    flip: float | None
    adherence: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class AcceptanceRecord:
    """The whole judgement. `step` and `reference_step` are seconds of the denoiser at the largest size."""

    facts: accepted.Facts
    verdict: Verdict
    reason: str
    model: str
    created: str
    app_version: str
    reference: str
    findings: tuple[Finding, ...]
    steps: tuple[StepError, ...]
    pictures: tuple[PictureLikeness, ...]
    step: float
    reference_step: float
    notes: tuple[str, ...]
    version: int = accepted.VERSION


@dataclass(frozen=True, slots=True)
class Worst:
    """The picture that differs most, beside what it should be; there is no candidate where none came out."""

    size: str
    seed: int
    reference: Image.Image
    candidate: Image.Image | None


@dataclass(slots=True)
class _Case:
    """One picture to compare."""

    request: GenerationRequest
    exchanges: dict[str, list[Exchange]]
    reference: Image.Image
    candidate: Image.Image | None = None
    problem: str = ""

    @property
    def where(self) -> str:
        return f"{self.request.width}x{self.request.height}, seed {self.request.seed}"


@dataclass(frozen=True, slots=True)
class _Judged:
    """What the candidate's networks did."""

    device: str
    findings: list[Finding]
    steps: list[StepError]
    seconds: float


def validate(order: Order, report: Report) -> tuple[AcceptanceRecord, Worst]:
    """Judge the candidate.

    Raises:
        InvalidRequest, UnusableFile: the model or the limits cannot be used.
        EngineFailure, NoRoom: not even the reference can run here.
        Cancelled: from `report`.
    """
    entry = catalog.find(order.model)
    stated = limits.read(order.contender.precision, order.own_limits)
    base = make_request(order.model, entry, order.steps)
    requests = [
        replace(base, width=width, height=height, seed=seed) for width, height in order.sizes for seed in order.seeds
    ]
    notes: list[str] = []
    cases, reference, reference_step = _draw_references(order, requests, notes, report)
    judged = _judge_networks(order, cases, stated, report)
    pictures = [_measure(case, order.judge) for case in cases if case.candidate is not None]
    findings = [*judged.findings, *_summarise_pictures(pictures, stated)]
    if not likeness.can_flip():
        notes.append(likeness.NO_FLIP)
    if order.judge is None:
        notes.append("whether the pictures show what was asked for was not judged: no judge is installed")
    verdict, reason = _conclude(findings)
    kind = order.contender
    architecture = find_architecture(entry)
    facts = accepted.make_facts(order.machine, judged.device, architecture, kind.backend.value, kind.precision.value)
    record = AcceptanceRecord(
        facts=facts,
        verdict=verdict,
        reason=reason,
        model=entry.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        app_version=order.app_version,
        reference=reference,
        findings=tuple(findings),
        steps=tuple(judged.steps),
        pictures=tuple(pictures),
        step=judged.seconds,
        reference_step=reference_step,
        notes=tuple(notes),
    )
    return record, _find_worst(cases)


def _judge_networks(order: Order, cases: list[_Case], stated: Limits, report: Report) -> _Judged:
    """Load the candidate, replay, and let it draw. One that does not even load is rejected."""
    try:
        rig = Rig(order.contender, cases[0].request, order.workshop, report)
    except DeviceLost:
        raise
    except EngineFailure as error:
        return _Judged("cpu", [Finding("loading", _BROKEN, None, error.message, Verdict.reject)], [], 0.0)
    try:
        findings, steps = _replay(rig, cases, stated, report)
        seconds = _draw_alone(rig, cases, report)
        device = rig.plans[rig.denoiser].device
    finally:
        rig.close()
    return _Judged(device, findings + _judge_pictures(cases, stated), steps, seconds)


def _draw_references(
    order: Order, requests: list[GenerationRequest], notes: list[str], report: Report
) -> tuple[list[_Case], str, float]:
    """Draw with PyTorch in fp32, or where that does not fit in bf16; returns how, and the seconds of a step."""
    try:
        return _draw_with(Precision.fp32, order, requests, report)
    except NoRoom as error:
        if order.contender == Contender("", Backend.eager, Precision.bf16):
            raise
        notes.append(f"the reference is bf16: {error.message}")
        return _draw_with(Precision.bf16, order, requests, report)


def _draw_with(
    precision: Precision, order: Order, requests: list[GenerationRequest], report: Report
) -> tuple[list[_Case], str, float]:
    contender = Contender(f"eager {precision.value}", Backend.eager, precision)
    rig = Rig(contender, requests[0], order.workshop, report)
    try:
        cases: list[_Case] = []
        for probe in rig.probes.values():
            probe.keeps = True
        for request in requests:
            report(Notice(f"Reference: {request.width}x{request.height}, seed {request.seed}"))
            rig.clear()
            picture = rig.draw(request).picture
            exchanges = {name: list(probe.exchanges) for name, probe in rig.probes.items()}
            cases.append(_Case(request, exchanges, picture))
        return cases, contender.name, _time_steps(rig, requests[-1])
    finally:
        rig.close()


def _time_steps(rig: Rig, request: GenerationRequest) -> float:
    """Seconds of a step, of a picture that is drawn for this alone."""
    for probe in rig.probes.values():
        probe.keeps = False
    rig.clear()
    rig.draw(request)
    calls = rig.probes[rig.denoiser].calls()
    return summarise([call.device if call.device is not None else call.host for call in calls]).median


def _replay(rig: Rig, cases: list[_Case], stated: Limits, report: Report) -> tuple[list[Finding], list[StepError]]:
    """Give the candidate the reference's inputs."""
    worst: dict[str, tuple[float, str]] = {}
    steps: list[StepError] = []
    for case in cases:
        report(Notice(f"{rig.contender.name}, step by step: {case.where}"))
        for name, exchanges in case.exchanges.items():
            errors = [_measure_call(rig, name, exchange) for exchange in exchanges]
            if name == rig.denoiser:
                size = f"{case.request.width}x{case.request.height}"
                steps.append(StepError(size, case.request.seed, tuple(errors)))
            for number, error in enumerate(errors, start=1):
                if error >= worst.get(name, (-1.0, ""))[0]:
                    worst[name] = error, f"{case.where}, call {number}"
    return [_judge_network(rig, name, *value, stated) for name, value in worst.items()], steps


def _measure_call(rig: Rig, name: str, exchange: Exchange) -> float:
    inputs = {key: tensor.to(rig.device) for key, tensor in exchange.inputs.items()}
    try:
        outputs = rig.probes[name](inputs)
    except DeviceLost:
        raise
    except EngineFailure:
        return _BROKEN
    expected = {key: tensor for key, tensor in exchange.outputs.items() if key in outputs}
    error = checking.measure({key: tensor.cpu() for key, tensor in outputs.items()}, expected)
    return min(error, _BROKEN)


def _judge_network(rig: Rig, name: str, error: float, where: str, stated: Limits) -> Finding:
    limit = stated.step_error if name == rig.denoiser else stated.network_error
    what = "error of a step" if name == rig.denoiser else f"error of the {name}"
    return Finding(what, error, limit, where, limit.judge(error))


def _draw_alone(rig: Rig, cases: list[_Case], report: Report) -> float:
    """Let the candidate draw on its own; returns the seconds of a step at the last size."""
    rig.clear()
    for case in cases:
        report(Notice(f"{rig.contender.name}, on its own: {case.where}"))
        try:
            case.candidate = rig.draw(case.request).picture
        except (DeviceLost, Cancelled):
            raise
        except EngineFailure as error:
            case.problem = error.message
    if cases[-1].problem:
        return 0.0
    return _time_steps(rig, cases[-1].request)


def _judge_pictures(cases: list[_Case], stated: Limits) -> list[Finding]:
    """Whether there are pictures at all: values that are no numbers give none, a dead VAE gives a flat one."""
    findings: list[Finding] = []
    for case in cases:
        if case.candidate is None:
            findings.append(Finding(f"no picture: {case.problem}", _BROKEN, None, case.where, Verdict.reject))
        elif likeness.flatness(case.candidate) <= stated.flat < likeness.flatness(case.reference):
            flat = likeness.flatness(case.candidate)
            findings.append(Finding("a picture that shows nothing", flat, None, case.where, Verdict.reject))
    return findings


def _measure(case: _Case, judge: Judge | None) -> PictureLikeness:
    assert case.candidate is not None  # for the type checker: the caller has looked
    found = likeness.compare(case.candidate, case.reference)
    prompt = case.request.prompt
    adherence = (judge(case.candidate, prompt), judge(case.reference, prompt)) if judge is not None else None
    size = f"{case.request.width}x{case.request.height}"
    flip = round(found.flip, 5) if found.flip is not None else None
    return PictureLikeness(size, case.request.seed, round(found.psnr, 3), round(found.ssim, 5), flip, adherence)


def _summarise_pictures(pictures: list[PictureLikeness], stated: Limits) -> Iterator[Finding]:
    """The worst of each measure."""
    if not pictures:
        return
    for what, limit in (("psnr", stated.psnr), ("ssim", stated.ssim), ("flip", stated.flip)):
        values = [(getattr(one, what), one) for one in pictures if getattr(one, what) is not None]
        if values:
            pick = min if limit.higher_is_nearer else max
            value, one = pick(values, key=lambda pair: pair[0])
            yield Finding(what, value, limit, f"{one.size}, seed {one.seed}", limit.judge(value))


def _find_worst(cases: list[_Case]) -> Worst:
    def nearness(case: _Case) -> float:
        return likeness.compare(case.candidate, case.reference).psnr if case.candidate is not None else -1.0

    case = min(cases, key=nearness)
    size = f"{case.request.width}x{case.request.height}"
    return Worst(size, case.request.seed, case.reference, case.candidate)


def _conclude(findings: list[Finding]) -> tuple[Verdict, str]:
    """The worst verdict, and what led to it."""
    verdict = max((finding.verdict for finding in findings), key=_ORDER.index)
    if verdict is Verdict.accept:
        return verdict, "everything is within the limits"
    return verdict, "; ".join(f"{finding.what} ({finding.where})" for finding in findings if finding.verdict is verdict)
