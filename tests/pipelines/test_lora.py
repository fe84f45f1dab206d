"""LoRA files: applied, refused and removed again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from pipelines import devices, images
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.request import Backend, GenerationRequest, LoraChoice
from pipelines.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

WIDTH, RANK = 32, 4
LAYERS = ("transformer_blocks.0.attn.to_q", "single_transformer_blocks.0.attn.to_v")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(devices.probe()) as one:
        yield one


def weights(seed: int, down: str, up: str, layers: tuple[str, ...] = LAYERS, width: int = WIDTH) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    tensors: dict[str, Tensor] = {}
    for layer in layers:
        tensors[layer + down] = torch.randn(RANK, width, generator=generator)
        tensors[layer + up] = torch.randn(width, RANK, generator=generator)
    return tensors


def write(file: Path, seed: int = 0) -> Path:
    """A LoRA in diffusers' own format."""
    tensors = weights(seed, ".lora_A.weight", ".lora_B.weight")
    save_file({f"transformer.{name}": tensor for name, tensor in tensors.items()}, file)
    return file


def write_kohya(file: Path) -> Path:
    """The same kind in the names that kohya's trainer gives: one block, query, key and value in one."""
    generator = torch.Generator().manual_seed(3)
    stem = "lora_unet_double_blocks_0_img_attn_qkv"
    tensors = {
        f"{stem}.lora_down.weight": torch.randn(RANK, WIDTH, generator=generator),
        f"{stem}.lora_up.weight": torch.randn(3 * WIDTH, RANK, generator=generator),
        f"{stem}.alpha": torch.tensor(float(RANK)),
    }
    save_file(tensors, file)
    return file


@pytest.fixture
def draw(session: Session, tiny_model: Path, tmp_path: Path, events: Recorder) -> Callable[..., bytes]:
    def run(*choices: LoraChoice) -> bytes:
        request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 2, 3.5, 7, loras=choices)
        (saved,) = session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
        with Image.open(saved.path) as image:
            return image.convert("RGB").tobytes()

    return run


def test_on_then_off_is_the_picture_from_before(draw: Callable[..., bytes], tmp_path: Path) -> None:
    # leejet/stable-diffusion.cpp#410: the effect stayed
    before = draw()
    file = write(tmp_path / "style.safetensors")
    applied = draw(LoraChoice(file))
    assert applied != before
    assert draw() == before
    assert draw(LoraChoice(file)) == applied


def test_the_weight_counts(draw: Callable[..., bytes], tmp_path: Path) -> None:
    file = write(tmp_path / "style.safetensors")
    off, half, full, inverted = (draw(LoraChoice(file, weight)) for weight in (0.0, 0.5, 1.0, -1.0))
    assert len({off, half, full, inverted}) == 4
    distance = [
        np.abs(np.frombuffer(one, np.uint8).astype(int) - np.frombuffer(off, np.uint8)).mean() for one in (half, full)
    ]
    assert distance[0] < distance[1]
    assert np.abs(np.frombuffer(off, np.uint8).astype(int) - np.frombuffer(draw(), np.uint8)).max() <= 1


def test_several_act_together_and_swapping_leaves_nothing(draw: Callable[..., bytes], tmp_path: Path) -> None:
    # aredden/flux-fp8-api#31: pictures drifted after many swaps
    before = draw()
    one, two = write(tmp_path / "one.safetensors", 1), write(tmp_path / "two.safetensors", 2)
    alone = draw(LoraChoice(one))
    both = draw(LoraChoice(one), LoraChoice(two))
    assert len({before, alone, both, draw(LoraChoice(two))}) == 4
    for _ in range(5):
        draw(LoraChoice(two, 0.3), LoraChoice(one))
        assert draw(LoraChoice(one)) == alone
    assert draw() == before


def test_a_file_that_changes_is_read_anew(draw: Callable[..., bytes], tmp_path: Path) -> None:
    file = write(tmp_path / "style.safetensors", 1)
    first = draw(LoraChoice(file))
    write(file, 2)
    assert draw(LoraChoice(file)) != first


def test_kohyas_format_is_applied(draw: Callable[..., bytes], tmp_path: Path) -> None:
    # huggingface/diffusers#9291: no error, and the picture of none
    assert draw(LoraChoice(write_kohya(tmp_path / "kohya.safetensors"))) != draw()


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({"lora_unet_down_blocks_0_attn.lora_down.weight": torch.ones(4, 32),
          "lora_unet_down_blocks_0_attn.lora_up.weight": torch.ones(32, 4)}, "Stable Diffusion"),
        ({"diffusion_model.context_refiner.0.attention.q.lora_A.weight": torch.ones(4, 32),
          "diffusion_model.context_refiner.0.attention.q.lora_B.weight": torch.ones(32, 4)}, "Z-Image"),
        ({"transformer.no_such_layer.lora_A.weight": torch.ones(4, 32),
          "transformer.no_such_layer.lora_B.weight": torch.ones(32, 4)}, "2 of the 2 tensors"),
        ({"lora_te2_text_model_encoder_layers_0_self_attn_q_proj.lora_down.weight": torch.ones(4, 32),
          "lora_te2_text_model_encoder_layers_0_self_attn_q_proj.lora_up.weight": torch.ones(32, 4)}, "SDXL"),
        ({"transformer.transformer_blocks.0.attn.to_q.lora_A.weight": torch.ones(4, 3072),
          "transformer.transformer_blocks.0.attn.to_q.lora_B.weight": torch.ones(3072, 4)}, "another size"),
        ({"weight": torch.ones(4, 4)}, "holds no LoRA"),
        ({"transformer.transformer_blocks.0.attn.to_q.lora_A.weight": torch.ones(4, 32),
          "transformer.transformer_blocks.0.attn.to_q.lora_C.weight": torch.ones(32, 4)}, "holds no LoRA"),
    ],
    ids=["sd", "z-image", "unknown", "text encoder", "size", "no lora", "half a lora"],
)  # fmt: skip
def test_what_is_for_another_network_is_refused_and_nothing_stays(
    draw: Callable[..., bytes], tmp_path: Path, tensors: dict[str, Tensor], words: str
) -> None:
    # invoke-ai/InvokeAI#8825: warnings in a log, and no effect
    before = draw()
    save_file(tensors, tmp_path / "foreign.safetensors")
    good = LoraChoice(write(tmp_path / "good.safetensors"))
    with pytest.raises(UnusableFile, match=words):
        draw(good, LoraChoice(tmp_path / "foreign.safetensors"))
    assert draw() == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04pickle", b"<html></html>"])
def test_damaged_files_are_refused_before_anything_is_loaded(
    tiny_model: Path, tmp_path: Path, events: Recorder, content: bytes
) -> None:
    file = tmp_path / "lora.safetensors"
    file.write_bytes(content)
    request = GenerationRequest("", str(tiny_model), 64, 64, 1, 3.5, 7, loras=(LoraChoice(file),))
    with Session(devices.probe()) as fresh, pytest.raises(UnusableFile):
        fresh.generate(request, images.Target.from_out(f"{tmp_path}/"), events)
    assert all(type(event).__name__ != "Progress" for event in events.events)


def test_the_fake_backend_takes_none(tiny_model: Path, tmp_path: Path, session: Session, events: Recorder) -> None:
    choice = LoraChoice(write(tmp_path / "style.safetensors"))
    request = GenerationRequest("", str(tiny_model), 64, 64, 1, 3.5, 7, loras=(choice,))
    with pytest.raises(InvalidRequest, match="no LoRA"):
        session.generate(replace(request, backend=Backend.fake), images.Target.from_out(f"{tmp_path}/"), events)
