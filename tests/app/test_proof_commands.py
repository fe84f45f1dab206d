"""`firstlight bench|validate|profile`: answers, files and exit codes, on the tiny model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.conftest import Command


@pytest.mark.parametrize(
    "line",
    [
        ["bench", "--suite", "fast"],
        ["bench", "--against", "none.json", "--model", "nothing"],
        ["validate", "--size", "9"],
    ],
)
def test_mistakes(firstlight: Command, line: list[str]) -> None:
    outcome = firstlight(*line)
    assert outcome.code in (2, 3)
    assert outcome.err.count("\n") == 1


def test_validate_keeps_its_record_and_answers(
    firstlight: Command, tiny_model: Path, tmp_path: Path, home: Path
) -> None:
    file = tmp_path / "record.json"
    outcome = firstlight("validate", "--model", str(tiny_model), "--size", "64x64", "--json", str(file))
    assert outcome.code == 0, outcome.err
    assert outcome.json["verdict"] in ("accept", "accept with notes")
    assert json.loads(file.read_text())["facts"]["precision"] == "bf16"
    assert file.with_suffix(".png").is_file()
    assert len(list((home / "data" / "records" / "acceptance").glob("*.json"))) == 1


def test_what_is_rejected_has_an_exit_code(firstlight: Command, tiny_model: Path, home: Path) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "acceptance.toml").write_text("[bf16]\nstep_error = [0, 0]\n")
    outcome = firstlight("validate", "--model", str(tiny_model), "--size", "64x64")
    assert outcome.code == 5
    assert "reject" in outcome.out


def test_profile(firstlight: Command, tiny_model: Path, tmp_path: Path) -> None:
    outcome = firstlight("profile", "--model", str(tiny_model), "--trace", str(tmp_path / "t.json"))
    assert outcome.code == 0, outcome.err
    assert "transformer" in outcome.out
    assert (tmp_path / "t.json").is_file()
