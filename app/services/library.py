"""The pictures: kept in the library, found again, thrown into the system's bin, noticed when they are gone."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.background import Background
from app.services.picture_store import Picture, PictureStore, Query
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.services.jobs import Drawn

_LOOK = 500  # pictures that are looked for in one go
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_BATCH = 50

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Looked:
    """Of some pictures: which files are there, which are not, and which numbers are to be looked for next."""

    there: tuple[int, ...]
    gone: tuple[int, ...]
    rest: tuple[int, ...]


class Library(QObject):
    """Reading is by `store`; what changes a picture or its file goes through here.

    Signals:
        added (int), changed (int): a picture of that number.
        removed (tuple of int): pictures that are no longer in the library.
        problem (Failure): something could not be done; the app goes on.
        scanned (int): `scan` is finished, with so many pictures found.
    """

    added = Signal(object)
    changed = Signal(object)
    removed = Signal(object)
    problem = Signal(object)
    scanned = Signal(object)
    _looked = Signal(object)
    _binned = Signal(object)
    _found = Signal(object)

    def __init__(self, store: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._background = Background()
        self._looked.connect(self._take_looked)
        self._binned.connect(self._take_binned)
        self._found.connect(self._take_found)

    @property
    def store(self) -> PictureStore:
        """For reading: numbers and rows."""
        return self._store

    def add(self, drawn: Drawn) -> None:
        """Keep a picture that was just saved; connect `Jobs.drawn` to this."""
        saved = drawn.picture
        picture = Picture(
            saved.path,
            time.time(),
            saved.width,
            saved.height,
            drawn.request,
            drawn.backend,
            drawn.precision,
            saved.model_seconds,
        )
        self._write(lambda: self.added.emit(self._store.add(picture)))

    def set_favourite(self, picture: int, *, favourite: bool) -> None:
        """Mark it, or take the mark away."""
        self._store.set_favourite(picture, favourite=favourite)
        self.changed.emit(picture)

    def move_to_bin(self, ids: Sequence[int]) -> None:
        """Move the files to the system's bin, in the background. Where there is none, nothing is deleted."""
        files = {picture.id: picture.path for picture in self._store.rows(ids)}
        self._background.do(lambda: self._bin(files))

    def forget(self, ids: Sequence[int]) -> None:
        """Take pictures out of the library. Their files are not touched."""
        self._store.remove(ids)
        self.removed.emit(tuple(ids))

    def check(self, ids: Sequence[int]) -> None:
        """Look in the background whether these files are still there: for what comes into sight."""
        self._look(tuple(ids))

    def look_for(self, picture: int) -> None:
        """`check` for one picture; connect `Thumbnails.gone` to this."""
        self.check((picture,))

    def check_all(self) -> None:
        """Look for every file, a few at a time: once after the start."""
        self._look(tuple(self._store.ids(Query(missing=True))))

    def scan(self, folder: Path) -> None:
        """Take up Firstlight's own pictures in `folder` that the library does not know: its file may have been lost.

        Runs in the background; ends with `scanned`.
        """
        known = self._store.known_paths()
        self._background.do(lambda: self._scan(folder, known))

    def close(self) -> None:
        """End the thread. Call it before the app ends."""
        self._background.close()

    # In the background

    def _bin(self, files: dict[int, Path]) -> None:
        from send2trash import send2trash  # late: it looks for the desktop's own libraries

        done: list[int] = []
        for number, path in files.items():
            try:
                if path.is_symlink() or path.exists():
                    send2trash(path)  # a link goes itself, not what it leads to
                done.append(number)
            except OSError as error:
                log.warning("%s cannot be moved to the bin: %s", path, error)
                self.problem.emit(
                    Failure(
                        "unusable_file",
                        f"{path.name} cannot be moved to the bin: {error.strerror or error}.",
                        "Nothing was deleted. Delete the file with the file manager, if you must.",
                    )
                )
        self._binned.emit(tuple(done))

    def _look(self, ids: tuple[int, ...]) -> None:
        if not ids:
            return
        try:
            files = [(picture.id, picture.path) for picture in self._store.rows(ids[:_LOOK])]
        except FirstlightError as error:
            self.problem.emit(Failure(error.kind, error.message, error.action))
            return

        def look() -> None:
            there = {number: path.exists() for number, path in files}
            gone = tuple(number for number, exists in there.items() if not exists)
            self._looked.emit(_Looked(tuple(n for n, exists in there.items() if exists), gone, ids[_LOOK:]))

        self._background.do(look)

    def _scan(self, folder: Path, known: frozenset[Path]) -> None:
        count = 0
        batch: list[Picture] = []
        for path in sorted(path for path in folder.glob("*") if path.suffix.lower() in _SUFFIXES and path not in known):
            if self._background.closing:
                return
            if (picture := _read_own(path)) is not None:
                batch.append(picture)
                count += 1
            if len(batch) >= _BATCH:
                self._found.emit(tuple(batch))
                batch = []
        self._found.emit(tuple(batch))
        self.scanned.emit(count)

    # Back on the window's thread

    def _take_looked(self, looked: _Looked) -> None:
        def write() -> None:
            news = self._store.set_missing(looked.gone, missing=True)
            news += self._store.set_missing(looked.there, missing=False)
            for number in news:
                self.changed.emit(number)

        self._write(write)
        self._look(looked.rest)

    def _take_binned(self, ids: tuple[int, ...]) -> None:
        self._write(lambda: self.forget(ids))

    def _take_found(self, pictures: tuple[Picture, ...]) -> None:
        for picture in pictures:
            self._write(lambda picture=picture: self.added.emit(self._store.add(picture)))

    def _write(self, write: Callable[[], object]) -> None:
        try:
            write()
        except FirstlightError as error:
            self.problem.emit(Failure(error.kind, error.message, error.action))


def _read_own(path: Path) -> Picture | None:
    """The picture as its own settings tell, or None where they are not Firstlight's."""
    from pipelines.inspection import read  # late: it loads Pillow

    try:
        found = read(path)
        if (record := found.record) is None:
            return None
        created = datetime.fromisoformat(record.created).timestamp()
    except (FirstlightError, ValueError) as error:
        log.info("%s is left out: %s", path, error)
        return None
    return Picture(path, created, found.width, found.height, record.request, record.backend, record.precision)
