"""The start of an installed Firstlight on Windows: its launchers run this module.

`sys.executable` is a launcher there, which runs Firstlight whatever it is told; child processes want a plain Python.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CRASH_LOG = "crash.log"


def main() -> int:
    """Prepare the process and hand it to the command line."""
    _use_plain_python()
    _give_streams()
    with _crash_log():
        from app.cli import main as run

        return run()


def _use_plain_python() -> None:
    """Tell Python, and so multiprocessing, which program is the interpreter."""
    import multiprocessing

    console = Path(sys.executable).suffix.lower() == ".com"
    python = Path(sys.base_prefix) / ("python.exe" if console else "pythonw.exe")
    if python.is_file():
        sys.executable = str(python)
        # multiprocessing takes a difference between the two for a virtual environment, and starts the second
        sys._base_executable = str(python)  # pyright: ignore[reportAttributeAccessIssue]
        multiprocessing.set_executable(str(python))


def _give_streams() -> None:
    """A program without a console has no streams: what is written there goes nowhere, instead of failing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  # for the whole life


@contextlib.contextmanager
def _crash_log() -> Iterator[None]:
    """While entered, a crash of native code leaves its stack in `crash.log`; without a log folder, it does not."""
    from app.folders import find_folders

    path = find_folders(os.environ).logs / CRASH_LOG
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8")
    except OSError:
        yield
        return
    with file:
        faulthandler.enable(file)
        yield
        faulthandler.disable()


if __name__ == "__main__":
    sys.exit(main())
