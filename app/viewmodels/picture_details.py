"""All that is known of one picture, as rows of a table: what they are called is for the view to say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

if TYPE_CHECKING:
    from app.services.picture_store import Picture
    from pipelines.inspection import Inspection
    from pipelines.request import GenerationRequest


class Fact(Enum):
    """What a row tells. `other` has its own name: another tool's setting."""

    prompt = "prompt"
    negative_prompt = "negative_prompt"
    model = "model"
    size = "size"
    steps = "steps"
    guidance = "guidance"
    seed = "seed"
    sampler = "sampler"
    lora = "lora"
    start_picture = "start_picture"
    strength = "strength"
    mask = "mask"
    mask_feather = "mask_feather"
    mask_area = "mask_area"
    margins = "margins"
    second_pass = "second_pass"
    refiner = "refiner"
    control = "control"
    upscale = "upscale"
    backend = "backend"
    seconds = "seconds"
    created = "created"
    file = "file"
    source = "source"
    note = "note"
    other = "other"


@dataclass(frozen=True, slots=True)
class Detail:
    """One row. `name` is the name of a setting of another tool, where `fact` is `other`."""

    fact: Fact
    value: str
    name: str = ""


def of_picture(picture: Picture) -> tuple[Detail, ...]:
    """What the library knows of a picture."""
    rows = _of_request(picture.request) if picture.request is not None else []
    if picture.request is None and picture.prompt:
        rows.append(Detail(Fact.prompt, picture.prompt))
    made = f"{picture.width} × {picture.height}"
    asked = picture.request
    if asked is None or asked.picture_size != (picture.width, picture.height):
        rows = [row for row in rows if row.fact is not Fact.size]
        rows.append(Detail(Fact.size, made))
    if picture.backend:
        rows.append(Detail(Fact.backend, ", ".join(filter(None, (picture.backend, picture.precision)))))
    if picture.seconds > 0:
        rows.append(Detail(Fact.seconds, f"{QLocale().toString(picture.seconds, 'f', 1)} s"))
    rows.append(Detail(Fact.created, _moment(picture.created)))
    rows.append(Detail(Fact.file, str(picture.path)))
    return tuple(rows)


def of_inspection(found: Inspection) -> tuple[Detail, ...]:
    """What a picture says about itself, whichever tool made it."""
    record = found.record
    if record is not None:
        rows = _of_request(record.request)
        rows.append(Detail(Fact.backend, ", ".join(filter(None, (record.backend, record.precision)))))
    else:
        told = found.parameters
        rows = [Detail(Fact.prompt, told.prompt)] if told.prompt else []
        rows += [Detail(Fact.negative_prompt, told.negative_prompt)] if told.negative_prompt else []
        rows += [Detail(Fact.other, value, name) for name, value in told.settings]
        if not any(name == "Size" for name, _ in told.settings):
            rows.append(Detail(Fact.size, f"{found.width} × {found.height}"))
    rows.append(Detail(Fact.source, found.source.value))
    rows += [Detail(Fact.note, found.note)] if found.note else []
    rows.append(Detail(Fact.file, str(found.path)))
    return tuple(rows)


def _of_request(request: GenerationRequest) -> list[Detail]:
    rows = [
        Detail(Fact.prompt, request.prompt),
        Detail(Fact.negative_prompt, request.negative_prompt),
        Detail(Fact.model, request.model),
        Detail(Fact.size, " × ".join(map(str, request.picture_size))),
        Detail(Fact.steps, str(request.num_inference_steps)),
        Detail(Fact.guidance, f"{request.guidance_scale:g}"),
        Detail(Fact.seed, str(request.seed)),
    ]
    if request.scheduler != "default":
        rows.append(Detail(Fact.sampler, request.scheduler))
    rows += [Detail(Fact.lora, f"{lora.path.stem} × {lora.weight:g}") for lora in request.loras]
    if request.image is not None:
        rows.append(Detail(Fact.start_picture, str(request.image)))
        rows.append(Detail(Fact.strength, f"{request.strength:g}"))
    if request.mask_image is not None:
        rows.append(Detail(Fact.mask, str(request.mask_image)))
    rows += _of_editing(request)
    if request.upscale > 1:
        rows.append(Detail(Fact.upscale, f"{request.upscale}×"))
    return [row for row in rows if row.value or row.fact is Fact.prompt]


def _of_editing(request: GenerationRequest) -> list[Detail]:
    """Edges, margins, a second pass and further networks."""
    rows: list[Detail] = []
    if request.mask_feather:
        rows.append(Detail(Fact.mask_feather, f"{request.mask_feather} px"))
    if request.mask_area_only:
        rows.append(Detail(Fact.mask_area, f"{request.width} × {request.height}"))
    if request.outpaint:
        margins = request.outpaint
        rows.append(Detail(Fact.margins, f"{margins.left}, {margins.top}, {margins.right}, {margins.bottom}"))
    if request.hires is not None:
        hires = request.hires
        steps = f", {hires.num_inference_steps}" if hires.num_inference_steps else ""
        rows.append(Detail(Fact.second_pass, f"{hires.scale:g}×, {hires.strength:g}{steps}"))
    if request.refiner:
        rows.append(Detail(Fact.refiner, f"{request.refiner}, {request.refiner_start:g}"))
    for one in request.controls:
        rows.append(Detail(Fact.control, f"{Path(one.model).name} × {one.weight:g}: {one.image}"))
    return rows


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):  # a clock that was set wrongly
        return ""
