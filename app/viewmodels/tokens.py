"""Tokens for servers that want a login: entered here, kept in the system's keyring, shown nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.viewmodels.lane import Lane
from app.viewmodels.observable import Observed

if TYPE_CHECKING:
    from app.services.hub import Hub
    from app.services.tokens import Tokens
    from pipelines.events import Failure


class TokenDesk(QObject):
    """The token of one server at a time; the hub's at first. A keyring may ask the user something, so it is waited for.

    Signals, besides those of its values:
        stored (str): the token of that host is kept; an empty one was removed.
        problem (Failure): it could not be kept.
    """

    host = Observed("")
    host_changed = Signal(object)
    known = Observed[bool | None](None)  # whether there is a token for the host; None: not looked yet
    known_changed = Signal(object)
    busy = Observed(False)
    busy_changed = Signal(object)

    stored = Signal(str)
    problem = Signal(object)

    def __init__(self, tokens: Tokens, hub: Hub, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._hub = hub
        self._lane = Lane(self)
        self.host = hub.host

    @property
    def page(self) -> str:
        """Where tokens of the host are made."""
        return self._hub.tokens_page if self.host == self._hub.host else f"https://{self.host}"

    def look(self, host: str = "") -> None:
        """Choose the host (default: the hub's), and find out whether there is a token for it."""
        self.host = chosen = host or self._hub.host
        self.known = None

        def take(found: bool) -> None:
            if self.host == chosen:
                self.known = found

        self._lane.do(lambda: bool(self._tokens.find(chosen)), take, self._fail)

    def store(self, token: str) -> None:
        """Keep the token for the host; an empty one removes what is kept."""
        host = self.host
        self.busy = True

        def take(found: bool) -> None:
            self.busy = False
            self.known = found
            self.stored.emit(host)

        def work() -> bool:
            self._tokens.store(host, token)
            return bool(self._tokens.find(host))

        self._lane.do(work, take, self._fail)

    def close(self) -> None:
        """End, for good."""
        self._lane.close()

    def _fail(self, failure: Failure | None) -> None:
        self.busy = False
        if failure is not None:
            self.problem.emit(failure)
