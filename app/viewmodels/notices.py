"""What the user is to be told: one bridge for all that has something to say, whether a window is there or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.viewmodels.observable import Observed
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT = 50  # notices; the oldest go first


class Remedy(Enum):
    """What a notice's button does; the view has the words for it."""

    resume_queue = "resume_queue"
    show_queue = "show_queue"
    open_models = "open_models"
    open_engine = "open_engine"
    open_preferences = "open_preferences"
    open_folder = "open_folder"
    save_as = "save_as"
    try_again = "try_again"
    end_engine = "end_engine"


class Told(Enum):
    """Facts of our own that have no words yet: the view phrases them in the language of the window."""

    queue_restored = "queue_restored"  # subject: how many jobs wait
    job_set_aside = "job_set_aside"  # subject: the prompt


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell. `what` is a failure with words, plain words, or a fact with its subject.

    Args:
        number: names it; later ones have higher numbers.
        what: what to tell.
        subject: what a fact is about.
        remedy: what its button does, where it has one.
        run: called when the button is pressed.
        count: how often it was told.
    """

    number: int
    what: Failure | str | Told
    subject: str = ""
    remedy: Remedy | None = None
    run: Callable[[], object] | None = None
    count: int = 1

    @property
    def is_problem(self) -> bool:
        """Whether something went wrong."""
        return isinstance(self.what, Failure)


class Notices(QObject):
    """Keeps what was told until the user has put it away. The same thing told again only counts up.

    Signals:
        shown_changed (tuple[Notice, ...]): oldest first.
    """

    shown: Observed[tuple[Notice, ...]] = Observed(())
    shown_changed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._next = 1
        self._arrived.connect(self._take)

    def tell(
        self,
        what: Failure | str | Told,
        subject: str = "",
        *,
        remedy: Remedy | None = None,
        run: Callable[[], object] | None = None,
    ) -> None:
        """Tell it; from any thread, and at any time."""
        self._arrived.emit(Notice(0, what, subject, remedy, run))

    def dismiss(self, number: int) -> None:
        """The user has seen it."""
        self.shown = tuple(notice for notice in self.shown if notice.number != number)

    def dismiss_all(self) -> None:
        """The user has seen all of them."""
        self.shown = ()

    def retract(self, what: Failure | str | Told) -> None:
        """It is so no longer: take it back."""
        self.shown = tuple(notice for notice in self.shown if notice.what != what)

    def remedy(self, number: int) -> None:
        """Do what the notice's button says, and put the notice away."""
        found = next((notice for notice in self.shown if notice.number == number), None)
        self.dismiss(number)
        if found is not None and found.run is not None:
            found.run()

    def _take(self, notice: Notice) -> None:
        for shown in self.shown:
            if (shown.what, shown.subject) == (notice.what, notice.subject):
                again = replace(shown, count=shown.count + 1, remedy=notice.remedy, run=notice.run)
                self.shown = tuple(again if one is shown else one for one in self.shown)
                return
        self.shown = (*self.shown, replace(notice, number=self._next))[-_KEPT:]
        self._next += 1
