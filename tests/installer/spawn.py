"""Runs in the installed Python, under Wine: starts a process as the launcher's own Python would, and hears from it."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def tell(connection: Connection) -> None:
    """The child: say who runs it."""
    connection.send(Path(sys.executable).name)


def main() -> int:
    """Be the launcher, whose `sys.executable` is itself, and start a child."""
    from app import installed

    launcher = str(Path(sys.base_prefix) / "firstlight.com")
    sys.executable = sys._base_executable = launcher  # pyright: ignore[reportAttributeAccessIssue]
    installed._use_plain_python()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=tell, args=(theirs,), daemon=True)
    process.start()
    sys.stdout.write(ours.recv() if ours.poll(200) else f"nothing was heard; it ended with {process.exitcode}")
    process.join(10)
    return 0


if __name__ == "__main__":
    sys.exit(main())
