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
FEATHER_MAX = 256  # pixels
MARGIN_MAX = 2048  # pixels
MARGIN_STRENGTH, SEAM_FEATHER = 1.0, 8  # usual with margins: they are drawn from nothing, and a hard edge would be seen
HIRES_MIN, HIRES_MAX = 1.1, 4.0
REFINER_START = 0.8  # usual, as in the recipe of diffusers
CONTROL_WEIGHT_MAX = 2.0
PREPROCESSORS = ("none", "canny")


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # NaN fails every comparison, so it is refused too
        raise InvalidRequest(f"A {name} of {value} is not possible.", f"It can be {low} to {high}.")


class Backend(Enum):
    """How networks run; `auto` lets `engine.select` choose."""

    auto = "auto"
    eager = "eager"
    inductor = "inductor"
    tensorrt_rtx = "tensorrt_rtx"
    fake = "fake"  # deterministic stand-in for demos and tests; draws no real picture


class Precision(Enum):
    """Data type of the networks' weights and activations; `auto` lets `engine.select` choose.

    The narrow ones are of the denoiser's linear layers; see `pipelines.engine.quantise`.
    """

    auto = "auto"
    fp32 = "fp32"
    bf16 = "bf16"
    fp16 = "fp16"
    fp8 = "fp8"
    int8 = "int8"  # weights only
    int4 = "int4"  # weights only


NARROW = (Precision.fp8, Precision.int8, Precision.int4)


@dataclass(frozen=True, slots=True)
class LoraChoice:
    """One LoRA file and how strongly it acts; 1 is as trained, 0 is off, negative inverts."""

    path: Path
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Outpaint:
    """Margins to draw around a start picture, in pixels of the result.

    Raises:
        InvalidRequest: a value is out of its range; the message names the range.
    """

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0

    def __post_init__(self) -> None:
        for margin in (self.left, self.top, self.right, self.bottom):
            _check_range("margin", margin, 0, MARGIN_MAX)

    def __bool__(self) -> bool:
        return any((self.left, self.top, self.right, self.bottom))

    def widen(self, width: int, height: int) -> tuple[int, int]:
        """Width and height with the margins."""
        return width + self.left + self.right, height + self.top + self.bottom


@dataclass(frozen=True, slots=True)
class HiresFix:
    """Draw twice: the picture, enlarged `scale` times, is the start picture of a second pass.

    `num_inference_steps` of 0 means as many as in the first pass.

    Raises:
        InvalidRequest: a value is out of its range; the message names the range.
    """

    scale: float = 2.0
    strength: float = 0.5
    num_inference_steps: int = 0

    def __post_init__(self) -> None:
        _check_range("hires scale", self.scale, HIRES_MIN, HIRES_MAX)
        _check_range("hires strength", self.strength, 0.05, 1.0)
        _check_range("number of hires steps", self.num_inference_steps, 0, STEPS_MAX)

    def enlarge(self, width: int, height: int) -> tuple[int, int]:
        """Width and height of the second pass."""
        return round(width * self.scale), round(height * self.scale)


@dataclass(frozen=True, slots=True)
class ControlChoice:
    """One ControlNet (a name or a path), the picture that it follows, and how strongly it acts.

    It acts in the steps from the share `start` to the share `end` of them. `preprocessor` makes the picture that the
    ControlNet knows out of `image`; "none" where it is one already.

    Raises:
        InvalidRequest: a value is out of its range; the message names the range.
    """

    model: str
    image: Path
    weight: float = 1.0
    start: float = 0.0
    end: float = 1.0
    preprocessor: str = "none"

    def __post_init__(self) -> None:
        _check_range("control weight", self.weight, 0.0, CONTROL_WEIGHT_MAX)
        _check_range("control end", self.end, 0.0, 1.0)
        _check_range("control start", self.start, 0.0, self.end)
        if self.preprocessor not in PREPROCESSORS:
            raise InvalidRequest(
                f"There is no preprocessor {self.preprocessor!r}.", f"Use {' or '.join(PREPROCESSORS)}."
            )
        if not self.model:
            raise InvalidRequest("The control names no model.", "Give the name or the path of a ControlNet.")


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What to draw. Names are diffusers'.

    `width` and `height` are pixels of what is drawn first: `outpaint` adds its margins, then `hires` and `upscale`
    multiply. With `mask_area_only` the masked part of the start picture is drawn at that size, and set back into the
    start picture, which keeps its own. `mask_feather` is the radius of the Gaussian blur of the mask's edge; of
    `outpaint`'s seam it lies within the start picture.

    `guidance_scale` is the distilled guidance of models that have it, else classifier-free guidance. Picture `i` of
    `num_images` uses seed `(seed + i) mod 2**64`, so each can be made again alone. `refiner` (a name or a path) goes on
    after the share `refiner_start` of the steps. With `safety_check`, pictures that look unsafe for work are blurred.

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
    mask_feather: int = 0
    mask_area_only: bool = False
    outpaint: Outpaint = Outpaint()
    hires: HiresFix | None = None
    refiner: str = ""
    refiner_start: float = REFINER_START
    controls: tuple[ControlChoice, ...] = ()
    safety_check: bool = False

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
        _check_range("refiner start", self.refiner_start, 0.0, 1.0)
        _check_mask(self)
        _check_hires(self)

    @property
    def is_masked(self) -> bool:
        """Whether a part of a start picture stays as it is: beside a mask, or within margins."""
        return self.mask_image is not None or bool(self.outpaint)

    @property
    def canvas_size(self) -> tuple[int, int]:
        """Width and height of the first pass, with the margins of `outpaint`."""
        return self.outpaint.widen(self.width, self.height)

    @property
    def hires_size(self) -> tuple[int, int]:
        """Width and height of the last pass: `canvas_size` where there is one pass only."""
        return self.canvas_size if self.hires is None else self.hires.enlarge(*self.canvas_size)

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the saved picture; not with `mask_area_only`, which keeps the start picture's own."""
        width, height = self.hires_size
        return width * self.upscale, height * self.upscale

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


def _check_mask(request: GenerationRequest) -> None:
    _check_range("mask feather", request.mask_feather, 0, FEATHER_MAX)
    if request.mask_area_only and request.mask_image is None:
        raise InvalidRequest("Drawing the masked part only needs a mask.", "Give the mask with --mask.")
    if request.mask_feather and request.mask_image is None and not request.outpaint:
        raise InvalidRequest("There is no mask to feather.", "Give the mask with --mask.")
    if not request.outpaint:
        return
    if request.image is None:
        raise InvalidRequest("Outpainting needs a start picture.", "Give the picture with --image.")
    if request.mask_image is not None:
        raise InvalidRequest("Outpainting takes no mask: the margins are what is drawn.", "Leave out one of the two.")
    _check_size(*request.canvas_size)


def _check_hires(request: GenerationRequest) -> None:
    if request.hires is None:
        return
    if request.image is not None:
        raise InvalidRequest("The hires fix takes no start picture: it makes its own.", "Leave out one of the two.")
    _check_size(*request.hires_size)
