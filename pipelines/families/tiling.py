"""A VAE that works tile by tile, for pictures that do not fit into memory whole: diffusers' own tiling.

It runs round any component, whatever its backend: the tiles are cut and blended here, each is one call of it.
Importing this loads PyTorch and diffusers.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

OVERLAP = 0.25  # of a tile, as diffusers has it


def decode(z: Tensor, run: Callable[[Tensor], Tensor], side: int, factor: int) -> Tensor:
    """Decode latents (batch, channels, height, width) in tiles of `side` pixels; `factor` pixels are one latent."""
    tiled: Any = AutoencoderKL.tiled_decode
    return tiled(_shape(run, side, factor), z, return_dict=False)[0]


def encode(x: Tensor, run: Callable[[Tensor], Tensor], side: int, factor: int) -> Tensor:
    """Encode pictures (batch, 3, height, width) in tiles of `side` pixels; `factor` pixels are one latent."""
    tiled: Any = AutoencoderKL._tiled_encode  # pyright: ignore[reportPrivateUsage] # the public one wraps the result
    return tiled(_shape(run, side, factor), x)


def _shape(run: Callable[[Tensor], Tensor], side: int, factor: int) -> SimpleNamespace:
    """What diffusers' functions ask of a VAE; the component does all of the network's work, `run` is both halves."""
    kind: Any = AutoencoderKL
    return SimpleNamespace(
        config=SimpleNamespace(use_quant_conv=False, use_post_quant_conv=False),
        tile_sample_min_size=side,
        tile_latent_min_size=side // factor,
        tile_overlap_factor=OVERLAP,
        encoder=run,
        decoder=run,
        blend_v=functools.partial(kind.blend_v, None),
        blend_h=functools.partial(kind.blend_h, None),
    )
