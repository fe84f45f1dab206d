"""The EXIF block of our JPEG and WebP files (Exif 2.32, CIPA DC-008; its directories are TIFF 6.0's).

Written here because Pillow stores UserComment and MakerNote as numbers (BYTE), where the standard wants
UNDEFINED and readers such as A1111's refuse anything else. Reading is Pillow's.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

HEADER = b"Exif\0\0"
_TIFF = b"MM\0*"  # big-endian, as the UTF-16 of A1111's UserComment is
_UNICODE = b"UNICODE\0"  # table 9: the code of UserComment's characters
_ASCII = b"ASCII\0\0\0"
_UNDEFINED_CODE = b"\0" * 8
_SOFTWARE, _EXIF_IFD, _VERSION, _MAKER_NOTE, _USER_COMMENT = 0x0131, 0x8769, 0x9000, 0x927C, 0x9286
_TYPE_ASCII, _TYPE_LONG, _TYPE_UNDEFINED = 2, 4, 7
_SIZES = {_TYPE_ASCII: 1, _TYPE_LONG: 4, _TYPE_UNDEFINED: 1}  # bytes


class _Entry(NamedTuple):
    tag: int
    type: int
    data: bytes


def build(software: str, maker_note: bytes, user_comment: str) -> bytes:
    """Return the block, `Exif\\0\\0` first. An empty `user_comment` is left out; `software` is ASCII."""
    private = [_Entry(_VERSION, _TYPE_UNDEFINED, b"0232"), _Entry(_MAKER_NOTE, _TYPE_UNDEFINED, maker_note)]
    if user_comment:
        data = _UNICODE + user_comment.encode("utf-16-be")
        private.append(_Entry(_USER_COMMENT, _TYPE_UNDEFINED, data))
    start = len(_TIFF) + 4
    private_at = start + len(_main_directory(software, 0, start))  # as long whatever address it holds
    main = _main_directory(software, private_at, start)
    return HEADER + _TIFF + struct.pack(">I", start) + main + _directory(private, private_at)


def decode_comment(value: bytes) -> str:
    """Decode a UserComment. Tools disagree about UTF-16's byte order; the one with more ASCII is right."""
    code, text = value[:8], value[8:]
    if code == _UNICODE:
        readings = [text.decode(order, "replace") for order in ("utf-16-be", "utf-16-le")]
        return max(readings, key=_count_ascii).removeprefix("\ufeff")  # of equals the first
    known = code in (_ASCII, _UNDEFINED_CODE)
    return (text if known else value).decode("utf-8", "replace").rstrip("\0 ")


def _count_ascii(text: str) -> int:
    return sum(" " <= character <= "~" for character in text)


def _main_directory(software: str, private_address: int, offset: int) -> bytes:
    entries = [
        _Entry(_SOFTWARE, _TYPE_ASCII, software.encode("ascii", "replace") + b"\0"),
        _Entry(_EXIF_IFD, _TYPE_LONG, struct.pack(">I", private_address)),
    ]
    return _directory(entries, offset)


def _directory(entries: list[_Entry], offset: int) -> bytes:
    """Lay out one directory that begins `offset` bytes into the TIFF; `entries` ascend by tag."""
    table = struct.pack(">H", len(entries))
    values = b""
    values_at = offset + 2 + 12 * len(entries) + 4
    for entry in entries:
        table += struct.pack(">HHI", entry.tag, entry.type, len(entry.data) // _SIZES[entry.type])
        if len(entry.data) <= 4:
            table += entry.data.ljust(4, b"\0")
        else:
            table += struct.pack(">I", values_at + len(values))
            values += entry.data + b"\0" * (len(entry.data) % 2)  # a value begins at an even address
    return table + struct.pack(">I", 0) + values  # 0: no further directory
