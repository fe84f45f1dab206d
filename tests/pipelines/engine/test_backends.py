"""Both backends behind the one seam."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel
from safetensors.torch import load_file, save_file

from pipelines.engine.base import Component, ComponentLoader, ComponentSpec, Plan
from pipelines.engine.eager import EagerLoader
from pipelines.engine.fake import FakeLoader
from pipelines.errors import EngineFailure, UnusableFile
from pipelines.families import FLUX
from pipelines.request import Backend, Precision
from pipelines.weights import find_components

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

FP32 = Plan(Backend.eager, Precision.fp32, "cpu", "a test")


def spec(model: Path, name: str) -> ComponentSpec:
    return next(one for one in find_components(model, FLUX.networks) if one.name == name)


def load(loader: ComponentLoader, model: Path, name: str, report: Recorder, plan: Plan = FP32) -> Component:
    return loader.load(spec(model, name), plan, report)


def transformer_inputs() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {
        "hidden_states": torch.randn(1, 16, 64, generator=generator),
        "timestep": torch.tensor([0.5]),
        "guidance": torch.tensor([3.5]),
        "pooled_projections": torch.randn(1, 32, generator=generator),
        "encoder_hidden_states": torch.randn(1, 16, 32, generator=generator),
        "txt_ids": torch.zeros(16, 3),
        "img_ids": torch.zeros(16, 3),
    }


@pytest.mark.parametrize("loader", [EagerLoader(), FakeLoader()], ids=["eager", "fake"])
class TestBoth:
    def test_the_transformer_gives_a_flow(self, loader: ComponentLoader, tiny_model: Path, events: Recorder) -> None:
        component = load(loader, tiny_model, "transformer", events)
        first = component(transformer_inputs())["sample"]
        assert first.shape == (1, 16, 64)
        assert torch.equal(first, component(transformer_inputs())["sample"])

    @pytest.mark.parametrize(
        "changed",
        ["hidden_states", "timestep", "guidance", "pooled_projections", "encoder_hidden_states"],
    )
    def test_every_input_matters(
        self, loader: ComponentLoader, tiny_model: Path, events: Recorder, changed: str
    ) -> None:
        component = load(loader, tiny_model, "transformer", events)
        inputs = transformer_inputs()
        other = {**inputs, changed: inputs[changed] + 1}
        assert not torch.equal(component(inputs)["sample"], component(other)["sample"])

    def test_the_vae_decodes_and_encodes(self, loader: ComponentLoader, tiny_model: Path, events: Recorder) -> None:
        component = load(loader, tiny_model, "vae", events)
        assert component({"z": torch.zeros(1, 16, 8, 4)})["sample"].shape == (1, 3, 64, 32)
        assert component({"x": torch.zeros(1, 3, 64, 32)})["parameters"].shape == (1, 32, 8, 4)

    @pytest.mark.parametrize("name", ["text_encoder", "text_encoder_2"])
    def test_the_text_encoders_embed(
        self, loader: ComponentLoader, tiny_model: Path, events: Recorder, name: str
    ) -> None:
        component = load(loader, tiny_model, name, events)
        outputs = component({"input_ids": torch.arange(16).unsqueeze(0)})
        assert outputs["last_hidden_state"].shape == (1, 16, 32)
        if name == "text_encoder":
            assert outputs["pooler_output"].shape == (1, 32)

    def test_a_closed_component_refuses_and_closes_twice(
        self, loader: ComponentLoader, tiny_model: Path, events: Recorder
    ) -> None:
        component = load(loader, tiny_model, "vae", events)
        component.close()
        component.close()
        with pytest.raises(EngineFailure, match="closed"):
            component({"z": torch.zeros(1, 16, 8, 8)})


def test_eager_equals_diffusers(tiny_model: Path, events: Recorder) -> None:
    network = FluxTransformer2DModel.from_pretrained(str(tiny_model / "transformer"), dtype=torch.float32)
    inputs = transformer_inputs()
    with torch.no_grad():
        expected = network(**inputs, return_dict=False)[0]
    assert torch.equal(load(EagerLoader(), tiny_model, "transformer", events)(inputs)["sample"], expected)


def test_eager_vae_equals_diffusers(tiny_model: Path, events: Recorder) -> None:
    network = AutoencoderKL.from_pretrained(str(tiny_model / "vae"), dtype=torch.float32)
    z = torch.randn(1, 16, 8, 8, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = network.decode(cast("torch.FloatTensor", z), return_dict=False)[0]
    assert torch.equal(load(EagerLoader(), tiny_model, "vae", events)({"z": z})["sample"], expected)


@pytest.mark.parametrize("precision", [Precision.bf16, Precision.fp16])
def test_eager_casts_in_and_out(tiny_model: Path, events: Recorder, precision: Precision) -> None:
    exact = load(EagerLoader(), tiny_model, "transformer", events)(transformer_inputs())["sample"]
    plan = Plan(Backend.eager, precision, "cpu", "a test")
    rough = load(EagerLoader(), tiny_model, "transformer", events, plan)(transformer_inputs())["sample"]
    assert rough.dtype == torch.float32
    assert not torch.equal(rough, exact)
    assert torch.nn.functional.mse_loss(rough, exact) < 1e-2 * exact.square().mean()


def test_weights_that_lack_tensors_are_refused(model_copy: Path, events: Recorder) -> None:
    file = model_copy / "vae" / "diffusion_pytorch_model.safetensors"
    tensors = load_file(file)
    dropped = sorted(tensors)[:3]
    save_file({name: tensor for name, tensor in tensors.items() if name not in dropped}, file)
    with pytest.raises(UnusableFile, match="3 tensors are missing"):
        load(EagerLoader(), model_copy, "vae", events)


def test_weights_of_another_size_are_refused(model_copy: Path, events: Recorder) -> None:
    config = model_copy / "text_encoder_2" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"d_ff": 48}))
    with pytest.raises(UnusableFile):
        load(EagerLoader(), model_copy, "text_encoder_2", events)
    config = model_copy / "transformer" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"joint_attention_dim": 48}))
    with pytest.raises(UnusableFile):
        load(EagerLoader(), model_copy, "transformer", events)


def test_inputs_that_the_network_cannot_take_are_an_engine_failure(tiny_model: Path, events: Recorder) -> None:
    component = load(EagerLoader(), tiny_model, "transformer", events)
    with pytest.raises(EngineFailure, match="transformer"):
        component({**transformer_inputs(), "pooled_projections": torch.zeros(1, 7)})


def test_loading_says_nothing_on_the_terminal(
    tiny_model: Path, events: Recorder, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in FLUX.networks:
        load(EagerLoader(), tiny_model, name, events)
    assert capfd.readouterr() == ("", "")
