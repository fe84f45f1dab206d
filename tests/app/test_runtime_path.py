"""What every Python of an installed Firstlight runs at its start: it finds the engine, and never fails."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app import installed, runtime_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / runtime_path.FACTS).write_text("{}")
    (folder / "engine.lock").write_text("torch==1\n")
    monkeypatch.setattr(sys, "base_prefix", str(folder))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(tmp_path / "home"))
    return folder


def place_part(program: Path, *, ready: bool) -> Path:
    folder = runtime_path.find_data() / "runtime" / runtime_path.name_part(program, "engine")
    folder.mkdir(parents=True)
    if ready:
        (folder / runtime_path.READY).write_text("{}")
    return folder


def test_a_part_that_was_tried_is_found_after_the_programs_own_packages(program: Path) -> None:
    folder = place_part(program, ready=True)
    before = list(sys.path)
    runtime_path.activate()
    assert sys.path == [*before, str(folder)]
    runtime_path.activate()
    assert sys.path == [*before, str(folder)]


def test_a_part_that_was_not_tried_is_not_used(program: Path) -> None:
    place_part(program, ready=False)
    before = list(sys.path)
    runtime_path.activate()
    assert sys.path == before


def test_another_lock_is_another_folder(program: Path) -> None:
    place_part(program, ready=True)
    (program / "engine.lock").write_text("torch==2\n")
    assert runtime_path.find_parts(program, runtime_path.find_data()) == []


def test_outside_an_installed_program_nothing_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    before = list(sys.path)
    runtime_path.activate()
    assert sys.path == before


def test_it_costs_no_start_anything() -> None:
    """Standard library alone: it runs before anything else, in each process."""
    assert runtime_path.__file__ is not None
    with open(runtime_path.__file__, encoding="utf-8") as file:  # noqa: PTH123  # Path is not imported at run time
        tree = ast.parse(file.read())
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert names <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(("launcher", "python"), [("Firstlight.exe", "pythonw.exe"), ("firstlight.com", "python.exe")])
def test_child_processes_get_a_plain_python(
    program: Path, monkeypatch: pytest.MonkeyPatch, launcher: str, python: str
) -> None:
    from multiprocessing import spawn

    for name in ("python.exe", "pythonw.exe"):
        (program / name).write_text("")
    monkeypatch.setattr(sys, "executable", str(program / launcher))
    monkeypatch.setattr(sys, "_base_executable", str(program / launcher))
    monkeypatch.setattr(spawn, "_python_exe", spawn.get_executable())
    installed._use_plain_python()
    names = {sys.executable, sys._base_executable, spawn.get_executable()}  # pyright: ignore[reportAttributeAccessIssue]
    assert {str(name if isinstance(name, str) else name.decode()) for name in names} == {str(program / python)}


def test_a_crash_of_native_code_leaves_its_stack(tmp_path: Path) -> None:
    code = "import app.installed, faulthandler\nwith app.installed._crash_log():\n    faulthandler._sigsegv()"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={"FIRSTLIGHT_HOME": str(tmp_path), "PATH": "/usr/bin"}, check=False
    )
    assert ended.returncode != 0
    assert "Segmentation fault" in (tmp_path / "logs" / installed.CRASH_LOG).read_text()


def test_a_program_without_a_console_has_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    installed._give_streams()
    assert sys.stdout is not None
    sys.stdout.write("goes nowhere")
    sys.stdout.close()
