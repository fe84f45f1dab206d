"""The gallery: which pictures are shown, which are chosen, and what is done with them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.picture_store import Picture, Query
from app.services.settings_table import CONFIRM_BIN
from app.viewmodels import picture_details
from app.viewmodels.observable import Observed
from app.viewmodels.picture import reveal
from app.viewmodels.picture_details import Detail
from app.viewmodels.picture_list import PictureList
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.services.library import Library
    from app.services.settings import Settings
    from app.services.thumbnails import Thumbnails
    from app.viewmodels.picture import Painter, Teller

_TYPING = 250  # milliseconds of rest before a search
_GATHERING = 150  # milliseconds in which changes are taken together


class Gallery(QObject):
    """The values are what the page shows; `pictures` is its list.

    Signals:
        count_changed (int): how many pictures are shown.
        has_any_changed (bool): whether the library has any picture at all.
        chosen_changed (tuple[int, ...]): numbers of the chosen pictures.
        current_changed (Picture | None): the one whose details are shown.
        scanning_changed (bool): a folder is being looked through.
        used (): settings or a start picture were taken over; show the Generate page.
    """

    words, words_changed = Observed(""), Signal(object)
    favourites, favourites_changed = Observed(False), Signal(object)
    missing, missing_changed = Observed(False), Signal(object)
    count, count_changed = Observed(0), Signal(object)
    has_any, has_any_changed = Observed(False), Signal(object)
    chosen, chosen_changed = Observed[tuple[int, ...]](()), Signal(object)
    current, current_changed = Observed[Picture | None](None), Signal(object)
    details, details_changed = Observed[tuple[Detail, ...]](()), Signal(object)
    scanning, scanning_changed = Observed(False), Signal(object)
    used = Signal()

    def __init__(
        self, library: Library, thumbnails: Thumbnails, settings: Settings, painter: Painter, notices: Teller
    ) -> None:
        super().__init__()
        self._library = library
        self._settings = settings
        self._painter = painter
        self._notices = notices
        self.pictures = PictureList(library.store, thumbnails, self)
        self._searching = QTimer(self, singleShot=True, interval=_TYPING)
        self._searching.timeout.connect(self.refresh)
        self._gathering = QTimer(self, singleShot=True, interval=_GATHERING)
        self._gathering.timeout.connect(self.refresh)
        self._closed = False
        self._changed: set[int] = set()
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._take_changes)
        library.added.connect(self._take_added)
        library.removed.connect(self._take_removed)
        library.changed.connect(self._note_changed)
        library.scanned.connect(self._take_scanned)
        self.refresh()

    # Which are shown

    def search(self, words: str) -> None:
        """Show the pictures with all these words in a prompt, when typing rests."""
        self.words = words
        self._searching.start()

    def show_favourites(self, on: bool) -> None:
        """Only those, or all."""
        self.favourites = on
        self.refresh()

    def show_missing(self, on: bool) -> None:
        """Also those whose files are gone."""
        self.missing = on
        self.refresh()

    def show_all(self) -> None:
        """No search and no filter."""
        self.words, self.favourites = "", False
        self.refresh()

    def refresh(self) -> None:
        """Ask the library anew."""
        self._searching.stop()
        self._gathering.stop()
        ids = self._ids(Query(self.words.strip(), favourites=self.favourites, missing=self.missing))
        if ids is None:
            return
        self.pictures.show(ids)
        self.count = len(ids)
        self.has_any = bool(ids) or self._find_any()

    def look_at(self, first: int, last: int) -> None:
        """These rows are in sight: find out whether their files are still there."""
        if ids := self.pictures.ids_of(range(max(first, 0), last + 1)):
            self._library.check(ids)

    def row_of_file(self, path: Path) -> int:
        """Where the picture with that file is shown; the filters give way where they hide it. -1: it is not here."""
        try:
            picture = self._library.store.find(path)
        except FirstlightError as error:
            self._tell(error)
            return -1
        if picture is None:
            return -1
        if self.pictures.row_of(picture.id) < 0:
            self.show_all()
        return self.pictures.row_of(picture.id)

    # Which are chosen

    def choose(self, rows: Sequence[int], current: int) -> None:
        """The view's choice, and the row that has the focus (-1: none)."""
        self.chosen = self.pictures.ids_of(rows)
        self._set_current(self.pictures.picture_at(current))

    @property
    def chosen_pictures(self) -> list[Picture]:
        """The chosen ones, as they are in the library."""
        try:
            return self._library.store.rows(self.chosen)
        except FirstlightError as error:
            self._tell(error)
            return []

    # What is done with them

    @property
    def asks_before_bin(self) -> bool:
        """Whether the user wants to be asked before pictures go to the bin."""
        return self._settings.flag(CONFIRM_BIN)

    def toggle_favourite(self) -> None:
        """Mark all that are chosen; where all are marked, take the marks away."""
        pictures = self.chosen_pictures
        favourite = not all(picture.favourite for picture in pictures)
        try:
            for picture in pictures:
                if picture.favourite != favourite:
                    self._library.set_favourite(picture.id, favourite=favourite)
        except FirstlightError as error:
            self._tell(error)

    def move_to_bin(self) -> None:
        """Files go to the system's bin; those that are gone already are only forgotten."""
        try:
            self._library.move_to_bin(self.chosen)
        except FirstlightError as error:
            self._tell(error)

    def show_in_folder(self) -> None:
        """Show the current picture's file."""
        if self.current is not None:
            reveal(self.current.path, self._notices)

    def use_settings(self) -> None:
        """Draw another one like the current picture."""
        if self.current is not None and self.current.request is not None:
            self._painter.restore(self.current.request)
            self.used.emit()

    def use_as_start(self) -> None:
        """Begin the next picture with the current one."""
        if (picture := self.current) is not None:
            self._painter.set_start_picture(picture.path, (picture.width, picture.height))
            self.used.emit()

    def take_in(self, folder: Path) -> None:
        """Take up Firstlight's pictures in a folder."""
        if not self.scanning:
            self.scanning = True
            self._library.scan(folder)

    def close(self) -> None:
        """Ask the library nothing more. Call it before the library is closed."""
        self._closed = True
        for timer in (self._searching, self._gathering, self._settling):
            timer.stop()
        self.pictures.show(array("q"))

    # What happens to the library. Asking it anew takes 0.1 s with 100,000 pictures: what is plain is done without

    def _take_added(self, number: int) -> None:
        if self._closed:
            return
        self.has_any = True
        if self.words.strip() or self.favourites or not self.pictures.add_newest(number):
            self._gathering.start()
        else:
            self.count = self.pictures.rowCount()

    def _take_removed(self, ids: tuple[int, ...]) -> None:
        if self._closed:
            return
        if self.current is not None and self.current.id in ids:
            self._set_current(None)
        self._leave_out(ids)

    def _note_changed(self, number: int) -> None:
        if self._closed:
            return
        self._changed.add(number)
        self._settling.start()

    def _take_changes(self) -> None:
        """A folder that is gone changes thousands at once."""
        changed = tuple(self._changed)
        self._changed.clear()
        try:
            pictures = self._library.store.rows(changed)
        except FirstlightError as error:
            self._tell(error)
            return
        if self.current is not None and self.current.id in changed:
            self._set_current(next((picture for picture in pictures if picture.id == self.current.id), None))
        hidden = [picture.id for picture in pictures if not self._is_shown(picture)]
        self.pictures.read_again(changed)
        if hidden:
            self._leave_out(hidden)
        is_whole = self.pictures.has_all(picture.id for picture in pictures if self._is_shown(picture))
        if not is_whole and not self.words.strip():  # else it may not have the words
            self._gathering.start()

    def _is_shown(self, picture: Picture) -> bool:
        """Whether the filters let it through."""
        return (self.missing or not picture.missing) and (not self.favourites or picture.favourite)

    def _leave_out(self, ids: Sequence[int]) -> None:
        self.pictures.leave_out(ids)
        self.count = self.pictures.rowCount()
        self.has_any = bool(self.count) or self._find_any()

    def _take_scanned(self, count: int) -> None:
        self.scanning = False
        self._notices.tell(self.tr("%n pictures were added to the gallery.", "", count))

    def _set_current(self, picture: Picture | None) -> None:
        self.current = picture
        self.details = picture_details.of_picture(picture) if picture is not None else ()

    def _ids(self, query: Query, limit: int = -1) -> array[int] | None:
        try:
            return self._library.store.ids(query, limit)
        except FirstlightError as error:
            self._tell(error)
            return None

    def _find_any(self) -> bool:
        return bool(self._ids(Query(missing=True), limit=1))

    def _tell(self, error: FirstlightError) -> None:
        self._notices.tell(Failure(error.kind, error.message, error.action))
