"""Ctrl+C: acknowledged at once, then a clean stop, then a hard one for those who must."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Self

from pipelines.errors import Cancelled

if TYPE_CHECKING:
    from types import FrameType, TracebackType

GRACE_SECONDS = 2.0  # a clean stop gets this long before another Ctrl+C ends the process on the spot
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STDERR = 2


class Interrupt:
    """While entered, the first Ctrl+C (or SIGTERM) raises `KeyboardInterrupt` and sets `requested`.

    The flag is there since a library may swallow the exception: whoever reports next sees it and stops.
    Another Ctrl+C does nothing for two seconds, so that an impatient second press leaves no temporary file
    behind, and ends the process after that.
    """

    def __init__(self) -> None:
        self.requested = False
        self._since = 0.0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # only it may set handlers
            self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if callable(handler) else signal.Handlers(handler or 0))
        self._before = {}
        # Where the exception passed through an `eval` of text (namedtuple is made by one), CPython remembers it and,
        # caught or not, ends the process by SIGINT instead of with our exit code; any other `eval` makes it forget.
        eval("None")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self.requested:
            self.requested = True
            self._since = time.monotonic()
            _say("Stopping ...")
            raise KeyboardInterrupt
        if time.monotonic() - self._since > GRACE_SECONDS:
            os._exit(Cancelled.exit_code)  # at once: no clean-up, which is what does not end


def _say(text: str) -> None:
    """Write past Python's buffers, which a signal handler must not touch: it may have interrupted them."""
    with contextlib.suppress(OSError):  # nobody is listening; the stop matters more
        os.write(_STDERR, f"\nfirstlight: {text}\n".encode("ascii"))
