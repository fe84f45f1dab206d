"""Building engines, in a child process: a build reports nothing, cannot be interrupted, and must not take us down.

Progress is elapsed time against what such builds have taken on this machine. Importing this loads nothing heavy.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from pipelines.engine import rtx
from pipelines.engine.interfaces import IN_BLOCKS, Axis, Interface
from pipelines.engine.manifest import Details, Facts
from pipelines.engine.network import WeightKind
from pipelines.engine.timings import NEVER_MORE, Timings
from pipelines.errors import EngineFailure, FirstlightError, InvalidRequest, NoRoom, UnusableFile
from pipelines.request import Precision

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from pipelines.engine.export import Network
    from pipelines.engine.store import Entry, Store

PORTABLE = "portable"
REGIONS = "regions"  # the mode of an engine in pieces; see `pieces`
TARGETS = ("7.5", "8.0", "8.6", "8.9", "12.0", "12.1")  # compute capabilities that one engine can be made for
BUILD_LOG = "build.log"  # what the child and its libraries write, in the folder of the job
PRECISIONS = (Precision.bf16, Precision.fp16, Precision.fp8)
_TURING = "7.5"
_HAVE_FP8 = ("8.9", "12.0", "12.1")
_FIRST_ESTIMATE = 120.0  # seconds, until the first build of such a part on this machine has been timed
_POLL = 0.2  # seconds between two reports
_DURATIONS = "durations.json"
log = logging.getLogger(__name__)


class Step(Enum):
    """Where a build is."""

    exporting = "exporting"
    building = "building"
    packing = "packing"
    finished = "finished"


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """`fraction` is an estimate from `estimate`, what such builds took (seconds); 1 only when the engine is stored."""

    part: str
    step: Step
    elapsed: float
    estimate: float
    fraction: float


class BuildReport(Protocol):
    """Receives progress a few times a second.

    Raises:
        Cancelled: the user has asked to stop; the build is killed.
    """

    def __call__(self, progress: BuildProgress, /) -> None:
        """Take it."""
        ...


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to build. `target` is `portable` or a compute capability; `files` hold the weights that become constants.

    With `regions` the network is built in pieces, each repeated block once, and its weights are inputs.
    """

    network: Network
    precision: Precision
    kind: WeightKind = WeightKind.placeholder
    target: str = PORTABLE
    files: tuple[Path, ...] = ()
    regions: bool = False

    @property
    def mode(self) -> str:
        """How weights are held, as `Facts` have it."""
        return REGIONS if self.regions else self.kind.value

    def check(self) -> None:
        """Refuse what cannot be built anywhere.

        Raises:
            InvalidRequest: it is.
        """
        if self.precision not in PRECISIONS:
            raise InvalidRequest(f"No engine is made in {self.precision.value}.", "Use --precision bf16, fp16 or fp8.")
        if self.target not in (PORTABLE, *TARGETS):
            raise InvalidRequest(
                f"No engine is made for compute capability {self.target}.", f"Use one of {', '.join(TARGETS)}."
            )
        if self.target == _TURING and self.precision is Precision.bf16:
            raise InvalidRequest("GPUs of compute capability 7.5 have no bf16.", "Use --precision fp16.")
        if self.precision is Precision.fp8:
            self._check_fp8()
        if self.regions and self.kind is not WeightKind.input:
            raise InvalidRequest("In an engine in pieces all weights are inputs.", "Build it so, or without regions.")
        if self.kind is WeightKind.constant and not self.files:
            raise InvalidRequest("Weights become constants only where they are at hand.", "Build with placeholders.")

    def _check_fp8(self) -> None:
        if self.network.part not in IN_BLOCKS:
            raise InvalidRequest(f"The {self.network.part.value} is not made in fp8.", "Use --precision bf16 or fp16.")
        if self.target not in (PORTABLE, *_HAVE_FP8):
            raise InvalidRequest(f"GPUs of compute capability {self.target} have no fp8.", "Use --precision bf16.")
        if self.kind is WeightKind.constant:
            raise InvalidRequest("Weights in fp8 do not become constants.", "Build with placeholders.")


@dataclass(frozen=True, slots=True)
class Started:
    """Message of the child: it is at this step."""

    step: Step


@dataclass(frozen=True, slots=True)
class Built:
    """Message of the child: the compressed plan of `plan_bytes` lies in the folder of the job."""

    plan_bytes: int
    details: Details


@dataclass(frozen=True, slots=True)
class Broken:
    """Message of the child: a `FirstlightError` by its parts."""

    kind: str
    message: str
    action: str


def make_facts(recipe: Recipe, export_version: int) -> Facts:
    """What decides whether an engine of this recipe, built with the installed TensorRT-RTX, fits.

    Raises:
        EngineFailure: TensorRT-RTX is not installed.
    """
    return Facts(
        architecture=recipe.network.architecture,
        precision=recipe.precision.value,
        mode=recipe.mode,
        target=recipe.target,
        profile=describe_profile(recipe.network.interface),
        rtx_version=rtx.need_version(),
        export_version=export_version,
    )


def describe_profile(interface: Interface) -> str:
    """The ranges of all sizes that may change: `batch 1-8 (1), image 16-16384 (4096)`."""
    axes = {size.name: size for one in interface.inputs for size in one.shape if isinstance(size, Axis)}
    return ", ".join(f"{axis.name} {axis.minimum}-{axis.maximum} ({axis.usual})" for axis in axes.values())


def describe(recipe: Recipe) -> str:
    """Why weights are held so, in words."""
    if recipe.regions:
        return "blocks of one kind share a plan, and their weights can be streamed: for GPUs with little memory"
    if recipe.kind is WeightKind.placeholder:
        return "weights are refitted from the checkpoint: one engine for all checkpoints of this architecture"
    if recipe.kind is WeightKind.input:
        return "weights are inputs: nothing to refit, and a LoRA is written in place"
    return "the weights of one checkpoint are inside"


def build(recipe: Recipe, facts: Facts, store: Store, report: BuildReport) -> Entry:
    """Build and store an engine. Nothing is left of a build that fails or is cancelled.

    Raises:
        InvalidRequest: there is no such engine.
        EngineFailure: it cannot be built; the message names the operator where it is known.
        NoRoom: memory or disk did not suffice.
        Cancelled: from `report`.
    """
    recipe.check()
    durations = Durations(store.folder / _DURATIONS)
    clock = _Clock(recipe.network.part.value, durations.estimate(facts, recipe.network.part.value))
    with store.workplace() as work:
        built = _run_child(recipe, work, clock, report)
        entry = store.add(facts, built.details, (work / "plan.xz").read_bytes(), built.plan_bytes)
    durations.record(facts, recipe.network.part.value, clock.elapsed())
    report(clock.finish())
    return entry


class _Clock:
    """Turns time into progress."""

    def __init__(self, part: str, estimate: float) -> None:
        self._part = part
        self._estimate = estimate
        self._began = time.monotonic()

    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def progress(self, step: Step) -> BuildProgress:
        elapsed = self.elapsed()
        return BuildProgress(self._part, step, elapsed, self._estimate, min(NEVER_MORE, elapsed / self._estimate))

    def finish(self) -> BuildProgress:
        return BuildProgress(self._part, Step.finished, self.elapsed(), self._estimate, 1.0)


def _run_child(recipe: Recipe, work: Path, clock: _Clock, report: BuildReport) -> Built:
    """Start the child, pass its progress on, and end it on any exception, whatever it is doing."""
    from pipelines.engine import build_child

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=build_child.main, args=(theirs, recipe, work), daemon=True)
    process.start()
    theirs.close()  # so that the pipe ends when the child does
    try:
        built = _follow(process, ours, clock, report)
        process.join()
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        ours.close()
    if built is None:
        raise _explain_end(recipe, process.exitcode, work)
    return built


def _follow(process: BaseProcess, connection: Connection, clock: _Clock, report: BuildReport) -> Built | None:
    """Report until the child has an answer; None if it ended without one."""
    step = Step.exporting
    while True:
        report(clock.progress(step))
        try:
            waiting = not connection.poll(_POLL)
            if waiting and not process.is_alive() and not connection.poll():
                return None  # on Windows the pipe does not end where the child dies before it has taken its end
            message: object = None if waiting else connection.recv()
        except (EOFError, OSError):
            return None
        match message:
            case Started():
                step = message.step
            case Built():
                return message
            case Broken():
                kinds = {kind.kind: kind for kind in (InvalidRequest, UnusableFile, NoRoom, EngineFailure)}
                raise kinds.get(message.kind, FirstlightError)(message.message, message.action)
            case _:
                pass


def _explain_end(recipe: Recipe, code: int | None, work: Path) -> FirstlightError:
    try:
        tail = (work / BUILD_LOG).read_text(encoding="utf-8", errors="replace")[-4000:]
    except OSError:
        tail = ""
    log.error("the build process ended with %s: %s", code, tail)
    part = recipe.network.part.value
    if code == -9 and os.name == "posix":  # nobody but the system kills it so
        return NoRoom(
            f"The system ended the building of the {part}, most likely for want of memory.", "Close other programs."
        )
    return EngineFailure(f"The building of the {part} broke off (code {code}).", "The log has the details.")


class Durations:
    """What builds have taken on this machine, in a small file beside the engines. Losing it costs nothing."""

    def __init__(self, file: Path) -> None:
        self._timings = Timings(file)

    def estimate(self, facts: Facts, part: str) -> float:
        """Seconds that a build will take: as the same one did, or as those of the same part did, or a guess."""
        known = self._timings.estimate(_duration_key(facts, part))
        return _FIRST_ESTIMATE if known is None else known

    def record(self, facts: Facts, part: str, seconds: float) -> None:
        """Keep what a build took."""
        self._timings.record(_duration_key(facts, part), seconds)


def _duration_key(facts: Facts, part: str) -> str:
    return f"{part} {facts.architecture} {facts.precision} {facts.mode}"
