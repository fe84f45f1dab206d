"""`firstlight generate` on a real, tiny, untrained FLUX.1 model: what comes out, and what when it cannot."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from app.progress import Reporter
from pipelines import images
from pipelines.events import PictureSaved, Progress, Stage
from pipelines.request import HiresFix, Outpaint

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.events import Event
    from tests.app.conftest import Command, Outcome, Process, Starter

unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals, limits and names")


@pytest.fixture
def line(tiny_model: Path) -> list[str]:
    """What every command here has in common: quick to draw."""
    return ["--model", str(tiny_model), "--steps", "2", "--size", "64x64", "--seed", "7"]


def assert_fails(outcome: Outcome, code: int, *words: str) -> None:
    """A clear one-line error, the right exit code, no traceback."""
    last = outcome.err.splitlines()[-1]
    assert outcome.code == code, outcome.err
    assert last.startswith("firstlight: ")
    assert "Traceback" not in outcome.err
    for word in words:
        assert word in last


def assert_nothing_left(folder: Path) -> None:
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def pixels(path: Path) -> bytes:
    with Image.open(path) as image:
        return image.convert("RGB").tobytes()


def react(monkeypatch: pytest.MonkeyPatch, action: Callable[[Event], None]) -> None:
    """Call `action` with each event of the run, before the command sees it."""
    original = Reporter.__call__

    def call(self: Reporter, event: Event, /) -> None:
        action(event)
        original(self, event)

    monkeypatch.setattr(Reporter, "__call__", call)


# What comes out


def test_a_picture_and_what_is_said_about_it(firstlight: Command, line: list[str], tmp_path: Path) -> None:
    path = tmp_path / "apple.png"
    outcome = firstlight("generate", "a red apple", *line, "--out", str(path))
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"{path}  64x64  seed 7  ")
    assert outcome.out.count("\n") == 1
    assert all(text.startswith("firstlight: ") for text in outcome.err.splitlines())
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (64, 64))


def test_the_answer_in_json_and_the_settings_in_the_picture_agree(
    firstlight: Command, line: list[str], tmp_path: Path
) -> None:
    prompt = 'ō 😄\nSteps: 5, Seed: 1\nNegative prompt: none, "quoted"'
    out = ["--out", str(tmp_path / "a.png"), "--json"]
    answer = firstlight("generate", prompt, *line, *out, "--negative", "a\nb", "--guidance", "2.5").json
    (picture,) = answer["pictures"]
    assert {key: picture[key] for key in ("path", "seed", "width", "height")} == {
        "path": str(tmp_path / "a.png"),
        "seed": 7,
        "width": 64,
        "height": 64,
    }
    assert 0 < picture["model_seconds"] <= answer["seconds"]
    assert {plan["component"] for plan in answer["plans"]} == {
        "text_encoder",
        "text_encoder_2",
        "transformer",
        "vae",
    }
    assert all(plan["backend"] == "eager" and plan["reason"] for plan in answer["plans"])
    request = answer["request"]
    assert (request["prompt"], request["negative_prompt"]) == (prompt, "a\nb")
    assert (request["num_inference_steps"], request["guidance_scale"]) == (2, 2.5)
    settings = firstlight("inspect", str(tmp_path / "a.png"), "--json").json
    assert settings["source"] == "firstlight"
    assert settings["record"]["request"] == request
    shown = firstlight("inspect", str(tmp_path / "a.png"))
    assert shown.code == 0
    assert "    Steps: 5, Seed: 1\n" in shown.out  # set in: a line of the prompt that looks like a setting


def test_several_pictures_have_seeds_of_their_own(firstlight: Command, line: list[str], tmp_path: Path) -> None:
    answer = firstlight("generate", "x", *line, "--count", "2", "--out", str(tmp_path / "n.png"), "--json").json
    first, second = answer["pictures"]
    assert (first["seed"], second["seed"]) == (7, 8)
    assert first["path"] != second["path"]
    line[line.index("7")] = "8"
    alone = firstlight("generate", "x", *line, "--out", str(tmp_path / "alone.png"), "--json").json
    assert pixels(Path(alone["pictures"][0]["path"])) == pixels(Path(second["path"]))
    assert pixels(Path(first["path"])) != pixels(Path(second["path"]))


def test_a_random_seed_is_reported_and_makes_the_picture_again(
    firstlight: Command, line: list[str], tmp_path: Path
) -> None:
    line[line.index("7")] = "-1"
    (picture,) = firstlight("generate", "x", *line, "--out", f"{tmp_path}/", "--json").json["pictures"]
    assert 0 <= picture["seed"] < 2**64
    line[line.index("-1")] = str(picture["seed"])
    (again,) = firstlight("generate", "x", *line, "--out", f"{tmp_path}/", "--json").json["pictures"]
    assert picture["path"] != again["path"]
    assert pixels(Path(picture["path"])) == pixels(Path(again["path"]))


def test_without_a_place_pictures_go_to_the_pictures_folder(firstlight: Command, line: list[str], home: Path) -> None:
    (picture,) = firstlight("generate", "x", *line, "--json").json["pictures"]
    assert Path(picture["path"]).parent == home / "pictures"
    assert Path(picture["path"]).is_file()


def test_an_empty_prompt_is_a_prompt(firstlight: Command, line: list[str], tmp_path: Path) -> None:
    answer = firstlight("generate", "", *line, "--out", f"{tmp_path}/", "--json").json
    assert answer["request"]["prompt"] == ""
    assert Path(answer["pictures"][0]["path"]).is_file()


@pytest.mark.parametrize("size", ["65x127", "200x96", "4096x64", "64x1000"])
def test_the_file_has_exactly_the_size_asked_for(
    firstlight: Command, line: list[str], tmp_path: Path, size: str
) -> None:
    line[line.index("64x64")] = size
    outcome = firstlight("generate", "x", *line, "--out", str(tmp_path / "a.png"), "--json")
    assert outcome.code == 0, outcome.err
    with Image.open(tmp_path / "a.png") as image:
        assert f"{image.width}x{image.height}" == size


@pytest.mark.parametrize(("name", "kind"), [("a.jpg", "JPEG"), ("a.webp", "WEBP")])
def test_other_formats_carry_the_settings_too(
    firstlight: Command, line: list[str], tmp_path: Path, name: str, kind: str
) -> None:
    prompt = "two\nlines 😄"
    assert firstlight("generate", prompt, *line, "--out", str(tmp_path / name)).code == 0
    settings = firstlight("inspect", str(tmp_path / name), "--json").json
    assert (settings["format"], settings["record"]["request"]["prompt"]) == (kind, prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        '"A Name" game?',
        "a/../../b",
        r"C:\x:*<>|",
        "CON",
        "trailing. . .",
        "ō 😄",
        "\n\t\x00",
        "x" * 500,
        "..",
        "~",
        "$(rm)",
    ],
)
def test_any_prompt_makes_a_file_name(firstlight: Command, line: list[str], tmp_path: Path, prompt: str) -> None:
    folder = tmp_path / "out"
    outcome = firstlight("generate", prompt, *line, "--out", f"{folder}/", "--json")
    assert outcome.code == 0, outcome.err
    (path,) = folder.iterdir()
    assert str(path) == outcome.json["pictures"][0]["path"]
    assert path.suffix == ".png"
    assert not set(path.name) & set('"*/:<>?\\|\n\t\x00')
    assert firstlight("inspect", str(path), "--json").json["record"]["request"]["prompt"] == prompt


def test_the_model_decides_what_is_left_open(firstlight: Command, tiny_model: Path, tmp_path: Path) -> None:
    shown = firstlight("models", "show", str(tiny_model), "--json").json["model"]
    answer = firstlight(
        "generate",
        "x",
        "--model",
        str(tiny_model),
        "--steps",
        "1",
        "--out",
        str(tmp_path / "a.png"),
        "--json",
    ).json
    request = answer["request"]
    assert (request["width"], request["height"]) == (shown["width"], shown["height"])
    assert request["guidance_scale"] == shown["guidance_scale"]


def test_a_start_picture_gives_the_size(firstlight: Command, tiny_model: Path, tmp_path: Path) -> None:
    Image.new("RGB", (96, 70), "red").save(tmp_path / "start.png")
    line = ["--model", str(tiny_model), "--steps", "2", "--image", str(tmp_path / "start.png")]
    outcome = firstlight("generate", "x", *line, "--out", str(tmp_path / "a.png"), "--json")
    assert outcome.code == 0, outcome.err
    assert (outcome.json["pictures"][0]["width"], outcome.json["pictures"][0]["height"]) == (96, 70)


def test_margins_masks_and_second_passes_are_kept_in_the_picture(
    firstlight: Command, tiny_model: Path, tmp_path: Path
) -> None:
    start, mask = tmp_path / "start.png", tmp_path / "mask.png"
    Image.new("RGB", (96, 64), "red").save(start)
    Image.new("L", (96, 64), 255).save(mask)
    usual = ["generate", "x", "--model", str(tiny_model), "--steps", "1", "--out", str(tmp_path / "a.png"), "--json"]
    cases: list[tuple[list[str], tuple[int, int], dict[str, object]]] = [
        (
            ["--image", str(start), "--outpaint", "32,0,0,16"],
            (128, 80),
            {"outpaint": Outpaint(32, 0, 0, 16), "strength": 1.0, "mask_feather": 8},
        ),
        (
            ["--image", str(start), "--mask", str(mask), "--mask-area-only", "--mask-feather", "3", "--size", "64x64"],
            (96, 64),
            {"mask_area_only": True, "mask_feather": 3, "strength": 0.6},
        ),
        (["--size", "64x64", "--hires", "1.5:0.4:2"], (96, 96), {"hires": HiresFix(1.5, 0.4, 2)}),
    ]
    for options, size, settings in cases:
        outcome = firstlight(*usual, *options)
        assert outcome.code == 0, outcome.err
        (shown,) = outcome.json["pictures"]
        assert (shown["width"], shown["height"]) == size
        record = images.read(tmp_path / "a.png").record
        assert record is not None
        assert {name: getattr(record.request, name) for name in settings} == settings


# Bad input


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--size", "0x0"], 2, "64 to 4096"),
        (["--size", "63x64"], 2, "64 to 4096"),
        (["--size", "64x4097"], 2, "64 to 4096"),
        (["--size", "99999999999x1"], 2, "64 to 4096"),
        (["--size", "big"], 2, "'big'"),
        (["--size", "64"], 2, "WIDTHxHEIGHT"),
        (["--seed", "-2"], 2, "seed of -2"),
        (["--seed", str(2**64)], 2, "18446744073709551615"),
        (["--seed", "lucky"], 2, "'lucky'"),
        (["--steps", "0"], 2, "steps of 0"),
        (["--guidance", "nan"], 2, "guidance of nan"),
        (["--count", "0"], 2, "count of 0"),
        (["--strength", "2"], 2, "strength of 2"),
        (["--upscale", "3"], 2, "upscale of 3"),
        (["--mask", "m.png"], 2, "--image"),
        (["--scheduler", "nonsense"], 2, "nonsense"),
        (["--backend", "tensorrt_rtx"], 5, "tensorrt_rtx"),
        (["--backend", "inductor"], 5, "inductor"),
        (["--model", "no such model"], 3, "no such model"),
        (["--model", "/no/such/folder"], 3, "/no/such/folder"),
        (["--model", "/"], 3, "model_index.json"),
        (["--model", ""], 3, "model_index.json"),
        (["--model", "x" * 5000], 3, "too long"),
        (["--model", "~nobody-of-that-name/model"], 3, "~nobody-of-that-name"),
        (["--image", "x" * 5000], 3, "too long"),
        (["--lora", "x" * 5000 + ".safetensors"], 3, "too long"),
        (["--image", "/no/such.png"], 3, "/no/such.png"),
        (["--lora", "/no/such.safetensors"], 3, "/no/such.safetensors"),
        (["--out", "a.gif"], 2, ".gif"),
        (["--out", "-"], 2, "--out"),
        (["--out", ""], 2, "--out"),
        (["--out", "/dev/null/a.png"], 3, "/dev/null"),
        (["--out", "x" * 300 + ".png"], 3, "cannot be written"),
    ],
)
def test_bad_input_is_told_in_one_line(
    firstlight: Command,
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    code: int,
    words: str,
) -> None:
    if words.startswith("/dev") and sys.platform == "win32":
        pytest.skip("no such path on Windows")
    monkeypatch.chdir(tmp_path)
    outcome = firstlight("generate", "x", *line, "--out", "a.png", *options)
    assert_fails(outcome, code, words)
    assert outcome.out == ""
    assert_nothing_left(tmp_path)


def test_a_start_picture_of_an_impossible_size(firstlight: Command, tiny_model: Path, tmp_path: Path) -> None:
    Image.new("RGB", (1, 1)).save(tmp_path / "dot.png")
    outcome = firstlight("generate", "x", "--model", str(tiny_model), "--image", str(tmp_path / "dot.png"))
    assert_fails(outcome, 2, "1x1", "--size")


@pytest.mark.parametrize(
    "file",
    [
        "model_index.json",
        "transformer/config.json",
        "transformer/diffusion_pytorch_model.safetensors.index.json",
        "transformer/diffusion_pytorch_model-00001-of-*.safetensors",
        "vae/diffusion_pytorch_model.safetensors",
        "text_encoder/model.safetensors",
        "text_encoder_2/model.safetensors",
        "tokenizer",
        "tokenizer_2",
        "scheduler/scheduler_config.json",
    ],
)
def test_a_missing_model_file_is_named(
    firstlight: Command, line: list[str], model_copy: Path, tmp_path: Path, file: str
) -> None:
    (path,) = model_copy.glob(file)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    line[1] = str(model_copy)
    outcome = firstlight("generate", "x", *line, "--out", str(tmp_path / "out" / "a.png"))
    assert_fails(outcome, 3, path.name.split(".")[0])
    assert_nothing_left(tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"<html>404</html>", b"version https://git-lfs.github.com/spec/v1\n", None])
def test_a_damaged_model_file_is_named(
    firstlight: Command, line: list[str], model_copy: Path, tmp_path: Path, content: bytes | None
) -> None:
    path = model_copy / "vae" / "diffusion_pytorch_model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    line[1] = str(model_copy)
    outcome = firstlight("generate", "x", *line, "--out", str(tmp_path / "out" / "a.png"))
    assert_fails(outcome, 3, path.name)
    if content is None:
        assert f"{len(whole) // 2}" in outcome.err.replace(",", "").replace(" ", "")  # N of M bytes
    assert_nothing_left(tmp_path / "out")


def test_a_folder_that_vanishes_during_the_run(
    firstlight: Command, line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"

    def vanish(event: Event) -> None:
        if isinstance(event, Progress) and event.stage is Stage.decoding:
            shutil.rmtree(folder, ignore_errors=True)

    react(monkeypatch, vanish)
    assert_fails(firstlight("generate", "x", *line, "--out", str(folder / "a.png")), 3, str(folder))
    assert not folder.exists()


@unix
def test_a_folder_that_cannot_be_written(firstlight: Command, line: list[str]) -> None:
    # /proc refuses everybody, root too, who may write in any folder that is merely read-only
    assert_fails(firstlight("generate", "x", *line, "--out", "/proc/firstlight/a.png"), 3, "/proc/firstlight")


@unix
def test_a_disk_that_is_full(process: Process, line: list[str], tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk: the system refuses the rest of the picture."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    outcome = process("generate", "x", *line, "--out", str(tmp_path / "out" / "a.png"), "--json", preexec_fn=limit)
    assert_fails(outcome, 4)
    assert outcome.json["error"]["kind"] == "no_room"
    assert_nothing_left(tmp_path / "out")


@unix
def test_a_prompt_that_is_no_text(process: Process, line: list[str], tmp_path: Path) -> None:
    outcome = process("generate", os.fsdecode(b"caf\xe9"), *line, "--out", str(tmp_path / "a.png"))
    assert_fails(outcome, 2, "UTF-8")


@pytest.mark.parametrize(
    ("data", "prompt"),
    [
        ("ō 😄\nline two\n".encode(), "ō 😄\nline two"),
        (b"\xef\xbb\xbfwindows\r\n", "windows"),
        (b"", ""),
    ],
)
def test_the_prompt_from_standard_input(
    firstlight: Command,
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: bytes,
    prompt: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    answer = firstlight("generate", "-", *line, "--out", str(tmp_path / "a.png"), "--json").json
    assert answer["request"]["prompt"] == prompt


def test_standard_input_that_is_no_text(firstlight: Command, line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\x00")))
    assert_fails(firstlight("generate", "-", *line), 2, "UTF-8")


def test_a_process_without_standard_input(
    firstlight: Command, line: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert_fails(firstlight("generate", "-", *line), 2, "standard input")


# Ctrl+C


def test_pictures_saved_before_ctrl_c_stay_and_are_told(
    firstlight: Command, line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(event: Event) -> None:
        if isinstance(event, Progress) and event.stage is Stage.denoising and list(tmp_path.glob("n*.png")):
            signal.raise_signal(signal.SIGINT)

    react(monkeypatch, press)
    outcome = firstlight("generate", "x", *line, "--count", "3", "--out", str(tmp_path / "n.png"), "--json")
    assert_fails(outcome, 130)
    assert outcome.json["error"]["kind"] == "cancelled"
    (picture,) = outcome.json["pictures"]
    assert [Path(picture["path"])] == list(tmp_path.glob("*.png"))
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_picture_saved_before_a_failure_is_told_to_a_person_too(
    firstlight: Command, line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"

    def block(event: Event) -> None:
        if isinstance(event, PictureSaved):
            folder.rename(tmp_path / "away")

    react(monkeypatch, block)
    outcome = firstlight("generate", "x", *line, "--count", "2", "--out", str(folder / "n.png"))
    assert_fails(outcome, 3, str(folder))
    assert outcome.out.startswith(str(folder / "n.png"))


@unix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_in_a_process_stops_soon_and_leaves_nothing(
    start: Starter, line: list[str], tmp_path: Path, number: signal.Signals
) -> None:
    line[line.index("2")] = "1000"
    running = start("generate", "x", *line, "--count", "1000", "--out", str(tmp_path / "out" / "a.png"), "--json")
    assert running.stderr is not None
    running.stderr.readline()  # the plan is told, so loading or drawing is under way
    time.sleep(1.0)
    running.send_signal(number)
    began = time.monotonic()
    try:
        out, err = running.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        running.kill()
        raise
    assert running.returncode == 130, err
    assert b'"cancelled"' in out
    assert b"Traceback" not in err
    assert b"Stopping ..." in err
    assert time.monotonic() - began < 10
    assert_nothing_left(tmp_path / "out")
