"""Settings are read from pictures of any tool, and a picture without them is no error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PIL import ExifTags, Image
from PIL.PngImagePlugin import PngInfo

from pipelines import metadata
from pipelines.errors import UnusableFile
from pipelines.images import Source, read
from pipelines.metadata import Record
from pipelines.request import GenerationRequest

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = Image.new("RGB", (24, 16), "teal")
A1111 = "a 猫, 😄\nNegative prompt: ugly\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 3698135662, Size: 24x16"
COMFYUI = """{
    "3": {"class_type": "KSampler", "inputs": {"seed": 5, "steps": 9, "denoise": NaN, "positive": ["6", 0]}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a fox"}}
}"""
RECORD = Record(
    GenerationRequest("a cat", "starter", 256, 256, 20, 3.5, 7),
    "0.1.0",
    "eager",
    "fp32",
    "cpu",
    "2025-01-02T03:04:05+00:00",
)


def png(path: Path, **chunks: str) -> Path:
    info = PngInfo()
    for key, text in chunks.items():
        info.add_text(key, text)
    IMAGE.save(path / "a.png", pnginfo=info)
    return path / "a.png"


def with_exif(path: Path, tag: int, value: bytes | str, *, private: bool) -> Path:
    tags = Image.Exif()
    (tags.get_ifd(ExifTags.IFD.Exif) if private else tags)[tag] = value
    IMAGE.save(path, exif=tags)
    return path


def test_a1111_png(tmp_path: Path) -> None:
    found = read(png(tmp_path, parameters=A1111))
    assert (found.source, found.format, found.width, found.height) == (Source.a1111, "PNG", 24, 16)
    assert found.parameters.prompt == "a 猫, 😄"
    assert found.parameters.negative_prompt == "ugly"
    assert dict(found.parameters.settings)["Seed"] == "3698135662"
    assert (found.raw, found.record, found.note) == (A1111, None, "")


@pytest.mark.parametrize("name", ["a.jpg", "a.webp"])
@pytest.mark.parametrize("order", ["utf-16-be", "utf-16-le"])
def test_a1111_exif(tmp_path: Path, name: str, order: str) -> None:
    comment = b"UNICODE\0" + A1111.encode(order)
    found = read(with_exif(tmp_path / name, ExifTags.Base.UserComment, comment, private=True))
    assert (found.source, found.raw) == (Source.a1111, A1111)


def test_comfyui_png(tmp_path: Path) -> None:
    found = read(png(tmp_path, prompt=COMFYUI, workflow="{}"))
    assert (found.source, found.parameters.prompt) == (Source.comfyui, "a fox")
    assert dict(found.parameters.settings) == {"Steps": "9", "Seed": "5"}


def test_comfyui_webp(tmp_path: Path) -> None:
    found = read(with_exif(tmp_path / "a.webp", ExifTags.Base.Model, f"prompt:{COMFYUI}", private=False))
    assert (found.source, found.parameters.prompt) == (Source.comfyui, "a fox")


def test_a_plain_picture(tmp_path: Path) -> None:
    for name in ("a.png", "a.jpg", "a.webp", "a.gif", "a.bmp"):
        IMAGE.save(tmp_path / name)
        assert read(tmp_path / name).source is Source.none


def test_another_makers_note_is_not_ours(tmp_path: Path) -> None:
    found = read(with_exif(tmp_path / "a.jpg", ExifTags.Base.MakerNote, b"Nikon\0\1\2", private=True))
    assert (found.source, found.note) == (Source.none, "")


def test_ours_comes_before_the_text_beside_it(tmp_path: Path) -> None:
    found = read(png(tmp_path, parameters=A1111, prompt=COMFYUI, firstlight=metadata.to_json(RECORD)))
    assert (found.source, found.record, found.parameters.prompt) == (Source.firstlight, RECORD, "a cat")


def test_text_after_the_pixels_is_found(tmp_path: Path) -> None:
    path = png(tmp_path)
    chunk = png(tmp_path, firstlight=metadata.to_json(RECORD)).read_bytes()
    start = chunk.index(b"tEXt") - 4
    text = chunk[start : start + 12 + int.from_bytes(chunk[start : start + 4])]
    end = chunk.index(b"IEND") - 4
    path.write_bytes((chunk[:end] + text + chunk[end:]).replace(text, b"", 1))
    assert path.read_bytes().index(b"IDAT") < path.read_bytes().index(b"tEXt")
    assert read(path).record == RECORD


def test_damaged_settings_are_said_and_the_next_best_read(tmp_path: Path) -> None:
    damaged = json.dumps({"firstlight": 1, "request": {"prompt": 3}})
    found = read(png(tmp_path, parameters=A1111, firstlight=damaged))
    assert found.source is Source.a1111
    assert found.note.startswith("The settings in the picture cannot be read: ")


def test_a_text_chunk_that_unpacks_without_end(tmp_path: Path) -> None:
    info = PngInfo()
    info.add_text("parameters", "x" * 80_000_000, zip=True)
    IMAGE.save(tmp_path / "a.png", pnginfo=info)
    assert (tmp_path / "a.png").stat().st_size < 200_000
    with pytest.raises(UnusableFile):
        read(tmp_path / "a.png")
