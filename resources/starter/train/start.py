"""Goes on from an exported model: its weights become the checkpoints that the stages read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from safetensors.torch import load_file

from resources.starter.train import state
from resources.starter.train.flow import Networks

if TYPE_CHECKING:
    from pathlib import Path

    import torch


def unpack(model: Path, work: Path, tokenizers: Path) -> None:
    """Write `flow.pt`, `vae.pt` and `latents.json` under `work` from the diffusers folder `model`.

    Checkpoints that are there already stay: they are further on. Optimisers start afresh.
    """
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "vae.pt").exists():
        state.save(work / "vae.pt", {"average": _weights(model / "vae")})
        config = json.loads((model / "vae" / "config.json").read_text(encoding="utf-8"))
        (work / "latents.json").write_text(json.dumps({k: config[k] for k in ("shift_factor", "scaling_factor")}))
    if not (work / "flow.pt").exists():
        networks = Networks(tokenizers)
        for name in ("transformer", "text_encoder", "text_encoder_2"):
            # T5 stores its embedding once and ties it: the missing name is the same tensor.
            getattr(networks, name).load_state_dict(_weights(model / name), strict=name != "text_encoder_2")
        weights = networks.state_dict()
        state.save(work / "flow.pt", {"networks": weights, "average": weights, "step": 0, "spent": {}})


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    return {name: tensor.float() for file in folder.glob("*.safetensors") for name, tensor in load_file(file).items()}
