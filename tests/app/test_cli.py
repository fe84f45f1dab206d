"""The contract of the command line, apart from drawing: exit codes, one JSON object, one-line errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from app.commands import doctor
from pipelines import catalog

if TYPE_CHECKING:
    from tests.app.conftest import Command, Process, Starter

linux = pytest.mark.skipif(sys.platform != "linux", reason="uses Linux's own files")


def assert_one_line(err: str) -> None:
    assert err.startswith("firstlight: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a screen")
@pytest.mark.parametrize("screen", [{}, {"DISPLAY": ":7777"}])
def test_the_window_where_there_is_no_screen_is_an_error_in_one_line(process: Process, screen: dict[str, str]) -> None:
    none = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    outcome = process(env={**none, **screen})
    assert (outcome.code, outcome.out) == (3, "")
    assert_one_line(outcome.err)
    assert "window" in outcome.err


def test_version(firstlight: Command) -> None:
    outcome = firstlight("--version")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("firstlight ")


@pytest.mark.parametrize("line", [["--help"], ["generate", "--help"], ["models", "-h"], ["models", "list", "-h"]])
def test_help(firstlight: Command, line: list[str]) -> None:
    outcome = firstlight(*line)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("usage: firstlight")


@pytest.mark.parametrize(
    "line",
    [["draw"], ["generate"], ["models"], ["inspect"], ["--nonsense"], ["models", "show"], ["doctor", "me"]],
)
def test_usage_errors(firstlight: Command, line: list[str]) -> None:
    outcome = firstlight(*line)
    assert (outcome.code, outcome.out) == (2, "")
    assert_one_line(outcome.err)
    assert "--help" in outcome.err


def test_a_usage_error_is_told_in_json_too(firstlight: Command) -> None:
    outcome = firstlight("generate", "x", "--steps", "many", "--json")
    assert outcome.code == 2
    assert_one_line(outcome.err)
    assert outcome.json["error"]["kind"] == "invalid_request"
    assert "many" in outcome.json["error"]["message"]
    assert outcome.json["error"]["action"]


def test_json_as_a_prompt_is_no_option(firstlight: Command) -> None:
    outcome = firstlight("generate", "--steps", "0", "--", "--json")
    assert (outcome.code, outcome.out) == (2, "")


def test_models_list(firstlight: Command) -> None:
    known = [entry.name for entry in catalog.load()]
    shown = firstlight("models", "list")
    assert shown.code == 0
    names, disk = shown.out.split("\n\n")
    assert [line.split()[0] for line in names.splitlines()] == known
    assert disk.startswith("Models 0 bytes, unfinished downloads 0 bytes, engines 0 bytes, cache 0 bytes; ")
    models = firstlight("models", "list", "--json").json["models"]
    assert [model["name"] for model in models] == known
    assert all(
        {"title", "family", "licence", "location", "ready", "problem", "width"} <= model.keys() for model in models
    )


def test_models_show(firstlight: Command) -> None:
    shown = firstlight("models", "show", "starter")
    assert shown.code == 0
    assert "max_sequence_length" in shown.out
    model = firstlight("models", "show", "starter", "--json").json["model"]
    entry = catalog.find("starter")
    assert (model["name"], model["steps"], model["location"]) == ("starter", entry.steps, str(entry.location))


@pytest.mark.parametrize("line", [["models", "show", "startr"], ["generate", "x", "--model", "startr"]])
def test_an_unknown_model_is_told_with_the_one_that_was_meant(firstlight: Command, line: list[str]) -> None:
    outcome = firstlight(*line, "--json")
    assert outcome.code == 3
    assert_one_line(outcome.err)
    assert outcome.json["error"]["kind"] == "unusable_file"
    assert "'starter'" in outcome.json["error"]["action"]


def test_doctor_tells_the_machine_and_its_folders(firstlight: Command, home: Path) -> None:
    report = firstlight("doctor", "--json")
    facts = report.json
    assert facts["machine"]["cores"] >= 1
    assert facts["machine"]["versions"]["torch"]
    assert [backend["name"] for backend in facts["backends"]] == ["eager", "tensorrt_rtx", "inductor"]
    assert all(backend["ready"] or backend["reason"] for backend in facts["backends"])
    assert {Path(folder["path"]).parent for folder in facts["folders"]} == {home}
    assert all(folder["writable"] and folder["free"] > 0 for folder in facts["folders"])
    assert report.code == (3 if facts["problems"] else 0)
    assert not home.exists()
    text = firstlight("doctor").out
    assert facts["machine"]["cpu"] in text
    assert str(home / "logs") in text


@pytest.mark.parametrize("name", ["file/home", "x" * 5000])
def test_doctor_finds_a_profile_that_cannot_be_written(
    firstlight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(tmp_path / name))
    report = firstlight("doctor", "--json")
    assert report.code == 3
    assert not any(folder["writable"] for folder in report.json["folders"])
    assert any("not writable" in problem["message"] for problem in report.json["problems"])


def test_doctor_finds_a_full_disk(firstlight: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_LITTLE_DISK", 2**62)  # more than any disk has
    report = firstlight("doctor", "--json")
    assert any(problem["kind"] == "no_room" for problem in report.json["problems"])


def test_inspect_of_a_picture_without_settings(firstlight: Command, tmp_path: Path) -> None:
    path = tmp_path / "plain ō.png"
    Image.new("RGB", (3, 2)).save(path)
    shown = firstlight("inspect", str(path))
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == f"{path}: PNG, 3x2, no settings\n"
    assert firstlight("inspect", str(path), "--json").json["source"] == "none"


@pytest.mark.parametrize("content", [None, b"", b"\x89PNG\r\n\x1a\n", b"<html>404</html>"])
def test_inspect_of_what_is_no_picture(firstlight: Command, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a\nb.png"  # a name that would break the one line
    if content is not None:
        path.write_bytes(content)
    outcome = firstlight("inspect", str(path))
    assert (outcome.code, outcome.out) == (3, "")
    assert_one_line(outcome.err)
    assert "a\\nb.png" in outcome.err


def test_a_fault_of_our_own_is_one_line_and_its_traceback_is_kept(
    firstlight: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError("an injected\nfault")

    monkeypatch.setattr(catalog, "load", fail)
    outcome = firstlight("models", "list", "--json")
    assert outcome.code == 1
    assert_one_line(outcome.err)
    assert outcome.json["error"]["kind"] == "error"
    log = home / "logs" / "firstlight.log"
    assert str(log) in outcome.err
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_a_fault_in_a_profile_that_cannot_be_written_is_one_line_too(
    firstlight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise MemoryError

    (tmp_path / "file").touch()
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(catalog, "load", fail)
    outcome = firstlight("models", "list")
    assert outcome.code == 4
    assert_one_line(outcome.err)


def test_help_loads_nothing_heavy(process: Process) -> None:
    script = (
        "import sys; from app.cli import main; main(['--help'])\n"
        "heavy = {'torch', 'numpy', 'PIL', 'rich', 'platformdirs', 'diffusers', 'transformers', 'psutil'}\n"
        "sys.exit(', '.join(heavy & sys.modules.keys()) or 0)"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=root)
    assert (run.returncode, run.stderr) == (0, "")


@linux
def test_help_answers_in_three_tenths_of_a_second(process: Process) -> None:
    """In processor time, which other work on the machine does not stretch; nothing in it waits."""
    import resource

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    assert process("--help").code == 0
    assert used() - before <= 0.3


@pytest.mark.parametrize(("line", "code"), [(["models", "list"], 0), (["paint"], 2), (["models", "show", "?"], 3)])
def test_exit_codes_reach_the_shell(process: Process, line: list[str], code: int) -> None:
    assert process(*line).code == code


@pytest.mark.parametrize("encoding", ["cp932", "gbk", "ascii"])
def test_a_console_with_another_code_page_can_show_everything(process: Process, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "ō 😄.png"
    Image.new("RGB", (3, 2)).save(path)
    running = process("inspect", str(path), env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert (running.code, running.err) == (0, "")
    assert "\\U0001f604" in running.out
    missing = process("inspect", str(path) + "x", env={"PYTHONIOENCODING": f"{encoding}:strict"}, encoding=encoding)
    assert missing.code == 3
    assert_one_line(missing.err)


@linux
def test_a_reader_that_leaves_early_changes_nothing(start: Starter) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    running = start("models", "list", stdout=writing)
    os.close(writing)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, b"")


@linux
def test_an_answer_that_does_not_fit_on_the_disk_is_a_failure(process: Process) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = process("models", "list", "--json", stdout=full)
    assert outcome.code == 4
    assert_one_line(outcome.err)


@linux
def test_nobody_reading_errors_changes_no_exit_code(process: Process) -> None:
    with Path("/dev/full").open("wb") as full:
        assert process("paint", stderr=full).code == 2


def test_a_model_folder_is_shown_with_what_is_wrong_with_it(
    firstlight: Command, tiny_model: Path, tmp_path: Path
) -> None:
    assert firstlight("models", "show", str(tiny_model), "--json").json["model"]["ready"]
    copy = Path(shutil.copytree(tiny_model, tmp_path / "copy"))
    weights = next((copy / "vae").glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1])
    model = firstlight("models", "show", str(copy), "--json").json["model"]
    assert not model["ready"]
    assert weights.name in model["problem"]
