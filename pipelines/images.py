"""Pictures on disk: written whole with their settings inside, and read back.

Pictures are encoded in memory, so no half-written file and no library's own wording of a disk error ever
comes up.
"""

from __future__ import annotations

import errno
import itertools
import logging
import os
import secrets
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines import embedding, filenames
from pipelines.errors import FirstlightError, InvalidRequest, NoRoom, UnusableFile
from pipelines.inspection import Inspection, Source, read
from pipelines.metadata import Record
from pipelines.opening import open_mask, open_picture

if TYPE_CHECKING:
    from collections.abc import Generator

    from PIL import Image

    from pipelines.request import GenerationRequest

__all__ = ["Inspection", "Source", "Target", "open_mask", "open_picture", "prepare", "read", "save"]

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """Where pictures go: one file, or a folder in which each gets a name of its own. `path` is absolute."""

    path: Path
    is_dir: bool

    @classmethod
    def from_out(cls, out: str | Path) -> Target:
        """Read `--out`: a folder exists, ends in a separator or has no suffix; else it is a file.

        Raises:
            InvalidRequest: a suffix that is no picture's, or a name that this system cannot have.
        """
        text = str(out)
        if not text or "\0" in text:
            raise InvalidRequest(f"{text!r} is not a place for a picture.", "Give a file or a folder with --out.")
        path = Path(text)
        with _words_for(path):
            path = path.absolute()
            if text.endswith(("/", os.sep)) or path.is_dir() or not path.suffix:
                return cls(path, is_dir=True)
        if path.suffix.lower() not in embedding.FORMATS:
            known = ", ".join(embedding.FORMATS)
            raise InvalidRequest(
                f"Pictures cannot be saved as {path.suffix}.",
                f"Use one of {known}, or end a folder's name with /.",
            )
        if sys.platform == "win32" and (problem := filenames.windows_problem(path.name)):
            raise InvalidRequest(f"A picture cannot be called {path.name!r}: {problem}.", "Choose another name.")
        return cls(path, is_dir=False)

    @property
    def folder(self) -> Path:
        """The folder that the pictures go to."""
        return self.path if self.is_dir else self.path.parent

    @property
    def suffix(self) -> str:
        """The files' suffix, with the dot, in lower case: `.png` in a folder."""
        return ".png" if self.is_dir else self.path.suffix.lower()


def prepare(target: Target, request: GenerationRequest, size: tuple[int, int]) -> None:
    """Make the folder and check that pictures of `request`, of that size in pixels, can be saved there.

    It is done before any other work.

    Raises:
        UnusableFile: the folder cannot be made or written to.
        InvalidRequest: the file format cannot hold a picture of that size, or settings of that length.
        NoRoom: the disk is full.
    """
    single = replace(request, num_images=1)
    # What the record will say is not all known yet; the note leaves room for it.
    record = Record(single, "", "", "", "", "", notes=(("room", " " * 2000),))
    embedding.check(target.suffix, size, record)
    with _words_for(target.path):
        target.folder.mkdir(parents=True, exist_ok=True)
        if not target.is_dir and target.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target.path.exists()  # a name that is too long fails here already
        _write_temporary(target.folder, b"").unlink()


def save(image: Image.Image, target: Target, record: Record, index: int = 0) -> Path:
    """Save one picture with its settings inside and return its path.

    Args:
        image: any mode; one that the format lacks is saved as RGB, transparent parts on white.
        target: a file's name is used as it is for `index` 0, with `-1`, `-2` … before the suffix for the
            following pictures, and replaces what is there in one step. In a folder the name is made from
            date, seed and prompt, and no file is ever replaced.
        record: the settings.
        index: which picture of its request this is, from 0.

    Raises:
        UnusableFile: the folder is gone (`prepare` makes it) or cannot be written to.
        NoRoom: the disk is full, or memory for encoding is.
        InvalidRequest: the format cannot hold a picture of that size, or settings of that length.
    """
    data = embedding.encode(image, target.suffix, record)
    with _words_for(target.path, len(data)):
        temporary = _write_temporary(target.folder, data)
        try:
            if target.is_dir:
                path = _publish_new(temporary, target.folder, filenames.stem(record), target.suffix)
            else:
                path = target.path.with_stem(f"{target.path.stem}-{index}") if index else target.path
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(target.folder)
    return path


def _write_temporary(folder: Path, data: bytes) -> Path:
    """Write `data` to a new file in `folder` and wait until it is on the disk."""
    path = folder / f".firstlight-{secrets.token_hex(8)}.part"
    # Not tempfile's: that makes files which only their owner can read, and the picture would stay so.
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):  # buffered bytes that cannot be written make close fail once more
                file.close()
            path.unlink(missing_ok=True)
            raise
    return path


def _publish_new(temporary: Path, folder: Path, stem: str, suffix: str) -> Path:
    """Give the file a name that is free, in one step even where another process saves at the same time."""
    for n in itertools.count(1):
        path = folder / (f"{stem}{suffix}" if n == 1 else f"{stem}-{n}{suffix}")
        try:
            path.hardlink_to(temporary)  # unlike rename, fails where the name is taken
        except FileExistsError:
            continue
        except OSError as error:  # FAT and some network folders have no links
            _log.debug("no hard link in %s (%s): the name is reserved instead", folder, error)
            if not _reserve(path):
                continue
            try:
                temporary.replace(path)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        return path
    raise AssertionError("unreachable")


def _reserve(path: Path) -> bool:
    """Make an empty file; False where the name is taken."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Put the new name itself on the disk, where the system can: the picture is saved in any case."""
    if sys.platform == "win32":
        return
    try:
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        _log.debug("folder %s not synced: %s", folder, error)


@contextmanager
def _words_for(path: Path, size: int = 0) -> Generator[None]:
    """Translate the system's errors about `path`, to which `size` bytes are being written."""
    try:
        yield
    except FirstlightError:
        raise
    except OSError as error:
        if error.errno in _FULL:
            need = f" ({size / 1e6:.1f} MB)" if size else ""
            raise NoRoom(
                f"The picture{need} does not fit on the disk of {path.parent}.",
                "Free some space there, or choose another place with --out.",
            ) from error
        raise UnusableFile(
            f"{path} cannot be written: {error.strerror or error}.",
            "Choose another file or folder with --out.",
        ) from error
