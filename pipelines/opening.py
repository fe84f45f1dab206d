"""Opening a picture that comes from anywhere: bounded, and with every failure in words."""

from __future__ import annotations

import io
import logging
import struct
import warnings
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from pipelines.errors import NoRoom, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# The largest picture that Firstlight itself makes (4096 a side, upscaled 4x). A file of a few bytes can
# claim more.
MAX_PIXELS = 16_384 * 16_384
# Not all that Pillow knows: EPS, for one, would start another program.
_FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "BMP", "GIF", "TIFF", "PPM")
_KINDS = "PNG, JPEG, WebP, AVIF, BMP, GIF, TIFF or PPM"
# What Pillow's decoders let through for damaged files
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OverflowError,
    struct.error,
    zlib.error,
)
_log = logging.getLogger(__name__)


@contextmanager
def opened(path: Path) -> Generator[Image.Image]:
    """Give the picture in `path`, its first frame, loaded to its end; translate failures in the block too.

    Raises:
        UnusableFile: missing, not a picture, damaged, or of more than `MAX_PIXELS`.
        NoRoom: memory does not suffice.
    """
    size = -1
    try:
        size = path.stat().st_size
        with path.open("rb") as file, warnings.catch_warnings():
            # Pillow warns about oddities that change nothing for us; its bomb warning starts at our own
            # limit.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            Image.MAX_IMAGE_PIXELS = MAX_PIXELS  # Pillow has no other way; its default is below our own pictures
            with Image.open(file, formats=_FORMATS) as image:
                image.load()
                yield image
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise UnusableFile(
            f"The picture {path} is too large: more than {MAX_PIXELS / 1e6:.0f} million pixels.",
            "Make it smaller with another program first.",
        ) from error
    except UnidentifiedImageError as error:
        what = "is empty" if size == 0 else f"is not a picture of a kind that can be read ({_KINDS})"
        raise UnusableFile(f"The file {path} {what}.", "Choose another file.") from error
    except MemoryError as error:
        raise NoRoom(f"Memory does not suffice to open {path}.", "Close other programs.") from error
    except _DAMAGE as error:
        raise _unreadable(path, error) from error


def open_picture(path: Path) -> Image.Image:
    """Read a start picture as 8-bit RGB, as a viewer would show it.

    The camera's rotation is applied; transparent parts are laid on white; 16-bit values are scaled to 8, and
    so are floats, whose range is 0 … 1; CMYK and other colours are brought to sRGB by the embedded profile,
    without one by Pillow's plain formula; of an animation the first frame counts.

    Raises:
        UnusableFile: missing, not a picture, damaged, or of more than `MAX_PIXELS`.
        NoRoom: memory does not suffice.
    """
    with opened(path) as image:
        return to_srgb_8_bit(image)


def open_mask(path: Path) -> Image.Image:
    """Read a mask as `open_picture` reads a picture, but in grey, and with transparent parts black: they are kept.

    Raises:
        UnusableFile: missing, not a picture, damaged, or of more than `MAX_PIXELS`.
        NoRoom: memory does not suffice.
    """
    with opened(path) as image:
        return to_srgb_8_bit(image, ground="black").convert("L")


def to_srgb_8_bit(image: Image.Image, ground: str = "white") -> Image.Image:
    """The picture as `open_picture` gives it; transparent parts are laid on `ground`."""
    profile = image.info.get("icc_profile")
    turned = ImageOps.exif_transpose(image)
    return _to_srgb(_lay_on(ground, _to_8_bit(turned)), profile)


def _unreadable(path: Path, error: Exception) -> UnusableFile:
    """Tell a file that cannot be reached from one that is damaged."""
    if isinstance(error, OSError) and error.errno is not None:
        return UnusableFile(f"The picture {path} cannot be opened: {error.strerror}.", "Check the path.")
    _log.debug("%s: %r", path, error)
    return UnusableFile(f"The picture {path} is damaged or incomplete.", "Get it again from where it came.")


def _to_8_bit(image: Image.Image) -> Image.Image:
    """Scale grey pictures of 16 bits (also as Pillow's 32-bit `I`) and floats of 0 … 1 to mode L."""
    if image.mode == "F":
        scaled = np.nan_to_num(np.asarray(image, np.float64)) * 255.0
    elif image.mode.startswith("I"):
        scaled = np.asarray(image).astype(np.float64) / 257.0  # 65535 becomes 255
    else:
        return image
    return Image.fromarray(np.clip(np.rint(scaled), 0, 255).astype(np.uint8))


def on_white(image: Image.Image) -> Image.Image:
    """Lay a picture that has any transparency on white; others stay as they are."""
    return _lay_on("white", image)


def _lay_on(colour: str, image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image
    picture = image.convert("RGBA")
    ground = Image.new("RGBA", picture.size, colour)
    ground.alpha_composite(picture)
    return ground.convert("RGB")


def _to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    if profile and image.mode in ("RGB", "CMYK"):
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            srgb = _srgb_profile()
            converted = ImageCms.profileToProfile(image, source, srgb, outputMode="RGB")
            if converted is not None:
                return converted
        except (ImageCms.PyCMSError, OSError) as error:
            _log.info("colour profile not used: %s", error)
    return image.convert("RGB")


def _srgb_profile() -> ImageCms.ImageCmsProfile:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - untyped C core
