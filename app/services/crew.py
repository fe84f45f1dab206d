"""Several files of one download at once, politely, watched from the thread that wants them."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from app.services import files
from app.services.transfer import Server, fetch
from pipelines.errors import FirstlightError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.services.part import RemoteFile

_AT_ONCE = 3  # connections to one server
_WINDOW = 5.0  # seconds over which the speed is measured
_TICK = 0.1  # seconds between two looks
_GRACE = 2.0  # seconds that a thread that hangs in a connection is waited for


class Stopped(Exception):
    """The transfer was told to stop: no failure, and nothing to say to the user."""


class Meter:
    """Counts bytes from several threads; speed is that of the last seconds, of new bytes alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.file = ""
        self._clock = clock
        self._done = 0
        self._fresh = 0
        self._lock = threading.Lock()
        self._marks: deque[tuple[float, int]] = deque([(clock(), 0)])

    def add(self, count: int, *, fresh: bool) -> None:
        """`count` bytes more are there."""
        with self._lock:
            self._done += count
            if fresh:
                self._fresh += count

    def read(self, total: int | None) -> tuple[int, int | None, float, float | None]:
        """Bytes done, bytes in all, bytes a second, and seconds left."""
        with self._lock:
            now = self._clock()
            self._marks.append((now, self._fresh))
            while len(self._marks) > 2 and now - self._marks[1][0] >= _WINDOW:
                self._marks.popleft()
            then, before = self._marks[0]
            speed = (self._fresh - before) / (now - then) if now > then else 0.0
            left = (total - self._done) / speed if total is not None and speed > 0 else None
            return self._done, total, speed, left if left is None else max(0.0, left)


class Crew:
    """Fetches the files of one download into `folder`, as the `Control` of each.

    For one use; `stop` may come from any thread.
    """

    def __init__(self, server: Server, folder: Path) -> None:
        self.meter = Meter()
        self._server = server
        self._folder = folder
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wakes: dict[int, Callable[[], None]] = {}
        self._waiting: deque[RemoteFile] = deque()
        self._notes: deque[str] = deque()
        self._hashes: dict[str, str] = {}
        self._failure: FirstlightError | None = None
        self._fault: BaseException | None = None

    def fetch(
        self, remotes: Sequence[RemoteFile], show: Callable[[], None], note: Callable[[str], None]
    ) -> dict[str, str]:
        """Fetch all of them; return the sha256 of those that arrived in this run, by name.

        `show` and `note` are called on this thread and may raise to stop; what has arrived stays.

        Raises:
            Stopped: `stop` was called.
            FirstlightError: the first failure; the other files stop too.
        """
        self._waiting.extend(remotes)
        threads = [
            threading.Thread(target=self._work, name=f"download {number}", daemon=True)
            for number in range(min(_AT_ONCE, len(remotes)))
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads) and not self._stop.is_set():
                self._watch(threads, show, note)
            show()
        finally:
            self.stop_if_left(threads)
        for text in self._notes:
            note(text)
        if self._fault is not None:
            raise self._fault
        if self._failure is not None:
            raise self._failure
        if self._stop.is_set():
            raise Stopped
        return self._hashes

    def stop(self) -> None:
        """Let every file stop where it is, also one whose server sends nothing."""
        self._stop.set()
        with self._lock:
            wakes = list(self._wakes.values())
        for wake in wakes:
            wake()

    def stop_if_left(self, threads: Sequence[threading.Thread]) -> None:
        """End what still runs; a thread that hangs in a connection is left behind: it writes nothing any more."""
        if any(thread.is_alive() for thread in threads):
            self.stop()
            end = time.monotonic() + _GRACE
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))

    def check(self) -> None:
        """Raise `Stopped` where the work is to end."""
        if self._stop.is_set():
            raise Stopped

    def add(self, count: int, *, fresh: bool) -> None:
        """Count bytes of one of the files."""
        self.meter.add(count, fresh=fresh)

    def say(self, message: str) -> None:
        """Keep words for the user until the watching thread takes them."""
        self._notes.append(message)

    def attach(self, wake: Callable[[], None]) -> None:
        """Keep what ends a wait of the calling thread."""
        with self._lock:
            self._wakes[threading.get_ident()] = wake
        if self._stop.is_set():
            wake()

    def _watch(
        self, threads: Sequence[threading.Thread], show: Callable[[], None], note: Callable[[str], None]
    ) -> None:
        while self._notes:
            note(self._notes.popleft())
        show()
        end = time.monotonic() + _TICK
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _work(self) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    if not self._waiting:
                        return
                    remote = self._waiting.popleft()
                self._fetch_one(remote)
        except Stopped:
            pass
        except FirstlightError as error:
            self._failure = self._failure or error
            self.stop()
        except BaseException as fault:  # noqa: BLE001  # the thread's edge: raised again on the thread that waits
            self._fault = self._fault or fault
            self.stop()
        finally:
            with self._lock:
                self._wakes.pop(threading.get_ident(), None)

    def _fetch_one(self, remote: RemoteFile) -> None:
        target = self._folder / remote.name
        present = files.long_path(target)
        if present.is_file() and remote.size in (None, present.stat().st_size):  # was checked when it got its name
            self.meter.add(present.stat().st_size, fresh=False)
            return
        self.meter.file = remote.name
        fetched = fetch(self._server, remote, target, self)
        self._hashes[remote.name] = fetched.sha256
