"""A worker process whose session does what the prompt says: the real `worker.serve` round a scripted session.

Prompts: `steps N`, `save`, `save when cancelled`, `hang`, `kill`, `exit N`, `segfault`, `log`, `sessions`,
`raise WHAT`, `lost once FILE` (a lost GPU, unless FILE says that it happened before).
"""

from __future__ import annotations

import ctypes
import logging
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines import worker
from pipelines.errors import Cancelled, InvalidRequest, NoRoom
from pipelines.events import Notice, PictureSaved, Preview, Progress, Stage

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pipelines.events import Report
    from pipelines.images import Target
    from pipelines.request import GenerationRequest

STEP = 0.02  # seconds


def main(connection: Connection, fault_file: str = "") -> None:
    """A child process of this is started by the tests."""
    with worker._fault_log(fault_file):  # pyright: ignore[reportPrivateUsage]
        opened: list[Scripted] = []

        def open_session() -> Scripted:
            opened.append(Scripted(len(opened) + 1))
            return opened[-1]

        worker.serve(connection, open_session)


def die_at_once(connection: Connection, fault_file: str = "") -> None:
    """An engine process that cannot even start, as with a broken library."""
    os._exit(9)


class Scripted:
    """See the module. `number` counts the sessions of this process from 1."""

    def __init__(self, number: int) -> None:
        self._number = number

    def close(self) -> None:
        """Nothing is held."""

    def generate(self, request: GenerationRequest, target: Target, report: Report) -> tuple[PictureSaved, ...]:
        verb, _, rest = request.prompt.partition(" ")
        match verb:
            case "steps":
                _steps(int(rest), report)
            case "save":
                return _save(request, target, report, when_cancelled=rest == "when cancelled")
            case "raise":
                raise _error(rest)
            case "lost":
                return _lose_once(request, target, report, Path(rest.removeprefix("once ")))
            case "sessions":
                report(Progress(Stage.loading, self._number, 9))
            case "log":
                logging.getLogger("tests.scripted").warning("%s is logged", "ō 😄")
                logging.getLogger("tests.scripted").warning("%d", "no number")
            case _:
                _misbehave(verb, rest, report)
        return ()


def _steps(count: int, report: Report) -> None:
    for step in range(count):
        report(Progress(Stage.denoising, step, count))
        time.sleep(STEP)


def _save(
    request: GenerationRequest, target: Target, report: Report, *, when_cancelled: bool
) -> tuple[PictureSaved, ...]:
    from PIL import Image

    report(Progress(Stage.denoising, 0, 1))
    if when_cancelled:
        time.sleep(0.5)  # the cancel arrives meanwhile
    saved: list[PictureSaved] = []
    target.folder.mkdir(parents=True, exist_ok=True)
    for seed in request.seeds():
        path = target.folder / f"{seed}.png"
        Image.new("RGB", (request.width, request.height), (seed % 256, 0, 0)).save(path)
        saved.append(PictureSaved(path, seed, request.width, request.height, 0.1))
        report(saved[-1])
    return tuple(saved)


def _lose_once(request: GenerationRequest, target: Target, report: Report, flag: Path) -> tuple[PictureSaved, ...]:
    """One picture, then the GPU is lost; all the others in the second attempt."""
    report(Notice(f"{request.num_images} to draw"))
    report(Preview(1, 1, b"\1\2\3"))
    if flag.exists():
        return _save(request, target, report, when_cancelled=False)
    flag.touch()
    _save(replace(request, num_images=1), target, report, when_cancelled=False)
    raise _error("CUDA unspecified launch failure")


def _misbehave(verb: str, rest: str, report: Report) -> None:
    report(Progress(Stage.loading, 1, 2, "transformer"))
    match verb:
        case "hang":
            time.sleep(600)
        case "kill":
            os.kill(os.getpid(), 9)
        case "exit":
            os._exit(int(rest))
        case "segfault":
            ctypes.string_at(0)
        case _:
            raise AssertionError(verb)


def _error(what: str) -> Exception:
    match what:
        case "MemoryError":
            return MemoryError()
        case "NoRoom":
            return NoRoom("There is no room.", "Make some.")
        case "InvalidRequest":
            return InvalidRequest("This is not possible.")
        case "Cancelled":
            return Cancelled()
        case _ if what.startswith("CUDA "):
            return RuntimeError(f"CUDA error: {what.removeprefix('CUDA ')}\nCUDA kernel errors might be asynchronous")
        case _:
            return ZeroDivisionError("division by zero")
