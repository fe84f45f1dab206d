"""Stage 4: the averaged networks as a diffusers folder in fp16."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import torch

from resources.starter.train import architecture

if TYPE_CHECKING:
    from pathlib import Path

    from diffusers import AutoencoderKL, FluxPipeline

    from resources.starter.train.flow import Networks

SHARD = "15MB"


def assemble(networks: Networks, vae: AutoencoderKL, tokenizers: Path) -> FluxPipeline:
    """A pipeline on the CPU in fp32 with copies of the trained weights."""
    pipeline = architecture.pipeline(tokenizers)
    for name in ("transformer", "text_encoder", "text_encoder_2"):
        getattr(pipeline, name).load_state_dict(getattr(networks, name).state_dict())
    pipeline.vae.load_state_dict(vae.state_dict())
    pipeline.vae.register_to_config(shift_factor=vae.config.shift_factor, scaling_factor=vae.config.scaling_factor)
    return pipeline


def write(pipeline: FluxPipeline, folder: Path) -> None:
    """Write the model over what `folder` holds of an older one; tokenizers and `starter.json` included."""
    for name in ("transformer", "vae", "text_encoder", "text_encoder_2", "scheduler"):
        shutil.rmtree(folder / name, ignore_errors=True)
    pipeline.to(dtype=torch.float16)
    pipeline.save_pretrained(folder, max_shard_size=SHARD)
    facts = {"max_sequence_length": architecture.TEXT_LENGTH}
    (folder / "starter.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
