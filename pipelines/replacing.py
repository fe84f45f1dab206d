"""Files that are written whole or not at all. Standard library only."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def replacing(target: Path) -> Generator[BinaryIO]:
    """A new file to write; it takes the place of `target` in one step when the block ends well.

    It is on the disk by then. If anything fails, `target` stays as it was and nothing is left beside it.

    Raises:
        OSError: it cannot be written, or `target` cannot be replaced.
    """
    temporary = target.with_name(f".firstlight-{secrets.token_hex(8)}.part")  # not longer than the system takes
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def replace_bytes(target: Path, content: bytes) -> None:
    """Write `content` to `target`, as `replacing` does.

    Raises:
        OSError: see `replacing`.
    """
    with replacing(target) as file:
        file.write(content)
