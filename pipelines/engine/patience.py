"""Waiting for a call that knows neither progress nor interruption, without being as deaf."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_POLL = 0.25  # seconds between two words to the user


class _Call(Generic[T]):
    """The call on its thread, and how it ended."""

    def __init__(self, work: Callable[[], T], dispose: Callable[[T], None]) -> None:
        self._work = work
        self._dispose = dispose
        self._lock = threading.Lock()
        self._abandoned = False
        self.done = threading.Event()
        self.result: list[T] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            result = self._work()
        except BaseException as error:  # noqa: BLE001  # raised again where the caller waits
            self.error = error
        else:
            with self._lock:
                if not self._abandoned:
                    self.result.append(result)
                    self.done.set()
                    return
            self._dispose(result)
        self.done.set()

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
        for result in self.result:
            self._dispose(result)


def wait(work: Callable[[], T], say: Callable[[float], None], dispose: Callable[[T], None]) -> T:
    """Call `work` on a thread and `say` the elapsed seconds meanwhile.

    Where `say` raises, as it does on a cancel, that goes on at once: the call ends when it ends, and `dispose` takes
    its result. What `work` raises is raised here.
    """
    call = _Call(work, dispose)
    began = time.monotonic()
    threading.Thread(target=call.run, name="patience", daemon=True).start()
    try:
        while not call.done.wait(_POLL):
            say(time.monotonic() - began)
    except BaseException:
        call.abandon()
        raise
    if call.error is not None:
        raise call.error
    return call.result[0]
