"""The window as a whole: what holds it together from start to end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from PySide6.QtCore import QByteArray, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from app.services.settings import Settings
from app.services.settings_table import LANGUAGE, THEME, WINDOW_GEOMETRY
from app.viewmodels.notices import Told
from app.views.generate_page import GeneratePage
from app.views.mask_editor import MaskEditor
from app.views.theme import DARK, LIGHT
from app.views.window import MainWindow
from pipelines.request import Backend
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.folders import Folders
    from tests.app.window.conftest import Open
PLACE = QRect(10, 40, 780, 600)  # the offscreen screen has 800 x 800


def test_a_fresh_profile_begins_with_the_first_page_once(open_shell: Open, qtbot: QtBot) -> None:
    shell = open_shell(fresh=True)
    qtbot.waitExposed(shell.window)
    assert shell.window.page == "welcome"
    qtbot.waitUntil(lambda: shell.panels.first_run.machine is not None)
    skip = shell.window.findChild(QAbstractButton, "skip")
    assert isinstance(skip, QAbstractButton)
    qtbot.mouseClick(skip, Qt.MouseButton.LeftButton)
    assert shell.window.page == "generate"
    assert not shell.panels.first_run.is_wanted
    assert shell.panels.notices.shown == ()


def test_the_language_is_switched_at_once_and_nothing_is_lost(open_shell: Open, qtbot: QtBot) -> None:
    shell = open_shell()
    shell.panels.notices.tell("Still here.")
    shell.window.show_page("preferences")
    shell.window.setGeometry(PLACE)
    before = shell.window
    box = shell.window.findChild(QComboBox, LANGUAGE.name)
    assert isinstance(box, QComboBox)
    qtbot.keyClick(box, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: shell.window is not before)
    assert shell.desk.settings.text(LANGUAGE) == "de"
    assert shell.window.page == "preferences"
    assert shell.window.geometry() == PLACE
    assert [notice.what for notice in shell.panels.notices.shown] == ["Still here."]
    assert "Einstellungen" in {button.text() for button in shell.window.findChildren(QToolButton)}


def test_switching_often_leaves_no_window_behind(open_shell: Open, qtbot: QtBot, qapp: QApplication) -> None:
    shell = open_shell()
    for language in ("de", "en", "de", "en"):
        for page in shell.page_keys:
            shell.window.show_page(page)
        before = shell.window
        shell.desk.settings.set(LANGUAGE, language)
        qtbot.waitUntil(lambda before=before: shell.window is not before)
    qtbot.waitUntil(lambda: sum(isinstance(one, MainWindow) for one in qapp.topLevelWidgets()) == 1)
    shell.panels.notices.tell("Still one bridge.")
    shell.panels.generate.generation.prompt = "still one page"
    assert shell.panels.notices.shown[0].count == 1


def test_the_look_is_switched_at_once(open_shell: Open) -> None:
    shell = open_shell()
    for look, tokens in (("dark", DARK), ("light", LIGHT)):
        shell.desk.settings.set(THEME, look)
        assert shell.window.palette().color(QPalette.ColorRole.Window).name() == tokens.window


def test_the_place_is_kept_and_reached_again(open_shell: Open, folders: Folders, qapp: QApplication) -> None:
    shell = open_shell()
    shell.window.setGeometry(PLACE)
    shell.window.close()
    saved = Settings(folders.config / "settings.json").text(WINDOW_GEOMETRY)
    assert not QByteArray.fromBase64(saved.encode()).isEmpty()
    again = open_shell()
    assert again.window.geometry() == PLACE
    again.window.setGeometry(QRect(9000, 9000, 900, 600))  # as after the screen there was unplugged
    qapp.screenRemoved.emit(QGuiApplication.primaryScreen())
    assert QGuiApplication.primaryScreen().availableGeometry().contains(again.window.geometry())


def test_what_was_wrong_with_the_files_is_told_once(open_shell: Open, folders: Folders, qtbot: QtBot) -> None:
    file = folders.config / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text("{ this is no JSON", encoding="utf-8")
    shell = open_shell(prepare=False)
    qtbot.waitUntil(lambda: bool(shell.panels.notices.shown))
    (notice,) = shell.panels.notices.shown
    assert str(notice.what).startswith("The settings were broken. They are kept as ")
    assert not notice.is_problem
    shell.window.close()
    shell.close()
    again = open_shell(prepare=False)
    qtbot.wait(50)
    assert again.panels.notices.shown == ()


def test_a_queue_from_last_time_waits_for_a_click(open_shell: Open, folders: Folders, qtbot: QtBot) -> None:
    shell = open_shell()
    shell.desk.jobs.pause()
    for number in range(3):
        shell.desk.jobs.submit(request(f"number {number}", backend=Backend.fake), folders.pictures)
    shell.window.close()
    shell.close()
    again = open_shell()
    qtbot.waitUntil(lambda: bool(again.panels.notices.shown))
    (notice,) = again.panels.notices.shown
    assert (notice.what, notice.subject) == (Told.queue_restored, "3")
    assert again.desk.jobs.paused
    again.desk.jobs.cancel_all()
    again.desk.jobs.resume()  # elsewhere than by the notice's button
    assert again.panels.notices.shown == ()


def test_a_second_window_on_the_profile_is_told(open_shell: Open, qtbot: QtBot) -> None:
    open_shell()
    second = open_shell()
    qtbot.waitUntil(lambda: bool(second.panels.notices.shown))
    (notice,) = second.panels.notices.shown
    assert str(notice.what).startswith("Firstlight is open already")


def test_a_fault_is_told_and_the_window_goes_on(
    open_shell: Open, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    shell = open_shell()
    sys.excepthook(ZeroDivisionError, ZeroDivisionError("oops"), None)
    (notice,) = shell.panels.notices.shown
    assert "ZeroDivisionError: oops" in str(notice.what)
    assert "oops" in caplog.text
    shell.panels.notices.dismiss_all()
    shell.window.show_page("preferences")
    assert shell.window.page == "preferences"


def test_a_report_is_written_in_the_background(open_shell: Open, qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_shell()
    with qtbot.waitSignal(shell.panels.diagnostics.saved):
        shell.panels.diagnostics.save(tmp_path / "report.zip")
    assert (tmp_path / "report.zip").is_file()
    assert "report.zip" in str(shell.panels.notices.shown[-1].what)


def test_a_mask_is_painted_on_the_start_picture(open_shell: Open, qtbot: QtBot, tmp_path: Path) -> None:
    picture = tmp_path / "start.png"
    Image.new("RGB", (96, 64), "green").save(picture)
    shell = open_shell()
    generation = shell.panels.generate.generation
    generation.set_start_picture(picture)
    page = shell.window.page_widget("generate")
    assert isinstance(page, GeneratePage)
    page.mask_wanted.emit(picture)
    qtbot.waitUntil(lambda: shell.panels.mask.picture is not None)
    editor = shell.window.findChild(MaskEditor)
    assert isinstance(editor, MaskEditor)
    assert editor.isVisible()
    editor.close()


def test_every_control_of_every_page_can_be_named(open_shell: Open) -> None:
    """For screen readers: a button, field or list has words, a name, or a label that is its buddy."""
    shell = open_shell()
    nameless: list[str] = []
    for page in shell.page_keys:
        shell.window.show_page(page)
    buddies = {label.buddy() for label in shell.window.findChildren(QLabel)}
    kinds = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QSlider)
    for widget in shell.window.findChildren(QWidget):
        if not isinstance(widget, kinds) or widget.objectName().startswith("qt_"):
            continue
        if _is_list_of_a_combo_box(widget):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox | QLineEdit)
        if not (widget.accessibleName() or text or widget in buddies or inner):
            nameless.append(f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}")
    assert nameless == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_word_is_clipped(open_shell: Open, qtbot: QtBot, language: str) -> None:
    """On every page, in a window as on a small laptop: buttons and plain labels have the room that their words need."""
    shell = open_shell(language=language)
    shell.window.resize(1024, 680)
    clipped: set[str] = set()
    for page in shell.page_keys:
        shell.window.show_page(page)
        qtbot.wait(100)
        for widget in shell.window.page_widget(page).findChildren(QWidget):
            if not widget.isVisible() or widget.width() >= widget.sizeHint().width() - 1:
                continue
            clipped |= {f"{page}: {text}" for text in (_words_in(widget),) if text}
    assert clipped == set()


def _is_list_of_a_combo_box(widget: QWidget) -> bool:
    frame = widget.parent()
    return frame is not None and isinstance(frame.parent(), QComboBox)


def _words_in(widget: QWidget) -> str:
    """What is written on a button or label that shows it whole or not at all; empty for any other widget."""
    if isinstance(widget, QAbstractButton) and not isinstance(widget.parent(), QLineEdit):
        return widget.text() or widget.accessibleName()
    elided = widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored
    return widget.text() if isinstance(widget, QLabel) and not widget.wordWrap() and not elided else ""
