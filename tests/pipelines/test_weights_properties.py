"""The header check against every layout and every damage: it accepts what is whole and refuses the rest, in words."""

from __future__ import annotations

import contextlib
import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from safetensors import SafetensorError, safe_open

from pipelines import weights
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "F16": 2, "BF16": 2, "I16": 2, "F32": 4, "I32": 4, "F64": 8, "I64": 8}
_quick = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_tensor = st.tuples(st.sampled_from(sorted(_BYTES)), st.lists(st.integers(0, 4), max_size=3))
# Surrogates are not text that a file can hold
_names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(lambda name: name != "__metadata__")
_models = st.dictionaries(_names, _tensor, min_size=1, max_size=5)
Header = dict[str, dict[str, object]]


def lay_out(model: dict[str, tuple[str, list[int]]]) -> tuple[Header, int]:
    """The header of tensors one after the other, and the number of their bytes."""
    header: Header = {}
    end = 0
    for name, (dtype, shape) in model.items():
        count = _BYTES[dtype]
        for side in shape:
            count *= side
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + count]}
        end += count
    return header, end


def save(folder: Path, header: object, data: int) -> Path:
    text = json.dumps(header).encode()
    file = folder / "x.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(data))
    return file


@_quick
@given(_models)
def test_what_is_whole_is_accepted_as_safetensors_accepts_it(
    tmp_path: Path, model: dict[str, tuple[str, list[int]]]
) -> None:
    header, data = lay_out(model)
    file = save(tmp_path, header, data)
    found = weights.read_header(file)
    assert {name: (info.dtype, list(info.shape)) for name, info in found.items()} == {
        name: (dtype, shape) for name, (dtype, shape) in model.items()
    }
    with safe_open(str(file), "np") as theirs:  # pyright: ignore[reportUnknownVariableType] # without annotations
        assert set(theirs.keys()) == set(found)


@_quick
@given(_models, st.data())
def test_a_truncated_file_is_refused(
    tmp_path: Path, model: dict[str, tuple[str, list[int]]], data: st.DataObject
) -> None:
    file = save(tmp_path, *lay_out(model))
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(UnusableFile, match=r"incomplete|empty"):
        weights.read_header(file)


@_quick
@given(_models, st.binary(min_size=1, max_size=50))
def test_trailing_bytes_are_refused(tmp_path: Path, model: dict[str, tuple[str, list[int]]], more: bytes) -> None:
    file = save(tmp_path, *lay_out(model))
    file.write_bytes(file.read_bytes() + more)
    with pytest.raises(UnusableFile, match=f"{len(more)} bytes belong to no tensor"):
        weights.read_header(file)


@_quick
@given(_models, st.data())
def test_moved_offsets_are_refused(
    tmp_path: Path, model: dict[str, tuple[str, list[int]]], data: st.DataObject
) -> None:
    header, count = lay_out(model)
    name = data.draw(st.sampled_from(sorted(header)))
    begin, end = header[name]["data_offsets"]  # pyright: ignore[reportGeneralTypeIssues] # two numbers, see lay_out
    assume(end > begin)
    shift = data.draw(st.integers(-begin - 5, count + 5).filter(bool))
    header[name]["data_offsets"] = [begin + shift, end + shift]
    file = save(tmp_path, header, count)
    try:
        weights.read_header(file)
    except UnusableFile:
        return
    with safe_open(str(file), "np"):  # two of the same size, one after the other, may change places
        pass


@_quick
@given(_models, st.data())
def test_a_wrong_dtype_is_refused(tmp_path: Path, model: dict[str, tuple[str, list[int]]], data: st.DataObject) -> None:
    header, count = lay_out(model)
    name = data.draw(st.sampled_from(sorted(header)))
    begin, end = header[name]["data_offsets"]  # pyright: ignore[reportGeneralTypeIssues] # two numbers, see lay_out
    assume(end > begin)
    own = _BYTES[str(header[name]["dtype"])]
    others = [other for other, size in _BYTES.items() if size != own]
    header[name]["dtype"] = data.draw(st.sampled_from([*others, "", "f32", "FLOAT", 7, None, ["F32"]]))
    with pytest.raises(UnusableFile, match=r"does not fit its shape|unknown type"):
        weights.read_header(save(tmp_path, header, count))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_entry = st.fixed_dictionaries(
    {}, optional={"dtype": st.sampled_from(["F32", "U8", "x", 1]) | _json, "shape": _json, "data_offsets": _json}
)


@_quick
@given(st.dictionaries(st.text(max_size=3), _entry | _json, max_size=4) | _json, st.integers(0, 40))
def test_any_json_is_accepted_or_refused_in_words(tmp_path: Path, header: object, data: int) -> None:
    try:
        text = json.dumps(header).encode()
    except UnicodeEncodeError:
        assume(False)
        return
    file = tmp_path / "x.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(data))
    with contextlib.suppress(UnusableFile):
        weights.read_header(file)
        try:  # what we accept, safetensors accepts, but for what metadata may hold, which we do not use
            with safe_open(str(file), "np"):
                pass
        except SafetensorError:
            if "__metadata__" not in str(header):
                raise


@_quick
@given(st.integers(0, 2**64 - 1), st.binary(max_size=100))
def test_a_lying_length_costs_no_memory(tmp_path: Path, length: int, rest: bytes) -> None:
    file = tmp_path / "x.safetensors"
    file.write_bytes(length.to_bytes(8, "little") + b"{" + rest)
    tracemalloc.start()
    with contextlib.suppress(UnusableFile):
        weights.read_header(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000


@pytest.mark.parametrize("shape", [[2**63] * 100_000, [2**62, 2**62], [10**300], [0] + [2**63] * 100_000], ids=len)
def test_a_shape_beyond_all_numbers_is_refused_at_once(tmp_path: Path, shape: list[int]) -> None:
    header = {"x": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}
    with pytest.raises(UnusableFile, match="does not fit its shape"):
        weights.read_header(save(tmp_path, header, 4))
