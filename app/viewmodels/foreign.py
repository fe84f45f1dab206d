"""Settings of other tools' pictures, as far as they mean something here. A1111's names, which all readers give."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.request import GUIDANCE_MAX, HIRES_MAX, HIRES_MIN, SEED_MAX, SIDE_MAX, SIDE_MIN, STEPS_MAX, HiresFix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.a1111 import Parameters

_SIZE = re.compile(r"\s*(\d{1,5})\s*[x×]\s*(\d{1,5})\s*")
# By A1111's and ComfyUI's names, in small letters. Flow-matching models have another Euler than the others
_SAMPLERS = {
    "euler": ("EulerDiscrete", "FlowMatchEulerDiscrete"),
    "euler a": ("EulerAncestralDiscrete",),
    "euler ancestral": ("EulerAncestralDiscrete",),
    "ddim": ("DDIM",),
    "plms": ("PNDM",),
    "dpm++ 2m": ("DPMSolverMultistep",),
    "dpm++ 2m sde": ("DPMSolverMultistepSDE",),
    "dpm++ 2s": ("DPMSolverSinglestep",),
    "heun": ("HeunDiscrete",),
    "dpm2": ("KDPM2Discrete",),
    "dpm 2": ("KDPM2Discrete",),
    "dpm2 a": ("KDPM2AncestralDiscrete",),
    "dpm 2 ancestral": ("KDPM2AncestralDiscrete",),
    "deis": ("DEISMultistep",),
    "unipc": ("UniPCMultistep",),
    "uni pc": ("UniPCMultistep",),
    "lcm": ("LCM",),
}


@dataclass(frozen=True, slots=True)
class Foreign:
    """What could be read; None where it is not told or not possible here."""

    prompt: str
    negative_prompt: str = ""
    steps: int | None = None
    guidance: float | None = None
    seed: int | None = None
    size: tuple[int, int] | None = None
    strength: float | None = None
    hires: HiresFix | None = None
    samplers: tuple[str, ...] = ()  # short names of diffusers' schedulers that it may be, the likeliest first
    model: str = ""


def read(parameters: Parameters) -> Foreign:
    """Pick out what the page has a control for."""
    told = {key.casefold(): value for key, value in reversed(parameters.settings)}  # the first of a key counts
    hires, strength = _hires(told), _number(told.get("denoising strength", ""), 0.0, 1.0)
    return Foreign(
        prompt=parameters.prompt,
        negative_prompt=parameters.negative_prompt,
        steps=_whole(told.get("steps", ""), 1, STEPS_MAX),
        guidance=_number(told.get("distilled cfg scale") or told.get("cfg scale", ""), 0.0, GUIDANCE_MAX),
        seed=_whole(told.get("seed", ""), 0, SEED_MAX),
        size=_size(told.get("size", "")),
        strength=None if hires is not None else strength,  # which is then the second pass'
        hires=hires,
        samplers=_samplers(told.get("sampler", ""), told.get("schedule type", "")),
        model=told.get("model", ""),
    )


def _hires(told: Mapping[str, str]) -> HiresFix | None:
    scale = _number(told.get("hires upscale", ""), HIRES_MIN, HIRES_MAX)
    if scale is None:
        return None
    usual = HiresFix()
    strength = _number(told.get("denoising strength", ""), 0.05, 1.0)
    return HiresFix(
        scale,
        usual.strength if strength is None else strength,
        _whole(told.get("hires steps", ""), 0, STEPS_MAX) or usual.num_inference_steps,
    )


def _samplers(sampler: str, schedule: str) -> tuple[str, ...]:
    """A1111 writes `DPM++ 2M Karras` or the schedule apart, ComfyUI `dpmpp_2m` and `karras`, InvokeAI `dpmpp_2m_k`."""
    name = sampler.casefold().replace("_", " ").replace("dpmpp", "dpm++").strip()
    plain = name.removesuffix(" karras").removesuffix(" k")
    is_karras = plain != name or schedule.casefold() == "karras"
    known = _SAMPLERS.get(plain, ())
    karras = tuple(f"{one}Karras" for one in known) if is_karras else ()
    return (*karras, *known, *((sampler.removesuffix("Scheduler"),) if sampler else ()))


def _whole(text: str, low: int, high: int) -> int | None:
    number = int(text) if text.strip().isdecimal() and len(text) < 30 else -1  # far past any seed
    return number if low <= number <= high else None


def _number(text: str, low: float, high: float) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and low <= number <= high else None


def _size(text: str) -> tuple[int, int] | None:
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    width, height = int(found[1]), int(found[2])
    return (width, height) if all(SIDE_MIN <= side <= SIDE_MAX for side in (width, height)) else None
