"""Weights on disk: found, and checked by our own reader before any library sees them.

Safetensors files are read here, GGUF's by `gguf_header`. The format (https://huggingface.co/docs/safetensors): eight
bytes with the length n of the header, little-endian; n bytes of JSON that maps each tensor's name to its dtype, shape
and the two ends of its bytes; then the tensors' bytes without gaps.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pipelines.catalog import read_json
from pipelines.engine.base import ComponentSpec
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "I64": 64, "U64": 64, "F64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
_HEADER_MAX = 100_000_000  # bytes; safetensors' own limit
_VALUES_MAX = 2**62
_PICKLE_SUFFIXES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_WEIGHT_TYPES = ("F16", "BF16", "F32", "F64", "F8_E4M3", "F8_E5M2")
_STEMS = {"diffusers": "diffusion_pytorch_model", "transformers": "model"}  # the libraries' file names
_AGAIN = "Get the file again."


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor as the header describes it; `begin` and `end` count bytes after the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def read_header(file: Path) -> dict[str, TensorInfo]:
    """The tensors of a safetensors file by name, after every check that needs no tensor's value.

    Raises:
        UnusableFile: the file is missing, is no safetensors file, is incomplete, or contradicts itself.
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            start = stream.read(512)
            _refuse_other_formats(file, start, size)
            length = int.from_bytes(start[:8], "little")
            if length > _HEADER_MAX:
                raise damaged(file, f"its header claims a length of {length} bytes")
            if 8 + length > size:
                raise incomplete(file, size, f"at least {8 + length}")
            stream.seek(8)
            text = stream.read(length)
    except FileNotFoundError:
        raise UnusableFile(f"The file {str(file)!r} is missing.", "Get the model again.") from None
    except OSError as error:
        raise UnusableFile(
            f"The file {str(file)!r} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error
    tensors = _parse_header(file, text)
    _check_ranges(file, tensors, size - 8 - length, size)
    return tensors


def find_components(folder: Path, expected: Mapping[str, tuple[str, str]]) -> tuple[ComponentSpec, ...]:
    """The networks of a diffusers folder or a single file, in the order of `expected`: a name to (library, class).

    Raises:
        UnusableFile: a network is missing, of another class, or has no whole safetensors weights.
    """
    if folder.is_file():
        from pipelines import checkpoints  # which stands on this module

        return checkpoints.find_components(folder, expected)
    index = read_json(folder / "model_index.json")
    return tuple(_find_component(folder, name, index.get(name), expected[name]) for name in expected)


def _find_component(folder: Path, name: str, stated: object, expected: tuple[str, str]) -> ComponentSpec:
    library, class_name = expected
    if stated != [library, class_name]:
        raise UnusableFile(
            f"The {name} of the model {str(folder)!r} is {stated!r} and not {class_name} from {library}.",
            "Use a model of a family that this version runs.",
        )
    return find_network(folder / name, name, library, class_name)


def find_network(folder: Path, name: str, library: str, class_name: str) -> ComponentSpec:
    """The network `name` in a folder of its own.

    Raises:
        UnusableFile: its configuration is missing, or it has no whole safetensors weights.
    """
    read_json(folder / "config.json")
    files, parameters = _find_weights(folder, _STEMS[library])
    return ComponentSpec(name, library, class_name, folder, files, parameters)


def _find_weights(folder: Path, stem: str) -> tuple[tuple[Path, ...], int]:
    """The component's safetensors files and the number of values in them."""
    whole, index = folder / f"{stem}.safetensors", folder / f"{stem}.safetensors.index.json"
    if whole.is_file():  # the libraries prefer it to an index too
        header = read_header(whole)
        check_types(whole, header)
        return (whole,), count_parameters(header)
    if not index.is_file():
        raise _no_weights(folder, whole)
    places = read_json(index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise UnusableFile(f"The file {str(index)!r} is damaged: it names no weights.", _AGAIN)
    wanted: dict[str, set[str]] = {}
    for tensor, file in cast("dict[str, object]", places).items():
        if not isinstance(file, str) or file != (folder / file).name:  # never leaves the folder
            raise UnusableFile(f"The file {str(index)!r} names a file that it may not: {file!r}.", _AGAIN)
        wanted.setdefault(file, set()).add(tensor)
    parameters = 0
    for file, tensors in wanted.items():
        header = read_header(folder / file)
        check_types(folder / file, header)
        missing = len(tensors - header.keys())
        if missing:
            raise UnusableFile(
                f"The file {str(folder / file)!r} lacks {missing} of {len(tensors)} tensors.",
                "Get the model again.",
            )
        parameters += count_parameters(header)
    return tuple(folder / file for file in wanted), parameters


def check_types(file: Path, header: Mapping[str, TensorInfo]) -> None:
    """Refuse weights that are no floating-point numbers, as those of a model quantised to integers.

    Raises:
        UnusableFile: there are such.
    """
    other = {one.dtype for name, one in header.items() if len(one.shape) > 1 and not name.endswith("position_ids")}
    other -= set(_WEIGHT_TYPES)
    if other:
        raise UnusableFile(
            f"The weights in {str(file)!r} are of the type {min(other)}, which this version cannot read.",
            "Get the model in 16 bits, or in fp8.",
        )


def count_parameters(header: Mapping[str, TensorInfo]) -> int:
    """How many values the tensors hold together."""
    return sum(math.prod(tensor.shape) for tensor in header.values())


def _no_weights(folder: Path, wanted: Path) -> UnusableFile:
    pickles = sorted(file.name for file in folder.iterdir() if file.suffix in _PICKLE_SUFFIXES)
    if pickles:
        return UnusableFile(
            f"The weights in {str(folder)!r} are a pickle file ({pickles[0]}), which could run any program.",
            "Get the model as safetensors files.",
        )
    return UnusableFile(f"The file {str(wanted)!r} is missing.", "Get the model again.")


def _refuse_other_formats(file: Path, start: bytes, size: int) -> None:
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if size == 0:
        raise UnusableFile(f"The file {str(file)!r} is empty: 0 bytes.", _AGAIN)
    if text.startswith(b"version https://git-lfs"):
        raise UnusableFile(
            f"The file {str(file)!r} is a Git LFS pointer and not the file itself.",
            "Run `git lfs pull` in its folder, or download the file.",
        )
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")):
        raise UnusableFile(
            f"The file {str(file)!r} is a web page and not a model: the download went wrong.",
            "Download it again; some models want a login first.",
        )
    if start.startswith((b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")) and start[8:9] != b"{":
        raise UnusableFile(
            f"The file {str(file)!r} is a pickle file, which could run any program.",
            "Get the model as a safetensors file.",
        )
    if size < 10:
        raise incomplete(file, size, "at least 10")
    if start[8:9] != b"{":
        raise UnusableFile(f"The file {str(file)!r} is no safetensors file.", _AGAIN)


def _parse_header(file: Path, text: bytes) -> dict[str, TensorInfo]:
    try:
        header: object = json.loads(text.decode("utf-8"), object_pairs_hook=_refuse_duplicates)
    except (ValueError, RecursionError):
        raise damaged(file, "its header cannot be read") from None
    if not isinstance(header, dict):
        raise damaged(file, "its header is no JSON object")
    tensors = cast("dict[str, object]", header)
    return {name: _parse_tensor(file, name, entry) for name, entry in tensors.items() if name != "__metadata__"}


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _parse_tensor(file: Path, name: str, entry: object) -> TensorInfo:
    if not isinstance(entry, dict):
        raise damaged(file, f"its header does not describe {name!r}")
    values = cast("dict[str, object]", entry)
    dtype, shape, ends = (
        values.get("dtype"),
        _integers(values.get("shape")),
        _integers(values.get("data_offsets")),
    )
    if not isinstance(dtype, str) or dtype not in _BITS:
        raise damaged(file, f"{name!r} has the unknown type {dtype!r}")
    if shape is None or ends is None or len(ends) != 2:
        raise damaged(file, f"its header does not describe {name!r}")
    begin, end = ends
    if (end - begin) * 8 != count_values(shape) * _BITS[dtype]:
        raise damaged(file, f"{name!r} has {end - begin} bytes, which does not fit its shape")
    return TensorInfo(dtype, shape, begin, end)


def count_values(shape: tuple[int, ...]) -> int:
    """The product of the sides, but none that no file can have: a header may list a million of them."""
    if 0 in shape:
        return 0
    count = 1
    for side in shape:
        count *= side
        if count > _VALUES_MAX:
            return _VALUES_MAX + 1
    return count


def _integers(value: object) -> tuple[int, ...] | None:
    """The list as a tuple where it holds non-negative integers only."""
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    numbers = tuple(item for item in items if type(item) is int and item >= 0)
    return numbers if len(numbers) == len(items) else None


def _check_ranges(file: Path, tensors: dict[str, TensorInfo], available: int, size: int) -> None:
    """Tensors must follow each other and fill the `available` bytes after the header to the last."""
    end = 0
    for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.begin, tensor.end)):
        if tensor.begin != end:
            raise damaged(file, "its tensors overlap" if tensor.begin < end else "there are gaps between its tensors")
        end = tensor.end
    if end > available:
        raise incomplete(file, size, str(size - available + end))
    if end < available:
        raise damaged(file, f"{available - end} bytes belong to no tensor")


def incomplete(file: Path, size: int, wanted: str) -> UnusableFile:
    """What to raise where a file of `size` bytes should have `wanted`."""
    return UnusableFile(f"The file {str(file)!r} is incomplete: {size} of {wanted} bytes.", _AGAIN)


def damaged(file: Path, why: str) -> UnusableFile:
    """What to raise where a file contradicts itself."""
    return UnusableFile(f"The file {str(file)!r} is damaged: {why}.", _AGAIN)
