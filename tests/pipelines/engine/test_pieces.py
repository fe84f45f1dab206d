"""Graphs cut at their repeated blocks: which pieces come out, and that together they compute what the whole does."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file

from pipelines.engine import build_child, chain, export, rtx
from pipelines.engine.build import Recipe
from pipelines.engine.chain import Chain, Step
from pipelines.engine.interfaces import Part
from pipelines.engine.network import WeightKind
from pipelines.engine.pieces import Cut, cut
from pipelines.errors import EngineFailure, UnusableFile
from pipelines.request import Precision
from tests.pipelines.engine.stack import DOUBLE, SINGLE, make_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.engine.export import Exported, Network

needs_onnx = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript")),
    reason="needs onnxruntime: pip install 'firstlight[dev,rtx]'",
)
needs_rtx = pytest.mark.skipif(find_spec("tensorrt_rtx") is None, reason="tensorrt-rtx-cu13 is not installed")
DOUBLES = [f"transformer_blocks.{number}" for number in range(DOUBLE)]
SINGLES = [f"single_transformer_blocks.{number}" for number in range(SINGLE)]


@pytest.fixture(scope="module")
def network(stack: Path) -> Network:
    return export.find_network(stack, Part.transformer)


@pytest.fixture(scope="module")
def pieces(network: Network, stack_graph: Exported) -> Cut:
    return cut(stack_graph.file, network.interface, stack_graph.weights)


def run(pieces: Cut, state: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """All steps, by onnxruntime."""
    load: Any = import_module("onnxruntime").InferenceSession
    sessions = [load(piece.graph, providers=["CPUExecutionProvider"]) for piece in pieces.pieces]
    for step in pieces.steps:
        feeds = {own: values[name] for own, name in step.inputs.items()}
        feeds |= {own: state[name] for own, name in step.weights.items()}
        values |= dict(zip(step.outputs.values(), sessions[step.engine].run(list(step.outputs), feeds), strict=True))
    return values


@needs_onnx
def test_blocks_of_one_kind_are_one_piece(pieces: Cut) -> None:
    assert [step.region for step in pieces.steps] == ["", *DOUBLES, *SINGLES, ""]
    engines = [step.engine for step in pieces.steps]
    assert engines == [0, 1, 1, 2, 2, 3, 4]  # the last single block gives no text back
    assert len(pieces.pieces) == 5


@needs_onnx
def test_every_weight_is_in_one_step_and_only_tensors_of_numbers_go_between(pieces: Cut, stack_graph: Exported) -> None:
    filled = [name for step in pieces.steps for name in step.weights.values()]
    assert sorted(filled) == sorted(stack_graph.weights)
    assert all(len(step.inputs) <= 5 for step in pieces.steps[1:])
    (double,) = {pieces.pieces[step.engine].weights for step in pieces.steps if step.region in DOUBLES}
    assert "attn.to_q.weight" in double


@needs_onnx
def test_sizes_of_what_goes_between_are_known_at_the_ends_of_their_ranges(pieces: Cut) -> None:
    sizes = pieces.pieces[1].sizes
    assert ((1, 16, 32), (1, 4096, 32), (8, 16384, 32)) in sizes.values()  # patches of the picture
    assert ((1, 17, 1, 32), (1, 4608, 1, 32), (1, 16896, 1, 32)) in sizes.values()  # angles: of text and picture


@needs_onnx
@pytest.mark.parametrize("call", [(16, 16, 1), (24, 40, 2), (60, 7, 1)])
def test_together_they_compute_what_pytorch_does(pieces: Cut, stack: Path, call: tuple[int, int, int]) -> None:
    from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel

    inputs = make_inputs(*call)
    network: Any = FluxTransformer2DModel.from_pretrained(str(stack / "transformer"))
    with torch.no_grad():
        expected = network(**inputs, return_dict=False)[0]
    state = {name: one.numpy() for name, one in load_file(stack / "transformer" / _FILE).items()}
    given = run(pieces, state, {name: one.numpy() for name, one in inputs.items()})["sample"]
    torch.testing.assert_close(torch.from_numpy(given), expected, atol=1e-4, rtol=1e-3)


_FILE = "diffusion_pytorch_model.safetensors"


@needs_onnx
@needs_rtx
def test_the_pieces_build_without_a_gpu_and_come_back_from_their_file(
    network: Network, pieces: Cut, stack_graph: Exported
) -> None:
    recipe = Recipe(network, Precision.fp32, WeightKind.input, regions=True)
    content, kinds = build_child.build_chain(recipe, stack_graph.file, tuple(stack_graph.weights))
    assert set(kinds) == set(stack_graph.weights)
    found = chain.unpack(content)
    assert found.steps == pieces.steps
    version = [int(number) for number in str(rtx.find_version()).split(".")]
    assert all(list(plan[24:28]) == version for plan in found.plans)  # as TensorRT-RTX writes it into its plans
    assert sum(map(len, found.plans)) < 20e6


@needs_onnx
def test_a_network_without_repeated_blocks_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    from tests.pipelines.engine.rtx_workshop import export_once

    network = export.find_network(tiny_model, Part.text_encoder_2)
    made = export_once(tiny_model, Part.text_encoder_2, Precision.fp32, tmp_path)
    with pytest.raises(EngineFailure, match="no repeated blocks"):
        cut(made.file, network.interface, made.weights)


def test_a_damaged_chain_is_refused() -> None:
    content = chain.pack(Chain((b"plan",), (Step(0, "", {"in_0": "x"}, {"out_0": "y"}, {}),)))
    assert chain.unpack(content).plans == (b"plan",)
    for damaged in (
        b"",
        b"plan" * 20,
        content[:-1],
        content[:30],
        content + b"x",
        content.replace(b'"steps"', b'"stops"'),
    ):
        with pytest.raises(UnusableFile, match="in pieces is damaged"):
            chain.unpack(damaged)
