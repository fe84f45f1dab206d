"""Files written whole or not at all, names that are safe on every system, and room on the disk."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import sys
from pathlib import Path, PurePosixPath
from typing import cast

from pipelines.errors import FirstlightError, NoRoom, UnusableFile
from pipelines.replacing import replace_bytes

PART = ".part"  # what is not whole yet has this after its name
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT; other tags mark files that are only stored elsewhere (OneDrive)
_RESERVE = 64 * 2**20  # bytes left free on a disk that is filled: the system and our own settings need some
_RESERVED_NAMES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)  # by Windows


def long_path(path: Path) -> Path:
    r"""The same place in a form that Windows takes beyond 260 characters (`\\?\`); elsewhere the path itself."""
    text = str(path)
    if sys.platform != "win32" or text.startswith("\\\\?\\"):
        return path
    text = os.path.abspath(text)  # noqa: PTH100  # resolve() would follow links
    return Path("\\\\?\\UNC" + text[1:] if text.startswith("\\\\") else "\\\\?\\" + text)


def is_link(path: Path) -> bool:
    """Whether the path is a symbolic link or, on Windows, a junction: a place that leads elsewhere."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def check_relative(name: str) -> PurePosixPath:
    """A file's name within a model's folder, as another machine states it.

    Raises:
        UnusableFile: it would lead out of the folder, or cannot be a file on every system.
    """
    path = PurePosixPath(name)
    wrong = (
        not name
        or path.is_absolute()
        or "\\" in name
        or any(
            part == ".." or part.endswith((".", " ")) or _RESERVED_NAMES.fullmatch(part) or set(part) & set('<>:"|?*')
            for part in path.parts
        )
        or any(ord(char) < 32 for char in name)
    )
    if wrong:
        raise UnusableFile(f"The model has a file of a name that it may not have: {name!r}.", "Use another model.")
    return path


def safe_name(text: str) -> str:
    """A folder's name made of `text`: lower case, without what any system refuses, at most 80 characters."""
    name = re.sub(r"[^\w.+-]+", "-", text.casefold()).strip("-. ")
    name = name.encode("utf-8")[:80].decode("utf-8", "ignore").strip("-. ") or "model"
    return f"{name}-model" if _RESERVED_NAMES.fullmatch(name) else name


def check_room(folder: Path, wanted: int) -> None:
    """Refuse before the start what the disk cannot take.

    Raises:
        NoRoom: fewer than `wanted` bytes, and a small reserve, are free where `folder` is or will be.
    """
    free = free_bytes(folder)
    if wanted and wanted + min(_RESERVE, wanted) > free:
        raise NoRoom(
            f"{say_bytes(wanted)} are needed in {str(folder)!r}, and {say_bytes(free)} are free.",
            "Free some space there and start again; what is already here is kept.",
        )


def free_bytes(folder: Path) -> int:
    """Bytes free on the disk where `folder` is or will be; 0 where that cannot be told."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            return shutil.disk_usage(place).free
    return 0


def explain(error: OSError, path: Path) -> FirstlightError:
    """The failure to write `path`, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoRoom(
            f"The disk is full: {str(path)!r} could not be written.",
            "Free some space there and start again; what is already here is kept.",
        )
    if error.errno == errno.ENAMETOOLONG:
        return UnusableFile(f"The path {str(path)!r} is too long for this system.", "Use a shorter folder or name.")
    return UnusableFile(
        f"The file {str(path)!r} cannot be written: {error.strerror or error}.", "Check the folder and its permissions."
    )


def write_json(file: Path, value: object) -> None:
    """Replace `file` in one step.

    Raises:
        NoRoom, UnusableFile: it cannot be written; the old content stays.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, json.dumps(value, indent=1).encode())
    except OSError as error:
        raise explain(error, file) from error


def read_json(file: Path, *, strict: bool = False) -> dict[str, object] | None:
    """The object in `file`, or None where there is none.

    With `strict`, for a file that is to be written anew: a damaged one is set aside first.

    Raises:
        UnusableFile: with `strict`, it is there and cannot be read now; what it holds must not be lost.
    """
    try:
        value: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        if strict:
            raise UnusableFile(f"The file {str(file)!r} cannot be read: {error.strerror}.", "Try again.") from error
        return None
    except ValueError:
        value = None
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    if strict:
        with contextlib.suppress(OSError):
            file.replace(file.with_suffix(".damaged.json"))
    return None


def say_bytes(count: float) -> str:
    """A number of bytes for a person: decimal units, as shops and file managers count disks."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
