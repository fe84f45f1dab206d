"""Single files: recognised, converted whole, refused in words, and drawn with."""

from __future__ import annotations

import importlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from pipelines import catalog, checkpoints, devices, images, recognition, single_file, weights
from pipelines.checkpoints import OriginalSpec
from pipelines.errors import UnusableFile
from pipelines.families import FAMILIES, clip_vocabulary
from pipelines.families.model import load_tokenizer
from pipelines.recognition import Kind
from pipelines.request import GenerationRequest
from pipelines.session import Session
from pipelines.weights import TensorInfo
from tests.pipelines import layouts, miniatures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

ROWS = [entry for entry in catalog.load() if checkpoints.configs(entry.name).is_dir()]
BY_NAME = {entry.name: entry for entry in ROWS}
PREFIX = "model.diffusion_model."


def make_meta(row: str, name: str) -> torch.nn.Module:
    """A network of a known model at its full size, without memory."""
    library, class_name = FAMILIES[BY_NAME[row].family].networks[name]
    spec = OriginalSpec(name, library, class_name, checkpoints.configs(row) / name, (), 0)
    return single_file.make_network(spec)


def original(row: str, name: str, module: torch.nn.Module) -> dict[str, Tensor]:
    """Its tensors as single files have them, without prefix."""
    tensors = module.state_dict()
    if name == "unet":
        return layouts.unet(tensors)
    if name == "vae":
        return layouts.vae(tensors)
    if name == "transformer":
        return layouts.flux(tensors)
    if name == "text_encoder":
        return layouts.open_clip(tensors, extra_block=True) if row.startswith("sd-2") else layouts.clip(tensors)
    if row.startswith("sdxl"):
        return layouts.open_clip(tensors, extra_block=False)
    return dict(tensors)  # T5 keeps its names


CASES = [(row.name, name) for row in ROWS for name in FAMILIES[row.family].networks]


@pytest.mark.parametrize(("row", "name"), CASES)
def test_each_layout_converts_with_no_key_left_over(row: str, name: str) -> None:
    """At full size: every name and shape, on the meta device."""
    module = make_meta(row, name)
    class_name = FAMILIES[BY_NAME[row].family].networks[name][1]
    tensors = {key: tensor.to("meta") for key, tensor in original(row, name, module).items()}
    values = sum(tensor.numel() for tensor in tensors.values())
    converted = single_file.convert(class_name, tensors, checkpoints.configs(row) / name)
    wanted = module.state_dict()
    assert {key: tensor.shape for key, tensor in converted.items()} == {
        key: tensor.shape for key, tensor in wanted.items()
    }
    if name in ("unet", "vae", "transformer"):
        assert sum(tensor.numel() for tensor in converted.values()) == values


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_shipped_configurations_are_the_models_own(row: catalog.Entry) -> None:
    """By the number of values that the published models have."""
    counts = [
        sum(one.numel() for one in make_meta(row.name, name).parameters()) for name in FAMILIES[row.family].networks
    ]
    assert sum(counts) == row.parameters
    index = json.loads((checkpoints.configs(row.name) / "model_index.json").read_text())
    assert index["_class_name"] == row.model_class
    for name, expected in FAMILIES[row.family].networks.items():
        assert tuple(index[name]) == expected


def header_of(tensors: Mapping[str, Tensor]) -> dict[str, TensorInfo]:
    return {name: TensorInfo("F16", tuple(tensor.shape), 0, 0) for name, tensor in tensors.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_row_is_recognised_from_names_and_shapes(row: catalog.Entry) -> None:
    denoiser = FAMILIES[row.family].denoiser
    tensors = {
        f"{PREFIX}{key}": one for key, one in original(row.name, denoiser, make_meta(row.name, denoiser)).items()
    }
    if row.family == "sdxl":
        tensors["conditioner.embedders.1.model.positional_embedding"] = torch.zeros(1)
    if row.family == "sdxl-refiner":
        tensors["conditioner.embedders.0.model.positional_embedding"] = torch.zeros(1)
    stem = {"sd-2.1-base": "v2-1_512-ema", "sdxl-turbo": "sd_xl_turbo_1.0", "sdxl-lightning": "sdxl_Lightning_4step"}
    name = stem.get(row.name, "kontext" if "kontext" in row.name else "model")
    assert recognition.find_row(header_of(tensors), name) == row.name
    bare = {key.removeprefix(PREFIX): one for key, one in tensors.items()}
    if row.family == "flux":
        assert recognition.find_row(header_of(bare), name) == row.name
        assert recognition.classify(bare) == (Kind.network, "flux")


class TestVocabulary:
    @pytest.mark.parametrize(
        ("text", "ids"),
        [
            ("a photo of a cat", [320, 1125, 539, 320, 2368]),
            ("hello world", [3306, 1002]),
            ("A  Diagram", [320, 22697]),
            ("!", [256]),
        ],
    )
    def test_known_words_have_their_numbers(self, text: str, ids: list[int]) -> None:
        """As published with CLIP's own examples."""
        tokenizer = clip_vocabulary.make(checkpoints.configs("sd-1.5") / "tokenizer")
        assert list(tokenizer(text)["input_ids"]) == [49406, *ids, 49407]

    def test_models_differ_in_what_fills_up(self) -> None:
        pads = []
        for row, name in (("sd-1.5", "tokenizer"), ("sd-2.1", "tokenizer"), ("sdxl-1.0", "tokenizer_2")):
            tokenizer: Any = clip_vocabulary.make(checkpoints.configs(row) / name)
            pads.append(tokenizer.pad_token_id)
        assert pads == [49407, 0, 0]


def test_t5s_tokenizer_ships_and_counts_as_sentencepiece_does() -> None:
    from sentencepiece import SentencePieceProcessor

    folder = checkpoints.t5_tokenizer()
    tokenizer = load_tokenizer("T5TokenizerFast", folder)
    pieces: Any = SentencePieceProcessor(model_file=str(folder / "spiece.model"))  # pyright: ignore[reportCallIssue]
    for text in ("a red apple on a blue background", "Ein schöner Tag …", "ō 😄  “quotes”\n two", "", "word " * 600):
        assert list(tokenizer(text)["input_ids"]) == [*pieces.encode(text), 1]
    # As published with T5's own examples
    assert list(tokenizer("translate English to German: The house is wonderful.")["input_ids"]) == [
        13959, 1566, 12, 2968, 10, 37, 629, 19, 1627, 5, 1,
    ]  # fmt: skip


def write_single(folder: Path, file: Path, kind: str) -> Path:
    """The networks of a miniature's folder as one file."""
    parts = {
        part: load_file(next((folder / part).glob("*.safetensors")))
        for part in ("unet", "vae", "text_encoder", "text_encoder_2")
        if (folder / part).is_dir()
    }
    tensors = {f"{PREFIX}{name}": one for name, one in layouts.unet(parts["unet"]).items()}
    tensors |= {f"first_stage_model.{name}": one for name, one in layouts.vae(parts["vae"]).items()}
    if kind == "sd15":
        tensors |= {f"cond_stage_model.transformer.{n}": one for n, one in layouts.clip(parts["text_encoder"]).items()}
    elif kind == "sdxl":
        first = layouts.clip(parts["text_encoder"])
        second = layouts.open_clip(parts["text_encoder_2"], extra_block=False)
        tensors |= {f"conditioner.embedders.0.transformer.{name}": one for name, one in first.items()}
        tensors |= {f"conditioner.embedders.1.model.{name}": one for name, one in second.items()}
    else:
        encoder = layouts.open_clip(parts["text_encoder"], extra_block=True)
        tensors |= {f"cond_stage_model.model.{name}": one for name, one in encoder.items()}
    tensors["model_ema.decay"] = torch.ones(())
    save_file({name: one.contiguous().clone() for name, one in tensors.items()}, file)
    return file


@pytest.mark.parametrize("name", ["sd15", "sd21", "sdxl"])
def test_a_single_file_draws_what_its_folder_draws(
    tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    kind = next(one for one in miniatures.MINIATURES if one.name == name)
    folder = miniatures.make(kind, tmp_path / "folder")
    file = write_single(folder, tmp_path / "model.safetensors", name)
    # What ships is the configuration of the full size; here the miniature's takes its place.
    row = {"sd15": "sd-1.5", "sd21": "sd-2.1-base", "sdxl": "sdxl-1.0"}[name]
    monkeypatch.setattr(checkpoints, "configs", lambda _row: folder)
    monkeypatch.setattr(recognition, "find_row", lambda _header, _stem: row)
    drawn: list[np.ndarray] = []
    with Session(devices.probe()) as session:
        for model in (folder, file):
            request = GenerationRequest("a red apple", str(model), 256, 256, 2, 5.0, 3)
            (saved,) = session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
            with Image.open(saved.path) as image:
                drawn.append(np.asarray(image.convert("RGB"), np.int16))
    assert np.abs(drawn[0] - drawn[1]).max() <= 1
    assert drawn[0].std() > 1


def test_the_entry_says_what_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = miniatures.make(miniatures.MINIATURES[0], tmp_path / "folder")
    file = write_single(folder, tmp_path / "anime v3.safetensors", "sd15")
    monkeypatch.setattr(recognition, "find_row", lambda _header, _stem: "sd-1.5")
    entry = catalog.find(str(file))
    assert (entry.title, entry.family, entry.layout) == ("anime v3 (Stable Diffusion 1.5)", "sd", "sd-1.5")
    assert (entry.location, entry.width) == (file, 512)


class TestFlux:
    """FLUX.1 at the width that diffusers' conversion knows, but one block of each kind, on the meta device."""

    def test_a_transformer_alone_needs_the_rest_beside_it(self, tmp_path: Path, tiny_model: Path) -> None:
        file = tmp_path / "checkpoints" / "flux1-dev.safetensors"
        file.parent.mkdir()
        save_file(
            {
                "double_blocks.0.img_attn.qkv.weight": torch.zeros(1, 1),
                "img_in.weight": torch.zeros(1, 64),
                "guidance_in.in_layer.bias": torch.zeros(1),
            },
            file,
        )
        entry = catalog.find(str(file))
        assert (entry.layout, entry.model_class) == ("flux.1-dev", "FluxPipeline")
        networks = FAMILIES["flux"].networks
        with pytest.raises(UnusableFile, match="holds no text encoder, and there is none beside it"):
            checkpoints.find_components(file, networks)
        shutil.copytree(tiny_model, tmp_path / "FLUX.1-schnell")
        specs = {spec.name: spec for spec in checkpoints.find_components(file, networks)}
        assert isinstance(specs["transformer"], OriginalSpec)
        assert specs["transformer"].prefix == ""
        assert specs["vae"].folder == tmp_path / "FLUX.1-schnell" / "vae"

    def test_networks_in_comfyuis_folders(self, tmp_path: Path) -> None:
        file = tmp_path / "unet" / "flux1-schnell.safetensors"
        for name in ("unet", "vae", "clip"):
            (tmp_path / name).mkdir()
        save_file({"double_blocks.0.img_attn.qkv.weight": torch.zeros(1, 1), "img_in.weight": torch.zeros(1, 64)}, file)
        save_file({"decoder.conv_in.weight": torch.zeros(1, 16, 1, 1)}, tmp_path / "vae" / "ae.safetensors")
        save_file({"decoder.conv_in.weight": torch.zeros(1, 4, 1, 1)}, tmp_path / "vae" / "a sd.safetensors")
        t5 = {"encoder.block.0.layer.0.SelfAttention.q.weight": torch.zeros(1, 1)}
        save_file(t5, tmp_path / "clip" / "t5xxl_fp16.safetensors")
        clip = {"text_model.embeddings.token_embedding.weight": torch.zeros(1, 768)}
        save_file(clip, tmp_path / "clip" / "clip_l.safetensors")
        (tmp_path / "clip" / "broken.safetensors").write_bytes(b"x")
        specs = checkpoints.find_components(file, FAMILIES["flux"].networks)
        assert [spec.files[0].name for spec in specs] == [
            "clip_l.safetensors", "t5xxl_fp16.safetensors", "flux1-schnell.safetensors", "ae.safetensors",
        ]  # fmt: skip


def test_fp8_is_brought_back_to_its_scale() -> None:
    weight = torch.randn(4, 4)
    small = (weight / 8).to(torch.float8_e4m3fn)
    tensors = {
        "a.weight": small,
        "a.scale_weight": torch.tensor(8.0),
        "a.scale_input": torch.tensor(1.0),
        "b.weight": weight.to(torch.float8_e5m2),
        "b.bias": torch.ones(4),
        "scaled_fp8": torch.zeros(2, dtype=torch.float8_e4m3fn),
    }
    plain = single_file._unscale(tensors)  # pyright: ignore[reportPrivateUsage]
    assert set(plain) == {"a.weight", "b.weight", "b.bias"}
    assert torch.allclose(plain["a.weight"].float(), small.float() * 8, rtol=0.01)
    assert plain["b.weight"].dtype == torch.bfloat16


@pytest.fixture
def good(tmp_path: Path) -> Callable[[], dict[str, Tensor]]:
    folder = miniatures.make(miniatures.MINIATURES[0], tmp_path / "folder")
    file = write_single(folder, tmp_path / "good.safetensors", "sd15")
    return lambda: load_file(file)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda tensors: tensors.pop(f"{PREFIX}out.2.weight"), "1 tensors are missing"),
        (
            lambda tensors: tensors.update({f"{PREFIX}out.2.weight": torch.zeros(1, 1, 1, 1)}),
            "1 tensors are of another shape",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_counts(
    tmp_path: Path, good: Callable[[], dict[str, Tensor]], change: Callable[[dict[str, Tensor]], object], words: str
) -> None:
    tensors = good()
    change(tensors)
    file = tmp_path / "bad.safetensors"
    save_file(tensors, file)
    folder = tmp_path / "folder" / "unet"
    spec = OriginalSpec("unet", "diffusers", "UNet2DConditionModel", folder, (file,), 0, prefix=PREFIX)
    with pytest.raises(UnusableFile, match=words):
        single_file.load_module(spec, torch.float32)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["lora_unet_x.lora_up.weight"], "is a LoRA and no model"),
        (["joint_blocks.0.x_block.attn.qkv.weight"], "Stable Diffusion 3"),
        (["double_blocks.0.img_attn.qkv.weight", "single_stream_modulation.lin.weight"], r"FLUX\.2"),
        (["whatever"], "no model that is known"),
        (["decoder.conv_in.weight", "encoder.conv_in.weight"], "a VAE alone"),
    ],
)
def test_what_is_no_model_is_refused_by_its_name(tmp_path: Path, names: list[str], words: str) -> None:
    file = tmp_path / "file.safetensors"
    save_file({name: torch.zeros(1) for name in names}, file)
    with pytest.raises(UnusableFile, match=words):
        catalog.find(str(file))


@pytest.mark.parametrize(
    "content", [b"", b"<!DOCTYPE html><html>", b"version https://git-lfs.github.com/spec/v1\n", b"x" * 99]
)
def test_what_is_no_safetensors_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    with pytest.raises(UnusableFile):
        catalog.find(str(file))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32])
def test_weights_in_integers_are_refused(tmp_path: Path, tiny_model: Path, dtype: torch.dtype) -> None:
    file = tmp_path / "flux1-dev-int8.safetensors"
    save_file(
        {
            "double_blocks.0.img_attn.qkv.weight": torch.zeros(1, 1, dtype=dtype),
            "img_in.weight": torch.zeros(1, 64),
            "guidance_in.in_layer.bias": torch.zeros(1),
        },
        file,
    )
    with pytest.raises(UnusableFile, match=r"are of the type [IU]"):
        checkpoints.find_components(file, FAMILIES["flux"].networks)
    copy = shutil.copytree(tiny_model, tmp_path / "folder")
    weights_file = copy / "vae" / "diffusion_pytorch_model.safetensors"
    save_file({name: one.to(dtype) for name, one in load_file(weights_file).items()}, weights_file)
    with pytest.raises(UnusableFile, match=r"are of the type [IU]"):
        weights.find_components(copy, FAMILIES["flux"].networks)


def test_nothing_heavy_is_imported_to_recognise() -> None:
    for name in ("pipelines.recognition", "pipelines.checkpoints"):
        module = importlib.import_module(name)
        assert not {"torch", "diffusers", "safetensors"} & set(vars(module))
