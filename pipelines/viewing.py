"""A picture's pixels for a window: as a viewer shows them, with their transparency, and no more than can be shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image, ImageOps

from pipelines.opening import opened, to_srgb_8_bit

if TYPE_CHECKING:
    from pathlib import Path

_REDUCIBLE = ("L", "RGB", "RGBA", "CMYK")
PIXELS_MAX = 36_000_000  # beyond, a reduced copy is shown: 4096x4096 and twice that are not reduced


@dataclass(frozen=True, slots=True)
class View:
    """Pixels to show. `pixels` has 4 bytes each, row by row from the top: blue, green, red, alpha.

    Args:
        path: the file.
        width: of the picture as it is shown, the camera's rotation applied.
        height: likewise.
        shown_width: of `pixels`, less than `width` where the picture is too large to be shown whole.
        shown_height: likewise.
        pixels: the colours in sRGB; alpha is not multiplied in.
        has_alpha: whether any of it may be transparent; else alpha is 255 throughout.
    """

    path: Path
    width: int
    height: int
    shown_width: int
    shown_height: int
    pixels: bytes
    has_alpha: bool


def read_view(path: Path, pixels_max: int = PIXELS_MAX) -> View:
    """Read the picture, reduced by a whole number where it has more than `pixels_max` pixels.

    Raises:
        UnusableFile: missing, not a picture, damaged, or of more than `opening.MAX_PIXELS`.
        NoRoom: memory does not suffice.
    """
    with opened(path) as image:
        # Each copy of a large picture holds up the window for a moment, so none is made without need
        profile = image.info.get("icc_profile")
        ImageOps.exif_transpose(image, in_place=True)
        width, height = image.size
        factor = math.ceil(math.sqrt(width * height / pixels_max))
        picture: Image.Image = image
        if factor > 1 and image.mode in _REDUCIBLE:  # before the colours, to spare memory
            picture, factor = image.reduce(factor), 1
        picture = _with_alpha(picture, profile)
        if factor > 1:
            picture = picture.reduce(factor)
        pixels = picture.convert("RGBA").tobytes("raw", "BGRA")
        return View(path, width, height, picture.width, picture.height, pixels, picture.mode == "RGBA")


def _with_alpha(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The picture in sRGB, as RGB, or RGBA where it has transparency."""
    if image.mode == "RGB" and not profile and not image.has_transparency_data:
        return image
    if not image.has_transparency_data:
        if profile:
            image.info["icc_profile"] = profile
        return to_srgb_8_bit(image)
    picture = image.convert("RGBA")
    opaque = picture.convert("RGB")  # drops alpha, keeps what is beneath
    if profile:
        opaque.info["icc_profile"] = profile
    opaque.info.pop("transparency", None)
    coloured = to_srgb_8_bit(opaque)
    coloured.putalpha(picture.getchannel("A"))
    return coloured
