"""The little style LoRA: with it the starter model draws pixel art, without it exactly what it drew before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

import resources
from pipelines import devices, images
from pipelines.request import GenerationRequest, LoraChoice
from pipelines.session import Session

if TYPE_CHECKING:
    from pathlib import Path

LORA = resources.folder() / "starter" / "loras" / "pixel_art.safetensors"
PROMPTS = ("a red apple on a blue background", "a fox in the snow", "a sailboat on the sea")
SQUARE = 8  # pixels of a square of the art: 256 / 32


def find_roughness(file: Path) -> float:
    """What is lost where each square becomes one colour: the mean distance from that, of 255."""
    pixels = np.asarray(Image.open(file).convert("RGB"), dtype=np.float32)
    squares = pixels.reshape(256 // SQUARE, SQUARE, 256 // SQUARE, SQUARE, 3)
    return float(np.abs(squares - squares.mean(axis=(1, 3), keepdims=True)).mean())


def draw(session: Session, prompt: str, out: Path, weight: float | None) -> Path:
    request = GenerationRequest(
        prompt=prompt,
        model="starter",
        width=256,
        height=256,
        num_inference_steps=12,
        guidance_scale=4.0,
        seed=5,
        loras=() if weight is None else (LoraChoice(LORA, weight),),
    )
    (saved,) = session.generate(request, images.Target(out.resolve(), is_dir=True), lambda event: None)
    return saved.path


def test_with_it_pictures_are_pixel_art_and_without_it_nothing_has_changed(tmp_path: Path) -> None:
    with Session(devices.probe()) as session:
        before = [draw(session, prompt, tmp_path / "before", None) for prompt in PROMPTS]
        art = [draw(session, prompt, tmp_path / "art", 1.0) for prompt in PROMPTS]
        after = draw(session, PROMPTS[0], tmp_path / "after", None)
    assert Image.open(after).tobytes() == Image.open(before[0]).tobytes()
    rough = [find_roughness(file) for file in before]
    smooth = [find_roughness(file) for file in art]
    print(f"within squares of {SQUARE} pixels: {rough} without, {smooth} with it")
    assert sum(smooth) < 0.7 * sum(rough)
    assert LORA.stat().st_size < 400_000
