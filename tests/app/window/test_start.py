"""Starting the window as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
BAR = 1.5  # seconds until the window is visible, on 2 cores
CPU_BAR = 1.0  # seconds of them that are ours; what counts where others use the machine


def run_program(name: str, *arguments: str, seconds: float = 120) -> str:
    """Run one of `programs.py` and return what it printed."""
    environment = {**os.environ, "BEGUN": repr(time.time()), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.app.window.programs", name, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_the_window_is_visible_in_time_and_nothing_heavy_is_loaded() -> None:
    times = json.loads(run_program("start_time"))
    assert times["heavy"] == []
    for _ in range(3):  # the first run has written the caches; other work on this machine may still be in the way
        if times["painted"] <= BAR:
            break
        times = json.loads(run_program("start_time"))
    sys.stdout.write(f"{times}\n")
    assert times["cpu"] <= CPU_BAR, times
    assert times["painted"] <= BAR or is_busy(), times


def is_busy() -> bool:
    """Whether others use this machine so much that wall clocks say nothing."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
