"""Every family, mode and size with a LoRA and a prompt of more than 77 tokens at once, against diffusers' own."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from pipelines.events import Notice
from pipelines.request import GenerationRequest, LoraChoice
from tests.pipelines.families import ours, stock
from tests.pipelines.miniatures import MINIATURES, Miniature

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.session import Session
    from tests.conftest import Recorder

pytest.importorskip("peft", reason="what diffusers loads LoRAs with")

SIZES = [(64, 64), (128, 64), (64, 96), (144, 112), (80, 208)]
TOKENS = 384  # that the families read which read sentences
# A piece is less than CLIP reads at once, both together are more
PIECES = ("a red apple on a table, " * 6, "a green pear in the snow, " * 6)
NEGATIVE = "blurry, dark"
RANK = 2


@pytest.fixture(scope="module")
def lodge(
    models: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Path, Path]]:
    """A miniature that reads long prompts, and a LoRA for every attention of its denoiser."""
    made: dict[str, tuple[Path, Path]] = {}

    def find(name: str) -> tuple[Path, Path]:
        if name not in made:
            folder = shutil.copytree(models(name), tmp_path_factory.mktemp("long") / name)
            settings = json.loads((folder / "starter.json").read_text()) | {"max_sequence_length": TOKENS}
            (folder / "starter.json").write_text(json.dumps(settings))
            made[name] = folder, write_lora(folder)
        return made[name]

    return find


def write_lora(model: Path) -> Path:
    denoiser = "unet" if (model / "unet").is_dir() else "transformer"
    random = torch.Generator().manual_seed(2)
    tensors: dict[str, torch.Tensor] = {}
    for file in (model / denoiser).glob("*.safetensors"):
        with safe_open(str(file), framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118 # no dictionary
                layer, _, end = name.rpartition(".")
                if end == "weight" and layer.endswith((".to_q", ".to_v")):
                    rows, columns = opened.get_slice(name).get_shape()
                    down = torch.randn(RANK, columns, generator=random)
                    tensors[f"{denoiser}.{layer}.lora_A.weight"] = down
                    tensors[f"{denoiser}.{layer}.lora_B.weight"] = torch.randn(rows, RANK, generator=random)
    save_file(tensors, model / "lora.safetensors")
    return model / "lora.safetensors"


def cases() -> list[tuple[Miniature, int, tuple[int, int]]]:
    """Every kind at five sizes, its modes in turns."""
    found = []
    for kind in MINIATURES:
        # Kontext brings a picture to look at to a million pixels: `test_families` does that once
        looks = kind.from_picture and kind.name != "kontext"
        modes = [*([0] if kind.from_prompt else []), *([1] if looks else []), 2]
        found += [(kind, mode, size) for mode, size in zip(itertools.cycle(modes), SIZES, strict=False)]
    return found


@pytest.fixture
def draw(session: Session, tmp_path: Path, events: Recorder) -> Callable[[GenerationRequest], np.ndarray]:
    def run(request: GenerationRequest) -> np.ndarray:
        return ours.draw(session, request, tmp_path, events)

    return run


def ask(kind: Miniature, model: Path, size: tuple[int, int], **changes: Any) -> GenerationRequest:
    prompt = (" BREAK " if kind.name.startswith("sd") else "").join(PIECES)
    return replace(GenerationRequest(prompt, str(model), *size, 2, 4.5, 11, NEGATIVE, strength=0.7), **changes)


@pytest.mark.parametrize(("kind", "mode", "size"), cases(), ids=lambda one: getattr(one, "name", str(one)))
def test_with_a_lora_and_a_long_prompt_it_is_what_diffusers_draws(
    draw: Callable[[GenerationRequest], np.ndarray],
    lodge: Callable[[str], tuple[Path, Path]],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    events: Recorder,
    kind: Miniature,
    mode: int,
    size: tuple[int, int],
) -> None:
    model, lora = lodge(kind.name)
    picture, mask = start(size)
    pictures = [{}, {"image": picture}, {"image": picture, "mask_image": mask}][mode]
    request = ask(kind, model, size, **pictures)
    ours = draw(replace(request, loras=(LoraChoice(lora),)))
    theirs = stock.draw(model, mode, request, tokens=TOKENS, lora=lora)
    assert ours.shape == theirs.shape == (size[1], size[0], 3)
    assert np.abs(ours - theirs).max() <= 1
    assert ours.std() > 1
    assert not [notice for notice in events.of(Notice) if "tokens long" in notice.message]


@pytest.mark.parametrize("kind", MINIATURES, ids=lambda kind: kind.name)
def test_a_lora_counts_and_leaves_nothing_when_it_is_off(
    draw: Callable[[GenerationRequest], np.ndarray],
    lodge: Callable[[str], tuple[Path, Path]],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    kind: Miniature,
) -> None:
    model, lora = lodge(kind.name)
    picture, mask = start(SIZES[0])
    request = ask(kind, model, SIZES[0], **({} if kind.from_prompt else {"image": picture, "mask_image": mask}))
    before = draw(request)
    assert (draw(replace(request, loras=(LoraChoice(lora),))) != before).any()
    assert (draw(request) == before).all()


@pytest.mark.parametrize("kind", MINIATURES, ids=lambda kind: kind.name)
def test_the_end_of_a_long_prompt_counts(
    draw: Callable[[GenerationRequest], np.ndarray],
    lodge: Callable[[str], tuple[Path, Path]],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    kind: Miniature,
) -> None:
    model, _ = lodge(kind.name)
    picture, mask = start(SIZES[0])
    request = ask(kind, model, SIZES[0], **({} if kind.from_prompt else {"image": picture, "mask_image": mask}))
    other = replace(request, prompt=f"{request.prompt} blue")
    assert (draw(request) != draw(other)).any()
