"""The view of one picture: exact at 100 %, zoomed and moved by mouse and keys, given away whole."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeySequence, QPainter, QShortcut, QWheelEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.views.camera import Camera
from app.views.image_view import ImageView
from app.views.mipmap import Mipmap

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def noise(width: int, height: int) -> QImage:
    data = Image.effect_noise((width, height), 90).convert("RGBA").tobytes()
    return QImage(data, width, height, QImage.Format.Format_RGBA8888).convertToFormat(QImage.Format.Format_RGB32)


@pytest.fixture
def view(qtbot: QtBot) -> ImageView:
    view = ImageView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    return view


def turn_wheel(view: ImageView, at: QPoint, delta: int) -> None:
    none = Qt.KeyboardModifier.NoModifier
    place = QPointF(view.mapToGlobal(at))
    begin = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(at), place, QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, none, begin, False)
    QApplication.sendEvent(view, event)


def test_fits_a_large_picture_and_enlarges_a_small_one_little(view: ImageView) -> None:
    view.set_image(noise(800, 400))
    assert view.camera.scale == 0.5
    assert view.camera.target() == QRectF(0, 50, 400, 200)
    view.set_image(noise(50, 50))
    assert view.camera.scale == 2.0, "not blown up to the whole area"
    view.resize(40, 300)
    view.resize(800, 600)
    assert view.camera.target().center() == QPointF(400, 300)


def test_at_full_size_every_pixel_is_shown_as_it_is(view: ImageView) -> None:
    picture = noise(900, 700)
    view.set_image(picture)
    view.show_full_size()
    left, top = view.camera.target().x(), view.camera.target().y()
    assert (left, top) == (-250, -200)
    assert view.grab().toImage().convertToFormat(picture.format()) == picture.copy(250, 200, 400, 300)


def test_the_wheel_zooms_to_the_pointer_and_stops_at_full_size(view: ImageView) -> None:
    view.set_image(noise(800, 600))
    at = QPoint(100, 80)
    before = view.camera.to_picture(QPointF(at))
    for _ in range(10):
        turn_wheel(view, at, 120)
        place = view.camera.to_picture(QPointF(at))
        assert abs(place.x() - before.x()) < 2
        assert abs(place.y() - before.y()) < 2
        if view.camera.scale == 1.0:
            break
    assert view.camera.scale == 1.0
    for _ in range(40):
        turn_wheel(view, at, -120)
    assert view.camera.target().center().toPoint() == QPoint(200, 150), "a small picture is in the middle"
    for _ in range(60):
        turn_wheel(view, at, 120)
    assert view.camera.scale == 64


def test_double_click_goes_to_full_size_and_back(view: ImageView, qtbot: QtBot) -> None:
    view.set_image(noise(800, 600))
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert (view.camera.scale, view.camera.fits) == (1.0, False)
    assert view.camera.target().topLeft() == QPointF(-10, -10)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert view.camera.fits


def test_dragging_and_arrow_keys_pan_to_the_edges_and_no_further(view: ImageView, qtbot: QtBot) -> None:
    view.set_image(noise(800, 600))
    view.show_full_size()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    qtbot.mouseMove(view, QPoint(230, 140))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)
    assert view.camera.target().topLeft() == QPointF(-170, -160)
    for _ in range(20):
        qtbot.keyClick(view, Qt.Key.Key_Right)
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.camera.target().bottomRight() == QPointF(400, 300)


def test_keys_zoom_even_where_the_window_has_the_same_ones(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = ImageView()
    QVBoxLayout(window).addWidget(view)
    pages: list[str] = []
    shortcut = QShortcut(QKeySequence("Ctrl+1"), window)
    shortcut.activated.connect(lambda: pages.append("generate"))
    window.resize(400, 300)
    window.show()
    view.set_image(noise(800, 600))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert (view.camera.scale, pages) == (1.0, [])
    qtbot.keyClick(view, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert view.camera.fits
    qtbot.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    zoomed = view.camera.scale
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.camera.scale < zoomed


def test_a_preview_takes_the_place_of_the_picture_to_come(view: ImageView) -> None:
    view.set_preview(noise(32, 32), QSize(1024, 1024))
    assert view.camera.picture == QSize(1024, 1024)
    assert not view.copy_action.isEnabled()
    assert "Preview" in view.accessibleName()
    view.camera.zoom_to(2.0)
    place = view.camera.target()
    view.set_image(noise(1024, 1024), Path("/tmp/a.png"), "a lighthouse")
    assert view.camera.target() == place, "nothing jumps"
    assert view.accessibleName() == "Picture, 1024 by 1024 pixels, a lighthouse"


def test_a_picture_is_copied_as_file_and_pixels(view: ImageView, qtbot: QtBot, tmp_path: Path) -> None:
    picture = noise(20, 10)
    view.set_image(picture, tmp_path / "a b.png")
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    mime = QGuiApplication.clipboard().mimeData()
    assert [url.toLocalFile() for url in mime.urls()] == [str(tmp_path / "a b.png")]
    assert QImage(mime.imageData()).convertToFormat(picture.format()) == picture


def test_save_and_folder_are_asked_for_only_where_there_is_a_picture(view: ImageView, qtbot: QtBot) -> None:
    wanted: list[str] = []
    view.save_wanted.connect(lambda: wanted.append("save"))
    view.folder_wanted.connect(lambda: wanted.append("folder"))
    keys = ((Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier),)
    for key, modifier in keys:
        qtbot.keyClick(view, key, modifier)
    view.set_image(noise(20, 10))
    qtbot.keyClick(view, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    view.folder_action.trigger()
    view.set_image(noise(20, 10), Path("/tmp/a.png"))
    view.folder_action.trigger()
    assert wanted == ["save", "folder"]
    assert {view.copy_action, view.fit_action, view.save_action} <= set(view.menu().actions())


def test_nothing_is_no_picture(view: ImageView) -> None:
    view.set_hint("Your pictures appear here")
    assert view.accessibleName() == "Your pictures appear here"
    assert view.mime_data() is None
    view.show_full_size()
    view.zoom_in()
    view.grab()
    view.set_image(noise(20, 10))
    view.clear()
    assert view.camera.picture.isEmpty()


def test_transparency_shows_a_checkerboard(view: ImageView) -> None:
    empty = QImage(400, 300, QImage.Format.Format_ARGB32)
    empty.fill(Qt.GlobalColor.transparent)
    view.set_image(empty)
    shown = view.grab().toImage()
    colours = {shown.pixelColor(x, 50).name() for x in range(0, 400, 3)}
    assert len(colours) == 2


def test_a_small_copy_is_smooth() -> None:
    """A picture of fine stripes becomes even grey, not other stripes."""
    stripes = QImage(1024, 1024, QImage.Format.Format_RGB32)
    stripes.fill(Qt.GlobalColor.black)
    painter = QPainter(stripes)
    for x in range(0, 1024, 2):
        painter.fillRect(x, 0, 1, 1024, Qt.GlobalColor.white)
    painter.end()
    ground = QImage(100, 100, QImage.Format.Format_RGB32)
    painter = QPainter(ground)
    area = QRectF(0, 0, 100, 100)
    Mipmap(stripes).draw(painter, area, area)
    painter.end()
    greys = {QColor(ground.pixel(x, 50)).red() for x in range(2, 98)}
    assert min(greys) > 110
    assert max(greys) < 145


def test_large_pictures_are_drawn_fast(view: ImageView) -> None:
    view.resize(1600, 1000)
    begin = time.thread_time()
    view.set_image(noise(512, 512).scaled(4096, 4096))
    first = time.thread_time()
    view.grab()
    after = time.thread_time()
    for step in range(20):
        view.camera.zoom_by(1 if step < 10 else -1)
        view.grab()
    each = (time.thread_time() - after) / 20
    print(  # noqa: T201  # measured
        f"4096²: set {first - begin:.3f} s, first paint {after - first:.3f} s, each zoom {each:.4f} s"
    )
    assert each < 0.1


def test_the_middle_stays_when_the_area_or_its_screen_changes() -> None:
    camera = Camera()
    camera.set_area(QSizeF(400, 300), 1.0)
    camera.set_picture(QSize(2000, 1000))
    camera.zoom_to(1.0)
    camera.set_area(QSizeF(800, 600), 2.0)
    assert camera.scale == 2.0, "as large as before to the eye, on a screen of finer pixels"
    assert camera.target().center() == QPointF(400, 300)


_AT_200 = """
import sys
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from app.views.image_view import ImageView
from tests.app.views.test_image_view import noise
app = QApplication([])
window = QWidget()
view = ImageView(parent=window)
view.setGeometry(3, 5, 201, 151)
window.resize(260, 200)
window.show()
picture = noise(900, 700)
view.set_image(picture)
view.show_full_size()
ratio = view.devicePixelRatioF()
grabbed = window.grab().toImage()
shown = grabbed.convertToFormat(picture.format())
shown.setDevicePixelRatio(1)
origin = view.camera.target().topLeft().toPoint()
x, y = round(3 * ratio) + 10, round(5 * ratio) + 10
mine = picture.copy(10 - origin.x(), 10 - origin.y(), 180, 120)
assert ratio == float(sys.argv[1]), ratio
assert shown.copy(x, y, 180, 120) == mine
"""


@pytest.mark.parametrize("scale", ["1.5", "2"])
def test_full_size_is_exact_on_screens_of_finer_pixels(scale: str) -> None:
    root = Path(__file__).parents[3]
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", _AT_200, scale], env=environment, check=True, timeout=120)
