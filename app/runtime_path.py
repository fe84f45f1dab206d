"""Finds the engine runtime of an installed Firstlight. Standard library only: each Python of it runs this at its start.

The setup program brings the window; PyTorch and its like are installed at the first start, each part of them into
`<data>/runtime/<part>-<hash of its lock>`. A part that has passed its self-check holds the file `ready.json`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

FACTS = "installation.json"  # beside python3xx.dll: this Python belongs to an installed Firstlight
READY = "ready.json"
PARTS = ("engine", "nvidia")
_DIGITS = 12  # of the lock's sha256: enough to tell two locks apart


def find_program() -> Path | None:
    """The folder of the installed program that this Python belongs to; None where it is no installed one."""
    folder = Path(sys.base_prefix)
    return folder if (folder / FACTS).is_file() else None


def find_data() -> Path:
    """The data folder, as `app.folders` finds it, on Windows."""
    if home := os.environ.get("FIRSTLIGHT_HOME"):
        return Path(home).expanduser().absolute() / "data"
    local = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    return Path(local) / "Firstlight"


def name_part(program: Path, part: str) -> str:
    """The name of the folder for a part: another lock, another folder.

    Raises:
        OSError: the lock cannot be read.
    """
    digest = hashlib.sha256((program / f"{part}.lock").read_bytes()).hexdigest()
    return f"{part}-{digest[:_DIGITS]}"


def find_parts(program: Path, data: Path) -> list[Path]:
    """Folders of the parts that are installed and checked."""
    found: list[Path] = []
    for part in PARTS:
        try:
            folder = data / "runtime" / name_part(program, part)
        except OSError:
            continue
        if (folder / READY).is_file():
            found.append(folder)
    return found


def activate() -> None:
    """Let this process import the parts. Where there are none, it goes on without."""
    if program := find_program():
        for folder in find_parts(program, find_data()):
            use(folder)


def use(folder: Path) -> None:
    """Let this process, and those that it starts, import the part in `folder`. The program's own packages go first."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
