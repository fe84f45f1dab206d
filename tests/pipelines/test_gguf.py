"""GGUF files: read by our own reader, dequantised, recognised, drawn with, and refused in words."""

from __future__ import annotations

import contextlib
import shutil
import struct
import tracemalloc
from typing import TYPE_CHECKING, Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from safetensors.torch import load_file, save_file

from app.services import importing, links
from pipelines import (
    catalog,
    checkpoints,
    devices,
    gguf_header,
    gguf_weights,
    images,
    lora,
    memory,
    recognition,
    single_file,
)
from pipelines.checkpoints import OriginalSpec
from pipelines.engine.base import ComponentSpec, Plan
from pipelines.errors import UnusableFile
from pipelines.families import FAMILIES
from pipelines.recognition import Kind
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.session import Session
from pipelines.weights import count_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

TYPES = [Type[name] for name, *_ in gguf_header.TYPES.values()]
MADE = (Type.F32, Type.F16, Type.BF16, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0)  # gguf-py can make these
DISTANCE = {Type.F32: 0, Type.F16: 0.001, Type.BF16: 0.01, Type.Q8_0: 0.01}  # of the largest value; others have 4 bits


def write(file: Path, tensors: Mapping[str, Tensor], kind: Type = Type.F32, arch: str = "flux") -> Path:
    """As city96's converter does: what has one side stays in fp32."""
    writer = gguf.GGUFWriter(file, arch)
    writer.add_quantization_version(2)
    writer.add_array("some.words", ["a", "list", "of", "words"])
    writer.add_array("some.numbers", [1, 2, 3])
    for name, tensor in tensors.items():
        own = kind if tensor.ndim > 1 else Type.F32
        values = tensor.float().contiguous().numpy()
        writer.add_tensor(name, gguf.quants.quantize(values, own), raw_dtype=own)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def text(words: str | bytes) -> bytes:
    data = words.encode() if isinstance(words, str) else words
    return struct.pack("<Q", len(data)) + data


def tensor(name: str, shape: tuple[int, ...], kind: int = 0, begin: int = 0) -> bytes:
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, begin)


def by_hand(file: Path, parts: bytes, counts: tuple[int, int] = (1, 0), version: int = 3, data: int = 64) -> Path:
    """A file of any header, true or not."""
    head = b"GGUF" + struct.pack("<IQQ", version, *counts) + parts
    file.write_bytes(head + bytes(-len(head) % 32 + data))
    return file


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return write(tmp_path / "whole.gguf", {"a": torch.rand(3, 64), "b": torch.rand(5), "c": torch.rand(2, 32)})


class TestHeader:
    def test_it_is_read_as_ggufs_own_reader_does(self, whole: Path) -> None:
        header = gguf_header.read(whole)
        theirs = {one.name: one for one in gguf.GGUFReader(whole).tensors}
        assert header.tensors.keys() == theirs.keys()
        for name, ours in header.tensors.items():
            assert ours.shape == tuple(theirs[name].shape.tolist())[::-1]
            assert header.start + ours.begin == theirs[name].data_offset
            assert ours.end - ours.begin == theirs[name].n_bytes
        assert count_parameters(header.tensors) == 3 * 64 + 5 + 2 * 32

    def test_every_shorter_file_is_incomplete(self, whole: Path) -> None:
        data = whole.read_bytes()
        last = max(one.end for one in gguf_header.read(whole).tensors.values()) + gguf_header.read(whole).start
        for length in range(1, last):
            whole.write_bytes(data[:length])
            with pytest.raises(UnusableFile, match=f"incomplete: {length} of (at least )?[0-9]+ bytes"):
                gguf_header.read(whole)

    @pytest.mark.parametrize(
        ("parts", "options", "words"),
        [
            (tensor("a", (2,)), {"counts": (2**60, 0)}, "incomplete"),
            (tensor("a", (2,)), {"counts": (1, 2**60)}, "incomplete"),
            (tensor("a", (2,)), {"version": 1}, "GGUF of version 1"),
            (tensor("a", (2,)), {"version": 3 << 24}, "GGUF of version"),
            (tensor("a", (2,), kind=16), {}, "type number 16, which this version cannot read"),
            (tensor("a", (2,), kind=26), {}, "type number 26"),
            (tensor("a", (2**62, 2**62)), {}, "incomplete"),
            (tensor("a", (1, 1, 1, 1, 1)), {}, "has 5 sides"),
            (tensor("a", (2, 33), kind=8), {}, "no whole blocks of Q8_0"),
            (tensor("a", (2,), begin=8), {}, "not aligned"),
            (tensor("a", (2,), begin=32), {}, "gaps"),
            (tensor("a", (9,)) + tensor("b", (9,), begin=32), {"counts": (2, 0)}, "overlap"),
            (tensor("a", (2,)) * 2, {"counts": (2, 0)}, "occurs twice"),
            (text(b"\xff"), {}, "no text"),
            (struct.pack("<Q", 2**50), {}, "incomplete"),
            (text("x") + struct.pack("<I", 99), {"counts": (0, 1)}, "unknown type 99"),
            (text("x") + struct.pack("<IIQ", 9, 8, 2**61), {"counts": (0, 1)}, "incomplete"),
            (text("x") + struct.pack("<IIQ", 9, 4, 2**61), {"counts": (0, 1)}, "incomplete"),
            (text("x") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 50, {"counts": (0, 1)}, "unknown type 9"),
            (text("general.alignment") + struct.pack("<II", 4, 3), {"counts": (0, 1)}, "no power of two"),
            (text("general.alignment") + struct.pack("<II", 4, 0), {"counts": (0, 1)}, "no power of two"),
        ],
        ids=str,
    )
    def test_a_header_that_lies_is_found_out_without_memory(
        self, tmp_path: Path, parts: bytes, options: dict[str, Any], words: str
    ) -> None:
        file = by_hand(tmp_path / "lie.gguf", parts, **options)
        tracemalloc.start()
        try:
            with pytest.raises(UnusableFile, match=words):
                gguf_header.read(file)
            assert tracemalloc.get_traced_memory()[1] < 2**20
        finally:
            tracemalloc.stop()

    def test_an_endless_header_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "endless.gguf"
        by_hand(file, text("x") + struct.pack("<IIQ", 9, 4, 10**8), counts=(0, 1))
        with file.open("r+b") as stream:
            stream.truncate(2**30)  # a hole: it takes no room
        with pytest.raises(UnusableFile, match="its header claims"):
            gguf_header.read(file)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
    @given(st.data())
    def test_damaged_bytes_never_raise_anything_else(self, whole: Path, data: st.DataObject) -> None:
        content = bytearray(whole.read_bytes())
        for place in data.draw(st.lists(st.integers(0, 400), min_size=1, max_size=4)):
            content[place] = data.draw(st.integers(0, 255))
        file = whole.with_name("damaged.gguf")
        file.write_bytes(content)
        with contextlib.suppress(UnusableFile):
            checkpoints.read_header(file)

    def test_missing_files_and_folders(self, tmp_path: Path) -> None:
        for place in (tmp_path, tmp_path / "none.gguf"):
            with pytest.raises(UnusableFile):
                gguf_header.read(place)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "empty"), (b"<!DOCTYPE html><html>", "web page"), (b"PK\x03\x04archive", "pickle"),
            (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"), (b"GGUF", "incomplete"),
        ],
    )  # fmt: skip
    def test_what_is_none_is_named(self, tmp_path: Path, content: bytes, words: str) -> None:
        file = tmp_path / "model.gguf"
        file.write_bytes(content)
        with pytest.raises(UnusableFile, match=words):
            catalog.find(str(file))


class TestValues:
    @pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.name)
    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    def test_they_come_back(self, tmp_path: Path, kind: Type, dtype: torch.dtype) -> None:
        made = {"p.a": torch.randn(70, 64), "p.b": torch.randn(7), "other": torch.randn(1)}
        read = gguf_weights.read_tensors(write(tmp_path / "a.gguf", made, kind), "p.", dtype)
        assert {name: (one.shape, one.dtype) for name, one in read.items()} == {
            "a": (torch.Size((70, 64)), dtype), "b": (torch.Size((7,)), dtype),
        }  # fmt: skip
        largest = float(made["p.a"].abs().max())
        allowed = DISTANCE.get(kind, 0.09) + (0.005 if dtype is torch.bfloat16 else 0)
        assert float((read["a"].float() - made["p.a"]).abs().max()) <= allowed * largest

    @pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
    def test_every_type_is_read_as_diffusers_reads_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Type
    ) -> None:
        """diffusers computes in fp16 what gguf-py computes in fp32."""
        from diffusers.quantizers.gguf import utils

        monkeypatch.setattr(gguf_weights, "_PIECE", 1024)  # so that there are several pieces
        values, size = gguf.GGML_QUANT_SIZES[kind]
        rows = 512 // values * size
        # Bytes so small that every half of a block is a number
        raw = np.random.default_rng(3).integers(0, 0x30, (9, rows), np.uint8)
        writer = gguf.GGUFWriter(tmp_path / "a.gguf", "flux")
        plain = {Type.F32: np.float32, Type.F16: np.float16}
        writer.add_tensor("a", raw.view(plain[kind]) if kind in plain else raw, raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        (ours,) = gguf_weights.read_tensors(tmp_path / "a.gguf", "", torch.float32).values()
        assert ours.shape == (9, 512)
        if kind in plain:
            theirs = torch.from_numpy(raw.view(plain[kind]).astype(np.float32))
        else:
            blocks = torch.from_numpy(raw).reshape(-1, size)
            theirs = utils.dequantize_functions[kind](blocks, values, size).reshape(9, 512).float()
        assert torch.allclose(ours, theirs, rtol=0.01, atol=0.01 * float(theirs.abs().max()))
        assert ours.std() > 0

    def test_a_file_that_was_cut_meanwhile(self, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        header = gguf_header.read(whole)
        whole.write_bytes(whole.read_bytes()[:-70])
        monkeypatch.setattr(gguf_header, "read", lambda _file: header)
        with pytest.raises(UnusableFile, match="has become shorter"):
            gguf_weights.read_tensors(whole, "", torch.float32)


BFL = {
    "double_blocks.0.img_attn.qkv.weight": torch.zeros(96, 32),
    "img_in.weight": torch.zeros(32, 64),
    "guidance_in.in_layer.bias": torch.zeros(1),
}


def test_the_file_is_recognised_and_can_be_taken_in(tmp_path: Path) -> None:
    file = write(tmp_path / "flux1-dev-Q4_0.gguf", BFL, Type.Q4_0)
    entry = catalog.find(str(file))
    assert (entry.layout, entry.title) == ("flux.1-dev", "flux1-dev-Q4_0 (FLUX.1 [dev])")
    (found,) = importing.scan(tmp_path).found
    assert (found.path, found.kind, found.family, found.problem) == (file, Kind.network, "flux", "")


def test_a_link_to_one_can_be_downloaded() -> None:
    links.check_link("https://example.com/flux1-dev-Q8_0.gguf?download=true")
    assert links.file_name("https://example.com/flux1-dev-Q8_0.gguf?download=true") == "flux1-dev-q8_0.gguf"
    assert links.file_name("https://example.com/files/7") == "7.safetensors"


def test_another_familys_file_is_refused_by_its_name(tmp_path: Path) -> None:
    file = write(tmp_path / "sd3.gguf", {"joint_blocks.0.x_block.attn.qkv.weight": torch.zeros(1)}, arch="sd3")
    with pytest.raises(UnusableFile, match="Stable Diffusion 3"):
        catalog.find(str(file))


def rename_t5(name: str) -> str:
    """transformers' names to llama.cpp's, a line for each kind of tensor."""
    for ours, theirs in (
        ("encoder.final_layer_norm", "enc.output_norm"), ("encoder.block", "enc.blk"), ("shared", "token_embd"),
        ("layer.0.SelfAttention.relative_attention_bias", "attn_rel_b"), ("layer.0.layer_norm", "attn_norm"),
        ("layer.0.SelfAttention.", "attn_"), ("layer.1.layer_norm", "ffn_norm"),
        ("layer.1.DenseReluDense.wi_0", "ffn_gate"), ("layer.1.DenseReluDense.wi_1", "ffn_up"),
        ("layer.1.DenseReluDense.wo", "ffn_down"),
    ):  # fmt: skip
        name = name.replace(ours, theirs)
    return name


def test_t5_in_llama_cpps_names(tmp_path: Path, tiny_model: Path) -> None:
    folder = tiny_model / "text_encoder_2"
    original = load_file(folder / "model.safetensors")
    file = write(tmp_path / "t5.gguf", {rename_t5(name): one for name, one in original.items()}, arch="t5encoder")
    assert recognition.classify(checkpoints.read_header(file)) == (Kind.text_encoder, "")
    library, class_name = FAMILIES["flux"].networks["text_encoder_2"]
    spec = OriginalSpec("text_encoder_2", library, class_name, folder, (file,), 0)
    loaded = single_file.load_module(spec, torch.float32).state_dict()
    assert "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight" in original
    assert all(torch.equal(loaded[name], one.float()) for name, one in original.items())


def test_networks_beside_it_can_be_gguf_too(tmp_path: Path) -> None:
    for name in ("unet", "vae", "clip"):
        (tmp_path / name).mkdir()
    file = write(tmp_path / "unet" / "flux1-dev.gguf", BFL, Type.Q8_0)
    write(tmp_path / "clip" / "t5.GGUF", {recognition.T5_NAMES[1]: torch.zeros(1, 32)}, Type.Q8_0)
    save_file(
        {"text_model.embeddings.token_embedding.weight": torch.zeros(1, 768)}, tmp_path / "clip" / "l.safetensors"
    )
    save_file({"decoder.conv_in.weight": torch.zeros(1, 16, 1, 1)}, tmp_path / "vae" / "ae.safetensors")
    specs = checkpoints.find_components(file, FAMILIES["flux"].networks)
    assert [spec.files[0].name for spec in specs] == ["l.safetensors", "t5.GGUF", "flux1-dev.gguf", "ae.safetensors"]


@pytest.mark.parametrize("kind", [Type.Q8_0, Type.Q4_1], ids=lambda kind: kind.name)
def test_it_draws_what_its_dequantised_weights_draw(
    tmp_path: Path, tiny_model: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch, kind: Type
) -> None:
    """In diffusers' names, since the width of Black Forest Labs' is fixed: `test_checkpoints` converts those."""
    folder = shutil.copytree(tiny_model, tmp_path / "folder")
    (folder / "starter.json").unlink()
    transformer: dict[str, Tensor] = {}
    for one in (folder / "transformer").glob("*.safetensors"):
        transformer |= load_file(one)
        one.unlink()
    file = write(tmp_path / "flux1-dev.gguf", transformer, kind)
    read = gguf_weights.read_tensors(file, "", torch.float32)
    (folder / "transformer" / "diffusion_pytorch_model.safetensors.index.json").unlink()
    save_file(read, folder / "transformer" / "diffusion_pytorch_model.safetensors")
    # What ships is the configuration of the full size; here the miniature's takes its place.
    monkeypatch.setattr(checkpoints, "configs", lambda _row: folder)
    monkeypatch.setattr(checkpoints, "t5_tokenizer", lambda: folder / "tokenizer_2")
    drawn: list[np.ndarray] = []
    with Session(devices.probe()) as session:
        for model in (folder, file):
            request = GenerationRequest("a red apple", str(model), 256, 256, 2, 3.5, 3, precision=Precision.fp32)
            (saved,) = session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
            with Image.open(saved.path) as image:
                drawn.append(np.asarray(image.convert("RGB"), np.int16))
    assert np.abs(drawn[0] - drawn[1]).max() <= 1
    assert drawn[0].std() > 1
    assert any(not torch.equal(read[name], one.float()) for name, one in transformer.items())


def test_loras_are_no_gguf(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="is no safetensors file"):
        lora.check(write(tmp_path / "lora.gguf", {"lora_unet_x.lora_up.weight": torch.zeros(1)}))


def test_narrow_layers_are_weighed_in_it(tmp_path: Path) -> None:
    block, first = torch.rand(64, 32), torch.rand(16, 32)
    file = write(tmp_path / "flux.gguf", {"double_blocks.0.img_attn.qkv.weight": block, "img_in.weight": first})
    spec = ComponentSpec("transformer", "diffusers", "FluxTransformer2DModel", tmp_path, (file,), 64 * 32 + 16 * 32)
    plan = Plan(Backend.eager, Precision.fp8, "cuda:0", "a test")
    assert memory.weigh(spec, plan) == 64 * 32 + 16 * 32 * 2
