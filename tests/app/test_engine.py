"""The contract of `firstlight engine`."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING

import pytest

from pipelines.engine import rtx
from pipelines.engine.manifest import Details, Facts
from pipelines.engine.store import MANIFEST, Store

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.engine.store import Entry
    from tests.app.conftest import Command

needs_rtx = pytest.mark.skipif(
    rtx.find_version() is None, reason="tensorrt-rtx-cu13 is not installed: pip install 'firstlight[rtx]'"
)
PLAN = b"plan" * 5000


@pytest.fixture
def store(home: Path) -> Store:
    return Store(home / "data" / "engines")


def add(store: Store, architecture: str) -> Entry:
    facts = Facts(architecture, "bf16", "placeholder", "portable", "batch 1-8 (1)", "1.6.0.1", 1)
    details = Details("transformer", "because", 1.0, 2.0, 10_000, "ab", {"proj.weight": "placeholder"}, {})
    return store.add(facts, details, lzma.compress(PLAN), len(PLAN))


def test_list_says_what_is_there(firstlight: Command, store: Store) -> None:
    shipped = firstlight("engine", "list")
    assert (shipped.code, shipped.err) == (0, "")
    assert all("came with Firstlight" in line for line in shipped.out.splitlines())
    entry = add(store, "toy-1")
    (line, *others) = firstlight("engine", "list").out.splitlines()
    assert others == shipped.out.splitlines()
    assert entry.name in line
    assert "another version of TensorRT-RTX" in line
    answer = firstlight("engine", "list", "--json").json
    row, *others = answer["engines"]
    assert all(other["shipped"] for other in others)
    assert (row["name"], row["part"], row["fits"], row["shipped"]) == (entry.name, "transformer", False, False)
    assert row["plan_bytes"] == len(PLAN) > row["stored_bytes"] == answer["bytes"]
    assert row["facts"]["rtx_version"] == "1.6.0.1"


def test_remove_deletes_what_is_named(firstlight: Command, store: Store) -> None:
    one, two = add(store, "toy-1"), add(store, "toy-2")
    assert firstlight("engine", "remove", one.name, "--json").json == {"removed": [one.name], "set_aside": 0}
    assert [entry.name for entry in store.entries()] == [two.name]
    missing = firstlight("engine", "remove", two.name, "nonsense", "--json")
    assert missing.code == 3
    assert missing.json["removed"] == [two.name]
    assert missing.json["error"]["kind"] == "unusable_file"


def test_remove_all_takes_damaged_ones_too(firstlight: Command, store: Store) -> None:
    one, two = add(store, "toy-1"), add(store, "toy-2")
    (one.folder / MANIFEST).write_bytes(b"\x00\xff")
    assert firstlight("engine", "remove", "--all", "--json").json == {"removed": [two.name], "set_aside": 1}
    assert "nothing" in firstlight("engine", "remove", "--all").out


@pytest.mark.parametrize("line", [["remove"], ["remove", "x", "--all"], ["nonsense"], ["build", "--precision", "int3"]])
def test_usage_errors(firstlight: Command, line: list[str]) -> None:
    outcome = firstlight("engine", *line)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1


@needs_rtx
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--precision", "fp32"], 2, "fp32"),
        (["--part", "unet"], 2, "unet"),
        (["--weights", "constant"], 2, "constant"),
        (["--capability", "7.5"], 2, "no bf16"),
        (["--capability", "9.0", "--precision", "fp16"], 2, "9.0"),
        (["--model", "z-image-turbo"], 3, "not on this machine"),
    ],
)
def test_engines_that_cannot_be(
    firstlight: Command, tiny_model: Path, store: Store, options: list[str], code: int, said: str
) -> None:
    model = [] if "--model" in options else ["--model", str(tiny_model)]
    outcome = firstlight("engine", "build", *model, *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.count("\n") == 1
    assert said in outcome.err
    assert not store.folder.exists()


def test_without_tensorrt_rtx_it_is_told(
    firstlight: Command, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rtx, "find_version", lambda: None)
    outcome = firstlight("engine", "build", "--model", str(tiny_model))
    assert outcome.code == 5
    assert "firstlight[rtx]" in outcome.err


@pytest.mark.slow
@needs_rtx
def test_build_builds_what_is_missing(firstlight: Command, tiny_model: Path, store: Store) -> None:
    line = ["engine", "build", "--model", str(tiny_model), "--weights", "input", "--part", "text_encoder", "--json"]
    (first,) = firstlight(*line).json["engines"]
    assert first["built"]
    (second,) = firstlight(*line).json["engines"]
    assert second == {**first, "built": False}
    (entry,) = store.entries()
    (entry.folder / "engine").write_bytes(b"x" * entry.manifest.stored_bytes)
    repaired = firstlight(*line)
    assert repaired.json["engines"][0]["built"]
    assert "set aside" in repaired.err
