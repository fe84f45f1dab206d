"""How large a folder of engines or kernels may become: a small file in it, so that every process goes by it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

FILE = "limit"
_LEAST = 1_000_000  # bytes; below this nothing would ever be kept


def read_limit(folder: Path, default: int) -> int:
    """Bytes; `default` where the user has set none, or the file says nothing of sense."""
    try:
        limit = int((folder / FILE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return default
    return max(_LEAST, limit)


def write_limit(folder: Path, limit: int) -> None:
    """Keep it. Nothing is deleted by this alone.

    Raises:
        UnusableFile: it cannot be written.
    """
    temporary = folder / f".{FILE}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_text(f"{max(_LEAST, limit)}\n", encoding="ascii")
        temporary.replace(folder / FILE)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UnusableFile(
            f"The limit cannot be written to {str(folder)!r}: {error.strerror or error}.", "Check the folder."
        ) from error
