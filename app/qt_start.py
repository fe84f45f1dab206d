"""Starting Qt where it may not start: without its libraries, or without a screen, it says so in one line."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from pipelines.errors import Cancelled, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from PySide6.QtWidgets import QApplication

_LIBRARIES = "libegl1 libgl1 libfontconfig1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1"
_HEARTBEAT = 250  # milliseconds


def make_application(environment: Mapping[str, str] = os.environ) -> QApplication:
    """Make the process's QApplication.

    Where Qt finds no screen only once it tries, it ends the process itself: it does so with our line and exit code.

    Raises:
        UnusableFile: Qt's libraries or a screen are missing.
    """
    try:
        from PySide6 import QtCore
        from PySide6.QtGui import QIcon
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise UnusableFile(f"The window cannot be opened: {error}.", _advice()) from error
    if no_screen(environment, sys.platform):
        raise UnusableFile(
            "The window cannot be opened: there is no screen here.",
            "Start it in a desktop session, or draw from the command line: firstlight generate PROMPT.",
        )
    before = QtCore.qInstallMessageHandler(_end_if_fatal)
    try:
        app = QApplication(["firstlight"])
    finally:
        QtCore.qInstallMessageHandler(before)
    app.setApplicationName("Firstlight")
    app.setApplicationDisplayName("Firstlight")
    app.setDesktopFileName("firstlight")
    app.setWindowIcon(QIcon(str(_icon_file())))
    return app


def serve(app: QApplication) -> int:
    """Turn the event loop until the last window is closed; Ctrl+C and SIGTERM close it, too.

    It collects Python's garbage, which is left to it (`garbage.left_to_us`).
    """
    from PySide6.QtCore import QTimer

    from app.services import garbage

    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        app.quit()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    heartbeat = QTimer(interval=_HEARTBEAT)  # Python's handlers run between two steps of Python's own
    heartbeat.timeout.connect(garbage.collect)
    heartbeat.start()
    try:
        code = app.exec()
    finally:
        heartbeat.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
    return Cancelled.exit_code if stopped else code


def no_screen(environment: Mapping[str, str], platform: str) -> bool:
    """Whether it is plain before Qt tries that there is nothing to show a window on."""
    if platform in ("win32", "darwin"):
        return False
    return not any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _icon_file() -> os.PathLike[str]:
    import resources

    return resources.folder() / "icons" / "app.png"


def _end_if_fatal(kind: object, context: object, message: str | None) -> None:
    from PySide6.QtCore import QtMsgType

    if kind is not QtMsgType.QtFatalMsg:
        return  # said again in the fatal one, as far as it matters
    error = UnusableFile("The window cannot be opened: Qt finds no screen that it can use.", _advice())
    os.write(2, f"firstlight: {error}\n".encode("ascii", "backslashreplace"))
    os._exit(error.exit_code)  # Qt would abort the process after this


def _advice() -> str:
    if not sys.platform.startswith("linux"):
        return "Install Firstlight again."
    return f"Install what Qt needs; on Debian and Ubuntu: apt-get install {_LIBRARIES}."
