"""What a model would need on a GPU, from its configurations alone. Importing this loads PyTorch."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines import memory
from pipelines.catalog import read_json
from pipelines.engine.vram import Weights
from pipelines.families import FAMILIES
from pipelines.quiet import quieten

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.catalog import Entry

VALUE_BYTES = 2  # engines work in 16 bits


def measure_weights(folder: Path, family: str) -> tuple[Weights, ...]:
    """The networks of the model in a diffusers folder, of which the configurations suffice."""
    return tuple(_measure(folder, name, *FAMILIES[family].networks[name]) for name in FAMILIES[family].networks)


def estimate_work(folder: Path, entry: Entry, width: int, height: int) -> int:
    """Bytes that the hungriest network holds while it works on a picture of that size; see `pipelines.memory`."""
    denoiser = read_json(folder / FAMILIES[entry.family].denoiser / "config.json")
    vae = cast("list[int]", read_json(folder / "vae" / "config.json")["block_out_channels"])
    appetite = memory.Appetite(entry, memory.measure_width(denoiser), sum(vae[:2]), VALUE_BYTES, weights=0)
    return memory.estimate(width, height, 1, appetite)


def _measure(folder: Path, name: str, library: str, class_name: str) -> Weights:
    quieten()
    kind: Any = getattr(importlib.import_module(library), class_name)
    config = {key: one for key, one in read_json(folder / name / "config.json").items() if not key.startswith("_")}
    with torch.device("meta"):
        is_transformers = library == "transformers"
        network = kind(kind.config_class.from_dict(config)) if is_transformers else kind.from_config(config)
    module = cast("torch.nn.Module", network)
    repeated = cast("list[str]", getattr(module, "_repeated_blocks", None) or [])
    blocks = [_bytes(one) for one in module.modules() if type(one).__name__ in repeated]
    return Weights(name, _bytes(module), max(blocks, default=0), sum(blocks))


def _bytes(module: torch.nn.Module) -> int:
    return VALUE_BYTES * sum(parameter.numel() for parameter in module.parameters())
