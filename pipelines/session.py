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
from pipelines.passes import TwoPasses, expect_rest, expect_steps
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
    from pipelines.families.model import Conditioning, Model, Pass
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
        # 2. Load what is missing, the refiner too where memory holds both
        loaded = self._ready(job, job.refiner, report)
        if job.refiner is not None and self._fits_beside(job.refiner, job):
            self._ready(job.refiner, job, report)
        elif job.refiner is not None:
            report(Notice("Memory does not hold the model and its refiner at once, so they take turns."))
        # 3. Encode once, or where wildcards differ from picture to picture each time
        began = time.perf_counter()
        conditioning = _encode(loaded.model, jobs[0], report)
        # 4. Draw each picture alone, so that picture i of a seed is picture 0 of seed + i
        saved: list[PictureSaved] = []
        for index, seed in enumerate(request.seeds()):
            if index and _prompts(jobs[index]) != _prompts(jobs[index - 1]):
                loaded = self._ready(job, job.refiner, report)
                conditioning = _encode(loaded.model, jobs[index], report)
            drawn = self._draw(jobs[index], conditioning, seed, report)
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

    def _ready(self, job: Job, partner: Job | None, report: Report) -> Loaded:
        """The model of the job, loaded where it is missing; that of `partner` stays where memory holds both."""
        tile = self._make_room(job, partner)
        if tile:
            report(Notice(f"Memory is short, so the VAE works in tiles of {tile}x{tile} pixels."))
        loaded = self._shelf.load(job, report)
        loaded.set_loras(job.request.loras)
        loaded.model.tile_vae(tile)
        return loaded

    def _make_room(self, job: Job, partner: Job | None) -> int:
        """Free what is not wanted, and see whether the request fits in what is free; how large the VAE's tiles are."""
        self._shelf.keep([one for one in (job, partner) if one is not None])
        if job.request.backend is Backend.fake:
            return 0  # its networks have no weights and hold next to nothing
        if partner is not None and self._shelf.find(partner) is not None and not self._fits_beside(job, partner):
            self._shelf.keep((job,))
        appetite, request = self._read_appetite(job), job.request
        available = self._measure_room(job, partner)
        return memory.choose_tile(*request.hires_size, request.upscale, appetite, available)

    def _fits_beside(self, job: Job, partner: Job) -> bool:
        """Whether the job's model can work while that of `partner` is in memory."""
        if job.request.backend is Backend.fake:
            return True
        need = memory.estimate(*job.request.hires_size, job.request.upscale, self._read_appetite(job))
        return need <= self._measure_room(job, partner)

    def _read_appetite(self, job: Job) -> memory.Appetite:
        loaded = self._shelf.find(job) is not None
        appetite = memory.read_appetite(job.entry, job.specs, job.plans, loaded=loaded)
        more = self._shelf.weigh_controls(job)
        return replace(appetite, bounded=job.request.hires is None, weights=appetite.weights + more)

    def _measure_room(self, job: Job, partner: Job | None) -> int:
        """Bytes for the job's model and its work: what is free, or of a GPU what the partner's model leaves."""
        gpu = self._machine.find_gpu(job.plans[job.family.denoiser].device)
        if gpu is None:
            return devices.read_memory()[1]
        return gpu.memory_total - (self._shelf.weigh(partner) if partner is not None else 0)

    def _draw(self, job: Job, conditioning: Conditioning, seed: int, report: Report) -> Image.Image:
        """One picture at the size asked for, before it is enlarged."""
        canvas, second = planning.make_canvas(job), planning.second_pass(job)
        if second is None or job.request.hires is None:
            drawn = self._pass(job, canvas, conditioning, seed, report)
            return framing.set_back(drawn, canvas) if canvas is not None else drawn
        counted = TwoPasses(report, expect_steps(job.request.hires, job.request.num_inference_steps))
        first = self._pass(job, canvas, conditioning, seed, counted)
        counted.begin_second()
        enlarged = framing.Canvas(framing.resize(first, *second.request.canvas_size))
        return self._pass(second, enlarged, conditioning, seed, counted)

    def _pass(
        self, job: Job, canvas: Canvas | None, conditioning: Conditioning, seed: int, report: Report
    ) -> Image.Image:
        """One way through the networks, at the size that `job` asks for."""
        from pipelines.families.model import Pass  # which loads PyTorch

        loaded = self._shelf.find(job) or self._ready(job, job.refiner, report)  # the refiner may have had its turn
        work = Pass(seed, job.size, planning.prepare_start(job, canvas), loaded.hold_controls(job, canvas))
        if job.refiner is None:
            latents = self._denoise(loaded, job, work, conditioning, report)
        else:
            counted = TwoPasses(report, expect_rest(job.request))
            work = replace(work, end=job.request.refiner_start)
            latents = self._denoise(loaded, job, work, conditioning, counted)
            counted.begin_second()
            # What it goes on with: no picture, as that is in the latents, and the other's steps
            work = Pass(seed, job.size, end=work.end, latents=latents, scheduler=loaded.model.scheduler_config)
            base, job = job, replace(job.refiner, request=replace(job.request, loras=()), size=job.size)
            loaded = self._shelf.find(job) or self._ready(job, base, report)
            latents = self._denoise(loaded, job, work, loaded.model.encode(job.request), counted)
        report(Progress(Stage.decoding, 0, 1))
        drawn = self._with_sound_vae(lambda: loaded.model.decode(latents, job.size), loaded, job, report)
        report(Progress(Stage.decoding, 1, 1))
        return framing.cut_content(drawn, job.size, *job.request.canvas_size)

    def _denoise(self, loaded: Loaded, job: Job, work: Pass, conditioning: Conditioning, report: Report) -> Tensor:
        def denoise() -> Tensor:
            report(Progress(Stage.denoising, 0, job.request.num_inference_steps))
            return loaded.model.denoise(job.request, conditioning, work, report)

        return self._with_sound_vae(denoise, loaded, job, report)

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
