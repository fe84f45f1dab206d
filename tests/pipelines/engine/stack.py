"""A FLUX.1 transformer of random weights that is several blocks deep: what is cut into pieces and streamed in tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

DOUBLE, SINGLE = 2, 3


def make_stack(folder: Path) -> Path:
    """Write it as a diffusers folder without the other networks."""
    from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel

    torch.manual_seed(0)
    FluxTransformer2DModel(
        in_channels=64,
        num_layers=DOUBLE,
        num_single_layers=SINGLE,
        attention_head_dim=32,
        num_attention_heads=1,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        guidance_embeds=True,
        axes_dims_rope=(8, 12, 12),
    ).save_pretrained(folder / "transformer")
    (folder / "model_index.json").write_text(json.dumps({"transformer": ["diffusers", "FluxTransformer2DModel"]}))
    return folder


def make_inputs(patches: int = 16, text: int = 16, batch: int = 1) -> dict[str, Tensor]:
    """What it is called with, other values for other sizes."""
    generator = torch.Generator().manual_seed(patches * 100 + text)
    return {
        "hidden_states": torch.randn(batch, patches, 64, generator=generator),
        "timestep": torch.full((batch,), 0.5),
        "guidance": torch.full((batch,), 3.5),
        "pooled_projections": torch.randn(batch, 32, generator=generator),
        "encoder_hidden_states": torch.randn(batch, text, 32, generator=generator),
        "txt_ids": torch.zeros(text, 3),
        "img_ids": torch.arange(patches).unsqueeze(1).repeat(1, 3).float() % 4,
    }
