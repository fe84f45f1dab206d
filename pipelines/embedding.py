"""Where settings sit in a picture file: our JSON, and A1111's `parameters` text beside it for other tools.

PNG: text chunks `firstlight`, `parameters` and `Software`. JPEG and WebP: EXIF, big-endian, with A1111's
text in UserComment (as its own web UI has it) and our JSON in MakerNote, which the standard keeps for the
maker's own use.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import ExifTags, Image, PngImagePlugin

from pipelines import a1111, exif, metadata
from pipelines.errors import InvalidRequest, NoRoom
from pipelines.opening import on_white

if TYPE_CHECKING:
    from pipelines.metadata import Record

FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}  # by suffix: Pillow's name
_OPTIONS = {
    "JPEG": {"quality": 95, "subsampling": 0},
    "WEBP": {"quality": 95, "method": 4},
}
_MODES = {"PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"), "JPEG": ("L", "RGB"), "WEBP": ("RGB", "RGBA")}
_SIDE_MAX = {"PNG": 2**31 - 1, "JPEG": 65_500, "WEBP": 16_383}  # pixels; libjpeg's and libwebp's limits
_JPEG_EXIF_MAX = 65_533  # bytes in one JPEG segment

PNG_KEY = "firstlight"
_MAKER = b"firstlight\0"


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts about settings in a picture; empty where there is none.

    `parameters` is A1111's text, or SwarmUI's or Fooocus' JSON, which stand in its place; `comfyui` is its prompt's
    JSON.
    """

    firstlight: str = ""
    parameters: str = ""
    comfyui: str = ""
    invokeai: str = ""


def check(suffix: str, size: tuple[int, int], record: Record) -> None:
    """Check that a file of this kind can hold `size` pixels and the settings.

    Raises:
        InvalidRequest: it cannot; the message says what can.
    """
    kind = FORMATS[suffix]
    if max(size) > _SIDE_MAX[kind]:
        raise InvalidRequest(
            f"A {kind} file holds at most {_SIDE_MAX[kind]} pixels a side, and this picture has {max(size)}.",
            "Save it as .png.",
        )
    if kind == "JPEG" and len(_exif(record, parameters=False)) > _JPEG_EXIF_MAX:
        raise InvalidRequest("The prompt is too long to be kept inside a JPEG file.", "Save it as .png or .webp.")


def encode(image: Image.Image, suffix: str, record: Record) -> bytes:
    """Return the whole file: pixels and settings. A mode that the format lacks becomes RGB, on white.

    Raises:
        InvalidRequest: as `check`.
        NoRoom: memory does not suffice.
    """
    check(suffix, image.size, record)
    kind = FORMATS[suffix]
    buffer = io.BytesIO()
    try:
        picture = image if image.mode in _MODES[kind] else on_white(image).convert("RGB")
        if kind == "PNG":
            picture.save(buffer, kind, pnginfo=_png_info(record))
        else:
            block = _exif(record)
            if kind == "JPEG" and len(block) > _JPEG_EXIF_MAX:
                block = _exif(record, parameters=False)  # the exact settings come first
            picture.save(buffer, kind, exif=block, **_OPTIONS[kind])
    except MemoryError as error:
        raise NoRoom(
            f"Memory does not suffice to encode a picture of {image.width}x{image.height}.",
            "Close other programs or ask for a smaller picture.",
        ) from error
    return buffer.getvalue()


def extract(image: Image.Image) -> Texts:
    """Find the texts in a picture that has been loaded to its end (a PNG's text may come last)."""
    chunks = {key: value for key, value in image.info.items() if isinstance(value, str)}
    tags = image.getexif()
    private = tags.get_ifd(ExifTags.IFD.Exif)
    maker: object = private.get(ExifTags.Base.MakerNote)
    # Fooocus puts it among the main tags, as text
    comment: object = private.get(ExifTags.Base.UserComment) or tags.get(ExifTags.Base.UserComment)
    tagged = [str(value) for value in tags.values() if isinstance(value, str)]
    return Texts(
        firstlight=chunks.get(PNG_KEY, _decode_maker(maker) if isinstance(maker, bytes) else ""),
        parameters=chunks.get("parameters", _decode_comment(comment)),
        # ComfyUI's WebP nodes put `prompt:{…}` into a text tag, which one depends on the node
        comfyui=chunks.get("prompt", next((t[len("prompt:") :] for t in tagged if t.startswith("prompt:")), "")),
        invokeai=chunks.get("invokeai_metadata", chunks.get("sd-metadata", "")),
    )


def _png_info(record: Record) -> PngImagePlugin.PngInfo:
    info = PngImagePlugin.PngInfo()
    info.add_text(PNG_KEY, metadata.to_json(record))
    info.add_text("parameters", _clean(a1111.to_a1111(record)))
    info.add_text("Software", _clean(f"Firstlight {record.app_version}"))
    return info


def _exif(record: Record, *, parameters: bool = True) -> bytes:
    return exif.build(
        software=f"Firstlight {record.app_version}",
        maker_note=_MAKER + metadata.to_json(record).encode("ascii"),
        user_comment=_clean(a1111.to_a1111(record)) if parameters else "",
    )


def _clean(text: str) -> str:
    """Replace what no text chunk can hold: NUL, and halves of surrogate pairs. Our own JSON keeps both."""
    return text.encode("utf-16", "replace").decode("utf-16").replace("\0", "\ufffd")


def _decode_comment(comment: object) -> str:
    if isinstance(comment, str):
        return comment
    return exif.decode_comment(comment) if isinstance(comment, bytes) else ""


def _decode_maker(value: bytes) -> str:
    """Our JSON; empty where another maker wrote the note."""
    return value[len(_MAKER) :].decode("ascii", "replace") if value.startswith(_MAKER) else ""
