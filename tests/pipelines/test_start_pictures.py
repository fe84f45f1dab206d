"""Start pictures and masks of every kind: each draws what the plain picture that it stands for draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import ExifTags, Image

from pipelines import devices, images
from pipelines.events import Notice
from pipelines.request import GenerationRequest
from pipelines.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Recorder

SIZE = (96, 64)
COLOURS = np.random.default_rng(4).integers(0, 256, (SIZE[1] // 8, SIZE[0] // 8, 3), np.uint8).repeat(8, 0).repeat(8, 1)
GREYS = COLOURS[..., 0]
PLAIN, GREY = Image.fromarray(COLOURS), Image.fromarray(GREYS)
LEFT_HALF = np.zeros((SIZE[1], SIZE[0]), np.uint8)
LEFT_HALF[:, : SIZE[0] // 2] = 255


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(devices.probe()) as one:
        yield one


@pytest.fixture
def draw(session: Session, tiny_model: Path, tmp_path: Path, events: Recorder) -> Callable[..., np.ndarray]:
    def run(picture: Path, mask: Path | None = None) -> np.ndarray:
        request = GenerationRequest(
            "a red apple", str(tiny_model), *SIZE, 2, 3.5, 7, image=picture, mask_image=mask, strength=0.6
        )
        (saved,) = session.generate(request, images.Target.from_out(tmp_path / "drawn.png"), events)
        with Image.open(saved.path) as image:
            return np.asarray(image.convert("RGB"))

    return run


def save(image: Image.Image, file: Path, **options: Any) -> Path:
    image.save(file, **options)
    return file


def half_transparent() -> Image.Image:
    image = PLAIN.convert("RGBA")
    image.putalpha(Image.fromarray(LEFT_HALF))
    return image


def on_white() -> Image.Image:
    return Image.fromarray(np.where(LEFT_HALF[..., None] > 0, COLOURS, 255).astype(np.uint8))


def turned() -> tuple[Image.Image, dict[str, Any]]:
    """On its side, with the note of a camera that says so."""
    tags = Image.Exif()
    tags[ExifTags.Base.Orientation] = 6
    return PLAIN.transpose(Image.Transpose.ROTATE_90), {"exif": tags}


def palette() -> Image.Image:
    return PLAIN.quantize(256, dither=Image.Dither.NONE)


CMYK = PLAIN.convert("CMYK")
KINDS: dict[str, tuple[Image.Image, str, dict[str, Any], Image.Image]] = {
    "transparent": (half_transparent(), "png", {}, on_white()),
    "grey and transparent": (half_transparent().convert("LA"), "png", {}, on_white().convert("L")),
    "16 bits": (Image.fromarray(GREYS.astype(np.uint16) * 257), "png", {}, GREY),
    "palette": (palette(), "png", {}, palette().convert("RGB")),
    "CMYK": (CMYK, "tif", {}, CMYK.convert("RGB")),
    "turned by the camera": (turned()[0], "png", turned()[1], PLAIN),
    "one pixel": (Image.new("RGB", (1, 1), (30, 90, 200)), "png", {}, Image.new("RGB", SIZE, (30, 90, 200))),
    "black and white": (GREY.convert("1"), "png", {}, GREY.convert("1").convert("RGB")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_draws_what_the_plain_picture_draws(
    draw: Callable[..., np.ndarray], tmp_path: Path, kind: str
) -> None:
    picture, suffix, options, plain = KINDS[kind]
    odd = draw(save(picture, tmp_path / f"odd.{suffix}", **options))
    assert odd.shape == (SIZE[1], SIZE[0], 3)
    assert np.abs(odd.astype(int) - draw(save(plain.convert("RGB"), tmp_path / "plain.png"))).max() <= 1


def white_on_nothing() -> Image.Image:
    image = Image.new("RGBA", SIZE, "white")
    image.putalpha(Image.fromarray(LEFT_HALF))
    return image


MASKS = {
    "half as large": Image.fromarray(LEFT_HALF).resize((SIZE[0] // 2, SIZE[1] // 2), Image.Resampling.NEAREST),
    "16 bits": Image.fromarray(LEFT_HALF.astype(np.uint16) * 257),
    "in colours": Image.fromarray(LEFT_HALF).convert("RGB"),
    "white on nothing": white_on_nothing(),
    "black and white": Image.fromarray(LEFT_HALF).convert("1"),
}


@pytest.mark.parametrize("kind", MASKS)
def test_each_kind_of_mask_keeps_the_same_half(
    draw: Callable[..., np.ndarray], tmp_path: Path, events: Recorder, kind: str
) -> None:
    picture = save(PLAIN, tmp_path / "plain.png")
    drawn = draw(picture, save(MASKS[kind], tmp_path / "mask.png"))
    edge = SIZE[0] // 2  # of a smaller mask it is softer
    assert (drawn[:, edge + 8 :] == COLOURS[:, edge + 8 :]).all()
    assert (drawn[:, : edge - 8] != COLOURS[:, : edge - 8]).any(axis=-1).mean() > 0.9
    assert not [notice for notice in events.of(Notice) if "is cut to the shape" in notice.message]


def test_a_mask_of_another_shape_is_cut_and_that_is_said(
    draw: Callable[..., np.ndarray], tmp_path: Path, events: Recorder
) -> None:
    mask = save(Image.new("L", (32, 64), 255), tmp_path / "mask.png")
    assert draw(save(PLAIN, tmp_path / "plain.png"), mask).shape == (SIZE[1], SIZE[0], 3)
    assert "The mask of 32x64 is cut to the shape of 96x64." in [notice.message for notice in events.of(Notice)]
