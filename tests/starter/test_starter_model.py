"""The starter model does what its card says: judged on pictures that the product itself draws.

The prompts are fixed (`prompts.json`); half of the single things lie on a background colour that training never showed
them with. Limits are the issue's; what is only reported is printed (`pytest -rP`).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from resources.starter.judge import Gallery, Judge, border_colour, find_objects, sharpness
from resources.starter.train.concepts import PALETTE
from tests.starter.artist import Artist

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
PROMPTS: dict[str, list[dict[str, Any]]] = json.loads((HERE / "prompts.json").read_text(encoding="utf-8"))
REAL_SHARPNESS = 0.0013  # median of 300 real scenes (resources/starter/train/gallery.py)


@dataclass(frozen=True)
class Drawn:
    """The pictures of `PROMPTS["single"]` and what the judge sees in them."""

    pictures: list[Image.Image]
    features: np.ndarray
    nearest: list[list[str]]


@pytest.fixture(scope="module")
def artist() -> Iterator[Artist]:
    with Artist() as artist:
        yield artist


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return Gallery.load(HERE / "gallery.npz")


@pytest.fixture(scope="module")
def drawn(artist: Artist, judge: Judge, gallery: Gallery) -> Drawn:
    pictures = [artist.draw(row["prompt"], seed) for seed, row in enumerate(PROMPTS["single"])]
    features = judge.features(pictures)
    return Drawn(pictures, features, gallery.nearest(features))


def _recall(rows: Sequence[dict[str, Any]], nearest: Sequence[Sequence[str]], count: int) -> float:
    return float(np.mean([row["label"] in found[:count] for row, found in zip(rows, nearest, strict=True)]))


def test_the_thing_asked_for_is_drawn(drawn: Drawn) -> None:
    first, fifth = (_recall(PROMPTS["single"], drawn.nearest, count) for count in (1, 5))
    print(f"R@1 {first:.2f}, R@5 {fifth:.2f} of 100 prompts among 634 things")
    assert first >= 0.51  # the shipped weights reach 0.56: no fall by more than five points
    assert fifth >= 0.80


@pytest.mark.xfail(strict=True, reason="a known gap of the shipped weights, told in their model card")
def test_the_thing_asked_for_is_nearest_as_often_as_the_goal_says(drawn: Drawn) -> None:
    assert _recall(PROMPTS["single"], drawn.nearest, 1) >= 0.60


def test_shuffled_prompts_score_near_chance(drawn: Drawn) -> None:
    shuffled = PROMPTS["single"][37:] + PROMPTS["single"][:37]
    assert _recall(shuffled, drawn.nearest, 1) <= 0.05


def test_background_is_as_asked_also_where_training_never_showed_the_pair(drawn: Drawn) -> None:
    rows = PROMPTS["single"]
    right = [border_colour(p, PALETTE) == r["background"] for p, r in zip(drawn.pictures, rows, strict=True)]
    unseen = [hit for hit, row in zip(right, rows, strict=True) if row["held_out"]]
    print(f"background {np.mean(right):.2f}, held-out pairs {np.mean(unseen):.2f} of {len(unseen)}")
    assert np.mean(right) >= 0.90
    assert np.mean(unseen) >= 0.80


@pytest.mark.xfail(strict=True, reason="a known gap of the shipped weights, told in their model card")
def test_style_is_as_asked(drawn: Drawn, gallery: Gallery) -> None:
    """The nearest of the thing's own three sprites has the style named: on real scenes this is right in 95 %."""
    asked = [(i, row) for i, row in enumerate(PROMPTS["single"]) if row["style"]]
    found = [gallery.style_of(drawn.features[i], row["label"]) for i, row in asked]
    pairs = Counter((row["style"], style) for (_, row), style in zip(asked, found, strict=True))
    share = sum(count for (style, seen), count in pairs.items() if style == seen) / len(asked)
    print(f"style {share:.2f} of {len(asked)}: {dict(pairs)}")
    assert share >= 0.80


def test_pictures_are_sharp(drawn: Drawn) -> None:
    median = float(np.median([sharpness(picture) for picture in drawn.pictures]))
    print(f"sharpness {median / REAL_SHARPNESS:.2f} of real scenes")
    assert median >= 0.5 * REAL_SHARPNESS


def test_both_of_two_things_are_drawn(artist: Artist, judge: Judge, gallery: Gallery) -> None:
    """Which side they stand on is reported; the limit is on finding them at all."""
    halves: list[Image.Image] = []
    for seed, row in enumerate(PROMPTS["pairs"]):
        picture = artist.draw(row["prompt"], seed)
        halves += [picture.crop((0, 64, 128, 192)), picture.crop((128, 64, 256, 192))]
    nearest = gallery.nearest(judge.features(halves))
    asked = [row[side] for row in PROMPTS["pairs"] for side in ("left", "right")]
    swapped = [row[side] for row in PROMPTS["pairs"] for side in ("right", "left")]
    right, wrong = (
        float(np.mean([label in found for label, found in zip(labels, nearest, strict=True)]))
        for labels in (asked, swapped)
    )
    print(f"two things (R@5): {right:.2f} on the side asked for, {wrong:.2f} on the other")
    assert right + wrong >= 0.3


def test_counts(artist: Artist) -> None:
    rows = PROMPTS["counts"]
    found = [len(find_objects(artist.draw(row["prompt"], seed))) for seed, row in enumerate(rows)]
    right = float(np.mean([row["count"] == count for row, count in zip(rows, found, strict=True)]))
    print(f"counts right {right:.2f}: asked {[row['count'] for row in rows]}, found {found}")
    assert right >= 0.5


def test_seeds_differ_and_repeat(artist: Artist, drawn: Drawn) -> None:
    prompt = PROMPTS["single"][0]["prompt"]
    again, other = artist.draw(prompt, 0), artist.draw(prompt, 1)
    assert again.tobytes() == drawn.pictures[0].tobytes()
    assert np.abs(np.asarray(other, np.int16) - np.asarray(again, np.int16)).mean() > 1


@pytest.mark.parametrize(("width", "height"), [(512, 256), (200, 500), (712, 400), (1544, 96)])
def test_odd_sizes_are_exact_and_show_the_thing(
    artist: Artist, judge: Judge, gallery: Gallery, width: int, height: int
) -> None:
    """The largest thing is cut out and judged. Few and small as they are, the limit guards against collapse only."""
    names = ("red apple", "rocket", "sunflower")
    pictures = [artist.draw(f"a {name} on a light blue background", s, width, height) for s, name in enumerate(names)]
    assert {picture.size for picture in pictures} == {(width, height)}
    nearest = gallery.nearest(judge.features([_cut_out(picture) for picture in pictures]))
    hits = [name in found for name, found in zip(names, nearest, strict=True)]
    print(f"{width}x{height}: {sum(hits)} of 3 among the first five: {nearest}")
    assert any(hits)


def _cut_out(picture: Image.Image) -> Image.Image:
    """The square around the largest thing, with some of the background."""
    left, top, right, bottom = find_objects(picture)[0]
    half = 0.6 * max(right - left, bottom - top)
    x, y = (left + right) / 2, (top + bottom) / 2
    card = Image.new("RGB", (round(2 * half),) * 2, picture.getpixel((2, 2)))  # type: ignore[arg-type]
    card.paste(picture, (round(half - x), round(half - y)))
    return card


def test_untrained_weights_score_near_chance(judge: Judge, gallery: Gallery) -> None:
    """The control that must fail: the same networks with random weights."""
    import torch

    from resources.starter.train import architecture

    torch.manual_seed(0)
    pipeline = architecture.pipeline(Path(architecture.__file__).parents[1])
    pipeline.set_progress_bar_config(disable=True)
    rows = PROMPTS["single"][:10]
    pictures = [
        pipeline(
            row["prompt"],
            height=256,
            width=256,
            num_inference_steps=4,
            max_sequence_length=architecture.TEXT_LENGTH,
            generator=torch.Generator().manual_seed(seed),
            return_dict=False,
        )[0][0]
        for seed, row in enumerate(rows)
    ]
    assert _recall(rows, gallery.nearest(judge.features(pictures)), 1) <= 0.1
