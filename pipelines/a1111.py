"""AUTOMATIC1111's `parameters` text: written so that its own parser reads it, read with tolerance.

The format (no specification; as its web UI writes it): the prompt's lines, then `Negative prompt: ` and its
lines, then one line of `Key: value` pairs that begins with `Steps`. A value that holds a comma, colon or
newline is a JSON string. A prompt line that itself begins with `Negative prompt:` cannot be told apart in
this format; our own JSON (`pipelines.metadata`) is exact there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.metadata import Record
    from pipelines.request import GenerationRequest

NEGATIVE = "Negative prompt:"
_STEPS = re.compile(r"Steps: *\d")
_PAIR = re.compile(
    r"""\s*([^\s:,"][^:,"\n]*?):\s*      # key
    ("(?:\\.|[^"\\])*"|[^,]*)            # a JSON string, or anything up to the comma
    \s*(?:,|$)""",
    re.VERBOSE | re.DOTALL,
)
_PAIRS_MIN = 3  # a last line with fewer pairs belongs to the prompt, as A1111 itself decides

# A1111's names of samplers, by diffusers' class names
_SAMPLERS = {
    "DDIMScheduler": "DDIM",
    "DPMSolverMultistepScheduler": "DPM++ 2M",
    "EulerAncestralDiscreteScheduler": "Euler a",
    "EulerDiscreteScheduler": "Euler",
    "FlowMatchEulerDiscreteScheduler": "Euler",
    "FlowMatchHeunDiscreteScheduler": "Heun",
    "HeunDiscreteScheduler": "Heun",
    "LMSDiscreteScheduler": "LMS",
    "UniPCMultistepScheduler": "UniPC",
}


@dataclass(frozen=True, slots=True)
class Parameters:
    """What such a text says. `settings` keeps the order of the text; a key may occur twice."""

    prompt: str
    negative_prompt: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def to_a1111(record: Record) -> str:
    """Write the settings of `record` for other tools: those that A1111 has a name for."""
    request = record.request
    lines = [request.prompt]
    if request.negative_prompt:
        lines.append(f"{NEGATIVE} {request.negative_prompt}")
    lines.append(", ".join(f"{key}: {_quote(value)}" for key, value in settings_of(record)))
    return "\n".join(lines)


def settings_of(record: Record) -> tuple[tuple[str, str], ...]:
    """The settings of `record` under A1111's names, at least four, `Steps` first."""
    request = record.request
    pairs = [("Steps", str(request.num_inference_steps))]
    if request.scheduler != "default":
        pairs.append(("Sampler", _SAMPLERS.get(request.scheduler, request.scheduler)))
    pairs += [
        ("CFG scale", f"{request.guidance_scale:g}"),
        ("Seed", str(request.seed)),
        ("Size", f"{request.width}x{request.height}"),
        ("Model", _last_name(request.model)),
    ]
    if request.image is not None:
        pairs.append(("Denoising strength", f"{request.strength:g}"))
    pairs += [*_mask_settings(request), *_hires_settings(request), *_network_settings(request)]
    if request.loras:
        pairs.append(("Loras", ", ".join(f"{lora.path.stem}:{lora.weight:g}" for lora in request.loras)))
    if request.upscale > 1:
        pairs.append(("Postprocess upscale by", str(request.upscale)))
    return (*pairs, ("Version", f"Firstlight {record.app_version}"))


def _mask_settings(request: GenerationRequest) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    if request.mask_feather:
        pairs.append(("Mask blur", str(request.mask_feather)))
    if request.mask_area_only:
        pairs.append(("Inpaint area", "Only masked"))
    if request.outpaint:
        margins = request.outpaint
        pairs.append(("Outpaint", f"{margins.left}, {margins.top}, {margins.right}, {margins.bottom}"))
    return pairs


def _hires_settings(request: GenerationRequest) -> list[tuple[str, str]]:
    hires = request.hires
    if hires is None:
        return []
    pairs = [("Denoising strength", f"{hires.strength:g}"), ("Hires upscale", f"{hires.scale:g}")]
    if hires.num_inference_steps:
        pairs.append(("Hires steps", str(hires.num_inference_steps)))
    return [*pairs, ("Hires upscaler", "Lanczos")]


def _network_settings(request: GenerationRequest) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    if request.refiner:
        pairs += [("Refiner", _last_name(request.refiner)), ("Refiner switch at", f"{request.refiner_start:g}")]
    for i, control in enumerate(request.controls):
        text = (
            f"Module: {control.preprocessor}, Model: {_last_name(control.model)}, Weight: {control.weight:g}, "
            f"Guidance Start: {control.start:g}, Guidance End: {control.end:g}"
        )
        pairs.append((f"ControlNet {i}", text))
    return pairs


def _last_name(model: str) -> str:
    """A path's last part: it tells no user name."""
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1]


def parse_a1111(text: str) -> Parameters:
    """Read such a text, from any tool, whatever it holds: what is not settings is prompt.

    Also reads settings that run over several lines, as written where a value holds a bare newline.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start = _settings_start(lines)
    settings = [(key.strip(), _unquote(value)) for key, value in _PAIR.findall("\n".join(lines[start:]))]
    body = lines[:start]
    at = next((i for i, line in enumerate(body) if line.lstrip().startswith(NEGATIVE)), len(body))
    negative = "\n".join(body[at:]).lstrip()[len(NEGATIVE) :].removeprefix(" ")
    return Parameters("\n".join(body[:at]), negative, tuple(settings))


def _settings_start(lines: list[str]) -> int:
    """Index of the line where the settings begin; len(lines) where there are none."""
    for i in reversed(range(len(lines))):
        if _STEPS.match(lines[i]):
            return i
    last = len(lines) - 1
    return last if len(_PAIR.findall(lines[last])) >= _PAIRS_MIN else len(lines)


def _quote(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if any(c in value for c in ',:\n\r"') else value


def _unquote(value: str) -> str:
    try:
        return json.loads(value) if value.startswith('"') else value.strip()
    except ValueError:
        return value
