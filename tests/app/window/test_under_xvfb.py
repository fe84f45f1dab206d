"""The app as a person uses it, on a real X server: start, draw, drag the picture back in, draw it again, restart.

Slow; by hand with --slow, where Xvfb and xdotool are. The last run is recorded in resources/screenshots/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageGrab

from pipelines import inspection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]
PATIENCE = 120  # seconds

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool"),
]


@pytest.fixture
def screen() -> Iterator[str]:
    """A screen of 1680 x 900."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1680x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        yield f":{answer.readline().strip()}"
    server.terminate()
    server.wait(10)


class Person:
    """Hands on mouse and keyboard, eyes on the screen and the profile."""

    def __init__(self, screen: str, home: Path) -> None:
        self.home = home
        self._screen = screen
        self._environment = {
            **os.environ,
            "DISPLAY": screen,
            "QT_QPA_PLATFORM": "xcb",
            "FIRSTLIGHT_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
        }

    @contextmanager
    def app(self, code: int = 0) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen([sys.executable, "-m", "app"], env=self._environment, stderr=subprocess.PIPE) as app:
            try:
                yield app
                assert app.wait(PATIENCE) == code
            finally:
                app.kill()
            assert app.stderr is not None
            assert b"Traceback" not in app.stderr.read()

    @contextmanager
    def program(self, *arguments: str) -> Iterator[None]:
        command = [sys.executable, "-m", "tests.app.window.programs", *arguments]
        with subprocess.Popen(command, env=self._environment) as program:
            try:
                yield
            finally:
                program.kill()

    def do(self, *arguments: str) -> str:
        done = subprocess.run(
            ["xdotool", *arguments], env=self._environment, capture_output=True, text=True, timeout=60, check=False
        )
        return done.stdout.strip()

    def find_window(self, title: str) -> str:
        self.wait(lambda: self.do("search", "--onlyvisible", "--name", title))
        return self.do("search", "--onlyvisible", "--name", title).split()[0]

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.do("mousemove", *map(str, start), "mousedown", "1")
        for part in range(1, 21):
            x, y = (round(a + (b - a) * part / 20) for a, b in zip(start, end, strict=True))
            self.do("mousemove", str(x), str(y))
            time.sleep(0.03)
        time.sleep(1)
        self.look("dragging")
        self.do("mouseup", "1")

    def pictures(self) -> list[Path]:
        folder = self.home / "pictures"
        return sorted(folder.glob("*.png"), key=lambda file: file.stat().st_mtime) if folder.is_dir() else []

    def settings(self) -> dict[str, object]:
        file = self.home / "config" / "settings.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def look(self, name: str) -> Image.Image:
        picture = ImageGrab.grab(xdisplay=self._screen)
        if folder := os.environ.get("XVFB_PICTURES"):
            picture.save(Path(folder) / f"{name}.png")
        return picture

    def wait(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.1)


def test_start_draw_drag_back_in_restart(screen: str, tmp_path: Path) -> None:
    person = Person(screen, tmp_path / "home")

    begun = time.monotonic()
    with person.app():
        window = person.find_window("Firstlight")
        sys.stdout.write(f"window after {time.monotonic() - begun:.1f} s\n")
        person.do("windowfocus", "--sync", window)
        time.sleep(1)
        person.look("1 first page")
        person.do("key", "Return")  # the button of the first page has the focus
        person.wait(lambda: len(person.pictures()) == 1)
        sys.stdout.write(f"first picture after {time.monotonic() - begun:.1f} s\n")
        time.sleep(1)
        person.look("2 first picture")
        (first,) = person.pictures()

        with person.program("drag_source", str(first)):
            person.find_window("Drag me")
            person.drag((1580, 300), (900, 400))
            dialog = person.find_window("Use this picture")
        time.sleep(1)
        person.look("3 dropped")
        person.do("windowfocus", "--sync", dialog, "key", "Return")  # use its settings
        time.sleep(1)
        person.do("windowfocus", "--sync", window, "key", "ctrl+Return")
        person.wait(lambda: len(person.pictures()) == 2)
        time.sleep(1)
        person.look("4 drawn again")
        person.do("windowfocus", "--sync", window, "key", "ctrl+q")

    one, other = person.pictures()
    records = [inspection.read(file).record for file in (one, other)]
    assert records[0] is not None
    assert records[1] is not None
    assert records[0].request == records[1].request
    with Image.open(one) as first_image, Image.open(other) as second_image:
        assert first_image.tobytes() == second_image.tobytes()

    with person.app(code=130) as app:  # SIGTERM counts as a cancel, as of every command
        person.find_window("Firstlight")
        time.sleep(2)
        seen = person.look("5 restarted")
        assert len(seen.resize((168, 90)).getcolors(168 * 90) or ()) > 500  # the picture is shown again
        assert str(person.settings()["last_request"]).find(records[0].request.prompt) > 0
        app.send_signal(signal.SIGTERM)
