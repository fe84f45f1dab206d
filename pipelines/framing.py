"""Between the size asked for and the size drawn: pictures are fitted, padded, cut and joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps

if TYPE_CHECKING:
    from pipelines.sizes import RenderSize


@dataclass(frozen=True, slots=True)
class Start:
    """A start picture (RGB) and a mask (L, white is drawn anew), both of the size that is drawn."""

    picture: Image.Image
    mask: Image.Image | None


def prepare_start(picture: Image.Image, mask: Image.Image | None, size: RenderSize) -> Start:
    """Fit a start picture and its mask to the size that is drawn.

    They are scaled to cover the content and cut to its shape about their middles; the border, which is cut
    off later, repeats their edges.
    """
    content = (size.content_width, size.content_height)
    return Start(
        _pad_edges(_fit(picture.convert("RGB"), content), size),
        _pad_edges(_fit(mask.convert("L"), content), size) if mask is not None else None,
    )


def cut_content(drawn: Image.Image, size: RenderSize, width: int, height: int) -> Image.Image:
    """Cut the content out of what was drawn and resize it where it is not `width` x `height` yet."""
    right, bottom = size.left + size.content_width, size.top + size.content_height
    content = drawn.crop((size.left, size.top, right, bottom))
    if content.size == (width, height):
        return content
    return content.resize((width, height), Image.Resampling.LANCZOS)


def keep_unmasked(drawn: Image.Image, picture: Image.Image, mask: Image.Image) -> Image.Image:
    """Put back the start picture where the mask is black: the VAE would have changed it a little."""
    return Image.composite(drawn, _fit(picture.convert("RGB"), drawn.size), _fit(mask.convert("L"), drawn.size))


def _fit(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image if image.size == size else ImageOps.fit(image, size, Image.Resampling.LANCZOS)


def _pad_edges(image: Image.Image, size: RenderSize) -> Image.Image:
    right = size.width - size.content_width - size.left
    bottom = size.height - size.content_height - size.top
    pixels = np.asarray(image)
    border = ((size.top, bottom), (size.left, right), (0, 0))[: pixels.ndim]
    return Image.fromarray(np.pad(pixels, border, mode="edge"))
