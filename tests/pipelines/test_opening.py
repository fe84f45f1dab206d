"""Pictures from anywhere: every kind is shown as a viewer would, every fault is said in words."""

from __future__ import annotations

import io
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ExifTags, Image, ImageCms

from pipelines.errors import FirstlightError, UnusableFile
from pipelines.opening import MAX_PIXELS, open_picture

if TYPE_CHECKING:
    from pathlib import Path


def gradient(width: int = 6, height: int = 4) -> Image.Image:
    levels = np.arange(width * height * 3, dtype=np.uint8).reshape(height, width, 3) * 3
    return Image.fromarray(levels)


def saved(image: Image.Image, path: Path, **options: Any) -> Path:
    image.save(path, **options)
    return path


def test_rgb_comes_back_to_the_bit(tmp_path: Path) -> None:
    picture = open_picture(saved(gradient(), tmp_path / "a.png"))
    assert picture.mode == "RGB"
    assert picture.tobytes() == gradient().tobytes()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".gif", ".tif", ".ppm", ".avif"])
def test_formats(tmp_path: Path, suffix: str) -> None:
    picture = open_picture(saved(Image.new("RGB", (33, 17), (200, 30, 60)), tmp_path / f"a{suffix}"))
    assert picture.size == (33, 17)
    assert np.abs(np.asarray(picture, np.int16) - (200, 30, 60)).max() <= 8


@pytest.mark.parametrize(
    ("mode", "colour", "expected"),
    [
        ("RGBA", (255, 0, 0, 0), (255, 255, 255)),  # nothing there: white
        ("RGBA", (255, 0, 0, 128), (255, 127, 127)),
        ("RGBA", (10, 20, 30, 255), (10, 20, 30)),
        ("LA", (0, 51), (204, 204, 204)),
        ("L", 77, (77, 77, 77)),
        ("1", 1, (255, 255, 255)),
        ("I;16", 65535, (255, 255, 255)),
        ("I;16", 257 * 100, (100, 100, 100)),
        ("I;16", 200, (1, 1, 1)),  # not clipped to white
    ],
)
def test_modes_of_png(tmp_path: Path, mode: str, colour: int | tuple[int, ...], expected: tuple[int, ...]) -> None:
    picture = open_picture(saved(Image.new(mode, (3, 2), colour), tmp_path / "a.png"))
    assert picture.mode == "RGB"
    assert picture.getpixel((1, 1)) == pytest.approx(expected, abs=1)


def test_palette_with_a_transparent_colour(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.putpixel((1, 0), 1)
    picture = open_picture(saved(image, tmp_path / "a.png", transparency=1))
    assert (picture.getpixel((0, 0)), picture.getpixel((1, 0))) == ((255, 0, 0), (255, 255, 255))


@pytest.mark.parametrize(("value", "expected"), [(0.5, 128), (7.0, 255), (-1.0, 0), (float("nan"), 0)])
def test_float_tiff(tmp_path: Path, value: float, expected: int) -> None:
    picture = open_picture(saved(Image.new("F", (2, 2), value), tmp_path / "a.tif"))
    assert picture.getpixel((0, 0)) == (expected,) * 3


def test_cmyk(tmp_path: Path) -> None:
    picture = open_picture(saved(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), tmp_path / "a.jpg", quality=100))
    assert picture.getpixel((8, 8)) == pytest.approx((255, 0, 0), abs=4)


def test_colour_profile_is_applied(tmp_path: Path) -> None:
    """In sRGB's own profile with its first and last primaries exchanged, (255, 0, 0) is blue."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exchanged = srgb.replace(b"rXYZ", b"____", 1).replace(b"bXYZ", b"rXYZ", 1).replace(b"____", b"bXYZ", 1)
    image = Image.new("RGB", (2, 2), (255, 0, 0))
    for name, profile, expected in (
        ("same", srgb, (255, 0, 0)),
        ("exchanged", exchanged, (0, 0, 255)),
        ("damaged", b"no profile", (255, 0, 0)),
    ):
        picture = open_picture(saved(image, tmp_path / f"{name}.png", icc_profile=profile))
        assert picture.getpixel((0, 0)) == pytest.approx(expected, abs=2), name


@pytest.mark.parametrize(("orientation", "corner"), [(1, (0, 0)), (3, (5, 3)), (6, (3, 0)), (8, (0, 5))])
def test_the_cameras_rotation_is_applied(tmp_path: Path, orientation: int, corner: tuple[int, int]) -> None:
    image = Image.new("RGB", (6, 4))
    image.putpixel((0, 0), (255, 255, 255))
    tags = Image.Exif()
    tags[ExifTags.Base.Orientation] = orientation
    picture = open_picture(saved(image, tmp_path / "a.png", exif=tags))
    assert picture.size == ((6, 4) if orientation in (1, 3) else (4, 6))
    assert picture.getpixel(corner) == (255, 255, 255)


def test_one_pixel(tmp_path: Path) -> None:
    assert open_picture(saved(Image.new("RGB", (1, 1), "red"), tmp_path / "a.png")).size == (1, 1)


def test_first_frame_of_an_animation(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], lossless=True)
    assert open_picture(tmp_path / "a.webp").getpixel((0, 0)) == (255, 0, 0)


def png_claiming(width: int, height: int) -> bytes:
    """A PNG of some 60 bytes whose header claims any size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    )
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.mark.parametrize("size", [(20_000, 20_000), (16_385, 16_384), (2**31 - 1, 2**31 - 1)])
def test_a_picture_too_large_is_refused_before_it_is_decoded(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "bomb.png").write_bytes(png_claiming(*size))
    with pytest.raises(UnusableFile, match=f"more than {MAX_PIXELS // 10**6} million pixels"):
        open_picture(tmp_path / "bomb.png")


def test_a_long_thin_picture_is_fine(tmp_path: Path) -> None:
    assert open_picture(saved(Image.new("L", (20_000, 3)), tmp_path / "a.png")).size == (20_000, 3)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><html>404</html>", "is not a picture of a kind that can be read"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "is not a picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", "is not a picture"),
        (b"\x89PNG\r\n\x1a\n", "is not a picture"),
        (png_claiming(64, 64), "is damaged or incomplete"),
    ],
)
def test_what_is_no_picture(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(UnusableFile, match=words):
        open_picture(tmp_path / "a.png")


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tif"])
def test_half_a_picture(tmp_path: Path, suffix: str) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8))
    whole = saved(noise, tmp_path / f"whole{suffix}").read_bytes()
    (tmp_path / f"half{suffix}").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnusableFile):
        open_picture(tmp_path / f"half{suffix}")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="cannot be opened: No such file"):
        open_picture(tmp_path / "missing.png")
    with pytest.raises(UnusableFile, match="cannot be opened"):
        open_picture(tmp_path)
    with pytest.raises(UnusableFile):
        open_picture(tmp_path / "nul\0.png")


def _file(kind: str) -> bytes:
    buffer = io.BytesIO()
    tags = Image.Exif()
    tags[ExifTags.Base.Orientation] = 6
    gradient().save(buffer, kind, exif=tags)
    return buffer.getvalue()


FILES = {kind: _file(kind) for kind in ("PNG", "JPEG", "WEBP", "TIFF")}


@settings(max_examples=300, deadline=None)  # a header may claim a size that takes a while to refuse
@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_bytes_never_end_in_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    content = bytearray(FILES[kind])
    for position in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[position] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    try:
        picture = open_picture(path)
    except FirstlightError as error:
        assert error.message  # noqa: PT017 - which bytes are fatal is not known beforehand
    else:
        assert picture.mode == "RGB"
