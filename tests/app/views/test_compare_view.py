"""Two pictures by a slider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QImage

from app.views.compare_view import CompareView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

RED, BLUE = "#ff0000", "#0000ff"


def plain(width: int, height: int, colour: str) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


@pytest.fixture
def view(qtbot: QtBot) -> CompareView:
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    view.set_images(plain(800, 600, RED), plain(800, 600, BLUE), "first", "second")
    return view


def colours(view: CompareView, y: int = 20) -> list[str]:
    shown = view.area.grab().toImage()
    return [shown.pixelColor(x, y).name() for x in range(0, view.area.width(), 10)]


def test_each_side_shows_its_picture(view: CompareView) -> None:
    row = colours(view)
    found = [colour for colour in row if colour in (RED, BLUE)]
    assert found == sorted(found, reverse=True)
    assert abs(found.count(RED) - found.count(BLUE)) <= 1


def test_the_slider_moves_the_line_by_keys(view: CompareView, qtbot: QtBot) -> None:
    view.slider.setFocus()
    for _ in range(5):
        qtbot.keyClick(view.slider, Qt.Key.Key_PageUp)
    assert view.slider.value() == 1000
    assert BLUE not in colours(view)
    qtbot.keyClick(view.slider, Qt.Key.Key_Home)
    assert RED not in colours(view)
    qtbot.keyClick(view.slider, Qt.Key.Key_Right)
    assert view.slider.value() == 10


def test_the_pointer_moves_the_line(view: CompareView, qtbot: QtBot) -> None:
    middle = view.area.rect().center()
    qtbot.mousePress(view.area, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(view.area, QPoint(150, 40))
    qtbot.mouseRelease(view.area, Qt.MouseButton.LeftButton)
    assert view.slider.value() == 250
    view.area.show_full_size()
    qtbot.mousePress(view.area, Qt.MouseButton.LeftButton, pos=QPoint(400, 100))
    qtbot.mouseMove(view.area, QPoint(380, 100))
    qtbot.mouseRelease(view.area, Qt.MouseButton.LeftButton)
    assert view.slider.value() == 250, "away from the line, dragging pans"


def test_swap_and_leave(view: CompareView, qtbot: QtBot) -> None:
    closed: list[bool] = []
    view.closed.connect(lambda: closed.append(True))
    qtbot.keyClick(view, Qt.Key.Key_X)
    assert colours(view)[10] == BLUE
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert closed == [True]


def test_a_small_and_a_large_picture_cover_the_same_place(view: CompareView) -> None:
    view.set_images(plain(200, 150, RED), plain(800, 600, BLUE))
    assert view.area.camera.picture == QSize(800, 600)
    row = colours(view)
    assert row.count(RED) > 15
    assert row.count(BLUE) > 15


def test_another_shape_stays_its_own(view: CompareView) -> None:
    view.set_images(plain(800, 600, RED), plain(100, 300, BLUE))
    view.slider.setValue(0)
    assert RED not in colours(view)
    across = [colour for colour in colours(view, view.area.height() // 2 + 60) if colour == BLUE]
    assert 8 <= len(across) <= 15, "a third as wide as high, in the middle"


def test_nothing_to_compare_is_no_error(qtbot: QtBot) -> None:
    view = CompareView()
    qtbot.addWidget(view)
    view.show()
    view.grab()
    view.set_images(QImage(), plain(10, 10, RED))
    view.grab()
