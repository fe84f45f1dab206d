"""Linear layers in few bits: their numbers, which they are, LoRAs on them, and the compiler's view of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

import resources
from pipelines import devices, memory
from pipelines.engine import checking, quantise
from pipelines.engine.base import Plan
from pipelines.engine.eager import EagerLoader
from pipelines.engine.inductor import InductorLoader
from pipelines.engine.regions import find_regions
from pipelines.families import FLUX
from pipelines.request import NARROW, Backend, LoraChoice, Precision
from pipelines.weights import find_components

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch compiles for the CPU with g++")
STARTER = resources.folder() / "starter"
SPEC = next(one for one in find_components(STARTER, FLUX.networks) if one.name == "transformer")
LAYER = "single_transformer_blocks.2.attn.to_v"


def make_plan(precision: Precision, backend: Backend = Backend.eager) -> Plan:
    return Plan(backend, precision, "cpu", "a test")


def load(precision: Precision) -> Any:
    return EagerLoader().load(SPEC, make_plan(precision), lambda _: None)


def make_inputs() -> dict[str, Tensor]:
    """Sixteen patches at the first step: noise, and a prompt of noise of the size of T5's outputs."""
    generator = torch.Generator().manual_seed(3)
    return {
        "hidden_states": torch.randn(1, 16, 64, generator=generator),
        "timestep": torch.tensor([1.0]),
        "guidance": torch.tensor([3.5]),
        "pooled_projections": torch.randn(1, 128, generator=generator),
        "encoder_hidden_states": torch.randn(1, 16, 256, generator=generator) / 4,
        "txt_ids": torch.zeros(16, 3),
        "img_ids": torch.stack((torch.zeros(16), torch.arange(16) // 4, torch.arange(16) % 4), 1),
    }


def make_layers(precision: Precision, inputs: int = 128, outputs: int = 48) -> tuple[torch.nn.Linear, Any]:
    torch.manual_seed(1)
    wide = torch.nn.Linear(inputs, outputs).requires_grad_(requires_grad=False)
    kinds = {
        Precision.fp8: quantise.Fp8Linear,
        Precision.int8: quantise.Int8Linear,
        Precision.int4: quantise.Int4Linear,
    }
    return wide, kinds[precision](wide, "cpu")


@pytest.mark.parametrize(
    ("precision", "steps"),
    # A step of int8 is 1/127 of a row's largest value, of int4 1/15 of a group's range; e4m3 has four bits of precision
    [(Precision.int8, 1 / 127), (Precision.int4, 2 / 15), (Precision.fp8, 2**-3)],
)
def test_a_weight_is_off_by_half_a_step_at_most(precision: Precision, steps: float) -> None:
    wide, narrow = make_layers(precision)
    away = (narrow.weight - wide.weight).abs()
    largest = wide.weight.abs().amax(1, keepdim=True)
    slack = 1.05 if precision is Precision.int4 else 1.001  # whose scales are bf16
    assert bool((away <= slack * largest * steps / 2).all())
    assert float(away.max()) > 0
    assert isinstance(narrow, torch.nn.Linear)  # what LoRAs look for
    assert narrow.weight.shape == wide.weight.shape


@pytest.mark.parametrize("precision", NARROW)
def test_it_gives_what_its_weight_gives(precision: Precision) -> None:
    wide, narrow = make_layers(precision)
    x = torch.randn(2, 5, 128)
    expected = torch.nn.functional.linear(x, narrow.weight, wide.bias)
    tolerance = 0.05 if precision is Precision.fp8 else 1e-5  # fp8 rounds x as well
    assert checking.measure({"y": narrow(x)}, {"y": expected}) < tolerance
    assert narrow(x).shape == (2, 5, 48)


def test_the_product_in_fp8_is_that_of_pytorch() -> None:
    _, narrow = make_layers(Precision.fp8)
    rows, scales = quantise.round_rows(torch.randn(32, 128) * torch.logspace(-3, 3, 32)[:, None])
    scaled_mm: Any = torch._scaled_mm  # pyright: ignore
    expected = scaled_mm(
        rows,
        narrow.packed.t(),
        scale_a=scales,
        scale_b=narrow.scale.t(),
        bias=narrow.bias,
        out_dtype=torch.float32,
    )
    assert checking.measure({"y": quantise.multiply(rows, scales, narrow)}, {"y": expected}) < 1e-6


def test_rounding_keeps_zeros_and_hides_no_broken_value() -> None:
    rows, scales = quantise.round_rows(torch.tensor([[0.0, 0.0], [1e-30, 3e38], [-1.0, 448.0], [2.0, float("nan")]]))
    back = rows.float() * scales
    assert torch.equal(back[0], torch.zeros(2))
    assert torch.allclose(back[1], torch.tensor([0.0, 3e38]), rtol=1e-6)
    assert torch.equal(back[2], torch.tensor([-1.0, 448.0]))
    assert back[3].isnan().all()
    assert quantise.round_rows(torch.tensor([[1.0, float("inf")]]))[1].isinf()


def test_what_is_narrow_lies_within_the_repeated_blocks() -> None:
    network = load(Precision.fp32).module
    inside = {layer for block in find_regions(network) for layer in block.modules()}
    names = quantise.find_names(network, Precision.fp8)
    linears = {name: one for name, one in network.named_modules() if isinstance(one, torch.nn.Linear)}
    assert {name for name, one in linears.items() if one in inside} == set(names)
    assert {"x_embedder", "context_embedder", "proj_out", "norm_out.linear"} <= linears.keys() - set(names)


def test_layers_of_odd_sizes_stay_wide() -> None:
    class Block(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.odd, self.even, self.long = torch.nn.Linear(30, 32), torch.nn.Linear(32, 48), torch.nn.Linear(64, 30)

    network = torch.nn.ModuleList([Block()])
    network._repeated_blocks = ["Block"]  # pyright: ignore
    assert quantise.find_names(network, Precision.fp8) == ["0.even"]
    assert quantise.find_names(network, Precision.int4) == ["0.even", "0.long"]


@pytest.mark.parametrize(("precision", "most"), [(Precision.int8, 0.05), (Precision.fp8, 0.22), (Precision.int4, 0.36)])
def test_a_step_of_noise_is_off_by_no_more_than_was_measured(precision: Precision, most: float) -> None:
    away = checking.measure(load(precision)(make_inputs()), load(Precision.fp32)(make_inputs()))
    assert most / 2 < away < most


@pytest.mark.parametrize("precision", NARROW)
def test_a_wrong_scale_is_noticed(precision: Precision) -> None:
    network = load(precision)
    expected = network(make_inputs())
    layer = network.module.get_submodule(LAYER)
    layer.scale.mul_(8)
    assert checking.explain(network(make_inputs()), expected, precision)
    quantise.write(network.module, f"{LAYER}.weight", load(Precision.fp32).module.get_submodule(LAYER).weight)
    assert not checking.explain(network(make_inputs()), expected, precision)


@pytest.mark.parametrize("precision", NARROW)
def test_memory_is_known_beforehand(precision: Precision) -> None:
    module = load(precision).module
    held = sum(one.numel() * one.element_size() for one in (*module.parameters(), *module.buffers()))
    told = memory.weigh(SPEC, make_plan(precision))
    assert held <= 1.02 * told
    assert told <= 1.15 * held
    assert told < 0.5 * memory.weigh(SPEC, make_plan(Precision.fp32))


def make_lora(folder: Path) -> list[LoraChoice]:
    generator = torch.Generator().manual_seed(4)
    tensors = {
        f"transformer.{LAYER}.lora_A.weight": torch.randn(4, 256, generator=generator),
        f"transformer.{LAYER}.lora_B.weight": torch.randn(256, 4, generator=generator) / 4,
    }
    save_file(tensors, folder / "lora.safetensors")
    return [LoraChoice(folder / "lora.safetensors", 0.5)]


@pytest.mark.parametrize("precision", NARROW)
def test_loras_act_and_leave_no_trace(precision: Precision, tmp_path: Path) -> None:
    """Beside the weights with PyTorch itself, merged into them where they are compiled."""
    choices, inputs = make_lora(tmp_path), make_inputs()
    loader = InductorLoader(devices.probe(), None, EagerLoader())
    merged: Any = loader.load(SPEC, make_plan(precision, Backend.inductor), lambda _: None)
    beside = load(precision)
    before = beside(inputs)["sample"]
    for network in (merged, beside):
        network.set_loras(choices)
    given = merged(inputs)
    assert checking.measure(given, {"sample": before}) > 0.3
    assert checking.measure(given, beside(inputs)) < 0.2  # merged, the sum is rounded; beside, the weight alone
    for network in (merged, beside):
        network.set_loras([])
        assert torch.equal(network(inputs)["sample"], before)
    merged.close()


@needs_compiler
@pytest.mark.parametrize("precision", NARROW)
def test_it_compiles_in_one_piece(precision: Precision) -> None:
    _, narrow = make_layers(precision)
    x = torch.randn(7, 128)
    compiled: Any = torch.compile(narrow, fullgraph=True, dynamic=False)
    torch.testing.assert_close(compiled(x), narrow(x), rtol=1e-4, atol=1e-5)
