"""A small UNet as a graph, one for all sizes. Those of SD 1.5, SD 2.1 and SDXL: see `test_graph_pictures.py`."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

from pipelines.engine import export
from pipelines.engine.interfaces import Kind, Part, find_interface
from pipelines.request import Precision

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

needs_onnx = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript")),
    reason="needs onnxruntime: pip install 'firstlight[dev,rtx]'",
)
# SDXL's kinds of blocks and its two more inputs, with as few blocks and values as there can be
_SMALL = {
    "block_out_channels": (32, 64),
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    "layers_per_block": 1,
    "cross_attention_dim": 32,
    "attention_head_dim": 2,
    "norm_num_groups": 8,
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 8,
    "projection_class_embeddings_input_dim": 32 + 6 * 8,
}
# Latents: 1 and 2 at once, odd ones (712 and 504 pixels), and prompts of one and two pieces
CALLS = ((16, 16, 1, 77), (64, 40, 2, 154), (89, 63, 2, 77), (17, 18, 1, 77), (32, 48, 1, 231))


def make_inputs(call: tuple[int, int, int, int]) -> dict[str, Tensor]:
    height, width, batch, tokens = call
    generator = torch.Generator().manual_seed(sum(call))
    return {
        "sample": torch.randn(batch, 4, height, width, generator=generator),
        "timestep": torch.full((batch,), 500.0),
        "encoder_hidden_states": torch.randn(batch, tokens, 32, generator=generator),
        "text_embeds": torch.randn(batch, 32, generator=generator),
        "time_ids": torch.tensor([[512.0, 512, 0, 0, 512, 512]] * batch),
    }


def test_the_interface_of_sdxl_has_its_two_additions() -> None:
    config = {
        "in_channels": 4,
        "cross_attention_dim": 2048,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 256,
        "projection_class_embeddings_input_dim": 2816,
    }
    interface = find_interface("UNet2DConditionModel", Part.unet, config)
    sizes = {one.name: one.shape[1:] for one in interface.inputs}
    assert sizes["text_embeds"] == (1280,)
    assert sizes["time_ids"] == (6,)
    assert interface.outputs == ("out_sample",)  # the input is called sample, too


@needs_onnx
def test_one_graph_computes_every_size(tmp_path: Path) -> None:
    """In fp16, as in fp32 no two types meet: what ONNX does not convert by itself, as PyTorch does, shows here."""
    torch.manual_seed(0)
    network = UNet2DConditionModel(**_SMALL).half().eval()  # pyright: ignore[reportArgumentType]
    network.save_config(tmp_path / "unet")
    (tmp_path / "model_index.json").write_text(json.dumps({"unet": ["diffusers", "UNet2DConditionModel"]}))
    found = export.find_network(tmp_path, Part.unet)
    exported = export.export(found, Precision.fp16, tmp_path / "unet.onnx")
    state = network.state_dict()
    assert set(exported.weights) == set(state)
    session: Any = import_module("onnxruntime").InferenceSession(str(exported.file), providers=["CPUExecutionProvider"])
    weights = {name: tensor.numpy() for name, tensor in state.items()}
    halves = {one.name for one in found.interface.inputs if one.kind is Kind.run}
    for call in CALLS:
        inputs = {name: one.half() if name in halves else one for name, one in make_inputs(call).items()}
        added = {name: inputs[name] for name in ("text_embeds", "time_ids")}
        plain: dict[str, Any] = {name: tensor for name, tensor in inputs.items() if name not in added}
        with torch.no_grad():
            expected = network(**plain, added_cond_kwargs=added, return_dict=False)[0]
        given = session.run(None, {**{name: tensor.numpy() for name, tensor in inputs.items()}, **weights})[0]
        torch.testing.assert_close(torch.from_numpy(given), expected, atol=1e-2, rtol=1e-2)
