"""LoRA files of every kind and in every trainer's spelling, for every family."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from pipelines import catalog, checkpoints, devices, images, lora, lora_names, single_file
from pipelines.checkpoints import OriginalSpec
from pipelines.errors import UnusableFile
from pipelines.families import FAMILIES
from pipelines.request import GenerationRequest, LoraChoice
from pipelines.session import Session
from tests.pipelines import layouts, miniatures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

RANK = 3
BY_NAME = {entry.name: entry for entry in catalog.load()}
# A linear layer and a convolution of the miniatures' UNets, and a layer of the text encoder
LINEAR = "up_blocks.1.attentions.0.transformer_blocks.0.attn1.to_v"
CONVOLUTION = "down_blocks.1.resnets.0.conv1"
TEXT = "encoder.layers.0.mlp.fc1"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    kinds = {kind.name: kind for kind in miniatures.MINIATURES}
    made: dict[str, Path] = {}

    def find(name: str) -> Path:
        if name not in made:
            made[name] = miniatures.make(kinds[name], tmp_path_factory.mktemp("miniatures") / name)
            (made[name] / "starter.json").write_text('{"min_pixels": 64, "max_sequence_length": 16}')
        return made[name]

    return find


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(devices.probe()) as one:
        yield one


def draw(session: Session, model: Path, folder: Path, events: Recorder, *choices: LoraChoice) -> np.ndarray:
    request = GenerationRequest("a red apple", str(model), 64, 64, 2, 4.0, 7, loras=choices)
    (saved,) = session.generate(request, images.Target.from_out(folder / "o.png"), events)
    with Image.open(saved.path) as image:
        return np.asarray(image.convert("RGB"), np.int16)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def make_parts(kind: str, weight: Tensor) -> dict[str, Tensor]:
    """The tensors that a trainer of that kind writes for a layer of that weight."""
    rows, columns = weight.shape[:2]
    kernel = weight.shape[2:]
    flat = weight[0].numel()
    down, up = random(RANK, columns, *kernel), random(rows, RANK, *[1] * len(kernel), seed=1)
    alpha = torch.tensor(2.0)
    match kind:
        case "lora":
            return {"lora_down.weight": down, "lora_up.weight": up, "alpha": alpha}
        case "dora":
            return {
                "lora_down.weight": down, "lora_up.weight": up, "alpha": alpha,
                "dora_scale": 6.0 * weight.flatten(1).norm(dim=1).reshape(-1, *[1] * (weight.ndim - 1)),
            }  # fmt: skip
        case "dora by input":
            norm = weight.transpose(0, 1).flatten(1).norm(dim=1)
            return {**make_parts("lora", weight), "dora_scale": 6.0 * norm.reshape(1, -1, *[1] * len(kernel))}
        case "loha":
            return {
                "hada_w1_a": random(rows, RANK), "hada_w1_b": random(RANK, flat),
                "hada_w2_a": random(rows, RANK, seed=2), "hada_w2_b": random(RANK, flat, seed=3), "alpha": alpha,
            }  # fmt: skip
        case "lokr":
            return {
                "lokr_w1": random(4, 4), "lokr_w2_a": random(rows // 4, RANK),
                "lokr_w2_b": random(RANK, flat // 4), "alpha": alpha,
            }  # fmt: skip
        case "lokr whole":
            return {"lokr_w1": random(2, 2), "lokr_w2": random(rows // 2, columns // 2, *kernel), "alpha": alpha}
        case "diff":
            return {"diff": random(*weight.shape)}
        case "tucker":
            return {
                "lora_down.weight": random(RANK, columns, 1, 1), "lora_up.weight": random(rows, RANK, 1, 1),
                "lora_mid.weight": random(RANK, RANK, *kernel), "alpha": alpha,
            }  # fmt: skip
    raise AssertionError(kind)


def expect(kind: str, parts: dict[str, Tensor], weight: Tensor) -> Tensor:
    """The layer's weight with the LoRA in it, by each kind's own definition."""
    rows, scale = weight.shape[0], 2.0 / RANK
    if "lora_down.weight" in parts and kind != "tucker":
        down, up = parts["lora_down.weight"].flatten(1), parts["lora_up.weight"].flatten(1)
        changed = weight + scale * (up @ down).reshape(weight.shape)
        if kind == "dora":
            return changed * parts["dora_scale"] / changed.flatten(1).norm(dim=1).reshape(parts["dora_scale"].shape)
        if kind == "dora by input":
            norm = changed.transpose(0, 1).flatten(1).norm(dim=1)
            return changed * parts["dora_scale"] / norm.reshape(parts["dora_scale"].shape)
        return changed
    if kind == "tucker":
        down, up = parts["lora_down.weight"].flatten(1), parts["lora_up.weight"].flatten(1)
        return weight + scale * torch.einsum("or,rskl,si->oikl", up, parts["lora_mid.weight"], down)
    if kind == "loha":
        product = (parts["hada_w1_a"] @ parts["hada_w1_b"]) * (parts["hada_w2_a"] @ parts["hada_w2_b"])
        return weight + scale * product.reshape(weight.shape)
    if kind == "lokr":
        second = parts["lokr_w2_a"] @ parts["lokr_w2_b"]
        return weight + scale * torch.kron(parts["lokr_w1"], second).reshape(weight.shape)
    if kind == "lokr whole":
        first = parts["lokr_w1"].reshape(2, 2, *[1] * (weight.ndim - 2))
        return weight + torch.kron(first, parts["lokr_w2"])
    assert rows
    return weight + parts["diff"]


def change_weight(model: Path, copy: Path, component: str, layer: str, weight: Tensor) -> Path:
    """The model with the LoRA merged into its weights."""
    shutil.copytree(model, copy)
    file = next((copy / component).glob("*.safetensors"))
    tensors = load_file(file)
    name = next(name for name in tensors if name.removeprefix("text_model.") == f"{layer}.weight")
    assert tensors[name].shape == weight.shape
    save_file({**tensors, name: weight.contiguous()}, file, metadata={"format": "pt"})
    return copy


def read_weight(model: Path, component: str, layer: str) -> Tensor:
    tensors = load_file(next((model / component).glob("*.safetensors")))
    return next(one for name, one in tensors.items() if name.removeprefix("text_model.") == f"{layer}.weight")


KINDS = ("lora", "dora", "dora by input", "loha", "lokr", "lokr whole", "diff")
CASES = [(kind, layer) for kind in KINDS for layer in (LINEAR, CONVOLUTION)] + [("tucker", CONVOLUTION)]


@pytest.mark.parametrize(("kind", "layer"), CASES)
def test_every_kind_is_what_merging_it_gives(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, kind: str, layer: str
) -> None:
    model, file = models("sd15"), tmp_path / "lora.safetensors"
    weight = read_weight(model, "unet", layer)
    parts = make_parts(kind, weight)
    save_file({f"lora_unet_{layer.replace('.', '_')}.{name}": one for name, one in parts.items()}, file)
    merged = change_weight(model, tmp_path / "merged", "unet", layer, expect(kind, parts, weight))
    before = draw(session, model, tmp_path, events)
    ours = draw(session, model, tmp_path, events, LoraChoice(file))
    assert np.abs(ours - before).max() > 1, "it has an effect"
    assert (draw(session, model, tmp_path, events) == before).all()
    assert np.abs(ours - draw(session, merged, tmp_path, events)).max() <= 1


SPELLINGS = {
    "diffusers": "unet.{dots}.lora_{side}.weight",
    "diffusers, old": "unet.{dots}.lora.{word}.weight",
    "diffusers, processors": "unet.{processor}.{word}.weight",
    "peft": "base_model.model.{dots}.lora_{side}.default.weight",
    "kohya": "lora_unet_{underscores}.lora_{word}.weight",
    "kohya, original names": "lora_unet_{original}.lora_{word}.weight",
    "LyCORIS": "lycoris_{underscores}.lora_{word}.weight",
    "ComfyUI": "diffusion_model.{original_dots}.lora_{side}.weight",
}


@pytest.mark.parametrize("model", ["sd15", "sdxl"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_means_the_same(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, spelling: str, model: str
) -> None:
    weight = read_weight(models(model), "unet", LINEAR)
    original = layouts.unet(load_file(next((models(model) / "unet").glob("*.safetensors"))))
    name = next(key for key, one in original.items() if one.shape == weight.shape and (one == weight).all())
    dots = name.removesuffix(".weight")
    drawn: list[np.ndarray] = []
    for form in (SPELLINGS["diffusers"], SPELLINGS[spelling]):
        names = [
            form.format(
                dots=LINEAR, underscores=LINEAR.replace(".", "_"), original=dots.replace(".", "_"), original_dots=dots,
                processor=LINEAR.replace("attn1.to_v", "attn1.processor.to_v_lora"), side=side, word=word,
            )
            for side, word in (("A", "down"), ("B", "up"))
        ]  # fmt: skip
        file = tmp_path / f"{len(drawn)}.safetensors"
        save_file({names[0]: random(RANK, weight.shape[1]), names[1]: random(weight.shape[0], RANK)}, file)
        drawn.append(draw(session, models(model), tmp_path, events, LoraChoice(file)))
    assert (drawn[0] == drawn[1]).all()
    assert not (drawn[0] == draw(session, models(model), tmp_path, events)).all()


@pytest.mark.parametrize(
    ("model", "component", "name"),
    [
        ("sd15", "text_encoder", "lora_te_text_model_encoder_layers_0_mlp_fc1.lora_{}.weight"),
        ("sd15", "text_encoder", "text_encoder.text_model.encoder.layers.0.mlp.fc1.lora_linear_layer.{}.weight"),
        ("sdxl", "text_encoder", "lora_te1_text_model_encoder_layers_0_mlp_fc1.lora_{}.weight"),
        ("sdxl", "text_encoder_2", "lora_te2_text_model_encoder_layers_0_mlp_fc1.lora_{}.weight"),
        ("sdxl", "text_encoder_2", "text_encoder_2.text_model.encoder.layers.0.mlp.fc1.lora.{}.weight"),
    ],
)
def test_text_encoders_take_their_part(
    session: Session,
    models: Callable[[str], Path],
    tmp_path: Path,
    events: Recorder,
    model: str,
    component: str,
    name: str,
) -> None:
    weight = read_weight(models(model), component, TEXT)
    down, up = random(RANK, weight.shape[1]), random(weight.shape[0], RANK)
    file = tmp_path / "text.safetensors"
    save_file({name.format("down"): down, name.format("up"): up}, file)
    merged = change_weight(models(model), tmp_path / "merged", component, TEXT, weight + 0.5 * up @ down)
    before = draw(session, models(model), tmp_path, events)
    ours = draw(session, models(model), tmp_path, events, LoraChoice(file, 0.5))
    assert np.abs(ours - before).max() > 1
    assert (draw(session, models(model), tmp_path, events) == before).all()
    assert np.abs(ours - draw(session, merged, tmp_path, events)).max() <= 1


def make_network(row: str, component: str) -> torch.nn.Module:
    library, class_name = FAMILIES[BY_NAME[row].family].networks[component]
    spec = OriginalSpec(component, library, class_name, checkpoints.configs(row) / component, (), 0)
    return single_file.make_network(spec)


def kohya_names(row: str, component: str) -> list[str]:
    """The layers that kohya's trainer takes by itself, in the names that it gives them."""
    network = make_network(row, component)
    layers = {name: one for name, one in network.named_modules() if isinstance(one, (torch.nn.Linear, torch.nn.Conv2d))}
    if component == "transformer":
        weights = layouts.flux({f"{name}.weight": one.weight for name, one in layers.items()})
        return [
            f"lora_unet_{name.removesuffix('.weight').replace('.', '_')}" for name in weights
            if name.startswith(("double", "single"))
        ]  # fmt: skip
    if component == "unet":
        inside = [name for name in layers if ".attentions." in name]
        if row.startswith("sdxl"):
            both = [*inside, "down_blocks.0.resnets.0.conv1", "down_blocks.0.resnets.1.conv1"]
            state = {f"{name}.weight": torch.empty(1, device="meta") for name in both}
            inside = [name.removesuffix(".weight") for name in layouts.unet(state) if ".in_layers" not in name]
        return [f"lora_unet_{name.replace('.', '_')}" for name in inside]
    number = {"sd-1.5": "", "sd-2.1": ""}.get(row, "2" if component.endswith("2") else "1")
    inside = [name.removeprefix("text_model.") for name in layers if ".layers." in name]
    return [f"lora_te{number}_text_model_{name.replace('.', '_')}" for name in inside]


@pytest.mark.parametrize(
    ("row", "component", "count"),
    [
        # Counted on the networks themselves: modules that kohya's naming rule covers
        ("sd-1.5", "unet", 192),
        ("sd-1.5", "text_encoder", 72),
        ("sdxl-1.0", "unet", 722),
        ("sdxl-1.0", "text_encoder", 72),
        ("sdxl-1.0", "text_encoder_2", 192),
        ("flux.1-dev", "transformer", 304),
        ("flux.1-dev", "text_encoder", 72),
    ],
)
def test_the_real_layouts_match_with_no_key_left_over(row: str, component: str, count: int) -> None:
    """At full size: each name that kohya's trainer writes is a layer of the network."""
    names = kohya_names(row, component)
    assert len(names) == count
    network: Any = make_network(row, component)
    layers = {
        name: int(one.weight.shape[0])
        for name, one in network.named_modules()
        if isinstance(one, (torch.nn.Linear, torch.nn.Conv2d))
    }
    aliases = lora_names.find_aliases(component, layers)
    assert [name for name in names if name not in aliases] == []
    meant = [target.layer for name in names for target in aliases[name]]
    assert len(meant) == len(set(meant)), "no two names mean the same layer"


def test_flux_query_key_and_value_in_one(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    down, ups = random(RANK, 32), [random(32, RANK, seed=seed) for seed in range(3)]
    joined = {
        "lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight": down,
        "lora_unet_double_blocks_0_img_attn_qkv.lora_up.weight": torch.cat(ups),
    }
    apart: dict[str, Tensor] = {}
    for letter, up in zip("qkv", ups, strict=True):
        apart[f"transformer.transformer_blocks.0.attn.to_{letter}.lora_A.weight"] = down.clone()
        apart[f"transformer.transformer_blocks.0.attn.to_{letter}.lora_B.weight"] = up
    xlabs = {
        "double_blocks.0.processor.qkv_lora1.down.weight": down.clone(),
        "double_blocks.0.processor.qkv_lora1.up.weight": torch.cat(ups),
    }
    drawn: list[np.ndarray] = []
    for number, tensors in enumerate((joined, apart, xlabs)):
        save_file(tensors, tmp_path / f"{number}.safetensors")
        choice = LoraChoice(tmp_path / f"{number}.safetensors")
        drawn.append(draw(session, models("flux"), tmp_path, events, choice))
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] == drawn[2]).all()
    assert not (drawn[0] == draw(session, models("flux"), tmp_path, events)).all()


def test_it_is_what_diffusers_and_peft_draw(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    pytest.importorskip("peft", reason="only to compare with")
    from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline

    model, file = models("sd15"), tmp_path / "lora.safetensors"
    tensors: dict[str, Tensor] = {}
    for layer, prefix in ((LINEAR, "lora_unet_"), (CONVOLUTION, "lora_unet_"), (f"text_model.{TEXT}", "lora_te_")):
        weight = read_weight(model, "unet" if "unet" in prefix else "text_encoder", layer.removeprefix("text_model."))
        for name, one in make_parts("lora", weight).items():
            tensors[f"{prefix}{layer.replace('.', '_')}.{name}"] = one
    save_file(tensors, file)
    pipeline: Any = StableDiffusionPipeline.from_pretrained(str(model), dtype=torch.float32, local_files_only=True)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.load_lora_weights(str(tmp_path), weight_name=file.name, adapter_name="one")
    pipeline.set_adapters(["one"], [0.8])
    theirs = pipeline(
        "a red apple", width=64, height=64, num_inference_steps=2, guidance_scale=4.0,
        generator=torch.Generator("cpu").manual_seed(7),
    ).images[0]  # fmt: skip
    ours = draw(session, model, tmp_path, events, LoraChoice(file, 0.8))
    assert np.abs(ours - np.asarray(theirs, np.int16)).max() <= 1
    assert not (ours == draw(session, model, tmp_path, events)).all()


def test_after_fifty_swaps_it_is_the_network_from_before(models: Callable[[str], Path], tmp_path: Path) -> None:
    # aredden/flux-fp8-api#31: pictures drifted
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

    network: Any = UNet2DConditionModel.from_pretrained(str(models("sd15") / "unet"), local_files_only=True).eval()
    weight = network.get_submodule(LINEAR).weight.detach()
    choices: list[LoraChoice] = []
    for kind in ("lora", "dora", "loha", "lokr"):
        parts = make_parts(kind, weight)
        file = tmp_path / f"{kind}.safetensors"
        save_file({f"lora_unet_{LINEAR.replace('.', '_')}.{name}": one for name, one in parts.items()}, file)
        choices.append(LoraChoice(file, 0.7))
    inputs = (random(1, 4, 8, 8), torch.tensor([500]), random(1, 77, miniatures.WIDTH))
    with torch.no_grad():
        base = network(*inputs).sample
        outputs: list[Tensor] = []
        for i in range(50):
            lora.remove(network)
            lora.apply(network, [choices[i % 4], choices[(i + 1) % 4]], "unet")
            outputs.append(network(*inputs).sample)
        lora.remove(network)
        assert (network(*inputs).sample == base).all()
    assert all((outputs[i] == outputs[i % 4]).all() for i in range(50))
    assert not (outputs[0] == base).all()


@pytest.mark.parametrize(
    ("model", "name", "family"),
    [
        ("sd15", "lora_unet_double_blocks_0_img_attn_qkv", r"FLUX\.1"),
        ("sdxl", "lora_unet_down_blocks_3_attentions_0_proj_in", "Stable Diffusion"),
        ("flux", "lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q", "SDXL"),
        ("sd15", "diffusion_model.context_refiner.0.attention.q", "Z-Image"),
    ],
)
def test_one_for_another_family_is_refused_by_its_name(
    session: Session,
    models: Callable[[str], Path],
    tmp_path: Path,
    events: Recorder,
    model: str,
    name: str,
    family: str,
) -> None:
    file = tmp_path / "foreign.safetensors"
    save_file({f"{name}.lora_down.weight": torch.ones(2, 8), f"{name}.lora_up.weight": torch.ones(8, 2)}, file)
    with pytest.raises(UnusableFile, match=f"2 of the 2 tensors .* match no layer .*{family}") as caught:
        draw(session, models(model), tmp_path, events, LoraChoice(file))
    assert name in str(caught.value)


def test_layers_of_another_size_are_counted(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    file, name = tmp_path / "wide.safetensors", f"lora_unet_{LINEAR.replace('.', '_')}"
    save_file({f"{name}.lora_down.weight": torch.ones(2, 768), f"{name}.lora_up.weight": torch.ones(320, 2)}, file)
    with pytest.raises(UnusableFile, match=r"2 of the 2 tensors .* another size"):
        draw(session, models("sd15"), tmp_path, events, LoraChoice(file))
