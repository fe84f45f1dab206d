"""One window for a profile: a second start hands its files over to the first, and ends."""

from __future__ import annotations

import hashlib
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE = 1000  # milliseconds; one that hangs is no reason not to start
_MOST_BYTES = 1_000_000
_TAKEN = b"taken\n"
_ANY_PROCESS = 0xFFFFFFFF  # ASFW_ANY

log = logging.getLogger(__name__)


class Instance(QObject):
    """The door of a profile, known by its data folder.

    Signals:
        received (tuple[Path, ...]): another start wants these files opened; none: it wants the window.
    """

    received = Signal(object)

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        digest = hashlib.sha256(str(data.absolute()).casefold().encode()).hexdigest()
        self._name = f"firstlight-{digest[:24]}"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)  # nobody else's processes
        self._server.newConnection.connect(self._greet)

    def hand_over(self, files: Sequence[Path]) -> bool:
        """Give the files to the window that is open; False where there is none, or it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_PATIENCE):
            return False
        _let_it_come_forward()
        socket.write(json.dumps([str(path.absolute()) for path in files]).encode() + b"\n")
        answered = socket.waitForBytesWritten(_PATIENCE) and socket.waitForReadyRead(_PATIENCE)
        taken = answered and bytes(socket.readAll().data()) == _TAKEN
        socket.disconnectFromServer()
        return taken

    def listen(self) -> None:
        """Be the window of this profile. Where that cannot be, further starts open windows of their own."""
        if self._server.listen(self._name):
            return
        QLocalServer.removeServer(self._name)  # left behind by a crash: nobody answered there
        if not self._server.listen(self._name):
            log.warning("no second start will find this window: %s", self._server.errorString())

    def close(self) -> None:
        """Let another window have the profile."""
        self._server.close()

    def _greet(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.setParent(self)
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)
            self._take(socket)  # what was written before is announced no more

    def _read(self) -> None:
        self._take(cast("QLocalSocket", self.sender()))

    def _take(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > _MOST_BYTES:
            socket.abort()
            return
        if not socket.canReadLine():
            return
        try:
            files = _parse(bytes(socket.readLine().data()))
        except ValueError as error:
            log.warning("what a second start said is not understood: %s", error)
            socket.abort()
            return
        socket.write(_TAKEN)
        socket.flush()
        self.received.emit(files)


def _parse(line: bytes) -> tuple[Path, ...]:
    """Read the message.

    Raises:
        ValueError: it is none.
    """
    names: object = json.loads(line)
    if not isinstance(names, list):
        raise ValueError("it is no list")  # what was read is wrong, not a caller's type
    return tuple(Path(str(name)) for name in cast("list[object]", names))


def _let_it_come_forward() -> None:
    """Windows lets only the process that the user has just started bring a window to the front, or hand that on."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(_ANY_PROCESS)
