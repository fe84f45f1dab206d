"""The EXIF block is laid out as the standard says: Pillow reads it, and so do readers that are strict."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image

from pipelines import exif


@given(
    st.text(st.characters(codec="ascii", exclude_characters="\0")),
    st.binary(min_size=5),
    st.text(max_size=20),
)
def test_pillow_reads_it(software: str, note: bytes, comment: str) -> None:
    comment += "\nSteps: 20, CFG scale: 3.5, Seed: 7, Size: 256x128"
    tags = Image.Exif()
    tags.load(exif.build(software, note, comment))
    private = tags.get_ifd(ExifTags.IFD.Exif)
    assert tags[ExifTags.Base.Software] == software
    assert private[ExifTags.Base.ExifVersion] == b"0232"
    assert private[ExifTags.Base.MakerNote] == note
    assert exif.decode_comment(private[ExifTags.Base.UserComment]) == comment.removeprefix("\ufeff")


def test_comment_has_the_type_that_the_standard_wants() -> None:
    block = exif.build("Firstlight", b"firstlight\0{}", "a cat")
    assert block.startswith(b"Exif\0\0MM\0*\0\0\0\x08")
    comment = "a cat".encode("utf-16-be")
    undefined = 7
    assert struct.pack(">HHI", ExifTags.Base.UserComment, undefined, 8 + len(comment)) in block
    assert b"UNICODE\0" + comment in block


def test_without_comment() -> None:
    tags = Image.Exif()
    tags.load(exif.build("Firstlight", b"firstlight\0{}", ""))
    assert ExifTags.Base.UserComment not in tags.get_ifd(ExifTags.IFD.Exif)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"UNICODE\0" + "Steps: 1, 猫".encode("utf-16-be"), "Steps: 1, 猫"),
        (b"UNICODE\0" + "Steps: 1, 猫".encode("utf-16-le"), "Steps: 1, 猫"),
        (b"UNICODE\0" + "\ufeffSteps: 1".encode("utf-16-le"), "Steps: 1"),
        (b"ASCII\0\0\0Steps: 1\0", "Steps: 1"),
        (b"\0\0\0\0\0\0\0\0Steps: 1", "Steps: 1"),
        (b"Steps: 1, no code", "Steps: 1, no code"),
        (b"UNICODE\0\xd8\x3d", "\ufffd"),
        (b"", ""),
    ],
)
def test_comments_of_other_tools(value: bytes, expected: str) -> None:
    assert exif.decode_comment(value) == expected
