"""Where the window stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.views import placement

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LEFT = QRect(0, 0, 1920, 1040)
RIGHT = QRect(1920, 0, 2560, 1400)


@pytest.mark.parametrize("place", [QRect(100, 100, 1200, 800), QRect(2000, 50, 1200, 800), QRect(-1000, 40, 1200, 800)])
def test_a_window_that_can_be_reached_stays(place: QRect) -> None:
    assert placement.fit(place, [LEFT, RIGHT]) == place


@pytest.mark.parametrize(
    "place",
    [
        QRect(2000, 50, 1200, 800),  # on the screen that is gone
        QRect(100, -3000, 1200, 800),
        QRect(1900, 100, 1200, 800),  # only a sliver is left
        QRect(100, 1100, 1200, 800),  # below the edge
    ],
)
def test_a_window_that_cannot_be_reached_comes_back_whole(place: QRect) -> None:
    assert LEFT.contains(placement.fit(place, [LEFT]))


def test_a_window_larger_than_the_screen_is_made_to_fit() -> None:
    small = QRect(0, 0, 1024, 700)
    assert small.contains(placement.fit(QRect(3000, 0, 2500, 1400), [small]))


def test_the_place_is_kept_as_text(qtbot: QtBot) -> None:
    one, other = QWidget(), QWidget()
    for widget in (one, other):
        qtbot.addWidget(widget)
    one.setGeometry(QRect(60, 70, 500, 300))
    one.show()
    placement.restore(other, placement.save(one))
    assert other.geometry() == one.geometry()


@pytest.mark.parametrize("text", ["", "nonsense", "ÄÖ", "AAAA"])
def test_without_a_place_it_stands_in_the_middle(text: str, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    placement.restore(widget, text)
    assert QGuiApplication.primaryScreen().availableGeometry().intersects(widget.geometry())
