"""How much memory a request will need at its peak, and what would fit: known before any work starts.

The estimate is weights + the larger of what the denoiser and the VAE hold while they work + the picture.
Its factors (the denoiser's is its family's `activations`) were measured in fp32 on the CPU on networks of random
weights, as the peak of the process while one runs against before: transformers of width 256 and 1536 at 512 to 2048
pixels a side gave 17 to 24 values a token and channel; UNets of first widths 64 to 192 at 512 to 1024 pixels a side,
prompt and negative prompt in one batch, 69 to 79 a latent pixel and channel of that width with the layout of SD 1.5,
45 to 64 with that of SDXL; VAEs of the starter's and of FLUX.1's widths 2.5 to 3.2 a pixel and channel to decode, 1.2
to 1.7 to encode. `tests/pipelines/test_memory.py` measures whole requests again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from pipelines import checkpoints, sizes
from pipelines.catalog import read_json
from pipelines.errors import NoRoom
from pipelines.families import FAMILIES
from pipelines.request import NARROW, SIDE_MIN, Precision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.catalog import Entry
    from pipelines.engine.base import ComponentSpec, Plan

BYTES = {Precision.fp32: 4, Precision.bf16: 2, Precision.fp16: 2}
_NARROW_BYTES = {Precision.fp8: 1.0, Precision.int8: 1.0, Precision.int4: 0.75}  # int4 has some layers in int8
_BLOCKS = ("transformer_blocks.", "double_blocks.", "single_blocks.", "layers.")  # in names of the repeated blocks
TILE = 512  # pixels a side, as diffusers' own VAEs have it
_VALUES_PER_PIXEL = 3.5  # the VAE's activations, in multiples of the channels of its last block
_PICTURE_BYTES = 3 * 4 * 2  # per pixel: fp32 RGB, and again while it is turned into bytes, resized and packed
_UPSCALER = 200 * 2**20  # one tile of `pipelines.upscale`; it runs when the networks are done
_RESERVE = 150 * 2**20  # what allocators keep and libraries use besides


@dataclass(frozen=True, slots=True)
class Appetite:
    """What of a model decides how much memory it takes.

    `transformer` and `vae` are widths in channels, `value_bytes` is the size of an activation, `weights` are
    bytes that are still to be loaded. `tile` is the side of the VAE's tiles in pixels; 0: it works on whole pictures.
    `bounded`: sizes that the model was not trained for are drawn at another; a second pass draws any.
    """

    entry: Entry
    transformer: int
    vae: int
    value_bytes: int
    weights: int
    tile: int = 0
    bounded: bool = True


def read_appetite(entry: Entry, specs: Iterable[ComponentSpec], plans: Mapping[str, Plan], *, loaded: bool) -> Appetite:
    """Read it from the components' config.json files and their plans; `loaded`: the weights are there."""
    config = {spec.name: read_json(spec.folder / "config.json") for spec in specs}
    denoiser = config[FAMILIES[entry.family].denoiser]
    blocks = cast("list[int]", config["vae"].get("block_out_channels") or [64])
    return Appetite(
        entry=entry,
        transformer=measure_width(denoiser),
        vae=sum(blocks[:2]),  # the last block works at full size, on what the one before it gave
        value_bytes=max(_value_bytes(plan) for plan in plans.values()),
        weights=0 if loaded else sum(weigh(spec, plans[spec.name]) for spec in specs),
    )


def weigh(spec: ComponentSpec, plan: Plan) -> int:
    """Bytes of a network's weights, from the headers of its files; see `engine.quantise` for what is narrow."""
    wide = _value_bytes(plan)
    if plan.precision not in NARROW:
        return spec.parameters * wide
    prefix = str(getattr(spec, "prefix", ""))  # of a network among others in one file
    narrow = sum(
        math.prod(info.shape)
        for file in spec.files
        for name, info in checkpoints.read_header(file).items()
        if name.startswith(prefix) and len(info.shape) == 2 and any(block in name for block in _BLOCKS)
    )
    return (spec.parameters - narrow) * wide + int(narrow * _NARROW_BYTES[plan.precision])


def _value_bytes(plan: Plan) -> int:
    """Of an activation, and of a weight that is not narrow."""
    if plan.precision in NARROW:
        return BYTES[Precision.fp32] if plan.device == "cpu" else BYTES[Precision.bf16]
    return BYTES[plan.precision]


def measure_width(denoiser: Mapping[str, object]) -> int:
    """Channels of a token: of a UNet's first block, which works at full size, or of all of a transformer's heads."""
    channels = denoiser.get("block_out_channels")
    if isinstance(channels, list):
        return int(str(cast("list[object]", channels)[0]))
    if "dim" in denoiser:
        return int(str(denoiser["dim"]))
    return math.prod(int(str(denoiser.get(key, 1))) for key in ("num_attention_heads", "attention_head_dim"))


def estimate(width: int, height: int, upscale: int, appetite: Appetite) -> int:
    """Bytes needed at the peak for a picture of that size."""
    entry = appetite.entry
    drawn = (sizes.choose if appetite.bounded else sizes.choose_again)(width, height, entry)
    pixels = drawn.width * drawn.height
    tokens = pixels // entry.size_multiple**2 + entry.max_sequence_length
    transformer = tokens * appetite.transformer * FAMILIES[entry.family].activations * appetite.value_bytes
    # In tiles, what was decoded already waits for the rest besides, twice while it is put together.
    whole, waiting = (min(pixels, appetite.tile**2), 2 * 3 * 4 * pixels) if appetite.tile else (pixels, 0)
    vae = whole * appetite.vae * _VALUES_PER_PIXEL * appetite.value_bytes + waiting
    picture = width * height * upscale**2 * _PICTURE_BYTES
    peak = max(transformer, vae, _UPSCALER if upscale != 1 else 0)
    return appetite.weights + int(peak) + picture + _RESERVE


def choose_tile(width: int, height: int, upscale: int, appetite: Appetite, available: int) -> int:
    """The side of the tiles that the VAE is to work in, in pixels, so that `available` bytes suffice; 0: none.

    Raises:
        NoRoom: not even so, with the largest size of the same shape that would fit.
    """
    if estimate(width, height, upscale, appetite) <= available:
        return 0
    check(width, height, upscale, replace(appetite, tile=TILE), available)
    return TILE


def check(width: int, height: int, upscale: int, appetite: Appetite, available: int) -> None:
    """Refuse a picture for which `available` bytes do not suffice.

    Raises:
        NoRoom: with the largest size of the same shape that would fit.
    """
    need = estimate(width, height, upscale, appetite)
    if need <= available:
        return
    message = (
        f"A {width}x{height} picture needs about {_gigabytes(need)} of memory, and {_gigabytes(available)} is free."
    )
    fits = largest_that_fits(width, height, upscale, appetite, available)
    if fits is None:
        raise NoRoom(message, "Close other programs, or use a smaller model.")
    raise NoRoom(message, f"A size of {fits[0]}x{fits[1]} would fit.")


def largest_that_fits(
    width: int, height: int, upscale: int, appetite: Appetite, available: int
) -> tuple[int, int] | None:
    """The largest size of the shape `width` x `height`, not above it, that `available` bytes suffice for."""
    low, high = SIDE_MIN / min(width, height), 1.0

    def scaled(factor: float) -> tuple[int, int]:
        return max(SIDE_MIN, int(width * factor)), max(SIDE_MIN, int(height * factor))

    def fits(factor: float) -> bool:
        return estimate(*scaled(factor), upscale, appetite) <= available

    if not fits(low):
        return None
    for _ in range(16):  # halving 4096 pixels: exact to less than one
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return scaled(low)


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
