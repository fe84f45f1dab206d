"""A mask painted with mouse and pen, kept in the profile and never beside the user's picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QImage, QInputDevice, QPointingDevice, QPointingDeviceUniqueId, QTabletEvent
from PySide6.QtWidgets import QApplication

from app.viewmodels.mask import MaskPanel
from app.views.mask_editor import MaskEditor
from app.views.mask_image import MaskImage
from tests.app.viewmodels.test_picture import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    Wait = Callable[..., None]

NONE = Path("/none yet")


class Studio:
    """An editor over a picture of 400 x 300 pixels, shown at twice that at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used: Path | None = NONE
        self.told = Told()
        (folder / "mine").mkdir()
        self.picture = folder / "mine" / "picture.png"
        Image.new("RGB", (400, 300), "teal").save(self.picture)
        self.panel = MaskPanel(self, folder / "data" / "masks", self.told)
        self.editor: MaskEditor

    def set_mask(self, path: Path | None) -> None:
        self.used = path

    def open(self, qtbot: QtBot, wait: Wait, mask: Path | None = None) -> MaskEditor:
        self.panel.begin(self.picture, mask)
        self.editor = MaskEditor(self.panel)
        self.editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(self.editor)
        with qtbot.waitActive(self.editor):
            self.editor.open()
        wait(lambda: self.editor.canvas.painted_mask is not None)
        wait(lambda: mask is None or self.panel.loaded is not None)
        return self.editor

    def at(self, x: float, y: float) -> QPoint:
        """Where a pixel of the picture is on the canvas."""
        canvas = self.editor.canvas
        return (canvas.camera.target().topLeft() + QPointF(x, y) * canvas.camera.scale).toPoint()

    def value(self, x: int, y: int) -> int:
        """The mask at a pixel of the picture."""
        mask = self.editor.canvas.painted_mask
        assert mask is not None
        return mask.image.pixelColor(x, y).alpha()

    def stroke(
        self, qtbot: QtBot, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton
    ) -> None:
        canvas = self.editor.canvas
        qtbot.mousePress(canvas, button, pos=start)
        qtbot.mouseMove(canvas, end)
        qtbot.mouseRelease(canvas, button, pos=end)


@pytest.fixture
def studio(tmp_path: Path, qt_core: object) -> Iterator[Studio]:
    studio = Studio(tmp_path)
    yield studio
    studio.panel.close()


def test_what_is_painted_is_white_in_a_file_of_the_profile(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    editor = studio.open(qtbot, wait)
    studio.panel.change_brush(40)
    studio.stroke(qtbot, studio.at(100, 150), studio.at(300, 150))
    qtbot.keyClick(editor.canvas, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: studio.used is not NONE)
    assert studio.used is not None
    assert studio.used.parent == studio.folder / "data" / "masks"
    with Image.open(studio.used) as mask:
        assert (mask.mode, mask.size) == ("L", (400, 300))
        values = [mask.getpixel(place) for place in ((200, 150), (200, 165), (200, 180), (20, 20))]
        assert values == [255, 255, 0, 0]
    assert [path.name for path in (studio.folder / "mine").iterdir()] == ["picture.png"]
    assert not editor.isVisible()


def test_erasing_undoing_inverting_and_clearing(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    editor = studio.open(qtbot, wait)
    canvas = editor.canvas
    studio.stroke(qtbot, studio.at(100, 150), studio.at(300, 150))
    studio.stroke(qtbot, studio.at(200, 150), studio.at(200, 150), Qt.MouseButton.RightButton)
    assert (studio.value(100, 150), studio.value(200, 150)) == (255, 0)
    qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert studio.value(200, 150) == 255
    qtbot.keyClick(canvas, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert studio.value(200, 150) == 0
    qtbot.keyClick(canvas, Qt.Key.Key_I)
    assert (studio.value(100, 150), studio.value(200, 150), studio.value(0, 0)) == (0, 255, 255)
    qtbot.keyClick(canvas, Qt.Key.Key_Delete)
    assert studio.value(0, 0) == 0
    for _ in range(4):
        qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert studio.value(100, 150) == 0
    assert not editor.undo_action.isEnabled()
    qtbot.keyClick(canvas, Qt.Key.Key_E)
    assert canvas.erases
    studio.stroke(qtbot, studio.at(50, 50), studio.at(60, 50))
    assert studio.value(55, 50) == 0
    qtbot.keyClick(canvas, Qt.Key.Key_B)
    studio.stroke(qtbot, studio.at(50, 50), studio.at(60, 50))
    assert studio.value(55, 50) == 255


def test_the_brush_changes_by_keys(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    editor = studio.open(qtbot, wait)
    before = studio.panel.brush
    qtbot.keyClick(editor.canvas, Qt.Key.Key_BracketRight)
    assert editor.canvas.brush == studio.panel.brush > before
    for _ in range(60):
        qtbot.keyClick(editor.canvas, Qt.Key.Key_BracketLeft)
    assert studio.panel.brush == 1
    assert editor.brush[2].value() == 1


def test_escape_leaves_and_changes_nothing(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    editor = studio.open(qtbot, wait)
    studio.stroke(qtbot, studio.at(100, 150), studio.at(300, 150))
    qtbot.keyClick(editor.canvas, Qt.Key.Key_Escape)
    assert not editor.isVisible()
    assert studio.used is NONE
    assert not (studio.folder / "data").exists()


def test_an_empty_mask_is_none(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    studio.open(qtbot, wait).use()
    assert studio.used is None


def test_a_mask_from_a_file_and_soft_edges(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    half = Image.new("L", (800, 600), 0)
    half.paste(255, (0, 0, 400, 600))
    half.save(studio.folder / "half.png")
    editor = studio.open(qtbot, wait, studio.folder / "half.png")
    assert (studio.value(50, 150), studio.value(350, 150)) == (255, 0)
    hard = editor.canvas.grab().toImage()
    editor.feather[1].setValue(40)
    wait(lambda: editor.canvas.grab().toImage() != hard)
    editor.use()
    wait(lambda: studio.used is not NONE)
    assert studio.used is not None
    with Image.open(studio.used) as mask:
        line = mask.crop((0, 150, 400, 151)).tobytes()
        row = [line[x] for x in (100, 180, 200, 220, 300)]
    assert row[0] == 255
    assert row[4] == 0
    assert 255 > row[1] > row[2] > row[3] > 0


def test_a_pen_draws_by_its_pressure(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    editor = studio.open(qtbot, wait)
    canvas = editor.canvas
    studio.panel.change_brush(100)
    pen = QPointingDevice(
        "pen",
        1,
        QInputDevice.DeviceType.Stylus,
        QPointingDevice.PointerType.Pen,
        QInputDevice.Capability.Pressure,
        1,
        2,
        "",
        QPointingDeviceUniqueId(),
    )

    def send(kind: QTabletEvent.Type, pressure: float) -> None:
        place = QPointF(studio.at(200, 150))
        button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QTabletEvent(
            kind, pen, place, QPointF(canvas.mapToGlobal(place)), pressure, 0, 0, 0, 0, 0, none, button, button
        )
        QApplication.sendEvent(canvas, event)
        assert event.isAccepted()

    send(QTabletEvent.Type.TabletPress, 0.2)
    send(QTabletEvent.Type.TabletRelease, 0.0)
    assert (studio.value(200, 150), studio.value(205, 150), studio.value(220, 150)) == (255, 255, 0)


def test_a_picture_that_is_gone_is_told(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    studio.panel.begin(studio.folder / "gone.png")
    editor = MaskEditor(studio.panel)
    editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(editor)
    editor.open()
    wait(lambda: studio.told.all and not editor.isVisible())


def test_a_mask_that_cannot_be_kept_is_told_and_painting_goes_on(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    (studio.folder / "data").write_text("a file where the folder should be")
    editor = studio.open(qtbot, wait)
    studio.stroke(qtbot, studio.at(100, 150), studio.at(300, 150))
    editor.use()
    wait(lambda: studio.told.all)
    assert editor.isVisible()
    assert editor.isEnabled()
    assert studio.used is NONE


def test_the_same_mask_is_the_same_file(studio: Studio, qtbot: QtBot, wait: Wait) -> None:
    for _ in range(2):
        studio.used = NONE
        editor = studio.open(qtbot, wait)
        editor.canvas.painted_mask.invert()  # pyright: ignore[reportOptionalMemberAccess] - `open` waited for it
        editor.use()
        wait(lambda: studio.used is not NONE)
    assert len(list((studio.folder / "data" / "masks").iterdir())) == 1


def test_undo_keeps_within_its_memory() -> None:
    mask = MaskImage(QSize(4096, 4096))
    for _ in range(40):
        mask.invert()
    kept = 0
    while mask.can_undo:
        mask.undo()
        kept += 1
    assert 10 <= kept <= 16


def test_a_mask_of_another_shape_is_cut_about_its_middle() -> None:
    mask = MaskImage(QSize(100, 100))
    wide = QImage(300, 100, QImage.Format.Format_RGB32)
    wide.fill(Qt.GlobalColor.black)
    for x in range(140, 160):
        for y in range(100):
            wide.setPixel(x, y, 0xFFFFFFFF)
    mask.take(wide)
    assert [mask.image.pixelColor(x, 50).alpha() for x in (10, 50, 90)] == [0, 255, 0]
