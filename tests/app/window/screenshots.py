"""Screenshots of every page, into resources/screenshots: `python -m tests.app.window.screenshots [FOLDER]`.

Light and dark, English and German, 100 % and 200 %: the real window, offscreen, on a profile of its own whose library
has real pictures by the starter model. They are drawn at the first run and kept in the system's folder for temporary
files, so that a second run takes seconds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QApplication

    from app.shell import Shell

ROOT = Path(__file__).parents[3]
LOOKS = ("light", "dark")
LANGUAGES = ("en", "de")
SCALES = (1, 2)
SIZE = (1200, 760)  # logical pixels
PROMPTS = (
    "a red apple on a blue background", "a fox in the snow", "a castle on a meadow", "a palm tree on the beach",
    "three mushrooms on a green background", "a rocket in the night sky", "a penguin in the snow",
    "a smiling face with sunglasses on a light blue background", "an octopus on the beach", "a robot, 3d render",
    "a sunflower on a yellow background", "four red balloons on a light blue background",
    "a blue apple on a beige background", "a butterfly on a purple background", "a dog on a meadow",
    "a slice of pizza on a red background", "an astronaut in the night sky", "a strawberry on a white background",
)  # fmt: skip
WIDE = ("a sailboat on the sea", 384, 160), ("a tree on a meadow", 160, 320)


def main(out: Path) -> None:
    """Make all of them."""
    profile = Path(tempfile.gettempdir()) / "firstlight-screenshots"
    environment = {**os.environ, "FIRSTLIGHT_HOME": str(profile), "QT_QPA_PLATFORM": "offscreen"}
    if not (profile / "ready").exists():
        shutil.rmtree(profile, ignore_errors=True)
        subprocess.run([sys.executable, "-m", __spec__.name, "--fill"], cwd=ROOT, env=environment, check=True)
        (profile / "ready").touch()
    out.mkdir(parents=True, exist_ok=True)
    for scale in SCALES:
        command = [sys.executable, "-m", __spec__.name, "--shoot", str(out), f"{scale * 100}"]
        with tempfile.TemporaryDirectory() as copy:  # the profile stays as it is
            shutil.copytree(profile, copy, dirs_exist_ok=True)
            environment |= {"FIRSTLIGHT_HOME": copy, "QT_SCALE_FACTOR": str(scale)}
            subprocess.run(command, cwd=ROOT, env=environment, check=True)
    total = 0
    for file in sorted(out.glob("*.png")):
        _optimise(file)
        total += file.stat().st_size
    sys.stdout.write(f"{len(list(out.glob('*.png')))} screenshots, {total / 1e6:.1f} MB, in {out}\n")


def fill() -> None:
    """Draw the library's pictures through the window's own queue."""
    app, shell = _open()
    generation, jobs = shell.panels.generate.generation, shell.desk.jobs
    shapes = [(prompt, 256, 256) for prompt in PROMPTS]
    for number, (prompt, width, height) in enumerate((*WIDE, *shapes)):
        generation.prompt = prompt
        generation.choose_size(width, height)
        generation.type_seed(str(7 + number))
        generation.generate()
    _wait(app, lambda: jobs.running is None, seconds=900)
    shell.close()


def shoot(out: Path, percent: str, pages: Sequence[str] = ()) -> None:
    """Take the pictures at the scale that this process has, of some pages or all."""
    from app.services.settings_table import LANGUAGE, THEME

    app, shell = _open()
    _draw_one(app, shell)
    for language in LANGUAGES:
        shell.desk.settings.set(LANGUAGE, language)
        _settle(app)
        for look in LOOKS:
            shell.desk.settings.set(THEME, look)
            _settle(app)
            for page in pages or shell.page_keys:
                shell.window.show_page(page)
                shell.window.resize(*SIZE)
                _settle(app)
                if page == "engine":
                    _settle(app, 1.5)  # its plots are loaded in the background
                if page == "gallery":
                    _choose_one(shell)
                    _settle(app)
                shell.window.grab().save(str(out / f"{page}-{look}-{language}-{percent}.png"))
    shell.close()


def _draw_one(app: QApplication, shell: Shell) -> None:
    """So that the pages have something to tell of this session."""
    generation = shell.panels.generate.generation
    generation.prompt = PROMPTS[0]
    generation.type_seed("7")
    generation.generate()
    _wait(app, lambda: shell.desk.jobs.running is None, seconds=300)
    _settle(app)


def _choose_one(shell: Shell) -> None:
    """A picture whose details stand at the side."""
    from app.views.gallery_page import GalleryPage

    page = shell.window.page_widget("gallery")
    assert isinstance(page, GalleryPage)
    page.grid.setCurrentIndex(page.grid.model().index(4, 0))


def _open() -> tuple[QApplication, Shell]:
    from app import composition
    from app.folders import find_folders
    from app.qt_start import make_application

    app = make_application()
    shell = composition.open_shell(app, find_folders(os.environ))
    _settle(app)
    return app, shell


def _settle(app: QApplication, seconds: float = 0.6) -> None:
    """Let everything arrive that is on its way: thumbnails, sizes, rebuilt windows."""
    end = time.monotonic() + seconds
    _wait(app, lambda: time.monotonic() > end)


def _wait(app: QApplication, done: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError
        app.processEvents()
        time.sleep(0.005)


def _optimise(file: Path) -> None:
    """Those at 100 % as they are; larger ones with 256 colours, which takes a quarter of the bytes."""
    from PIL import Image

    with Image.open(file) as image:
        picture = image.convert("RGB")
    if not file.stem.endswith("-100"):
        picture = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)
    picture.save(file, optimize=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--fill"]:
            fill()
        case ["--shoot", folder, percent, *pages]:
            shoot(Path(folder), percent, pages)
        case [folder]:
            main(Path(folder))
        case _:
            main(ROOT / "resources" / "screenshots")
