"""Fitting, padding, cutting and joining of pictures."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pipelines import framing, sizes
from pipelines.framing import Canvas
from pipelines.sizes import RenderSize


def _noise(width: int, height: int) -> Image.Image:
    values = np.random.default_rng(width * height).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(values)


@given(st.integers(16, 80), st.integers(16, 80))
def test_padding_and_cutting_give_the_picture_back(width: int, height: int) -> None:
    size = RenderSize(-(-width // 16) * 16, -(-height // 16) * 16, width, height)
    picture = _noise(width, height)
    start = framing.prepare_start(Canvas(picture), size)
    assert start.picture.size == (size.width, size.height)
    back = framing.cut_content(start.picture, size, width, height)
    assert back.tobytes() == picture.tobytes()


def test_a_picture_of_another_shape_covers_the_content() -> None:
    wide = Image.new("RGB", (300, 100), "red")
    wide.paste("blue", (100, 0, 200, 100))
    start = framing.prepare_start(Canvas(wide, Image.new("L", (10, 10), 255)), RenderSize(64, 64, 64, 64))
    assert start.picture.getpixel((32, 32)) == (0, 0, 255)  # the middle third
    assert start.picture.getpixel((8, 32)) == (0, 0, 255)
    assert start.mask is not None
    assert start.mask.size == (64, 64)
    assert start.mask.mode == "L"


def test_what_was_drawn_at_another_size_is_resized() -> None:
    drawn = Image.new("RGB", (128, 128), "green")
    size = RenderSize(128, 128, 128, 128, "because")
    assert framing.cut_content(drawn, size, 64, 64).size == (64, 64)


def test_the_start_picture_stays_where_the_mask_is_black() -> None:
    picture, drawn = _noise(64, 64), Image.new("RGB", (64, 64), "white")
    mask = Image.new("L", (64, 64), 0)
    mask.paste(255, (0, 0, 32, 64))
    joined = np.asarray(framing.set_back(drawn, Canvas(picture, mask)))
    assert (joined[:, :32] == 255).all()
    assert (joined[:, 32:] == np.asarray(picture)[:, 32:]).all()


def test_every_size_of_the_model_can_be_cut() -> None:
    size = sizes.RenderSize(512, 16, 512, 8, "because")
    assert framing.cut_content(Image.new("RGB", (512, 16)), size, 4096, 64).size == (4096, 64)
