"""How large a folder of engines or kernels may become: a small file in it, so that every process goes by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.errors import UnusableFile
from pipelines.replacing import replace_bytes

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
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_bytes(folder / FILE, f"{max(_LEAST, limit)}\n".encode())
    except OSError as error:
        raise UnusableFile(
            f"The limit cannot be written to {str(folder)!r}: {error.strerror or error}.", "Check the folder."
        ) from error
