"""Pixels for the window: turned as the camera was, with transparency, reduced where they are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import ExifTags, Image

from pipelines.errors import UnusableFile
from pipelines.viewing import read_view

if TYPE_CHECKING:
    from pathlib import Path


def test_rgb(tmp_path: Path) -> None:
    Image.new("RGB", (3, 2), (10, 20, 30)).save(tmp_path / "a.png")
    view = read_view(tmp_path / "a.png")
    assert (view.width, view.height, view.shown_width, view.shown_height, view.has_alpha) == (3, 2, 3, 2, False)
    assert view.pixels == bytes((30, 20, 10, 255)) * 6


def test_transparency_is_kept(tmp_path: Path) -> None:
    Image.new("RGBA", (2, 2), (10, 20, 30, 40)).save(tmp_path / "a.png")
    view = read_view(tmp_path / "a.png")
    assert view.has_alpha
    assert view.pixels == bytes((30, 20, 10, 40)) * 4


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "CMYK", "F"])
def test_every_mode(tmp_path: Path, mode: str) -> None:
    name = "a.tiff" if mode in ("CMYK", "F") else "a.png"
    Image.new(mode, (40, 20)).save(tmp_path / name)
    view = read_view(tmp_path / name, pixels_max=200)
    assert len(view.pixels) == 4 * view.shown_width * view.shown_height


def test_palette_with_transparency(tmp_path: Path) -> None:
    image = Image.new("P", (8, 8), 1)
    image.putpalette([255, 0, 0, 0, 255, 0])
    image.save(tmp_path / "a.png", transparency=1)
    assert read_view(tmp_path / "a.png").pixels[:4] == bytes((0, 255, 0, 0))


def test_the_cameras_rotation_is_applied(tmp_path: Path) -> None:
    image = Image.new("RGB", (4, 2), "black")
    image.putpixel((0, 0), (255, 255, 255))
    tags = Image.Exif()
    tags[ExifTags.Base.Orientation] = 6  # turn right to see it
    image.save(tmp_path / "a.png", exif=tags)
    view = read_view(tmp_path / "a.png")
    assert (view.width, view.height) == (2, 4)
    assert view.pixels[4:8] == b"\xff" * 4, "the upper left corner is at the upper right"


def test_a_large_picture_is_reduced(tmp_path: Path) -> None:
    Image.new("RGB", (1000, 500), "teal").save(tmp_path / "a.png")
    view = read_view(tmp_path / "a.png", pixels_max=60_000)
    assert (view.width, view.height, view.shown_width, view.shown_height) == (1000, 500, 334, 167)
    assert len(view.pixels) == 4 * 334 * 167


def test_twenty_thousand_pixels_a_side_are_refused_before_they_are_read(tmp_path: Path) -> None:
    Image.new("1", (20_000, 20_000)).save(tmp_path / "a.png")
    with pytest.raises(UnusableFile, match="too large"):
        read_view(tmp_path / "a.png")
    Image.new("L", (20_000, 400)).save(tmp_path / "b.png")
    assert read_view(tmp_path / "b.png", pixels_max=1_000_000).width == 20_000
