"""LoRA files of random weights, to measure what LoRAs cost. Importing this loads PyTorch."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines import lora
from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pipelines.proof.rig import Rig

_RANK = 16
_LAYERS = ("attn.to_q", "attn.to_k", "attn.to_v")  # of diffusers' transformer blocks


def write_random_lora(rig: Rig, file: Path) -> Path:
    """One of rank 16 for the attention of the rig's denoiser.

    Raises:
        InvalidRequest: its networks are not PyTorch's own, so their layers are not known here.
    """
    module = cast("torch.nn.Module | None", getattr(rig.component(rig.denoiser), "module", None))
    if module is None:
        raise InvalidRequest(f"the layers of {rig.contender.name} are not known.")
    tensors: dict[str, torch.Tensor] = {}
    generator = torch.Generator().manual_seed(0)
    for name, layer in cast("Iterable[tuple[str, torch.nn.Module]]", module.named_modules()):
        if isinstance(layer, torch.nn.Linear) and name.endswith(_LAYERS):
            key = f"{rig.denoiser}.{name}"
            tensors[f"{key}.lora_A.weight"] = torch.randn(_RANK, layer.in_features, generator=generator) * 0.02
            tensors[f"{key}.lora_B.weight"] = torch.randn(layer.out_features, _RANK, generator=generator) * 0.02
    safetensors: Any = importlib.import_module("safetensors.torch")
    safetensors.save_file(tensors, str(file))
    lora.check(file)
    return file
