"""The latest pictures, and what stands in the middle of the Generate page: one of them, or the one being drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.viewmodels.observable import Observed
from app.viewmodels.picture_list import PictureList
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from app.services.jobs import Drawn
    from app.services.library import Library
    from app.services.picture_store import Picture
    from app.services.thumbnails import Thumbnails
    from app.viewmodels.generation import Generation
    from app.viewmodels.notices import Notices
    from app.viewmodels.picture import PictureView
    from app.viewmodels.run import Run

_SHOWN = 100  # pictures at the start; the Gallery has all


class Recent(QObject):
    """`list` has the pictures, newest first.

    `live` tells that the middle follows the job being drawn; choosing an older picture ends that until the next click
    on Generate, or `go_live`. `chosen` is the number of the picture that was chosen, 0 for none.
    """

    live, live_changed = Observed(True), Signal(object)
    chosen, chosen_changed = Observed(0), Signal(object)

    def __init__(
        self, library: Library, thumbnails: Thumbnails, generation: Generation, run: Run, view: PictureView
    ) -> None:
        super().__init__()
        self._library = library
        self._generation = generation
        self._view = view
        self.list = PictureList(library.store, thumbnails, self)
        library.added.connect(self.list.add_newest)  # one that a scan finds is not the newest: the Gallery has it
        library.removed.connect(self._leave_out)
        library.changed.connect(self._refresh)
        generation.submitted.connect(self._submitted)
        run.drawn.connect(self._show_drawn)

    def fill(self, notices: Notices) -> None:
        """Read the pictures of the sessions before, and show the latest."""
        try:
            self.list.show(self._library.store.ids(limit=_SHOWN))
            latest = self.list.picture_at(0)
        except FirstlightError as error:
            notices.tell(Failure(error.kind, error.message, error.action))
            return
        if latest is not None:
            self._view.show(latest)

    def choose(self, row: int) -> None:
        """Show that picture, also while another one is being drawn."""
        picture = self.list.picture_at(row)
        if picture is not None and picture.id != self.chosen:
            self.live, self.chosen = False, picture.id
            self._view.show(picture)

    def go_live(self) -> None:
        """Follow the job again."""
        self.live, self.chosen = True, 0

    def reuse(self, row: int) -> None:
        """Take over all settings of that picture."""
        picture = self.list.picture_at(row)
        if picture is not None and picture.request is not None:
            self._generation.restore(picture.request)

    def start_from(self, row: int) -> None:
        """Begin the next picture with that one."""
        picture = self.list.picture_at(row)
        if picture is not None:
            self._generation.set_start_picture(picture.path, (picture.width, picture.height))

    def _submitted(self, _job: int) -> None:
        self.go_live()

    def _show_drawn(self, drawn: Drawn) -> None:
        if self.live:
            self._view.show(drawn.picture.path)

    def _leave_out(self, pictures: tuple[int, ...]) -> None:
        self.list.leave_out(pictures)
        if self.chosen in pictures:
            self.chosen = 0

    def _refresh(self, number: int) -> None:
        picture: Picture | None = self._library.store.get(number)
        if picture is not None and picture.missing:
            self._leave_out((number,))
        else:
            self.list.refresh(number)
