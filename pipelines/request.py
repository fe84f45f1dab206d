"""The one frozen value that holds everything that shapes a picture."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from pathlib import Path

SIDE_MIN, SIDE_MAX = 64, 4096  # pixels
SEED_MAX = 2**64 - 1  # torch.Generator takes 64 bits
STEPS_MAX = 1000  # the schedulers' num_train_timesteps
COUNT_MAX = 1000
GUIDANCE_MAX = 100.0
LORA_WEIGHT_MAX = 10.0


class Backend(Enum):
    """How networks run; `auto` lets `engine.select` choose."""

    auto = "auto"
    eager = "eager"
    inductor = "inductor"
    tensorrt_rtx = "tensorrt_rtx"
    fake = "fake"  # deterministic stand-in for demos and tests; draws no real picture


class Precision(Enum):
    """Data type of the networks' weights and activations; `auto` lets `engine.select` choose."""

    auto = "auto"
    fp32 = "fp32"
    bf16 = "bf16"
    fp16 = "fp16"


@dataclass(frozen=True, slots=True)
class LoraChoice:
    """One LoRA file and how strongly it acts; 1 is as trained, 0 is off, negative inverts."""

    path: Path
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What to draw. Names are diffusers'; sizes are pixels of the saved picture (before `upscale`).

    `guidance_scale` is the distilled guidance of models that have it, else classifier-free guidance. Picture `i` of
    `num_images` uses seed `(seed + i) mod 2**64`, so each can be made again alone.

    Raises:
        InvalidRequest: a value is out of its range; the message names the range.
    """

    prompt: str
    model: str
    width: int
    height: int
    num_inference_steps: int
    guidance_scale: float
    seed: int
    negative_prompt: str = ""
    num_images: int = 1
    scheduler: str = "default"
    loras: tuple[LoraChoice, ...] = ()
    image: Path | None = None
    strength: float = 0.6
    mask_image: Path | None = None
    upscale: int = 1
    backend: Backend = Backend.auto
    precision: Precision = Precision.auto

    def __post_init__(self) -> None:
        _check_size(self.width, self.height)
        _check_range("steps", self.num_inference_steps, 1, STEPS_MAX)
        _check_range("guidance", self.guidance_scale, 0.0, GUIDANCE_MAX)
        _check_range("seed", self.seed, 0, SEED_MAX)
        _check_range("count", self.num_images, 1, COUNT_MAX)
        _check_range("strength", self.strength, 0.0, 1.0)
        for lora in self.loras:
            _check_range("LoRA weight", lora.weight, -LORA_WEIGHT_MAX, LORA_WEIGHT_MAX)
        if self.upscale not in (1, 2, 4):
            raise InvalidRequest(f"An upscale of {self.upscale} is not possible.", "Use 2 or 4.")
        if self.mask_image is not None and self.image is None:
            raise InvalidRequest("A mask needs a start picture.", "Give the picture with --image.")

    def seeds(self) -> tuple[int, ...]:
        """The seed of each picture, in order."""
        return tuple((self.seed + i) % (SEED_MAX + 1) for i in range(self.num_images))

    def rest(self, done: int) -> GenerationRequest:
        """The request for what is left when the first `done` pictures are there; `done` is below `num_images`."""
        return replace(self, seed=(self.seed + done) % (SEED_MAX + 1), num_images=self.num_images - done)


def fix_seed(seed: int) -> int:
    """Return `seed`, or a random one in 0 … 2**64-1 where it is -1.

    Raises:
        InvalidRequest: `seed` is neither.
    """
    if seed == -1:
        return secrets.randbits(64)
    _check_range("seed", seed, 0, SEED_MAX)
    return seed


def parse_size(text: str) -> tuple[int, int]:
    """Read `WIDTHxHEIGHT` (also with `×` or `*`), in pixels.

    Raises:
        InvalidRequest: not of that form, or out of range.
    """
    parts = text.lower().replace("×", "x").replace("*", "x").split("x")
    try:
        width, height = (int(part) for part in parts)
    except ValueError:
        raise InvalidRequest(
            f"The size {text!r} is not understood.", "Write it as WIDTHxHEIGHT, for example 512x256."
        ) from None
    _check_size(width, height)
    return width, height


def _check_size(width: int, height: int) -> None:
    if not (SIDE_MIN <= width <= SIDE_MAX and SIDE_MIN <= height <= SIDE_MAX):
        raise InvalidRequest(
            f"A size of {width}x{height} is not possible.",
            f"Each side can be {SIDE_MIN} to {SIDE_MAX} pixels.",
        )


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # NaN fails every comparison, so it is refused too
        raise InvalidRequest(f"A {name} of {value} is not possible.", f"It can be {low} to {high}.")
