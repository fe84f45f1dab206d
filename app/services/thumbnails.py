"""Small pictures for the gallery: made away from the window's thread, kept in the cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.background import Background
from pipelines.errors import FirstlightError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIDE = 512  # pixels of the longer side: 256 on a screen at 200 %
CACHE_BYTES = 1_000_000_000
_WAITING_MAX = 400  # what was asked for longest ago has scrolled out of sight
_QUALITY = 85

log = logging.getLogger(__name__)


class Thumbnails(QObject):
    """Answers each request by one signal, the latest request first.

    Signals:
        ready (int, Path): the thumbnail of that picture, a JPEG file.
        gone (int): the picture's file is not there.
        failed (int): it is there and cannot be shown.
    """

    ready = Signal(object, object)
    gone = Signal(object)
    failed = Signal(object)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._background = Background()
        self._waiting: OrderedDict[int, Path] = OrderedDict()
        self._lock = threading.Lock()

    def request(self, picture: int, path: Path) -> None:
        """Ask for one; a view asks for what is in sight, and need not ask again."""
        with self._lock:
            self._waiting[picture] = path
            self._waiting.move_to_end(picture)
            if len(self._waiting) > _WAITING_MAX:
                self._waiting.popitem(last=False)
        self._background.do(self._serve_one)

    def trim(self, limit: int = CACHE_BYTES) -> None:
        """Let the cache have at most `limit` bytes: those used longest ago go."""
        self._background.do(lambda: _trim(self._folder, limit))

    def close(self) -> None:
        """End the thread. Call it before the app ends."""
        self._background.close()

    def _serve_one(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            picture, path = self._waiting.popitem()
        try:
            self.ready.emit(picture, make(path, self._folder))
        except FileNotFoundError:
            self.gone.emit(picture)
        except (FirstlightError, OSError) as error:
            log.info("no thumbnail of %s: %s", path, error)
            self.failed.emit(picture)


def make(path: Path, folder: Path) -> Path:
    """Return the thumbnail of the picture at `path`, made now where it is not in `folder` yet.

    Raises:
        FileNotFoundError: there is no such picture.
        OSError: the picture or the folder cannot be reached.
        FirstlightError: it is no picture, or damaged.
    """
    stat = path.stat()
    key = hashlib.sha256(os.fsencode(path) + f"|{stat.st_mtime_ns}|{stat.st_size}|{SIDE}".encode()).hexdigest()
    file = folder / key[:2] / f"{key[2:40]}.jpg"
    try:
        os.utime(file)  # used now: `trim` takes the oldest
    except FileNotFoundError:
        _write(path, file)
    return file


def _write(path: Path, file: Path) -> None:
    # Late: they load NumPy, and only this thread needs them
    from PIL import Image

    from pipelines.opening import opened, to_srgb_8_bit

    with opened(path) as image:
        small = to_srgb_8_bit(image)
        small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        small.save(temporary, "JPEG", quality=_QUALITY)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _trim(folder: Path, limit: int) -> None:
    files = sorted(_files(folder), key=lambda found: found[0])
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """(last use, bytes, path) of our own files; links are not followed."""
    with contextlib.suppress(OSError):
        for sub in folder.iterdir():
            if sub.is_symlink() or not sub.is_dir():
                continue
            for path in sub.glob("*.jpg"):
                with contextlib.suppress(OSError):
                    stat = path.lstat()
                    yield stat.st_mtime, stat.st_size, path
