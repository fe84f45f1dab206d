"""ControlNets as files, and the pictures that they follow."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from diffusers.models.controlnets.controlnet import ControlNetModel
from PIL import Image
from safetensors.torch import save_file

from pipelines import canny, catalog, checkpoints, controls, recognition, single_file
from pipelines.errors import UnusableFile
from pipelines.recognition import Kind
from pipelines.request import PREPROCESSORS
from pipelines.weights import TensorInfo
from tests.pipelines import layouts

if TYPE_CHECKING:
    from pathlib import Path

ROWS = ("sd-1.5", "sd-2.1", "sdxl-1.0")


def make_meta(row: str) -> torch.nn.Module:
    """The ControlNet for a known model at its full size, without memory."""
    config = catalog.read_json(checkpoints.configs(row) / "unet" / "config.json")
    with torch.device("meta"):
        return ControlNetModel.from_config(config)  # pyright: ignore[reportReturnType]


def header_of(tensors: dict[str, torch.Tensor]) -> dict[str, TensorInfo]:
    return {name: TensorInfo("F16", tuple(tensor.shape), 0, 0) for name, tensor in tensors.items()}


@pytest.mark.parametrize("row", ROWS)
def test_a_file_is_recognised_and_converts_with_no_key_left_over(row: str) -> None:
    """At full size: every name and shape, on the meta device."""
    wanted = make_meta(row).state_dict()
    family = "sdxl" if row.startswith("sdxl") else "sd"
    assert recognition.classify(wanted) == (Kind.controlnet, family)
    assert recognition.find_control_row(header_of(wanted)) == row
    if family == "sdxl":
        return  # there is no other layout of it
    original = layouts.controlnet(wanted)
    assert recognition.classify(original) == (Kind.controlnet, family)
    assert recognition.find_control_row(header_of(original)) == row
    bare = {name.removeprefix(recognition.CONTROL): tensor for name, tensor in original.items()}
    assert recognition.find_control_row(header_of(bare)) == row
    converted = single_file.convert("ControlNetModel", bare, checkpoints.configs(row) / "unet")
    assert {name: one.shape for name, one in converted.items()} == {name: one.shape for name, one in wanted.items()}


def test_the_network_is_the_one_that_was_published() -> None:
    """By the number of values in lllyasviel's files for Stable Diffusion 1.5."""
    assert sum(one.numel() for one in make_meta("sd-1.5").parameters()) == 361_279_120


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["controlnet_cond_embedding.conv_in.weight", "task_embedding"], "ControlNet Union"),
        (["lora_controlnet", "input_hint_block.0.weight"], "a Control-LoRA"),
        (["difference", "control_model.input_hint_block.0.weight"], "the difference between"),
        (["controlnet_blocks.0.weight", "double_blocks.0.img_attn.qkv.weight"], "FLUX.1 in the layout of XLabs"),
        (["lora_te_x.lora_up.weight"], "is no ControlNet"),
        (["controlnet_cond_embedding.conv_in.weight", "add_embedding.linear_1.weight"], "does not tell"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, names: list[str], words: str) -> None:
    save_file({name: torch.zeros(1) for name in names}, tmp_path / "file.safetensors")
    with pytest.raises(UnusableFile, match=words):
        checkpoints.find_controlnet(tmp_path / "file.safetensors")


def pictures() -> dict[str, np.ndarray]:
    y, x = np.mgrid[0:96, 0:131]
    smooth = np.stack([(x * x * 3 + y * y * 5) // 64 % 256, (x * y) // 9 % 256, (x * 7 + y * 3) // 4 % 256], -1)
    noise = np.random.default_rng(1).integers(0, 256, (65, 40, 3), dtype=np.uint8)
    square = np.zeros((64, 64, 3), np.uint8)
    square[20:40, 10:50] = (255, 0, 0)
    found = {"smooth": smooth.astype(np.uint8), "noise": noise, "square": square}
    return {**found, "line": noise[:1], "dot": noise[:1, :1]}


@pytest.mark.parametrize(
    ("name", "low", "high", "count", "digest"),
    [
        ("smooth", 100, 200, 971, "36fb6dce3d811a59"),
        ("smooth", 20, 60, 2305, "73b25c4778680342"),
        ("noise", 100, 200, 958, "e4d6d1cc011a9fcc"),
        ("square", 100, 200, 116, "9e3a23b76b670542"),
        ("line", 100, 200, 14, "520fff78171a7594"),
        ("dot", 100, 200, 0, "6e340b9cffb37a98"),
    ],
)
def test_canny_is_opencvs_to_the_pixel(name: str, low: int, high: int, count: int, digest: str) -> None:
    """The sha256 of what `cv2.Canny(picture, low, high)` gave; opencv-python-headless 5.0.0.93."""
    edges = canny.find_edges(pictures()[name], low, high)
    assert (np.count_nonzero(edges), hashlib.sha256(edges.tobytes()).hexdigest()[:16]) == (count, digest)


def test_every_preprocessor_keeps_the_size() -> None:
    assert tuple(controls.PREPROCESSORS) == PREPROCESSORS
    picture = Image.fromarray(pictures()["smooth"])
    for name in PREPROCESSORS:
        for mode in ("RGB", "L", "RGBA"):
            made = controls.preprocess(name, picture.convert(mode))
            assert (made.mode, made.size) == ("RGB", picture.size)


def test_as_a_model_it_is_named_for_what_it_is(tmp_path: Path) -> None:
    save_file({"controlnet_cond_embedding.conv_in.weight": torch.zeros(1)}, tmp_path / "file.safetensors")
    with pytest.raises(UnusableFile, match="is a ControlNet and no model"):
        catalog.find(str(tmp_path / "file.safetensors"))
