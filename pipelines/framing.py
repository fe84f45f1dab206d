"""Between the size asked for and the size drawn: pictures are fitted, padded, cut and joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from PIL import Image, ImageChops, ImageFilter, ImageOps

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from pipelines.request import GenerationRequest, Outpaint
    from pipelines.sizes import RenderSize

_Region = tuple[int, int, int, int]  # left, top, right, bottom, in pixels

REGION_PADDING = 32  # pixels of the start picture that are drawn around a masked area: what it is to fit into
_SEAM = 2  # blur radii that a margin's redrawn seam reaches into the picture: the blur is done by there


class _Processor(Protocol):
    """What is used of diffusers' `VaeImageProcessor`."""

    def get_crop_region(self, mask_image: Image.Image, width: int, height: int, pad: int) -> _Region: ...

    def resize(self, image: Image.Image, height: int, width: int, resize_mode: str) -> Image.Image: ...

    def apply_overlay(
        self, mask: Image.Image, init_image: Image.Image, image: Image.Image, crop_coords: _Region
    ) -> Image.Image: ...


@dataclass(frozen=True, slots=True)
class Canvas:
    """What is drawn on: a start picture (RGB) and what of it is drawn anew.

    `mask` is L, white is drawn anew; None: everything. `region` is the part of both that is drawn, where that is not
    all.
    """

    picture: Image.Image
    mask: Image.Image | None = None
    region: _Region | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """A start picture (RGB) and a mask (L, white is drawn anew), both of the size that is drawn."""

    picture: Image.Image
    mask: Image.Image | None


def make_canvas(request: GenerationRequest, picture: Image.Image, mask: Image.Image | None) -> Canvas:
    """Make the canvas of `request` from its start picture and mask.

    Raises:
        InvalidRequest: see `fit_mask`.
    """
    if request.outpaint:
        return _widen(picture.convert("RGB"), request)
    if mask is None:
        return Canvas(picture.convert("RGB"))
    mask = _feather(fit_mask(request, picture, mask), request.mask_feather)
    region = None
    if request.mask_area_only:
        region = _processor().get_crop_region(mask, request.width, request.height, pad=REGION_PADDING)
    return Canvas(picture.convert("RGB"), mask, region)


def fit_mask(request: GenerationRequest, picture: Image.Image, mask: Image.Image) -> Image.Image:
    """The mask (L) at the size that is asked for, or at that of the picture where the masked area is drawn alone.

    Raises:
        InvalidRequest: it is black, so nothing would be drawn.
    """
    fitted = _fit(mask.convert("L"), picture.size if request.mask_area_only else (request.width, request.height))
    if fitted.getbbox() is None:
        raise InvalidRequest("The mask is black everywhere, so nothing would be drawn.", "Paint what is to be drawn.")
    return fitted


def prepare_start(canvas: Canvas, size: RenderSize) -> Start:
    """Fit a canvas to the size that is drawn.

    Picture and mask are scaled to cover the content and cut to its shape about their middles; the border, which is
    cut off later, repeats their edges.
    """
    content = (size.content_width, size.content_height)
    picture, mask = canvas.picture, canvas.mask
    if canvas.region is not None:
        picture = _cut_region(picture, canvas.region, content)
        mask = _cut_region(mask, canvas.region, content).convert("L") if mask is not None else None
    return Start(
        _pad_edges(_fit(picture, content), size),
        _pad_edges(_fit(mask, content), size) if mask is not None else None,
    )


def cut_content(drawn: Image.Image, size: RenderSize, width: int, height: int) -> Image.Image:
    """Cut the content out of what was drawn and resize it where it is not `width` x `height` yet."""
    right, bottom = size.left + size.content_width, size.top + size.content_height
    content = drawn.crop((size.left, size.top, right, bottom))
    return resize(content, width, height)


def resize(picture: Image.Image, width: int, height: int) -> Image.Image:
    """The picture at that size."""
    return picture if picture.size == (width, height) else picture.resize((width, height), Image.Resampling.LANCZOS)


def set_back(drawn: Image.Image, canvas: Canvas) -> Image.Image:
    """Join what was drawn with the start picture, which stays to the pixel where the mask is black.

    The VAE would have changed it a little.
    """
    if canvas.mask is None:
        return drawn
    if canvas.region is not None:
        return _processor().apply_overlay(canvas.mask, canvas.picture, drawn, canvas.region)
    return Image.composite(drawn, _fit(canvas.picture, drawn.size), _fit(canvas.mask, drawn.size))


def _widen(picture: Image.Image, request: GenerationRequest) -> Canvas:
    """The picture with margins, and a mask of them.

    The margins hold the picture mirrored and blurred, so that what is drawn there begins with its colours. The feather
    lies within the picture: beside a margin there is nothing else to fade into.
    """
    margins = request.outpaint
    picture = _fit(picture, (request.width, request.height))
    border = ((margins.top, margins.bottom), (margins.left, margins.right), (0, 0))
    canvas = Image.fromarray(np.pad(np.asarray(picture), border, mode="symmetric"))
    widest = max(margins.left, margins.top, margins.right, margins.bottom)
    canvas = canvas.filter(ImageFilter.GaussianBlur(widest / 4))
    canvas.paste(picture, (margins.left, margins.top))
    hard = _margin_mask(request.canvas_size, margins, 0)
    if not request.mask_feather:
        return Canvas(canvas, hard)
    seam = _feather(_margin_mask(canvas.size, margins, _SEAM * request.mask_feather), request.mask_feather)
    return Canvas(canvas, ImageChops.lighter(hard, seam))


def _margin_mask(size: tuple[int, int], margins: Outpaint, further: int) -> Image.Image:
    """White in the margins and `further` pixels into the picture beside each."""
    left, top, right, bottom = (
        margin + further if margin else 0 for margin in (margins.left, margins.top, margins.right, margins.bottom)
    )
    mask = Image.new("L", size, 255)
    kept = (left, top, size[0] - right, size[1] - bottom)
    if kept[0] < kept[2] and kept[1] < kept[3]:
        mask.paste(0, kept)
    return mask


def _feather(mask: Image.Image, radius: int) -> Image.Image:
    return mask.filter(ImageFilter.GaussianBlur(radius)) if radius else mask


def _cut_region(image: Image.Image, region: _Region, size: tuple[int, int]) -> Image.Image:
    """The region, scaled to fit into `size`; where it is of another shape, its edges fill the rest. RGB."""
    return _processor().resize(image.crop(region).convert("RGB"), size[1], size[0], resize_mode="fill")


def _processor() -> _Processor:
    """diffusers' helpers for masked areas. Importing them loads PyTorch."""
    from diffusers.image_processor import VaeImageProcessor

    return cast("_Processor", VaeImageProcessor())


def _fit(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image if image.size == size else ImageOps.fit(image, size, Image.Resampling.LANCZOS)


def _pad_edges(image: Image.Image, size: RenderSize) -> Image.Image:
    right = size.width - size.content_width - size.left
    bottom = size.height - size.content_height - size.top
    pixels = np.asarray(image)
    border = ((size.top, bottom), (size.left, right), (0, 0))[: pixels.ndim]
    return Image.fromarray(np.pad(pixels, border, mode="edge"))
