"""The one hook for faults of our own: they are logged and told, and the window goes on."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QtMsgType, qInstallMessageHandler

from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from PySide6.QtCore import QMessageLogContext

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

log = logging.getLogger(__name__)


class CrashHook:
    """While installed, exceptions that nobody caught, on any thread, and what Qt complains of come here.

    `tell` takes the failure; it is called on the thread that it happened on.
    """

    def __init__(self, tell: Callable[[Failure], object]) -> None:
        self._tell = tell
        self._before = (sys.excepthook, threading.excepthook)
        self._before_qt: object = None

    def install(self) -> None:
        """Begin."""
        sys.excepthook = self._take
        threading.excepthook = self._take_of_thread
        self._before_qt = qInstallMessageHandler(_log_qt)

    def remove(self) -> None:
        """Leave everything as it was."""
        sys.excepthook, threading.excepthook = self._before
        qInstallMessageHandler(self._before_qt)  # pyright: ignore[reportArgumentType] - what it gave out itself

    def _take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, Exception):  # Ctrl+C, sys.exit
            self._before[0](kind, error, trace)
            return
        log.error("a fault", exc_info=(kind, error, trace))
        self._tell(explain_fault(error.with_traceback(trace)))

    def _take_of_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None and arguments.exc_type is not SystemExit:
            self._take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def explain_fault(error: BaseException) -> Failure:
    """A fault of ours in words, with its traceback for a report."""
    details = "".join(traceback.format_exception(error))
    return Failure(
        "fault",
        f"Firstlight has a fault: {type(error).__name__}: {error}.",
        "You can go on. If it happens again, save a report and send it to us.",
        details,
    )


def _log_qt(kind: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
    logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", message)
