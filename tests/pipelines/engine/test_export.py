from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.engine import export
from pipelines.engine.interfaces import Part
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.request import Precision
from tests.pipelines.engine.rtx_workshop import FLUX_PARTS

if TYPE_CHECKING:
    from pipelines.engine.export import Exported

needs_onnx = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnx", "onnx_ir", "onnxscript")),
    reason="onnx, onnx-ir and onnxscript are not installed: pip install 'firstlight[rtx]'",
)


@pytest.fixture(scope="module")
def clip(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    network = export.find_network(tiny_model, Part.text_encoder)
    return export.export(network, Precision.fp16, tmp_path_factory.mktemp("graphs") / "clip.onnx")


def evaluate(exported: Exported, folder: Path, inputs: dict[str, Any]) -> list[Any]:
    """Run the graph on the CPU by ONNX's reference implementation, with the weights of the checkpoint put in."""
    from safetensors.numpy import load_file

    weights: dict[str, Any] = {}
    for file in folder.glob("*.safetensors"):
        weights |= load_file(file)
    graph = import_module("onnx.reference").ReferenceEvaluator(str(exported.file))
    return list(graph.run(None, {**inputs, **{name: weights[name] for name in exported.weights}}))


@needs_onnx
def test_every_weight_keeps_its_name_and_shape(clip: Exported, tiny_model: Path) -> None:
    from safetensors import safe_open

    graph = import_module("onnx").load(str(clip.file)).graph
    file: Any = safe_open(str(tiny_model / "text_encoder" / "model.safetensors"), framework="pt")
    saved = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    assert {name: weight.shape for name, weight in clip.weights.items()} == saved
    assert {weight.dtype for weight in clip.weights.values()} == {"float16"}
    assert [one.name for one in graph.input] == ["input_ids", *clip.weights]
    assert [one.name for one in graph.output] == ["last_hidden_state", "pooler_output", "penultimate"]
    batch = graph.input[0].type.tensor_type.shape.dim[0]
    assert batch.dim_param
    assert not batch.dim_value


@needs_onnx
def test_the_graph_holds_no_weights_and_no_path_of_this_machine(clip: Exported) -> None:
    content = clip.file.read_bytes()
    assert len(content) < 100_000
    assert b".py" not in content
    assert str(Path(__file__).parents[3]).encode() not in content


@needs_onnx
def test_the_graph_computes_what_the_network_does(clip: Exported, tiny_model: Path) -> None:
    import numpy as np
    import torch
    from transformers import CLIPTextModel

    tokens = torch.randint(0, 1000, (3, 77), generator=torch.Generator().manual_seed(0))
    network = CLIPTextModel.from_pretrained(tiny_model / "text_encoder", dtype=torch.float16)
    with torch.no_grad():
        expected = network(input_ids=tokens, output_hidden_states=True)
    hidden, pooled, penultimate = evaluate(clip, tiny_model / "text_encoder", {"input_ids": tokens.numpy()})
    np.testing.assert_allclose(hidden, expected.last_hidden_state.float().numpy(), atol=1e-2)
    np.testing.assert_allclose(pooled, expected.pooler_output.float().numpy(), atol=1e-2)
    np.testing.assert_allclose(penultimate, expected.hidden_states[-2].float().numpy(), atol=1e-2)


def test_an_architecture_is_no_checkpoint(model_copy: Path) -> None:
    before = export.find_network(model_copy, Part.vae_decoder)
    config = model_copy / "vae" / "config.json"
    value = json.loads(config.read_text())
    config.write_text(json.dumps({**value, "scaling_factor": 3.0, "sample_size": 99, "_name_or_path": "me/mine"}))
    assert export.find_network(model_copy, Part.vae_decoder).architecture == before.architecture
    assert export.find_network(model_copy, Part.vae_encoder).architecture != before.architecture
    config.write_text(json.dumps({**value, "layers_per_block": 2}))
    assert export.find_network(model_copy, Part.vae_decoder).architecture != before.architecture


def test_weights_are_not_needed(model_copy: Path, tiny_model: Path) -> None:
    for file in model_copy.rglob("*.safetensors"):
        file.unlink()
    for part in FLUX_PARTS:
        assert export.find_network(model_copy, part) == export.find_network(tiny_model, part)


def test_a_configuration_that_makes_no_network_is_told(model_copy: Path) -> None:
    config = model_copy / "transformer" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "num_layers": "many"}))
    with pytest.raises(UnusableFile, match="makes no FluxTransformer2DModel"):
        export.find_network(model_copy, Part.transformer)


def test_networks_without_an_interface_are_refused(model_copy: Path) -> None:
    index = model_copy / "model_index.json"
    value = json.loads(index.read_text())
    index.write_text(json.dumps({**value, "transformer": ["diffusers", "SD3Transformer2DModel"], "vae": None}))
    with pytest.raises(InvalidRequest, match="no engine of a SD3Transformer2DModel"):
        export.find_network(model_copy, Part.transformer)
    with pytest.raises(InvalidRequest, match="has no vae"):
        export.find_network(model_copy, Part.vae_encoder)


@pytest.mark.slow
@needs_onnx
@pytest.mark.parametrize(("height", "width", "batch", "text"), [(8, 8, 1, 16), (6, 10, 2, 12), (4, 16, 1, 40)])
def test_one_graph_of_the_transformer_serves_all_sizes(
    tiny_model: Path, tmp_path_factory: pytest.TempPathFactory, height: int, width: int, batch: int, text: int
) -> None:
    import numpy as np
    import torch
    from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel

    file = tmp_path_factory.getbasetemp() / "transformer.onnx"
    network = export.find_network(tiny_model, Part.transformer)
    exported = export.export(network, Precision.fp16, file)
    made = torch.Generator().manual_seed(1)
    places = torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"), -1).reshape(-1, 2)
    inputs = {
        "hidden_states": torch.randn(batch, height * width, 64, generator=made).half(),
        "encoder_hidden_states": torch.randn(batch, text, 32, generator=made).half(),
        "pooled_projections": torch.randn(batch, 32, generator=made).half(),
        "timestep": torch.full((batch,), 0.7).half(),
        "img_ids": torch.nn.functional.pad(places.float(), (1, 0)),
        "txt_ids": torch.zeros(text, 3),
        "guidance": torch.full((batch,), 3.5).half(),
    }
    eager: Any = FluxTransformer2DModel.from_pretrained(tiny_model / "transformer", torch_dtype=torch.float16)
    with torch.no_grad():
        expected = eager(**inputs, return_dict=False)[0].float().numpy()
    (sample,) = evaluate(exported, tiny_model / "transformer", {key: value.numpy() for key, value in inputs.items()})
    np.testing.assert_allclose(sample.astype(np.float32), expected, atol=0.02)
