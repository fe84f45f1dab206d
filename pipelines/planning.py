"""Everything that is decided about a request before work starts, and every refusal that needs no network."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipelines import (
    catalog,
    checkpoints,
    controls,
    framing,
    images,
    lora,
    prompts,
    refining,
    safety,
    sizes,
    upscale,
    weights,
)
from pipelines.controls import PlannedControl
from pipelines.engine import select
from pipelines.errors import EngineFailure, InvalidRequest, UnusableFile
from pipelines.families import FAMILIES, Picture, schedulers
from pipelines.proof import accepted, architecture
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from pipelines.catalog import Entry
    from pipelines.devices import Machine
    from pipelines.engine.base import ComponentSpec, Places, Plan
    from pipelines.families import Family
    from pipelines.framing import Canvas, Start
    from pipelines.request import GenerationRequest

_NO_CONTROL_ENGINE = "no engine is made for ControlNets"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A request and what was decided about it. Start picture and mask are open; `plans` is by component.

    `size` is what the first pass draws.

    `folder` holds the model's configuration, `tokenizers` those that lie elsewhere; `notes` are facts that the
    pictures' settings keep. `refiner` is what is decided about the model that goes on where this one stops.
    """

    request: GenerationRequest
    entry: Entry
    folder: Path
    tokenizers: dict[str, Path]
    specs: tuple[ComponentSpec, ...]
    plans: dict[str, Plan]
    size: sizes.RenderSize
    picture: Image.Image | None
    mask: Image.Image | None
    controls: tuple[PlannedControl, ...] = ()
    refiner: Job | None = None
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def family(self) -> Family:
        """The model's."""
        return FAMILIES[self.entry.family]

    @property
    def use(self) -> Picture:
        """What a start picture is to the model."""
        return self.family.pictures[self.entry.model_class]

    @property
    def last_size(self) -> sizes.RenderSize:
        """What the last pass draws, which is the largest."""
        return _last_size(self.request, self.entry)

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the finished picture."""
        request = self.request
        if self.picture is None or not request.mask_area_only:
            return request.picture_size
        return self.picture.width * request.upscale, self.picture.height * request.upscale


def plan(request: GenerationRequest, machine: Machine, places: Places | None = None) -> Job:
    """Decide how `request` is carried out on `machine`, with the engines in `places`.

    Raises:
        InvalidRequest: it cannot be carried out as written.
        UnusableFile: its model, a LoRA or a picture is missing or damaged.
        EngineFailure: the backend or precision that it asks for cannot run here.
    """
    entry = _find_entry(request.model)
    _check_request(request, entry)
    for choice in request.loras:
        lora.check(choice.path)
    job = _decide(request, entry, machine, places)
    picture = images.open_picture(request.image) if request.image is not None else None
    mask = images.open_mask(request.mask_image) if request.mask_image is not None else None
    if picture is not None and mask is not None:
        framing.fit_mask(request, picture, mask)  # it is refused before anything is loaded
    return replace(
        job,
        picture=picture,
        mask=mask,
        controls=_plan_controls(job, machine),
        refiner=_plan_refiner(job, machine, places),
    )


def _find_entry(name_or_path: str) -> Entry:
    entry = catalog.find(name_or_path)
    if not entry.runs:
        raise UnusableFile(f"This version cannot draw with {entry.title} yet.", "Use another model.")
    if entry.location is None:
        raise UnusableFile(
            f"{entry.title} is not on this machine.",
            f"Get it with 'firstlight models download {entry.name}', or pass the path of its diffusers folder.",
        )
    return entry


def _decide(request: GenerationRequest, entry: Entry, machine: Machine, places: Places | None) -> Job:
    """What the model alone decides; it is on this machine."""
    assert entry.location is not None
    folder = checkpoints.configs(entry.layout) if entry.layout else entry.location
    return Job(
        request=request,
        entry=entry,
        folder=folder,
        tokenizers=_find_tokenizers(entry),
        specs=weights.find_components(entry.location, FAMILIES[entry.family].networks),
        plans=_choose_all(request, entry, folder, machine, places),
        size=sizes.choose(*request.canvas_size, entry),
        picture=None,
        mask=None,
    )


def _plan_controls(job: Job, machine: Machine) -> tuple[PlannedControl, ...]:
    request, denoiser = job.request, job.folder / job.family.denoiser
    return tuple(
        PlannedControl(
            choice,
            controls.find(choice.model, job.entry, denoiser),
            select.choose(checkpoints.CONTROLNET, request.backend, request.precision, machine, _NO_CONTROL_ENGINE),
            images.open_picture(choice.image),
        )
        for choice in controls.find_active(request)
    )


def _plan_refiner(job: Job, machine: Machine, places: Places | None) -> Job | None:
    """The job of the refiner, which is given the model's latents and nothing else."""
    request = job.request
    if not refining.has_refiner(request):
        return None
    entry = _find_entry(request.refiner)
    refining.check_fit(entry, job.entry, job.family)
    return _decide(replace(request, model=request.refiner, loras=(), controls=(), refiner=""), entry, machine, places)


def _choose_all(
    request: GenerationRequest, entry: Entry, folder: Path, machine: Machine, places: Places | None
) -> dict[str, Plan]:
    """The plans by component. Where the precision is left open, this machine's acceptance records have their say."""
    family = FAMILIES[entry.family]

    def choose(request: GenerationRequest) -> dict[str, Plan]:
        return {name: _choose(name, request, entry, folder, machine, places) for name in family.networks}

    plans = choose(request)
    records = places.records / accepted.FOLDER if places is not None and places.records is not None else None
    if request.precision is not Precision.auto or request.backend is Backend.fake or records is None:
        return plans
    usual = plans[family.denoiser]
    digest = architecture.digest(entry.family, folder / family.denoiser)
    facts = accepted.make_facts(machine, usual.device, digest, usual.backend.value, usual.precision.value)
    preference = accepted.prefer(facts, accepted.load(records), request.backend)
    if preference is None:
        return plans
    try:
        plans = choose(replace(request, backend=preference.backend, precision=preference.precision))
    except (EngineFailure, InvalidRequest) as error:  # its engine may have been deleted since
        log.warning("what the records prefer cannot run: %s", error)
        return plans
    return {name: replace(plan, reason=f"{plan.reason}: {preference.reason}") for name, plan in plans.items()}


def _choose(
    name: str, request: GenerationRequest, entry: Entry, folder: Path, machine: Machine, places: Places | None
) -> Plan:
    """The plan of one network; engines are looked for only where they could run, since that loads PyTorch."""
    if name == FAMILIES[entry.family].denoiser and controls.find_active(request):
        return select.choose(name, request.backend, request.precision, machine, _NO_CONTROL_ENGINE)
    asked = request.backend in (Backend.auto, Backend.tensorrt_rtx)
    if not asked or places is None or not machine.gpus or machine.lack(Backend.tensorrt_rtx.value):
        return select.choose(name, request.backend, request.precision, machine)
    from pipelines.engine import built

    gpu = machine.gpus[0]
    no_engine = built.explain_missing(folder, name, request.precision, gpu, places)
    size = _last_size(request, entry)
    memory = None if no_engine else built.plan_memory(folder, entry, request.precision, (size.width, size.height), gpu)
    if memory is not None and memory.streamed == name:
        no_engine = built.explain_missing(folder, name, request.precision, gpu, places, in_pieces=True)
    return select.choose(name, request.backend, request.precision, machine, no_engine, memory)


def _last_size(request: GenerationRequest, entry: Entry) -> sizes.RenderSize:
    if request.hires is None:
        return sizes.choose(*request.canvas_size, entry)
    return sizes.choose_again(*request.hires_size, entry)


def _find_tokenizers(entry: Entry) -> dict[str, Path]:
    """Of a single file of FLUX.1: T5's ships once for all of them."""
    return {"tokenizer_2": checkpoints.t5_tokenizer()} if entry.layout and entry.family == "flux" else {}


def draw_wildcards(job: Job, seed: int, folder: Path | None) -> Job:
    """The job for the picture of `seed`: with the wildcards of its prompts drawn, and a note of what was drawn.

    Raises:
        UnusableFile, InvalidRequest: see `prompts.draw`.
    """
    request = job.request
    prompt = prompts.draw(request.prompt, seed, folder)
    negative = prompts.draw(request.negative_prompt, seed, folder)
    if not prompt.values and not negative.values:
        return job
    values = "; ".join(f"{asked} = {value}" for asked, value in prompt.values + negative.values)
    notes = [("prompt as written", request.prompt), ("wildcards", values)]
    if negative.values:
        notes.insert(1, ("negative prompt as written", request.negative_prompt))
    drawn = replace(request, prompt=prompt.prompt, negative_prompt=negative.prompt)
    return replace(job, request=drawn, notes=(*job.notes, *notes))


def notices(job: Job) -> list[str]:
    """What the user should know beforehand, in words."""
    request, found = job.request, [job.size.reason] if job.size.reason else []
    if request.backend is Backend.fake:
        found.append("The fake backend draws no real picture.")
    found += _guidance_notices(job)
    weighted = any(prompts.strip_weights(text)[1] for text in (request.prompt, request.negative_prompt))
    if weighted and not job.family.weighs_words:
        found.append(f"{job.family.title} reads sentences: the weights of words, and BREAK, are left out.")
    if job.use is Picture.reference and request.image is not None and not request.is_masked:
        found.append(f"{job.entry.title} looks at the whole start picture, so the strength changes nothing.")
    found += _start_notices(job)
    return found


def _start_notices(job: Job) -> list[str]:
    """What of the start picture, its mask and the pictures for ControlNets is cut off."""
    request, found = job.request, list[str]()
    shape = request.width, request.height
    if request.mask_area_only and job.picture is not None:
        shape = job.picture.size
    whole = job.use is Picture.reference and not request.is_masked  # it is looked at as it is
    pictures = [("start picture", None if whole else job.picture), ("mask", job.mask)]
    for name, picture in (*pictures, *(("control picture", control.picture) for control in job.controls)):
        if picture is not None and picture.width * shape[1] != picture.height * shape[0]:
            found.append(
                f"The {name} of {picture.width}x{picture.height} is cut to the shape of {shape[0]}x{shape[1]}."
            )
    return found


def make_canvas(job: Job) -> Canvas | None:
    """What is drawn on; None where a picture begins with the prompt alone."""
    return None if job.picture is None else framing.make_canvas(job.request, job.picture, job.mask)


def prepare_start(job: Job, canvas: Canvas | None) -> Start | None:
    """The canvas at the size that is drawn; a picture to look at only keeps its own shape."""
    if canvas is None:
        return None
    if job.use is Picture.reference and canvas.mask is None:
        return framing.Start(canvas.picture, None)
    return framing.prepare_start(canvas, job.size)


def second_pass(job: Job) -> Job | None:
    """The job of the hires fix' second pass, which begins with the first one's picture; None where there is none."""
    request, hires = job.request, job.request.hires
    if hires is None:
        return None
    width, height = request.hires_size
    again = replace(
        request,
        width=width,
        height=height,
        strength=hires.strength,
        num_inference_steps=hires.num_inference_steps or request.num_inference_steps,
        hires=None,
    )
    return replace(job, request=again, size=job.last_size)


def _guidance_notices(job: Job) -> list[str]:
    request, title = job.request, job.entry.title
    if job.family.classifier_free:
        if request.negative_prompt and request.guidance_scale <= 1:
            return ["The negative prompt changes nothing: it needs a guidance of more than 1."]
        return []
    found: list[str] = []
    if request.negative_prompt and job.use is Picture.fill:
        found.append(f"{title} takes no negative prompt, so it changes nothing.")
    elif request.negative_prompt:
        found.append("A negative prompt runs the model twice in each step, so it takes twice the time.")
    if not job.entry.guidance_embeds and request.guidance_scale:
        found.append(f"{title} has no guidance to set, so {request.guidance_scale} changes nothing.")
    return found


def _check_request(request: GenerationRequest, entry: Entry) -> None:
    for text in (request.prompt, request.negative_prompt):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InvalidRequest("The prompt holds half a character that is no text.", "Type it again.")
    use = FAMILIES[entry.family].pictures[entry.model_class]
    if use is Picture.fill and not request.is_masked:
        raise InvalidRequest(
            f"{entry.title} fills a part of a picture, so it needs a start picture and a mask.",
            "Give both, with --image and --mask, or use another model.",
        )
    controls.check(request, entry, takes=FAMILIES[entry.family].controls)
    refining.check(request, entry, FAMILIES[entry.family])
    if request.hires is not None and use is not Picture.start:
        raise InvalidRequest(f"{entry.title} cannot draw a picture twice, as the hires fix does.", "Leave it out.")
    from_picture = request.hires is not None or (
        request.image is not None and (use is Picture.start or request.is_masked)
    )
    schedulers.check(request.scheduler, from_picture=from_picture, family=entry.family)
    if request.image is not None and request.strength == 0:
        raise InvalidRequest("A strength of 0 leaves the start picture as it is.", "Use more than 0.")
    if request.loras and request.backend is Backend.fake:
        raise InvalidRequest("The fake backend takes no LoRA.", "Use --backend auto.")
    if request.upscale != 1:
        upscale.find_weights(request.upscale)
    if request.safety_check:
        safety.find_model()
