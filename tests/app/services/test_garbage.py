"""Garbage is collected where the QObjects live."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from app.services import garbage

ROOT = Path(__file__).parents[3]


class Cycle:
    def __init__(self, died_on: list[threading.Thread]) -> None:
        self.me = self
        weakref.finalize(self, lambda: died_on.append(threading.current_thread()))


def make_much(died_on: list[threading.Thread]) -> None:
    for _ in range(2000):  # Python's threshold is 700
        Cycle(died_on)


def test_another_thread_collects_nothing() -> None:
    died_on: list[threading.Thread] = []
    with garbage.left_to_us():
        thread = threading.Thread(target=make_much, args=(died_on,))
        thread.start()
        thread.join()
        assert died_on == []
        garbage.collect()
        assert len(died_on) == 2000
        assert set(died_on) == {threading.current_thread()}
    assert gc.isenabled()


def test_nothing_is_collected_that_is_not_due() -> None:
    gc.collect()
    died_on: list[threading.Thread] = []
    with garbage.left_to_us():
        Cycle(died_on)
        garbage.collect()
        assert died_on == []
    gc.collect()
    assert len(died_on) == 1


def test_timers_of_objects_in_cycles_do_not_outlive_them() -> None:
    """Without `left_to_us` this crashes: Qt calls the timers of objects that another thread has collected."""
    code = """
import threading
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from app.services import garbage

class Model(QObject):
    def __init__(self):
        super().__init__()
        self.me = self
        self.timer = QTimer(self, interval=1)
        self.timer.timeout.connect(self.tick)
        self.timer.start()

    def tick(self): pass

def allocate():
    for _ in range(3000):
        cycle = []
        cycle.append(cycle)

def turn():
    global turns
    turns += 1
    for _ in range(20):
        Model()
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    garbage.collect()
    if turns == 20:
        app.quit()

turns = 0
app = QCoreApplication([])
timer = QTimer()
timer.timeout.connect(turn)
timer.start(0)
with garbage.left_to_us():
    app.exec()
print("well")
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert (run.returncode, run.stdout) == (0, "well\n"), run.stderr[-2000:]
