"""What a GGUF file holds, by our own checked reader. Standard library only.

The format (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), little-endian: `GGUF`, the version, how many
tensors and settings there are; the settings as name, type and value; the tensors as name, sides (the fastest first),
type and place; then, from the next multiple of the alignment on, the values, each tensor padded to that alignment.
No number of the header is believed before the file is known to have room for what it counts.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from pipelines import weights
from pipelines.errors import UnusableFile
from pipelines.weights import TensorInfo

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
# ggml's number of a type: its name, how many values a block has, and how many bytes. Those that can be read here.
TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 30: ("BF16", 1, 2),
    2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210), 20: ("IQ4_NL", 32, 18), 23: ("IQ4_XS", 256, 136),
}  # fmt: skip
_VERSIONS = (2, 3)
_HEADER_MAX = 32_000_000  # bytes; FLUX.1's have 0.1 MB, the vocabularies of language models some 10
_SIDES_MAX = 4  # ggml's own limit
_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # a setting's type: its bytes
_UINT32, _STRING, _LIST = 4, 8, 9
_ALIGNMENT = "general.alignment"
_NESTED_MAX = 4


@dataclass(frozen=True, slots=True)
class Header:
    """The tensors by name, their shapes as PyTorch has them; their places count from the byte `start` of the file."""

    tensors: dict[str, TensorInfo]
    start: int


def is_gguf(file: Path) -> bool:
    """Whether the file begins as a GGUF file does; False where it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read(file: Path) -> Header:
    """The header, after every check that needs no tensor's value.

    Raises:
        UnusableFile: the file is missing, is no GGUF file, is incomplete, contradicts itself, or has a tensor of a type
            that cannot be read.
    """
    try:
        with file.open("rb") as stream:
            return _Reader(file, stream, file.stat().st_size).read()
    except FileNotFoundError:
        raise UnusableFile(f"The file {str(file)!r} is missing.", "Get the model again.") from None
    except OSError as error:
        raise UnusableFile(
            f"The file {str(file)!r} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error


class _Reader:
    def __init__(self, file: Path, stream: BinaryIO, size: int) -> None:
        self._file = file
        self._stream = stream
        self._size = size
        self._place = 0
        self._alignment = 32  # where no setting says another

    def read(self) -> Header:
        if self._take(len(MAGIC)) != MAGIC:
            raise UnusableFile(f"The file {str(self._file)!r} is no GGUF file.", "Get the file again.")
        version = self._number("<I")
        if version not in _VERSIONS:
            raise UnusableFile(
                f"The file {str(self._file)!r} is GGUF of version {version}, which cannot be read.",
                "Get the model as GGUF of version 3, or as a safetensors file.",
            )
        tensors, settings = self._number("<Q"), self._number("<Q")
        self._need(tensors * 24 + settings * 13)  # what the shortest would take
        for _ in range(settings):
            self._setting()
        found: dict[str, TensorInfo] = {}
        for _ in range(tensors):
            name, tensor = self._tensor()
            if name in found:
                raise self._damaged(f"{name!r} occurs twice")
            found[name] = tensor
        start = self._aligned(self._place)
        self._check_ranges(found, start)
        return Header(found, start)

    def _setting(self) -> None:
        name, kind = self._text(), self._number("<I")
        if name == _ALIGNMENT:
            value = self._number("<I") if kind == _UINT32 else 0
            if value < 1 or value & (value - 1):
                raise self._damaged("its alignment is no power of two")
            self._alignment = value
        else:
            self._skip(kind, 1)

    def _skip(self, kind: int, count: int, depth: int = 0) -> None:
        """Go over `count` values of a type."""
        if kind in _SCALARS:
            self._need(_SCALARS[kind] * count)
            self._place += _SCALARS[kind] * count
            self._stream.seek(self._place)
        elif kind == _STRING:
            self._need(8 * count)
            for _ in range(count):
                self._skip(0, self._number("<Q"))
        elif kind == _LIST and depth < _NESTED_MAX:
            self._need(12 * count)
            for _ in range(count):
                inner = self._number("<I")
                self._skip(inner, self._number("<Q"), depth + 1)
        else:
            raise self._damaged(f"a setting has the unknown type {kind}")

    def _tensor(self) -> tuple[str, TensorInfo]:
        name, count = self._text(), self._number("<I")
        if count > _SIDES_MAX:
            raise self._damaged(f"{name!r} has {count} sides")
        shape = tuple(self._number("<Q") for _ in range(count))[::-1]
        kind, begin = self._number("<I"), self._number("<Q")
        if kind not in TYPES:
            raise UnusableFile(
                f"The weights in {str(self._file)!r} are of GGUF's type number {kind}, which this version cannot read.",
                "Get the model as Q8_0, Q4_K or another usual type, or as a safetensors file.",
            )
        dtype, values, size = TYPES[kind]
        if (shape[-1] if shape else 1) % values:
            raise self._damaged(f"the rows of {name!r} are no whole blocks of {dtype}")
        if begin % self._alignment:
            raise self._damaged(f"{name!r} is not aligned")
        return name, TensorInfo(dtype, shape, begin, begin + weights.count_values(shape) // values * size)

    def _check_ranges(self, tensors: dict[str, TensorInfo], start: int) -> None:
        """Tensors follow each other, with padding between them, and end within the file."""
        end = 0
        for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.begin, tensor.end)):
            if tensor.begin != self._aligned(end):
                raise self._damaged(
                    "its tensors overlap" if tensor.begin < end else "there are gaps between its tensors"
                )
            end = tensor.end
        if start + end > self._size:
            raise weights.incomplete(self._file, self._size, str(start + end))

    def _aligned(self, place: int) -> int:
        return -(-place // self._alignment) * self._alignment

    def _text(self) -> str:
        try:
            return self._take(self._number("<Q")).decode("utf-8")
        except UnicodeDecodeError:
            raise self._damaged("a name is no text") from None

    def _number(self, form: str) -> int:
        (number,) = struct.unpack(form, self._take(struct.calcsize(form)))
        return number

    def _take(self, count: int) -> bytes:
        self._need(count)
        self._place += count
        return self._stream.read(count)

    def _need(self, count: int) -> None:
        """Refuse to go on where the file has not got so many more bytes, or the header would be endless."""
        if self._place + count > self._size:
            raise weights.incomplete(self._file, self._size, f"at least {self._place + count}")
        if self._place + count > _HEADER_MAX:
            raise self._damaged(f"its header claims a length of {self._place + count} bytes")

    def _damaged(self, why: str) -> UnusableFile:
        return weights.damaged(self._file, why)
