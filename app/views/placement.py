"""Where the window stands: as it was left, and always where it can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

_FIRST_SIZE = QSize(1280, 840)  # logical pixels
_REACH = QSize(120, 24)  # of the title bar, at least so much has to be on a screen
_TITLE = 32  # height of a title bar, about


def save(window: QWidget) -> str:
    """The window's place as text for the settings."""
    return window.saveGeometry().toBase64().toStdString()


def restore(window: QWidget, text: str) -> None:
    """Put the window where it was, or, the first time, into the middle of the screen; and where it can be reached."""
    saved = QByteArray.fromBase64(text.encode("ascii", "ignore")) if text else QByteArray()
    if saved.isEmpty() or not window.restoreGeometry(saved):
        room = QGuiApplication.primaryScreen().availableGeometry()
        window.resize(_FIRST_SIZE.boundedTo(room.size() * 0.92))
        window.move(room.center() - window.rect().center())
    bring_on_screen(window)


def bring_on_screen(window: QWidget) -> None:
    """Move the window where its title bar can be seen: a screen may be gone, or smaller than it was."""
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    place = fit(window.geometry(), screens)
    if place != window.geometry():
        window.setGeometry(place)


def fit(window: QRect, screens: Sequence[QRect]) -> QRect:
    """The place for a window: its own where enough of its title bar is on one of the screens, else on the first."""
    if not screens:
        return window
    title = QRect(window.x(), window.y() - _TITLE, window.width(), _TITLE * 2)
    for screen in screens:
        seen = screen.intersected(title)
        if seen.width() >= _REACH.width() and seen.height() >= _REACH.height():
            return window
    room = screens[0].adjusted(0, _TITLE, 0, 0)
    place = QRect(room.topLeft(), window.size().boundedTo(room.size()))
    place.moveCenter(room.center())
    return place
