from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.viewmodels.size_presets import RATIOS, presets, same_shape
from pipelines import catalog, sizes


@pytest.mark.parametrize("entry", catalog.load(), ids=lambda entry: entry.name)
def test_every_preset_is_drawn_as_it_is(entry: catalog.Entry) -> None:
    for preset in presets(entry):
        drawn = sizes.choose(preset.width, preset.height, entry)
        assert (drawn.width, drawn.height, drawn.reason) == (preset.width, preset.height, "")
        assert preset.width % entry.size_multiple == preset.height % entry.size_multiple == 0


@pytest.mark.parametrize("entry", catalog.load(), ids=lambda entry: entry.name)
def test_presets_have_the_models_area_and_nearly_the_shape(entry: catalog.Entry) -> None:
    found = presets(entry)
    assert (entry.width, entry.height) in [(preset.width, preset.height) for preset in found]
    for preset in found:
        assert preset.width * preset.height == pytest.approx(entry.width * entry.height, rel=0.15)
        assert preset.width / preset.height == pytest.approx(preset.ratio[0] / preset.ratio[1], rel=0.09)


def test_flux_sizes_are_the_usual_ones() -> None:
    entry = catalog.find("flux.1-dev")
    named = {preset.ratio: (preset.width, preset.height) for preset in presets(entry)}
    assert set(named) == set(RATIOS)
    assert named[1, 1] == (1024, 1024)
    assert named[16, 9] == (1360, 768)
    assert named[9, 16] == (768, 1360)


def test_a_shape_beyond_the_longest_side_is_left_out() -> None:
    entry = replace(catalog.find("starter"), max_side=400)
    assert (21, 9) in {preset.ratio for preset in presets(catalog.find("starter"))}
    assert all(max(preset.width, preset.height) <= 400 for preset in presets(replace(entry, max_side=320)))


@given(st.integers(64, 4096), st.integers(64, 4096))
def test_the_nearest_shape_is_as_wide_or_tall(width: int, height: int) -> None:
    found = same_shape(width, height, catalog.find("flux.1-dev"))
    assert (found[0] > found[1]) == (width > height) or found[0] == found[1] or 0.8 < width / height < 1.25
