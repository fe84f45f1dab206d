"""The frame round the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QToolButton

from app.views.window import MainWindow, PageSpec

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def made() -> list[str]:
    return []


@pytest.fixture
def window(qtbot: QtBot, made: list[str]) -> MainWindow:
    def spec(key: str, icon: str) -> PageSpec:
        def make() -> QLabel:
            made.append(key)
            return QLabel(key)

        return PageSpec(key, key.title(), icon, make)

    window = MainWindow([spec("generate", "wand-sparkles"), spec("gallery", "images"), spec("preferences", "settings")])
    qtbot.addWidget(window)
    window.show_page("generate")
    window.show()
    qtbot.waitExposed(window)
    return window


def button(window: MainWindow, key: str) -> QToolButton:
    found = window.findChild(QToolButton, f"page_{key}")
    assert isinstance(found, QToolButton)
    return found


def test_pages_are_made_when_they_are_first_shown(window: MainWindow, made: list[str], qtbot: QtBot) -> None:
    assert (made, window.page) == (["generate"], "generate")
    with qtbot.waitSignal(window.page_changed) as changed:
        qtbot.mouseClick(button(window, "gallery"), Qt.MouseButton.LeftButton)
    assert changed.args == ["gallery"]
    assert made == ["generate", "gallery"]
    window.show_page("generate")
    window.show_page("gallery")
    assert made == ["generate", "gallery"]


def test_pages_by_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert window.page == "preferences"
    assert button(window, "preferences").isChecked()
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.page == "generate"


def test_every_control_of_the_frame_has_a_name(window: MainWindow) -> None:
    for button in window.findChildren(QToolButton):
        assert button.accessibleName()
        assert button.toolTip()


def test_a_page_without_an_icon_is_not_in_the_navigation(qtbot: QtBot) -> None:
    pages = [PageSpec("one", "One", "info", lambda: QLabel("1")), PageSpec("welcome", "", "", lambda: QLabel("w"))]
    window = MainWindow(pages)
    qtbot.addWidget(window)
    window.show_page("welcome")
    assert window.page == "welcome"
    assert [button.isChecked() for button in window.findChildren(QToolButton)] == [False]
    qtbot.mouseClick(button(window, "one"), Qt.MouseButton.LeftButton)
    assert (window.page, button(window, "one").isChecked()) == ("one", True)
