"""The whole thing under Wine: the engine from an offline setup, a picture by it, a TensorRT-RTX plan by it.

By hand, since it takes many minutes: build with --offline --bundle-nvidia, and give the setup program's path in
`FIRSTLIGHT_FULL_SETUP`. The figures go to installer/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.installer.wine import USER

if TYPE_CHECKING:
    from tests.installer.wine import Answer, Wine

SETUP = os.environ.get("FIRSTLIGHT_FULL_SETUP", "")
PROGRAM = USER / "Full"
REPORT = Path(os.environ.get("FIRSTLIGHT_FULL_REPORT", "full-stack.json"))
PROMPT = "a red apple on a blue background"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SETUP, reason="by hand: FIRSTLIGHT_FULL_SETUP names no offline setup with NVIDIA's wheels"),
]


def last_json(answer: Answer) -> dict[str, Any]:
    """The JSON object on the last line."""
    assert answer.code == 0, answer.text
    return json.loads(answer.text.splitlines()[-1])


def test_a_picture_and_a_plan(wine: Wine, tmp_path: Path) -> None:
    figures: dict[str, object] = {"setup_bytes": Path(SETUP).stat().st_size}
    shutil.copy(SETUP, wine.shared / "setup.exe")
    started = time.monotonic()
    assert wine.line(rf"Z:\shared\setup.exe /S /D={PROGRAM}", timeout=900).code == 0
    figures["install_seconds"] = round(time.monotonic() - started, 1)
    figures["program_bytes"] = size_of(wine.path(PROGRAM))
    for name in ("get_engine.py",):
        shutil.copy(Path(__file__).with_name(name), wine.shared / name)
    python = str(PROGRAM / "app" / "python.exe")
    engine = last_json(wine.run(python, r"Z:\shared\get_engine.py", timeout=3000))
    figures["engine"] = engine
    figures["runtime_bytes"] = size_of(wine.path(USER / "AppData" / "Local" / "Firstlight" / "runtime"))
    program = str(PROGRAM / "app" / "firstlight.com")
    figures["doctor"] = last_json(wine.run(program, "doctor", "--json"))
    started = time.monotonic()
    drawn = last_json(
        wine.run(
            *(program, "generate", PROMPT, "--size", "256x256", "--seed", "7", "--out", r"Z:\shared\apple.png"),
            "--json",
            timeout=1200,
        )
    )
    figures["picture_seconds"] = round(time.monotonic() - started, 1)
    figures["picture"] = drawn
    REPORT.write_text(json.dumps(figures, indent=1))
    started = time.monotonic()
    built = wine.run(program, "engine", "build", "--model", "starter", "--precision", "fp16", "--json", timeout=2400)
    figures["plan_seconds"] = round(time.monotonic() - started, 1)
    figures["plan"] = last_json(built)
    REPORT.write_text(json.dumps(figures, indent=1))
    shutil.copy(wine.shared / "apple.png", REPORT.with_suffix(".png"))
    with Image.open(wine.shared / "apple.png") as image:
        assert image.size == (256, 256)
        assert len(image.convert("RGB").getcolors(2**20) or []) > 1000  # a drawing, not a plain area
    assert int(engine["nvidia"]["check"]["plan_bytes"]) > 0


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
