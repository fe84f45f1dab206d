"""Fitting, padding, cutting and joining of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pipelines import framing, sizes
from pipelines.errors import InvalidRequest
from pipelines.framing import Canvas
from pipelines.request import GenerationRequest, Outpaint
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


def _ask(**changes: Any) -> GenerationRequest:
    values = {"prompt": "", "model": "starter", "width": 64, "height": 64, "num_inference_steps": 1}
    return GenerationRequest(**values, guidance_scale=1.0, seed=0, image=Path("a.png"), **changes)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), st.integers(0, 6))
def test_margins_are_masked_and_nothing_of_them_fades(
    left: int, top: int, right: int, bottom: int, radius: int
) -> None:
    request = _ask(outpaint=Outpaint(left, top, right, bottom), mask_feather=radius)
    canvas = framing.make_canvas(request, _noise(64, 64), None)
    assert canvas.picture.size == (64 + left + right, 64 + top + bottom)
    assert canvas.mask is not None
    mask = np.array(canvas.mask)
    inside = mask[top : top + 64, left : left + 64].copy()
    mask[top : top + 64, left : left + 64] = 255
    assert (mask == 255).all()
    assert inside[-1].min() > 200 if radius else not inside.any()
    assert not inside[5 * radius : 64 - 5 * radius, 5 * radius : 64 - 5 * radius].any()  # it fades to nothing
    pixels = np.asarray(canvas.picture)[top : top + 64, left : left + 64]
    assert (pixels == np.asarray(_noise(64, 64))).all()


def test_a_feathered_edge_is_half_way_at_the_edge_itself() -> None:
    mask = Image.new("L", (64, 64), 0)
    mask.paste(255, (0, 0, 32, 64))
    soft = framing.make_canvas(_ask(mask_image=Path("m.png"), mask_feather=4), _noise(64, 64), mask).mask
    assert soft is not None
    row = np.asarray(soft).astype(int)[32]
    assert row[:16].min() == 255
    assert row[48:].max() == 0
    assert abs(row[31] + row[32] - 255) <= 4


def test_a_masked_area_has_the_shape_that_is_drawn_and_surroundings() -> None:
    mask = Image.new("L", (30, 20), 0)
    mask.paste(255, (20, 5, 24, 9))  # of another size, and so 200 … 240 of the picture
    canvas = framing.make_canvas(_ask(mask_image=Path("m.png"), mask_area_only=True), _noise(300, 200), mask)
    assert canvas.region is not None
    left, top, right, bottom = canvas.region
    assert right - left == bottom - top
    assert 200 - left >= framing.REGION_PADDING - 4
    drawn = framing.prepare_start(canvas, RenderSize(64, 64, 64, 64))
    assert drawn.picture.size == (64, 64)
    assert drawn.mask is not None
    assert (drawn.mask.mode, drawn.mask.size) == ("L", (64, 64))
    joined = framing.set_back(Image.new("RGB", (64, 64), "white"), canvas)
    assert joined.size == (300, 200)
    assert np.asarray(joined)[70, 220].min() > 200
    assert joined.getpixel((left + 1, top + 1)) == canvas.picture.getpixel((left + 1, top + 1))


@pytest.mark.parametrize("area_only", [False, True])
def test_a_black_mask_is_refused(area_only: bool) -> None:
    request = _ask(mask_image=Path("m.png"), mask_area_only=area_only)
    with pytest.raises(InvalidRequest, match="black everywhere"):
        framing.make_canvas(request, _noise(64, 64), Image.new("L", (64, 64), 0))
