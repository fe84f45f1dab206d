"""Our reader of safetensors headers, against whole, damaged and foreign files."""

from __future__ import annotations

import contextlib
import json
import shutil
import struct
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from pipelines import weights
from pipelines.errors import UnusableFile
from pipelines.families import FLUX

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    file = tmp_path / "whole.safetensors"
    tensors = {
        "a": torch.arange(6).reshape(2, 3),
        "b": torch.ones(5, dtype=torch.bfloat16),
        "c": torch.zeros(0),
    }
    save_file(tensors, file, metadata={"format": "pt"})
    return file


def write(file: Path, header: object, data: bytes = b"") -> Path:
    """A safetensors file of any header, true or not."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return file


def entry(begin: int, end: int, shape: list[int], dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_a_whole_file_is_read_as_safetensors_reads_it(whole: Path) -> None:
    header = weights.read_header(whole)
    expected = load_file(whole)
    assert {name: info.shape for name, info in header.items()} == {n: tuple(t.shape) for n, t in expected.items()}
    assert header["b"].dtype == "BF16"
    assert weights.count_parameters(header) == 11


def test_every_shorter_file_is_incomplete(whole: Path) -> None:
    data = whole.read_bytes()
    for length in range(1, len(data)):
        whole.write_bytes(data[:length])
        with pytest.raises(UnusableFile, match=f"incomplete: {length} of (at least )?[0-9]+ bytes"):
            weights.read_header(whole)


def test_the_whole_length_is_named_as_soon_as_the_header_is_there(whole: Path) -> None:
    data = whole.read_bytes()
    whole.write_bytes(data[:-1])
    with pytest.raises(UnusableFile, match=f"incomplete: {len(data) - 1} of {len(data)} bytes"):
        weights.read_header(whole)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty: 0 bytes"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "web page"),
        (b"\n  <html><head>login</head></html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "Git LFS pointer"),
        (b"PK\x03\x04\x14\x00\x00\x00archive/data.pkl", "pickle"),
        (b"\x80\x02}q\x00X\x05\x00\x00\x00model", "pickle"),
        (b"\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00}", "pickle"),
        (b"GGUF\x03\x00\x00\x00\x00\x00\x00\x00", "no safetensors file"),
        (bytes(4096), "no safetensors file"),
        (b'{"error": "not found"}', "no safetensors file"),
    ],
)
def test_what_is_no_safetensors_file_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    with pytest.raises(UnusableFile, match=words):
        weights.read_header(file)


@pytest.mark.parametrize(
    ("header", "data", "words"),
    [
        ({"a": entry(0, 8, [3])}, 8, "does not fit its shape"),
        ({"a": entry(8, 0, [2])}, 8, "does not fit its shape"),
        ({"a": entry(0, 8, [2]), "b": entry(4, 12, [2])}, 12, "overlap"),
        ({"a": entry(0, 8, [2]), "b": entry(0, 8, [2])}, 8, "overlap"),
        ({"a": entry(4, 12, [2])}, 12, "gaps"),
        ({"a": entry(0, 8, [2])}, 9, "1 bytes belong to no tensor"),
        ({"a": entry(0, 8, [2])}, 4, "incomplete"),
        ({"a": entry(0, 8, [-2])}, 8, "does not describe"),
        ({"a": entry(0, 2**62, [2**60])}, 8, "incomplete"),
        ({"a": entry(0, 8, [2], "FLOAT")}, 8, "unknown type 'FLOAT'"),
        ({"a": {"dtype": "F32", "shape": "2", "data_offsets": [0, 8]}}, 8, "does not describe"),
        ({"a": {"dtype": "F32", "shape": [2]}}, 8, "does not describe"),
        ({"a": [0, 8]}, 8, "does not describe"),
        (b"{" + b"x" * 20, 0, "cannot be read"),
        (b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":1}', 1, "cannot be read"),
        (b'{"\xff":1}', 0, "cannot be read"),
        (b'{"a":' + b"[" * 100_000, 0, "cannot be read"),
    ],
    ids=str,
)
def test_a_header_that_lies_is_found_out(tmp_path: Path, header: object, data: int, words: str) -> None:
    file = write(tmp_path / "lie.safetensors", header, bytes(data))
    with pytest.raises(UnusableFile, match=words):
        weights.read_header(file)


def test_an_absurd_header_length_is_not_allocated(tmp_path: Path) -> None:
    file = tmp_path / "huge.safetensors"
    file.write_bytes(struct.pack("<Q", 2**63) + b"{}" + bytes(100))
    with pytest.raises(UnusableFile, match="claims a length"):
        weights.read_header(file)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="missing"):
        weights.read_header(tmp_path / "none.safetensors")
    with pytest.raises(UnusableFile, match="cannot be read"):
        weights.read_header(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.binary(max_size=200), st.integers(0, 200))
def test_random_bytes_never_raise_anything_else(tmp_path: Path, content: bytes, length: int) -> None:
    file = tmp_path / "random.safetensors"
    for data in (content, struct.pack("<Q", length) + b"{" + content):
        file.write_bytes(data)
        with contextlib.suppress(UnusableFile):
            weights.read_header(file)


def test_the_components_of_a_model_are_found(tiny_model: Path) -> None:
    specs = weights.find_components(tiny_model, FLUX.networks)
    assert [spec.name for spec in specs] == list(FLUX.networks)
    transformer = next(spec for spec in specs if spec.name == "transformer")
    assert len(transformer.files) > 1  # sharded
    assert transformer.parameters == sum(
        tensor.numel() for file in transformer.files for tensor in load_file(file).values()
    )


@pytest.mark.parametrize("part", ["transformer", "vae", "text_encoder", "text_encoder_2"])
def test_a_truncated_component_is_named(model_copy: Path, part: str) -> None:
    file = sorted((model_copy / part).glob("*.safetensors"))[-1]
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    with pytest.raises(UnusableFile, match=f"{part}.*incomplete: {len(data) // 2} of {len(data)} bytes"):
        weights.find_components(model_copy, FLUX.networks)


def test_a_missing_shard_is_named(model_copy: Path) -> None:
    file = sorted((model_copy / "transformer").glob("*.safetensors"))[0]
    file.unlink()
    with pytest.raises(UnusableFile, match=file.name):
        weights.find_components(model_copy, FLUX.networks)


def test_a_shard_without_its_tensors_is_named(model_copy: Path) -> None:
    first, second = sorted((model_copy / "transformer").glob("*.safetensors"))[:2]
    shutil.copy(second, first)
    with pytest.raises(UnusableFile, match=f"{first.name}.*lacks"):
        weights.find_components(model_copy, FLUX.networks)


def test_a_missing_component_is_named(model_copy: Path) -> None:
    shutil.rmtree(model_copy / "vae")
    with pytest.raises(UnusableFile, match=r"vae.*no config\.json"):
        weights.find_components(model_copy, FLUX.networks)


def test_weights_that_are_missing_are_named(model_copy: Path) -> None:
    (model_copy / "vae" / "diffusion_pytorch_model.safetensors").unlink()
    with pytest.raises(UnusableFile, match=r"diffusion_pytorch_model\.safetensors.*missing"):
        weights.find_components(model_copy, FLUX.networks)


def test_pickle_weights_are_refused_with_the_reason(model_copy: Path) -> None:
    (model_copy / "vae" / "diffusion_pytorch_model.safetensors").unlink()
    (model_copy / "vae" / "diffusion_pytorch_model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(UnusableFile, match="could run any program"):
        weights.find_components(model_copy, FLUX.networks)


@pytest.mark.parametrize("place", ["../vae/diffusion_pytorch_model.safetensors", "/etc/passwd", "a/b.safetensors", 7])
def test_an_index_cannot_lead_out_of_its_folder(model_copy: Path, place: object) -> None:
    index = model_copy / "transformer" / "diffusion_pytorch_model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"x": place}}))
    with pytest.raises(UnusableFile, match="may not"):
        weights.find_components(model_copy, FLUX.networks)


def test_another_class_of_network_is_refused(model_copy: Path) -> None:
    index = json.loads((model_copy / "model_index.json").read_text())
    index["transformer"] = ["diffusers", "SD3Transformer2DModel"]
    (model_copy / "model_index.json").write_text(json.dumps(index))
    with pytest.raises(UnusableFile, match="SD3Transformer2DModel"):
        weights.find_components(model_copy, FLUX.networks)
