"""What a model would need on a GPU, from its configurations alone. Importing this loads PyTorch."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines import memory
from pipelines.catalog import read_json
from pipelines.engine import quantise
from pipelines.engine.vram import Weights
from pipelines.families import FAMILIES
from pipelines.quiet import quieten
from pipelines.request import Precision

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.catalog import Entry

VALUE_BYTES = 2  # engines work in 16 bits


def measure_weights(folder: Path, family: str, precision: Precision = Precision.auto) -> tuple[Weights, ...]:
    """The networks of the model in a diffusers folder, of which the configurations suffice."""
    networks, denoiser = FAMILIES[family].networks, FAMILIES[family].denoiser
    is_fp8 = precision is Precision.fp8
    return tuple(
        _measure(folder, name, is_fp8=is_fp8 and name == denoiser, kind=kind) for name, kind in networks.items()
    )


def estimate_work(folder: Path, entry: Entry, width: int, height: int) -> int:
    """Bytes that the hungriest network holds while it works on a picture of that size; see `pipelines.memory`."""
    denoiser = read_json(folder / FAMILIES[entry.family].denoiser / "config.json")
    vae = cast("list[int]", read_json(folder / "vae" / "config.json")["block_out_channels"])
    appetite = memory.Appetite(entry, memory.measure_width(denoiser), sum(vae[:2]), VALUE_BYTES, weights=0)
    return memory.estimate(width, height, 1, appetite)


def _measure(folder: Path, name: str, *, is_fp8: bool, kind: tuple[str, str]) -> Weights:
    quieten()
    library, class_name = kind
    made: Any = getattr(importlib.import_module(library), class_name)
    config = {key: one for key, one in read_json(folder / name / "config.json").items() if not key.startswith("_")}
    with torch.device("meta"):
        is_transformers = library == "transformers"
        network = made(made.config_class.from_dict(config)) if is_transformers else made.from_config(config)
    module = cast("torch.nn.Module", network)
    names = quantise.find_names(module, Precision.fp8) if is_fp8 else []
    narrow = {id(module.get_parameter(f"{one}.weight")) for one in names}
    repeated = cast("list[str]", getattr(module, "_repeated_blocks", None) or [])
    blocks = [_bytes(one, narrow) for one in module.modules() if type(one).__name__ in repeated]
    return Weights(name, _bytes(module, narrow), max(blocks, default=0), sum(blocks))


def _bytes(module: torch.nn.Module, narrow: set[int]) -> int:
    """Of a module's weights; those whose identity is in `narrow` have a byte a value."""
    return sum(one.numel() * (1 if id(one) in narrow else VALUE_BYTES) for one in module.parameters())
