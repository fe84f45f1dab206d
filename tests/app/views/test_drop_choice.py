"""Files dropped on a real window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.picture import Drops
from app.views.drop_choice import DropCatcher, DropChoice
from tests.app.viewmodels.test_picture import Page, Told, ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    Wait = Callable[..., None]


class Desk:
    """A window with a text field, and what its drops lead to."""

    def __init__(self, qtbot: QtBot) -> None:
        self.page, self.told = Page(), Told()
        self.drops = Drops(self.page, self.told)
        self.window = QWidget()
        self.window.resize(700, 500)
        self.field = QPlainTextEdit()
        QVBoxLayout(self.window).addWidget(self.field)
        self.catcher = DropCatcher(self.window, self.drops)
        self.catcher.cover_fields()
        self.catcher.cover_fields()  # when the next page is made
        qtbot.addWidget(self.window)
        self.window.show()

    def drop(self, mime: QMimeData, on: QWidget | None = None) -> bool:
        target, copy = on or self.window, Qt.DropAction.CopyAction
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(50, 50), copy, mime, buttons, keys)
        QApplication.sendEvent(target, enter)
        event = QDropEvent(QPointF(50, 50), copy, mime, buttons, keys)
        QApplication.sendEvent(target, event)
        return event.isAccepted()

    @property
    def choice(self) -> DropChoice:
        return next(child for child in self.window.findChildren(DropChoice) if child.isVisible())

    def press(self, text: str) -> None:
        next(b for b in self.choice.findChildren(QPushButton) if b.text() == text).click()


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    desk.drops.close()


def mime_of(*urls: QUrl) -> QMimeData:
    mime = QMimeData()
    mime.setUrls(urls)
    return mime


def test_a_picture_asks_and_gives_its_settings(desk: Desk, wait: Wait, tmp_path: Path) -> None:
    path = ours(tmp_path / "a b.png")
    assert desk.drop(mime_of(QUrl.fromLocalFile(str(path))))
    wait(lambda: desk.drops.offer is not None)
    texts = [label.text() for label in desk.choice.findChildren(QLabel)]
    assert "a b.png" in texts
    assert any("settings by Firstlight" in text and "an apple" in text for text in texts)
    desk.press("Use its settings")
    assert len(desk.page.restored) == 1
    wait(lambda: not desk.window.findChildren(DropChoice))


def test_it_falls_on_a_field_of_text_and_is_still_a_picture(desk: Desk, wait: Wait, tmp_path: Path) -> None:
    path = ours(tmp_path / "a.png")
    desk.drop(mime_of(QUrl.fromLocalFile(str(path))), desk.field.viewport())
    wait(lambda: desk.drops.offer is not None)
    desk.press("Use as start picture")
    assert desk.page.start == (path, (64, 64))
    assert desk.field.toPlainText() == ""


def test_of_two_dropped_one_after_the_other_the_last_counts(desk: Desk, wait: Wait, tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        ours(tmp_path / name)
        desk.drops.take([tmp_path / name])
        wait(lambda name=name: desk.drops.offer is not None and desk.drops.offer.path.name == name)
    assert desk.drops.offer is not None
    desk.press("Use as start picture")
    assert desk.page.start == (tmp_path / "b.png", (64, 64))
    wait(lambda: not desk.window.findChildren(DropChoice))


def test_escape_does_nothing_with_it(desk: Desk, wait: Wait, qtbot: QtBot, tmp_path: Path) -> None:
    desk.drop(mime_of(QUrl.fromLocalFile(str(ours(tmp_path / "a.png")))))
    wait(lambda: desk.drops.offer is not None)
    qtbot.keyClick(desk.choice, Qt.Key.Key_Escape)
    assert desk.drops.offer is None
    assert (desk.page.restored, desk.page.start) == ([], None)


def test_text_is_left_to_the_fields(desk: Desk) -> None:
    mime = QMimeData()
    mime.setText("a fox")
    desk.drop(mime, desk.field.viewport())
    assert desk.field.toPlainText() == "a fox"
    assert not desk.told.all


def test_a_link_and_many_files_are_answered(desk: Desk, tmp_path: Path) -> None:
    desk.drop(mime_of(QUrl("https://example.org/a.png")))
    assert "link to a web page" in desk.told.message
    desk.told.all.clear()
    desk.drop(mime_of(*(QUrl.fromLocalFile(str(tmp_path / f"{n}.png")) for n in range(3))))
    assert "3 files were dropped" in desk.told.message


def test_the_window_shows_that_it_would_take_it(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    mime = mime_of(QUrl.fromLocalFile(str(tmp_path / "a.png")))
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, mime, buttons, keys)
    before = desk.window.grab().toImage()
    QApplication.sendEvent(desk.window, enter)
    assert enter.isAccepted()
    assert desk.window.grab().toImage() != before
    QApplication.sendEvent(desk.window, QDragLeaveEvent())
    assert desk.window.grab().toImage() == before
