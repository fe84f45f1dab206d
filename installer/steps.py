"""What every step of the build needs: running programs, hashing files, and one kind of error."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_TAIL = 30  # lines of a failed program's words that are shown
_BLOCK = 2**20


class BuildError(Exception):
    """The build cannot go on: a sentence for whoever runs it."""


def run(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it wrote.

    Raises:
        BuildError: it is not there, or has failed; with the end of its words.
    """
    words = [str(part) for part in command]
    try:
        answer = subprocess.run(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError as error:
        raise BuildError(f"{words[0]} is not installed; installer/README.md says what the build needs") from error
    if answer.returncode != 0:
        tail = "\n".join(answer.stdout.splitlines()[-_TAIL:])
        raise BuildError(f"{' '.join(words[:4])} ... has failed ({answer.returncode}):\n{tail}")
    return answer.stdout


def find_uv() -> str:
    """The `uv` of this environment.

    Raises:
        BuildError: there is none.
    """
    beside = shutil.which("uv", path=os.path.dirname(sys.executable))  # noqa: PTH120  # a search path is text
    if uv := beside or shutil.which("uv"):
        return uv
    raise BuildError("uv is not installed: pip install '.[installer]'")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def fresh_folder(path: Path) -> Path:
    """Make `path` an empty folder."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path
