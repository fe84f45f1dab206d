"""Hands and eyes of the tests of pages: find what is shown, read it, press it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QWidget

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

W = TypeVar("W", bound=QWidget)


def child(parent: QWidget, kind: type[W]) -> W:
    """The first widget of that kind inside."""
    found = parent.findChild(kind)
    assert isinstance(found, kind)
    return found


def find_button(parent: QWidget, text: str) -> QAbstractButton:
    """The one visible button of that text."""
    (button,) = [
        one
        for one in parent.findChildren(QAbstractButton)
        if one.isVisible() and text in (one.text().replace("&", ""), one.accessibleName())
    ]
    return button


def press(parent: QWidget, text: str) -> None:
    """Click the visible button of that text."""
    button = find_button(parent, text)
    assert button.isEnabled(), text
    button.click()


def choose(parent: QWidget, text: str) -> None:
    """Choose the entry of that text from the one menu that has it."""
    (action,) = [one for menu in parent.findChildren(QMenu) for one in menu.actions() if one.text() == text]
    assert action.isEnabled(), text
    action.trigger()


def find_window(kind: type[W], qtbot: QtBot) -> W:
    """The window or dialog of that kind, as soon as it is there."""
    found: list[W] = []

    def look() -> bool:
        found[:] = [one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()]
        return bool(found)

    qtbot.waitUntil(look, timeout=20_000)
    return found[0]


def texts(parent: QWidget) -> str:
    """All that labels say."""
    return "\n".join(one.text() for one in parent.findChildren(QLabel) if one.isVisible())
