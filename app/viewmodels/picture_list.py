"""The pictures of the gallery as a list that reads only what is looked at."""

from __future__ import annotations

import logging
from array import array
from collections import OrderedDict
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt, QUrl

from pipelines.errors import FirstlightError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from PySide6.QtCore import QObject

    from app.services.picture_store import Picture, PictureStore
    from app.services.thumbnails import Thumbnails

    _Index = QModelIndex | QPersistentModelIndex

_PAGE = 64  # rows read at once
_PAGES_KEPT = 48
_THUMBNAILS_KEPT = 4000  # paths, not pixels
_ROOT = QModelIndex()

log = logging.getLogger(__name__)


class Role(IntEnum):
    """What the list tells of a row, besides Qt's own roles."""

    picture = Qt.ItemDataRole.UserRole + 1  # Picture
    thumbnail = Qt.ItemDataRole.UserRole + 2  # Path of a small JPEG file, or Lack


class Lack(Enum):
    """Why there is no thumbnail."""

    not_yet = "not_yet"
    gone = "gone"  # the picture's file is not there
    damaged = "damaged"


class PictureList(QAbstractListModel):
    """Numbers of pictures, newest first; rows and thumbnails are fetched when a view asks for them.

    100,000 pictures cost 0.8 MB. A row that cannot be read any more is empty.
    """

    def __init__(self, store: PictureStore, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._thumbnails = thumbnails
        self._ids: array[int] = array("q")
        self._pages: OrderedDict[int, dict[int, Picture]] = OrderedDict()
        self._small: OrderedDict[int, Path | Lack] = OrderedDict()
        thumbnails.ready.connect(self._take_thumbnail)
        thumbnails.gone.connect(self._take_gone)
        thumbnails.failed.connect(self._take_failed)

    # What the gallery needs

    def ids_of(self, rows: Iterable[int]) -> tuple[int, ...]:
        """The pictures' numbers in these rows."""
        return tuple(self._ids[row] for row in rows if 0 <= row < len(self._ids))

    def row_of(self, picture: int) -> int:
        """Where the picture of this number is; -1 where it is not shown."""
        try:
            return self._ids.index(picture)
        except ValueError:
            return -1

    def picture_at(self, row: int) -> Picture | None:
        """The picture in a row, read now where it is not at hand."""
        if not 0 <= row < len(self._ids):
            return None
        page = row // _PAGE
        if page not in self._pages:
            self._pages[page] = {picture.id: picture for picture in self._read(page)}
            if len(self._pages) > _PAGES_KEPT:
                self._pages.popitem(last=False)
        self._pages.move_to_end(page)
        return self._pages[page].get(self._ids[row])

    def show(self, ids: array[int]) -> None:
        """Show these numbers; rows that stay keep their place in the views."""
        before = self._ids
        same_start = _count_same(before, ids)
        same_end = _count_same(before[same_start:][::-1], ids[same_start:][::-1])
        gone, new = len(before) - same_start - same_end, len(ids) - same_start - same_end
        if gone and new:
            self.beginResetModel()
            self._set(ids)
            self.endResetModel()
        elif new:
            self.beginInsertRows(_ROOT, same_start, same_start + new - 1)
            self._set(ids)
            self.endInsertRows()
        elif gone:
            self.beginRemoveRows(_ROOT, same_start, same_start + gone - 1)
            self._set(ids)
            self.endRemoveRows()

    def add_newest(self, picture: int) -> bool:
        """Put a picture first; False where it is not the newest, so that its place must be asked for."""
        try:
            added = self._store.get(picture)
        except FirstlightError as error:
            log.warning("picture %d cannot be read: %s", picture, error)
            return False
        first = self.picture_at(0)
        if added is None or picture in self._ids or (first is not None and first.created > added.created):
            return False
        self.show(array("q", (picture,)) + self._ids)
        return True

    def leave_out(self, pictures: Iterable[int]) -> None:
        """Show these no more."""
        gone = set(pictures)
        ids = array("q", (number for number in self._ids if number not in gone))
        if len(ids) != len(self._ids):
            self.show(ids)

    def has_all(self, pictures: Iterable[int]) -> bool:
        """Whether all of these are shown."""
        return set(pictures).issubset(self._ids)

    def refresh(self, picture: int) -> None:
        """The picture of this number is another now."""
        self.read_again((picture,))

    def read_again(self, pictures: Iterable[int]) -> None:
        """These pictures are others now."""
        changed = set(pictures)
        for picture in changed:
            self._small.pop(picture, None)
        for page in [page for page, rows in self._pages.items() if changed & rows.keys()]:
            del self._pages[page]
            last = min((page + 1) * _PAGE, len(self._ids)) - 1
            self.dataChanged.emit(self.index(page * _PAGE), self.index(last))

    # Qt

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802  # Qt's name
        """How many there are."""
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What is told of a row; asking for a thumbnail has it made."""
        picture = self.picture_at(index.row()) if index.isValid() else None
        if picture is None:
            return None
        if role == Role.picture:
            return picture
        if role == Role.thumbnail:
            return self._thumbnail(picture)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return picture.prompt or picture.path.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._in_words(picture)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Each can be chosen and dragged out."""
        own = Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return super().flags(index) | own if index.isValid() else Qt.ItemFlag.NoItemFlags

    def mimeTypes(self) -> list[str]:  # noqa: N802  # Qt's name
        """Files."""
        return ["text/uri-list"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:  # noqa: N802  # Qt's name
        """The pictures' files, for a drag or the clipboard."""
        mime = QMimeData()
        pictures = [self.picture_at(index.row()) for index in indexes]
        mime.setUrls([QUrl.fromLocalFile(str(picture.path)) for picture in pictures if picture is not None])
        return mime

    def supportedDragActions(self) -> Qt.DropAction:  # noqa: N802  # Qt's name
        """A file manager that would move them gets copies."""
        return Qt.DropAction.CopyAction

    def _read(self, page: int) -> list[Picture]:
        """The rows of a page; none where the library cannot be read, which the next question to it tells the user."""
        try:
            return self._store.rows(self._ids[page * _PAGE : (page + 1) * _PAGE])
        except FirstlightError as error:
            log.warning("rows of the library cannot be read: %s", error)
            return []

    def _set(self, ids: array[int]) -> None:
        self._ids = ids
        self._pages.clear()

    def _thumbnail(self, picture: Picture) -> Path | Lack:
        if picture.missing:
            return Lack.gone
        found = self._small.get(picture.id)
        if found is None or found is Lack.not_yet:
            self._keep(picture.id, Lack.not_yet)
            self._thumbnails.request(picture.id, picture.path)
            return Lack.not_yet
        self._small.move_to_end(picture.id)
        return found

    def _keep(self, picture: int, small: Path | Lack) -> None:
        self._small[picture] = small
        self._small.move_to_end(picture)
        if len(self._small) > _THUMBNAILS_KEPT:
            self._small.popitem(last=False)

    def _take_thumbnail(self, picture: int, path: Path) -> None:
        self._answer(picture, path)

    def _take_gone(self, picture: int) -> None:
        self._answer(picture, Lack.gone)

    def _take_failed(self, picture: int) -> None:
        self._answer(picture, Lack.damaged)

    def _answer(self, picture: int, small: Path | Lack) -> None:
        self._keep(picture, small)
        for page, rows in self._pages.items():  # what was asked for is among the rows at hand
            if picture in rows:
                start = page * _PAGE
                self._tell(start + self._ids[start : start + _PAGE].index(picture))
                return

    def _tell(self, row: int) -> None:
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def _in_words(self, picture: Picture) -> str:
        words = [picture.prompt or picture.path.name]
        if picture.favourite:
            words.append(self.tr("favourite"))
        if picture.missing:
            words.append(self.tr("its file is gone"))
        return ", ".join(words)


def _count_same(one: array[int], other: array[int]) -> int:
    """How many numbers are the same from the start."""
    length = min(len(one), len(other))
    if one[:length] == other[:length]:
        return length
    low, high = 0, length  # the same up to `low`, different somewhere before `high`
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low
