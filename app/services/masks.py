"""Masks that were painted: softened at their edges, and kept as pictures in the profile."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services import files
from pipelines.replacing import replace_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

FEATHER_MAX = 256  # pixels of the picture


@dataclass(frozen=True, slots=True)
class Mask:
    """A grey picture of 8 bits, row by row from the top, each row `stride` bytes long. White (255) is drawn anew."""

    width: int
    height: int
    stride: int
    pixels: bytes


def feather(mask: Mask, radius: float, largest: int) -> Mask:
    """Soften the edges over about `radius` pixels to either side (a Gaussian of half of that).

    The answer is a copy with no side longer than `largest`, to be shown.
    """
    image = _image(mask)
    scale = min(1.0, largest / max(image.size))
    small = image.resize((max(1, round(mask.width * scale)), max(1, round(mask.height * scale))), reducing_gap=2.0)
    soft = _blurred(small, radius * scale)
    stride = -(-soft.width // 4) * 4
    return Mask(soft.width, soft.height, stride, soft.tobytes("raw", "L", stride, 1))


def save(mask: Mask, radius: float, folder: Path) -> Path:
    """Write it, softened, as PNG to `folder`, and return its path. The same mask is always the same file.

    Raises:
        NoRoom, UnusableFile: it cannot be written; nothing is left of it.
    """
    buffer = io.BytesIO()
    _blurred(_image(mask), radius).save(buffer, "PNG", compress_level=3)
    data = buffer.getvalue()
    path = folder / f"mask-{hashlib.sha256(data).hexdigest()[:24]}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            replace_bytes(path, data)
    except OSError as error:
        raise files.explain(error, path) from error
    return path


def _image(mask: Mask) -> Image.Image:
    from PIL import Image  # late: only the thread that works needs it

    return Image.frombytes("L", (mask.width, mask.height), mask.pixels, "raw", "L", mask.stride, 1)


def _blurred(image: Image.Image, radius: float) -> Image.Image:
    from PIL import ImageFilter

    return image.filter(ImageFilter.GaussianBlur(radius / 2)) if radius > 0 else image
