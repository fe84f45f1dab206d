"""The entry in a Linux desktop's menu."""

from __future__ import annotations

import configparser
import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli import main
from app.commands import desktop_entry


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "my data"))
    return tmp_path / "my data"


def read_exec(text: str) -> str:
    parser = configparser.RawConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]  # keys keep their case, as documented
    parser.read_string(text)
    return parser["Desktop Entry"]["Exec"]


def test_it_is_written_and_removed_again(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["desktop-entry", "--json"]) == 0
    written = [Path(name) for name in json.loads(capsys.readouterr().out)["written"]]
    entry = data / "applications" / "firstlight.desktop"
    assert entry in written
    assert all(path.is_file() for path in written)
    assert shlex.split(read_exec(entry.read_text(encoding="utf-8")))[-2:] == ["--open", "%f"]
    if checker := shutil.which("desktop-file-validate"):
        assert subprocess.run([checker, str(entry)], check=False).returncode == 0
    assert main(["desktop-entry", "--remove"]) == 0
    assert not [path for path in data.rglob("*") if path.is_file()]


def test_a_folder_that_cannot_be_written_is_told(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data.write_text("a file in the way")
    assert main(["desktop-entry"]) == 3
    assert "cannot be written" in capsys.readouterr().err


def test_the_command_is_this_very_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "firstlight"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program), "desktop-entry"])
    assert desktop_entry.find_command() == [str(program)]


def unquote(text: str) -> str:
    """Read an argument as a desktop does: the file's own escapes, then the quotes of Exec, then the field codes."""
    text = text.replace("\\\\", "\\")
    if text.startswith('"'):
        inner, text, at = text[1:-1], "", 0
        while at < len(inner):
            at += inner[at] == "\\"
            text += inner[at]
            at += 1
    return text.replace("%%", "%")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_any_path_survives_quoting(path: str) -> None:
    assert unquote(desktop_entry.quote(path)) == path
