"""What a download would bring, cost and need, before the user decides on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import files, needs
from app.services.hub import AccessDenied
from app.viewmodels.lane import Lane, as_failure
from app.viewmodels.observable import Observed
from pipelines import catalog, devices
from pipelines.errors import FirstlightError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.downloads import Offer
    from app.services.needs import MemoryNeed
    from app.services.wiring import ModelServices
    from app.viewmodels.downloads import DownloadQueue
    from pipelines.catalog import Entry
    from pipelines.devices import Machine
    from pipelines.events import Failure


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a download. `size` is in bytes, 0 where the server does not say; `free` are those on the disk.

    `name` is what the model will be called here where the user gives no other name.
    `needs` is what the model needs of this machine's memory in each precision, empty where that is not known.
    `licence_page` is empty where nobody named one; a `gated` licence must be accepted there first.
    """

    wish: str
    title: str
    name: str
    size: int
    free: int
    files: int
    licence: str
    licence_page: str
    gated: bool
    has_token: bool
    entry: Entry | None
    needs: tuple[MemoryNeed, ...]
    machine: Machine

    @property
    def fits_on_disk(self) -> bool:
        """Whether the disk has room for it."""
        return self.size <= self.free

    @property
    def least(self) -> MemoryNeed | None:
        """The precision that needs least memory, or None where the need is not known."""
        return min(self.needs, key=lambda need: need.bytes, default=None)

    @property
    def memory(self) -> int:
        """Bytes that the needs are compared with: those of the largest GPU, or else of the machine."""
        return max((gpu.memory_total for gpu in self.machine.gpus), default=self.machine.memory_total)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there are no terms. `denial` is the value of a `hub.Denial` and `page` where to go; empty where not that."""

    failure: Failure
    denial: str = ""
    page: str = ""


class DownloadOffer(QObject):
    """One offer at a time.

    Signals, besides those of its values:
        accepted (str): the download of that name is in the queue.
    """

    asking = Observed(False)
    asking_changed = Signal(object)
    terms = Observed["Terms | None"](None)
    terms_changed = Signal(object)
    refusal = Observed["Refusal | None"](None)
    refusal_changed = Signal(object)
    agreed = Observed(False)
    agreed_changed = Signal(object)

    accepted = Signal(str)

    def __init__(
        self,
        services: ModelServices,
        queue: DownloadQueue,
        parent: QObject | None = None,
        *,
        probe: Callable[[], Machine] = devices.probe,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._queue = queue
        self._probe = probe
        self._lane = Lane(self)
        self._asked = 0

    @property
    def host(self) -> str:
        """The hub's."""
        return self._services.hub.host

    def ask(self, wish: str) -> None:
        """Ask the server: a name of the catalog, owner/model of the hub, or an https address."""
        self.forget()
        wish = wish.strip()
        if not wish:
            return
        self._asked += 1
        number = self._asked
        self.asking = True

        def take(found: Terms | Refusal) -> None:
            if number == self._asked:  # else another was asked for meanwhile
                self.asking = False
                if isinstance(found, Refusal):
                    self.refusal = found
                else:
                    self.agreed = not found.gated
                    self.terms = found

        def miss(failure: Failure | None) -> None:
            if failure is not None:
                take(Refusal(failure))

        self._lane.do(lambda: self._find_terms(wish), take, miss)

    def forget(self) -> None:
        """There is no offer (any more)."""
        self._asked += 1
        self.asking, self.terms, self.refusal, self.agreed = False, None, None, False

    def agree(self, *, agreed: bool) -> None:
        """The user says whether the licence was accepted on its page."""
        self.agreed = agreed

    def accept(self, name: str = "") -> None:
        """Download it, and call it `name` here."""
        if self.terms is not None and self.agreed:
            self._queue.add(
                self.terms.wish,
                name.strip(),
                then=lambda download: self.accepted.emit(download.name),
                failed=lambda failure: setattr(self, "refusal", Refusal(failure)),
            )

    def close(self) -> None:
        """End, for good."""
        self._lane.close()

    def _find_terms(self, wish: str) -> Terms | Refusal:
        """In the background."""
        try:
            offer = self._services.downloads.offer(wish)
        except AccessDenied as denied:
            return Refusal(as_failure(denied), denied.denial.value, denied.page)
        except FirstlightError as error:
            return Refusal(as_failure(error))
        return self._make_terms(wish, offer)

    def _make_terms(self, wish: str, offer: Offer) -> Terms:
        entry = next((row for row in catalog.load() if wish.casefold() in (row.name, row.repository.casefold())), None)
        machine = self._probe()
        is_link = "://" in wish
        gated = offer.gated or (entry is not None and entry.gated)
        page = "" if is_link else self._services.hub.page(entry.repository if entry is not None else wish)
        if entry is not None and entry.licence_page and not gated:
            page = entry.licence_page  # the text itself; a gated one is accepted on the model's page
        return Terms(
            wish=wish,
            title=entry.title if entry else wish,
            name=offer.name,
            size=offer.size,
            free=files.free_bytes(self._services.models.folder),
            files=len(offer.files),
            licence=entry.licence if entry else offer.licence,
            licence_page=page,
            gated=gated,
            has_token=bool(self._services.tokens.find(self.host)),
            entry=entry,
            needs=needs.memory_needs(entry, machine) if entry else (),
            machine=machine,
        )
