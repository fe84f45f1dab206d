"""Networks in fp8 as graphs: computed by onnxruntime through the double, and built by TensorRT-RTX."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

from pipelines.engine import build_child, export, narrow_graph
from pipelines.engine.base import Places, Plan
from pipelines.engine.build import Recipe
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import Part
from pipelines.engine.network import WeightKind
from pipelines.errors import InvalidRequest
from pipelines.families import FLUX
from pipelines.request import Backend, LoraChoice, Precision
from pipelines.weights import find_components
from tests.pipelines.engine.rtx_workshop import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

pytestmark = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript", "tensorrt_rtx")),
    reason="needs onnxruntime and TensorRT-RTX: pip install 'firstlight[dev,rtx]'",
)
FP8 = Plan(Backend.eager, Precision.fp8, "cpu", "a test")


def make_inputs(batch: int, patches: int, text: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(patches)
    return {
        "hidden_states": torch.randn(batch, patches, 64, generator=generator),
        "timestep": torch.full((batch,), 0.5),
        "guidance": torch.full((batch,), 3.5),
        "pooled_projections": torch.randn(batch, 32, generator=generator),
        "encoder_hidden_states": torch.randn(batch, text, 32, generator=generator),
        "txt_ids": torch.zeros(text, 3),
        "img_ids": torch.arange(patches).unsqueeze(1).repeat(1, 3) % 4,
    }


def write_lora(folder: Path) -> LoraChoice:
    path = "transformer.single_transformer_blocks.0.proj_mlp"
    parts = {f"{path}.lora_A.weight": torch.randn(4, 32), f"{path}.lora_B.weight": torch.randn(128, 4)}
    save_file(parts, folder / "lora.safetensors")
    return LoraChoice(folder / "lora.safetensors", 0.7)


def test_the_graph_computes_what_pytorch_does_in_fp8(
    tiny_model: Path, tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not narrow is in fp32 here, as PyTorch has it on the CPU; in an engine it is in bf16."""
    monkeypatch.setitem(export.DTYPES, Precision.fp8, torch.float32)
    places = Places(tmp_path / "engines", tmp_path / "kernels")
    workshop = Workshop(tiny_model, places, tmp_path, precision=Precision.fp8)
    workshop.build(Part.transformer)
    component = workshop.load("transformer", events)
    spec = next(one for one in find_components(tiny_model, FLUX.networks) if one.name == "transformer")
    eager: Any = EagerLoader().load(spec, FP8, events)
    lora = write_lora(tmp_path)
    calls = ((1, 16, 16), (2, 24, 40))
    base = [component(make_inputs(*call))["sample"] for call in calls]
    for choices in ((), (lora,), ()):
        component.set_loras(choices)
        for place, call in enumerate(calls):
            given = component(make_inputs(*call))["sample"]
            if choices:
                assert (given - base[place]).abs().max() > 1e-3
            else:
                assert torch.equal(given, base[place])
                wanted = eager(make_inputs(*call))["sample"]
                torch.testing.assert_close(given, wanted, atol=1e-4, rtol=1e-3)
    component.close()


@pytest.fixture(scope="module")
def one_block(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> export.Network:
    """The transformer with a single block, from its configuration alone."""
    folder = tmp_path_factory.mktemp("one-block")
    (folder / "transformer").mkdir()
    config = json.loads((tiny_model / "transformer" / "config.json").read_text())
    (folder / "transformer" / "config.json").write_text(json.dumps({**config, "num_layers": 0, "num_single_layers": 1}))
    (folder / "model_index.json").write_text(json.dumps({"transformer": ["diffusers", "FluxTransformer2DModel"]}))
    return export.find_network(folder, Part.transformer)


@pytest.mark.parametrize("kind", [WeightKind.input, pytest.param(WeightKind.placeholder, marks=pytest.mark.slow)])
def test_a_block_in_fp8_is_built(one_block: export.Network, tmp_path: Path, kind: WeightKind) -> None:
    recipe = Recipe(one_block, Precision.fp8, kind)
    recipe.check()
    made = export.export(one_block, Precision.fp8, tmp_path / "graph.onnx")
    assert made.weights["single_transformer_blocks.0.proj_mlp.weight.packed"].dtype == "float8_e4m3fn"
    assert made.weights["single_transformer_blocks.0.proj_mlp.weight.scale"].shape == (128, 1)
    assert made.weights["x_embedder.weight"].dtype == "bfloat16"  # outside the blocks
    nodes = [node.op_type for node in import_module("onnx").load(str(made.file)).graph.node]
    assert nodes.count("QuantizeLinear") > 0
    plan, kinds = build_child.build_plan(recipe, made.file, tuple(made.weights))
    assert kinds == dict.fromkeys(made.weights, kind)
    assert all(name.encode() in plan for name in made.weights)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "8.6"}, "8.6 have no fp8"),
        ({"kind": WeightKind.constant, "files": ("x",)}, "do not become constants"),
        ({"part": Part.vae_decoder}, "vae_decoder is not made in fp8"),
    ],
)
def test_impossible_engines_in_fp8_are_refused(tiny_model: Path, change: dict[str, Any], said: str) -> None:
    network = export.find_network(tiny_model, change.pop("part", Part.transformer))
    with pytest.raises(InvalidRequest, match=said):
        Recipe(network, Precision.fp8, **change).check()


def test_only_fp8_weights_have_another_original() -> None:
    names = ("proj.weight.packed", "proj.weight.scale", "proj.weight", "norm.scale")
    assert [narrow_graph.original(name) for name in names] == ["proj.weight"] * 3 + ["norm.scale"]
    weight = torch.randn(3, 32)
    packed, scale = (narrow_graph.make(f"proj.weight{ending}", weight) for ending in (".packed", ".scale"))
    assert (packed.dtype, scale.shape) == (torch.float8_e4m3fn, (3, 1))
    torch.testing.assert_close(packed.float() * scale, weight, atol=0.1, rtol=0.07)  # 3 bits after the point
    assert narrow_graph.make("proj.weight", weight) is weight
