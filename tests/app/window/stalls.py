"""Measures how long the event loop does not turn."""

from __future__ import annotations

import time
from typing import Self

from PySide6.QtCore import QObject, Qt, QTimer

_INTERVAL = 5  # milliseconds


class Stalls(QObject):
    """While entered, a timer looks how late it is called; `longest` is in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self.when = 0.0  # seconds after it was entered
        self._begun = 0.0
        self._last = 0.0
        self._timer = QTimer(self, interval=_INTERVAL, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._look)

    def __enter__(self) -> Self:
        self._begun = self._last = time.perf_counter()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._look()
        self._timer.stop()

    def _look(self) -> None:
        now = time.perf_counter()
        late = now - self._last - _INTERVAL / 1000
        if late > self.longest:
            self.longest, self.when = late, now - self._begun
        self._last = now
