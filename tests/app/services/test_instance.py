"""A second start, as a process of its own, finds the window that is open, and only that of its own profile."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app.services.instance import Instance

pytest.importorskip("pytestqt.qtbot")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.services.instance import Instance
app = QCoreApplication([])
sys.exit(0 if Instance(Path(sys.argv[1])).hand_over([Path(name) for name in sys.argv[2:]]) else 7)
"""


@pytest.fixture
def door(tmp_path: Path, qtbot: QtBot) -> Iterator[Instance]:
    made = Instance(tmp_path / "data")
    made.listen()
    yield made
    made.close()


def start_second(data: Path, *files: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SECOND, str(data), *map(str, files)], env=dict(os.environ))


def test_files_arrive_whole(door: Instance, tmp_path: Path, qtbot: QtBot) -> None:
    files = (tmp_path / "Größe 日本.png", tmp_path / "b c.safetensors")
    with qtbot.waitSignal(door.received, timeout=20_000) as heard:
        second = start_second(tmp_path / "data", *files)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=10_000)
    assert heard.args == [files]
    assert second.returncode == 0


def test_a_start_without_files_wants_the_window(door: Instance, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(door.received, timeout=20_000) as heard:
        second = start_second(tmp_path / "data")
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=10_000)
    assert heard.args == [()]


def test_another_profile_is_not_found(door: Instance, tmp_path: Path) -> None:
    assert start_second(tmp_path / "other").wait(20) == 7


def test_a_window_that_is_closed_is_not_found(door: Instance, tmp_path: Path) -> None:
    door.close()
    assert start_second(tmp_path / "data").wait(20) == 7


def test_one_that_hangs_does_not_keep_the_second_from_starting(door: Instance, tmp_path: Path) -> None:
    # no event loop turns here: the first does not answer
    assert start_second(tmp_path / "data").wait(20) == 7


def test_a_crash_leaves_nothing_in_the_way(door: Instance, tmp_path: Path, qtbot: QtBot) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom PySide6.QtCore import QCoreApplication\n"
        "from app.services.instance import Instance\napp = QCoreApplication([])\n"
        "door = Instance(Path(sys.argv[1])); door.listen(); os._exit(9)"
    )
    data = tmp_path / "crashed"
    assert subprocess.run([sys.executable, "-c", code, str(data)], check=False).returncode == 9
    again = Instance(data)
    assert not again.hand_over([])
    again.listen()
    with qtbot.waitSignal(again.received, timeout=20_000):
        second = start_second(data)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=10_000)
    again.close()
