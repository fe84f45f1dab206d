"""The child process `pipelines.worker`, as one object. No Qt here."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import time
from typing import TYPE_CHECKING, Protocol

from app.services.engine_exit import count_oom_kills, describe_exit
from pipelines import worker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from pipelines.events import Failure

CLOSE_SECONDS = 2.0  # an orderly end gets this long
_DETAILS_LIMIT = 20_000  # characters of a native crash's stack

log = logging.getLogger(__name__)


class Main(Protocol):
    """What runs in the child: `pipelines.worker.main`, or a test's own round `pipelines.worker.serve`."""

    def __call__(self, connection: Connection, fault_file: str = "") -> None:
        """Serve the connection until told to close."""
        ...


class EngineProcess:
    """One child process from start to end. All methods but `kill` are for one thread.

    Raises:
        OSError: the system cannot start another process.
    """

    def __init__(self, main: Main, fault_file: Path | None) -> None:
        self._fault_file = fault_file
        self._oom_kills = count_oom_kills()
        context = multiprocessing.get_context("spawn")  # fork would copy Qt's threads and CUDA's state
        self._connection, theirs = context.Pipe()
        # A daemon: where the window ends by an exception, Python does not wait for it
        self._process = context.Process(
            target=main, args=(theirs, str(fault_file or "")), name="firstlight-engine", daemon=True
        )
        try:
            self._process.start()
        except BaseException:
            self._connection.close()
            raise
        finally:
            theirs.close()  # ours would keep the pipe open after the child's death

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid or 0

    @property
    def waitables(self) -> list[Connection | int]:
        """For `multiprocessing.connection.wait`: ready where `receive` has news."""
        return [self._connection, self._process.sentinel]

    def send(self, command: worker.Command) -> None:
        """Hand over a command. A process that is gone is noticed by `receive`."""
        try:
            self._connection.send(command)
        except OSError as error:
            log.info("the engine process does not listen: %s", error)

    def receive(self) -> list[worker.Message] | None:
        """All messages that have come; None where the process has ended and there are no more."""
        messages: list[worker.Message] = []
        alive = self._process.is_alive()  # first: what it said before its end is in the pipe by then
        try:
            while self._connection.poll():
                messages.append(self._connection.recv())
        except (EOFError, OSError):
            alive = False
        except Exception:  # the edge: a message cut off in the middle can raise anything
            log.warning("the engine process said something that cannot be read", exc_info=True)
            alive = False
        return messages if messages or alive else None

    def kill(self) -> None:
        """End it now. What it was writing is a temporary file, so no picture is harmed."""
        self._process.kill()

    def close(self) -> list[worker.Message]:
        """End it in order, by force after `CLOSE_SECONDS`, and return what it still said."""
        last: list[worker.Message] = []
        deadline = time.monotonic() + CLOSE_SECONDS
        self.send(worker.Close())
        while (patience := deadline - time.monotonic()) > 0:
            multiprocessing.connection.wait(self.waitables, patience)
            messages = self.receive()
            if messages is None:
                break
            last += messages
        self.abandon()
        return last

    def abandon(self) -> int | None:
        """Make sure that it is gone, and return its exit code where it had ended by itself."""
        self._process.join(0.5)  # a process whose pipe has closed takes a moment to end
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            self._process.join(CLOSE_SECONDS)
            if self._process.exitcode is None:
                log.error("process %s hangs in a driver and cannot be ended", self._process.pid)
        self._connection.close()
        return code

    def describe_end(self, doing: str) -> Failure:
        """Say why it ended by itself, after `receive` has returned None."""
        code = self.abandon()
        killed_for_memory = count_oom_kills() > self._oom_kills
        return describe_exit(code, doing, out_of_memory=killed_for_memory, details=self._read_faults())

    def _read_faults(self) -> str:
        if self._fault_file is None:
            return ""
        try:
            return self._fault_file.read_text(encoding="utf-8", errors="replace")[:_DETAILS_LIMIT]
        except OSError:
            return ""
