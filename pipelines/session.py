"""One request from plan to pictures. Keeps a model's components loaded for the next request."""

from __future__ import annotations

import importlib
import importlib.metadata
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, cast

from pipelines import devices, framing, images, memory, metadata, planning, safety
from pipelines.engine.adaptive import Relay
from pipelines.engine.loading import Loaders
from pipelines.events import Notice, PictureSaved, PlanChosen, Progress, Stage
from pipelines.loaded import Shelf
from pipelines.passes import TwoPasses, expect_steps
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from PIL import Image
    from torch import Tensor

    from pipelines.devices import Machine
    from pipelines.engine.base import Places, Plan
    from pipelines.events import Report
    from pipelines.families.model import Conditioning, Model
    from pipelines.families.standins import NotFinite
    from pipelines.framing import Canvas
    from pipelines.loaded import Loaded
    from pipelines.planning import Job
    from pipelines.request import GenerationRequest

_T = TypeVar("_T")
Notes = tuple[tuple[str, str], ...]


class _StandIns(Protocol):
    NotFinite: type[NotFinite]


class Session:
    """Draws requests one after the other on one machine. Not for use from two threads at once.

    With `previews` it also reports what the picture looks like while it comes into being. `wildcards` is the folder
    that `__name__` in a prompt is read from. `places` are where engines and their kernels are kept.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        previews: bool = False,
        wildcards: Path | None = None,
        places: Places | None = None,
    ) -> None:
        self._machine = machine
        self._places = places
        self._loaders = Loaders(machine, places)
        self._relay = Relay()
        self._wildcards = wildcards or (places.wildcards if places is not None else None)
        self._shelf = Shelf(machine, self._loaders, self._relay, previews=previews)
        self._tile = 0  # of the VAE, in pixels

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def generate(self, request: GenerationRequest, target: images.Target, report: Report) -> tuple[PictureSaved, ...]:
        """Draw and save the pictures of `request`.

        Raises:
            FirstlightError: of any kind. Pictures that were reported as saved stay.
        """
        if request.safety_check:
            report = safety.without_previews(report)
        self._relay.connect(report)
        try:
            return self._generate(request, target, report)
        finally:
            self._relay.connect(None)

    def _generate(self, request: GenerationRequest, target: images.Target, report: Report) -> tuple[PictureSaved, ...]:
        # 1. Decide everything, and refuse what cannot work, before anything heavy is loaded
        job = planning.plan(request, self._machine, self._places)
        images.prepare(target, request, job.picture_size)
        jobs = [planning.draw_wildcards(job, seed, self._wildcards) for seed in request.seeds()]
        _report_plan(job, report)
        # 2. Load what is missing
        self._make_room(job, report)
        loaded = self._shelf.load(job, report)
        loaded.set_loras(request.loras)
        loaded.model.tile_vae(self._tile)
        # 3. Encode once, or where wildcards differ from picture to picture each time
        began = time.perf_counter()
        conditioning = _encode(loaded.model, jobs[0], report)
        # 4. Draw each picture alone, so that picture i of a seed is picture 0 of seed + i
        saved: list[PictureSaved] = []
        for index, seed in enumerate(request.seeds()):
            if index and _prompts(jobs[index]) != _prompts(jobs[index - 1]):
                conditioning = _encode(loaded.model, jobs[index], report)
            drawn = self._draw(loaded, jobs[index], conditioning, seed, report)
            seconds = time.perf_counter() - began
            checked, notes = _check_safety(drawn, job, seed, report)
            picture = _upscale(checked, job.request.upscale, report)
            report(Progress(Stage.saving, index, request.num_images))
            path = images.save(picture, target, self._record(loaded, jobs[index], seed, notes), index)
            saved.append(PictureSaved(path, seed, picture.width, picture.height, round(seconds, 3)))
            report(saved[-1])
            began = time.perf_counter()
        return tuple(saved)

    def close(self) -> None:
        """Free the loaded model. The session can be used again."""
        self._shelf.keep(())

    def _make_room(self, job: Job, report: Report) -> None:
        """Free the old model where another is wanted, and see whether the request fits in what is free."""
        self._shelf.keep((job,))
        loaded = self._shelf.find(job) is not None
        self._tile = 0
        if job.request.backend is Backend.fake:
            return  # its networks have no weights and hold next to nothing
        appetite = memory.read_appetite(job.entry, job.specs, job.plans, loaded=loaded)
        gpu = self._machine.find_gpu(job.plans[job.family.denoiser].device)
        available = gpu.memory_total if gpu is not None else devices.read_memory()[1]
        request = job.request
        more = self._shelf.weigh_controls(job)
        appetite = replace(appetite, bounded=request.hires is None, weights=appetite.weights + more)
        self._tile = memory.choose_tile(*request.hires_size, request.upscale, appetite, available)
        if self._tile:
            report(Notice(f"Memory is short, so the VAE works in tiles of {self._tile}x{self._tile} pixels."))

    def _draw(self, loaded: Loaded, job: Job, conditioning: Conditioning, seed: int, report: Report) -> Image.Image:
        """One picture at the size asked for, before it is enlarged."""
        canvas, second = planning.make_canvas(job), planning.second_pass(job)
        if second is None or job.request.hires is None:
            drawn = self._pass(loaded, job, canvas, conditioning, seed, report)
            return framing.set_back(drawn, canvas) if canvas is not None else drawn
        counted = TwoPasses(report, expect_steps(job.request.hires, job.request.num_inference_steps))
        first = self._pass(loaded, job, canvas, conditioning, seed, counted)
        counted.begin_second()
        enlarged = framing.Canvas(framing.resize(first, *second.request.canvas_size))
        return self._pass(loaded, second, enlarged, conditioning, seed, counted)

    def _pass(
        self, loaded: Loaded, job: Job, canvas: Canvas | None, conditioning: Conditioning, seed: int, report: Report
    ) -> Image.Image:
        """One way through the networks, at the size that `job` asks for."""
        from pipelines.families.model import Pass  # which loads PyTorch

        work = Pass(seed, job.size, planning.prepare_start(job, canvas), loaded.hold_controls(job, canvas))

        def denoise() -> Tensor:
            report(Progress(Stage.denoising, 0, job.request.num_inference_steps))
            return loaded.model.denoise(job.request, conditioning, work, report)

        latents = self._with_sound_vae(denoise, loaded, job, report)
        report(Progress(Stage.decoding, 0, 1))
        drawn = self._with_sound_vae(lambda: loaded.model.decode(latents, job.size), loaded, job, report)
        report(Progress(Stage.decoding, 1, 1))
        return framing.cut_content(drawn, job.size, *job.request.canvas_size)

    def _with_sound_vae(self, work: Callable[[], _T], loaded: Loaded, job: Job, report: Report) -> _T:
        """Do it; once more with the VAE in fp32 where that overflows, as SDXL's and others do in fp16."""
        standins = cast("_StandIns", importlib.import_module("pipelines.families.standins"))
        plan = loaded.plans["vae"]
        try:
            return work()
        except standins.NotFinite as error:
            if error.component != "vae" or plan.precision is Precision.fp32:
                raise
        report(Notice(f"The VAE overflowed in {plan.precision.value}; the picture is made again with it in fp32."))
        loaded.components["vae"].close()
        spec = next(spec for spec in job.specs if spec.name == "vae")
        loaded.components["vae"] = self._loaders.load(spec, self._in_fp32(plan), self._relay)
        loaded.model.replace("vae", loaded.components["vae"])
        return work()

    def _in_fp32(self, plan: Plan) -> Plan:
        """The same by PyTorch: engines are of 16 bits."""
        backend = Backend.fake if plan.backend is Backend.fake else Backend.eager
        device = self._machine.torch_device(plan.device)
        return replace(plan, backend=backend, precision=Precision.fp32, device=device)

    def _record(self, loaded: Loaded, job: Job, seed: int, notes: Notes) -> metadata.Record:
        plan = loaded.components[loaded.denoiser].plan  # another backend may have taken over
        gpu = self._machine.find_gpu(plan.device)
        return metadata.Record(
            request=replace(job.request, seed=seed, num_images=1),
            app_version=_version(),
            backend=plan.backend.value,
            precision=plan.precision.value,
            device=gpu.name if gpu is not None else plan.device,
            created=metadata.timestamp(),
            notes=(("drawn at", f"{job.size.width}x{job.size.height}"), *job.notes, *notes),
        )


def _prompts(job: Job) -> tuple[str, str]:
    return job.request.prompt, job.request.negative_prompt


def _report_plan(job: Job, report: Report) -> None:
    for name, plan in (*job.plans.items(), *((one.spec.name, one.plan) for one in job.controls)):
        report(PlanChosen(name, plan.backend.value, plan.precision.value, plan.reason, plan.device))
    for text in planning.notices(job):
        report(Notice(text))


def _encode(model: Model, job: Job, report: Report) -> Conditioning:
    report(Progress(Stage.encoding, 0, 1))
    limit = job.entry.max_sequence_length
    for name, text in (("prompt", job.request.prompt), ("negative prompt", job.request.negative_prompt)):
        tokens = model.count_tokens(text)
        if tokens > limit:
            report(Notice(f"The {name} is {tokens} tokens long, and the model reads the first {limit} only."))
    conditioning = model.encode(job.request)
    report(Progress(Stage.encoding, 1, 1))
    return conditioning


def _check_safety(drawn: Image.Image, job: Job, seed: int, report: Report) -> tuple[Image.Image, Notes]:
    """The picture, blurred where the safety check is asked for and finds it unsafe, and what its settings say of it."""
    if not job.request.safety_check:
        return drawn, ()
    checked = safety.check(drawn)
    if checked.blurred:
        report(Notice(f"The safety check blurred the picture of seed {seed}: it looks unsafe for work."))
    return checked.picture, (("safety check", checked.note),)


def _upscale(drawn: Image.Image, factor: int, report: Report) -> Image.Image:
    if factor == 1:
        return drawn
    from pipelines.upscale import upscale

    return upscale(drawn, factor, report)


def _version() -> str:
    try:
        return importlib.metadata.version("firstlight")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"  # a source tree that is not installed
