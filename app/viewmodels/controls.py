"""The values of the Generate page: one observed value a control, and what is worked out from them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.viewmodels.model_choices import Abilities, ModelChoice
from app.viewmodels.observable import Observed
from app.viewmodels.problems import Problem
from app.viewmodels.remembered import LoraRow
from app.viewmodels.size_presets import SizePreset
from pipelines import catalog
from pipelines.catalog import Entry
from pipelines.families import schedulers
from pipelines.request import REFINER_START, ControlChoice, HiresFix, Outpaint
from pipelines.sizes import RenderSize
from pipelines.styles import NO_STYLE

INPUTS = (
    "prompt", "negative_prompt", "style", "model", "width", "height", "steps", "guidance", "seed", "seed_locked",
    "count", "scheduler", "loras", "image", "strength", "mask_image", "upscale",
    "mask_feather", "mask_area_only", "outpaint", "hires", "refiner", "refiner_start", "controls",
)  # fmt: skip
FILES = ("loras", "image", "mask_image", "controls")


class Controls(QObject):
    """`INPUTS` are the user's; the others follow from them."""

    prompt, prompt_changed = Observed(""), Signal(object)
    negative_prompt, negative_prompt_changed = Observed(""), Signal(object)
    style, style_changed = Observed(NO_STYLE), Signal(object)
    model, model_changed = Observed(catalog.STARTER), Signal(object)
    width, width_changed = Observed(256), Signal(object)
    height, height_changed = Observed(256), Signal(object)
    steps, steps_changed = Observed(20), Signal(object)
    guidance, guidance_changed = Observed[float](1.0), Signal(object)
    seed, seed_changed = Observed(0), Signal(object)
    seed_locked, seed_locked_changed = Observed(False), Signal(object)  # else each click draws with a new one
    count, count_changed = Observed(1), Signal(object)
    scheduler, scheduler_changed = Observed(schedulers.DEFAULT), Signal(object)
    loras, loras_changed = Observed[tuple[LoraRow, ...]](()), Signal(object)
    image, image_changed = Observed[Path | None](None), Signal(object)
    strength, strength_changed = Observed[float](0.6), Signal(object)
    mask_image, mask_image_changed = Observed[Path | None](None), Signal(object)
    upscale, upscale_changed = Observed(1), Signal(object)

    mask_feather, mask_feather_changed = Observed(0), Signal(object)
    mask_area_only, mask_area_only_changed = Observed(False), Signal(object)
    outpaint, outpaint_changed = Observed(Outpaint()), Signal(object)
    hires, hires_changed = Observed[HiresFix | None](None), Signal(object)
    refiner, refiner_changed = Observed(""), Signal(object)
    refiner_start, refiner_start_changed = Observed[float](REFINER_START), Signal(object)
    controls, controls_changed = Observed[tuple[ControlChoice, ...]](()), Signal(object)

    models, models_changed = Observed[tuple[ModelChoice, ...]](()), Signal(object)
    entry, entry_changed = Observed[Entry | None](None), Signal(object)
    able, able_changed = Observed(Abilities()), Signal(object)
    samplers, samplers_changed = Observed[tuple[str, ...]]((schedulers.DEFAULT,)), Signal(object)
    presets, presets_changed = Observed[tuple[SizePreset, ...]](()), Signal(object)
    controlnets, controlnets_changed = Observed[tuple[ModelChoice, ...]](()), Signal(object)
    refiners, refiners_changed = Observed[tuple[ModelChoice, ...]](()), Signal(object)
    drawn_size, drawn_size_changed = Observed[RenderSize | None](None), Signal(object)
    final_size, final_size_changed = Observed[tuple[int, int]]((256, 256)), Signal(object)  # of the saved picture
    problems, problems_changed = Observed[tuple[Problem, ...]](()), Signal(object)
    last_seed, last_seed_changed = Observed[int | None](None), Signal(object)

    def note_seed(self, seed: int) -> None:
        """The last job has this seed."""
        self.last_seed = seed
