"""Which size is drawn for a size that is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import catalog, sizes

SIDES = st.integers(64, 4096)
ENTRY = replace(catalog.find("starter"), size_multiple=16, min_pixels=128 * 128, max_pixels=512 * 512, max_side=0)


@given(SIDES, SIDES, st.sampled_from([0, 512, 768]))
def test_whatever_is_asked_for_can_be_drawn(width: int, height: int, max_side: int) -> None:
    entry = replace(ENTRY, max_side=max_side)
    drawn = sizes.choose(width, height, entry)
    assert drawn.width % 16 == drawn.height % 16 == 0
    assert 0 < drawn.content_width <= drawn.width < drawn.content_width + 16
    assert 0 < drawn.content_height <= drawn.height < drawn.content_height + 16
    # a border of less than one multiple a side is all that goes past what the model was trained for
    assert (drawn.width - 15) * (drawn.height - 15) <= entry.max_pixels
    if max_side:
        assert max(drawn.width, drawn.height) <= max_side


@given(SIDES, SIDES)
def test_the_shape_stays(width: int, height: int) -> None:
    drawn = sizes.choose(width, height, ENTRY)
    # one rounded pixel of either side
    assert abs(drawn.content_width * height - drawn.content_height * width) <= max(width, height)


@given(SIDES, SIDES)
def test_a_reason_is_given_exactly_where_something_is_resized(width: int, height: int) -> None:
    drawn = sizes.choose(width, height, ENTRY)
    same = (drawn.content_width, drawn.content_height) == (width, height)
    assert bool(drawn.reason) != same


@given(SIDES, SIDES)
def test_what_the_model_was_trained_for_is_drawn_as_it_is(width: int, height: int) -> None:
    if ENTRY.min_pixels <= width * height <= ENTRY.max_pixels:
        drawn = sizes.choose(width, height, ENTRY)
        assert (drawn.content_width, drawn.content_height) == (width, height)


@pytest.mark.parametrize(
    ("asked", "drawn", "content"),
    [
        ((256, 256), (256, 256), (256, 256)),
        ((200, 500), (208, 512), (200, 500)),
        ((712, 400), None, (656, 368)),
        ((1544, 96), (1552, 96), (1544, 96)),
        ((64, 64), (128, 128), (128, 128)),
        ((4096, 4096), (512, 512), (512, 512)),
        ((1024, 512), (704, 352), (704, 352)),
    ],
)
def test_known_sizes(asked: tuple[int, int], drawn: tuple[int, int] | None, content: tuple[int, int]) -> None:
    chosen = sizes.choose(*asked, ENTRY)
    if drawn is not None:
        assert (chosen.width, chosen.height) == drawn
    assert abs(chosen.content_width - content[0]) <= 8
    assert abs(chosen.content_height - content[1]) <= 8


def test_flux_draws_1544_squared_with_a_border() -> None:
    # Comfy-Org/ComfyUI#4339: 193 latent rows cannot be cut into patches of 2
    entry = replace(ENTRY, max_pixels=4096 * 4096)
    drawn = sizes.choose(1544, 1544, entry)
    assert (drawn.width, drawn.height, drawn.left, drawn.top) == (1552, 1552, 4, 4)
    assert drawn.reason == ""


def test_the_reason_names_both_sizes_and_the_model() -> None:
    reason = sizes.choose(2048, 2048, ENTRY).reason
    assert reason == (
        "Drawn at 512x512 and enlarged to 2048x2048: Firstlight starter was trained for at most about 512x512 pixels."
    )
