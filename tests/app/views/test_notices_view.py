"""Notices as the user sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QPlainTextEdit, QToolButton

from app.viewmodels.notices import Notices, Remedy, Told
from app.views.notices_view import NoticesView
from pipelines.events import Failure

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

FULL = Failure("no_room", "The disk is full.", "Free some space there.", "Traceback: here")


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def view(notices: Notices, qtbot: QtBot) -> NoticesView:
    notices.tell("Told before there was a window.")
    view = NoticesView(notices)
    qtbot.addWidget(view)
    view.resize(700, 200)
    view.show()
    qtbot.waitExposed(view)
    return view


def cards(view: NoticesView) -> list[QFrame]:
    QCoreApplication.processEvents()  # widgets are shown by it
    return [card for card in view.findChildren(QFrame, "notice") if not card.isHidden()]


def words(view: NoticesView) -> list[str]:
    return [label.text() for card in cards(view) for label in card.findChildren(QLabel) if not label.isHidden()]


def press(qtbot: QtBot, view: NoticesView, name: str) -> None:
    button = view.findChild(QAbstractButton, name)
    assert isinstance(button, QAbstractButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_what_was_told_before_is_there_and_can_be_closed(view: NoticesView, notices: Notices, qtbot: QtBot) -> None:
    assert words(view) == ["Told before there was a window."]
    press(qtbot, view, "close")
    assert notices.shown == ()
    assert cards(view) == []
    assert view.isHidden()


def test_a_failure_says_what_to_do_and_gives_details_to_copy(view: NoticesView, notices: Notices, qtbot: QtBot) -> None:
    notices.dismiss_all()
    notices.tell(FULL)
    notices.tell(FULL)
    assert words(view) == ["The disk is full.", "Free some space there.", "Happened 2 times"]
    details = view.findChildren(QPlainTextEdit)[-1]
    assert details.isHidden()
    press(qtbot, view, "copy")
    assert QGuiApplication.clipboard().text() == (
        "[no_room] The disk is full.\nFree some space there.\nTraceback: here"
    )
    with qtbot.waitSignal(view.report_wanted):
        press(qtbot, view, "report")


def test_its_button_does_what_it_says(view: NoticesView, notices: Notices, qtbot: QtBot) -> None:
    runs: list[int] = []
    notices.dismiss_all()
    notices.tell(Told.queue_restored, "20", remedy=Remedy.resume_queue, run=lambda: runs.append(1))
    assert "20" in words(view)[0]
    press(qtbot, view, "remedy")
    assert (runs, notices.shown) == ([1], ())


def test_many_notices_leave_room_for_the_page(view: NoticesView, notices: Notices) -> None:
    for number in range(10):
        notices.tell(f"Number {number}.")
    assert sorted(words(view)) == ["Number 7.", "Number 8.", "Number 9."]


def test_text_of_others_is_no_markup(view: NoticesView, notices: Notices) -> None:
    notices.dismiss_all()
    notices.tell(Told.job_set_aside, "<b>bold</b><img src=x>")
    (label,) = (one for card in cards(view) for one in card.findChildren(QLabel) if not one.isHidden())
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert "<b>bold</b>" in label.text()


def test_every_control_has_a_name(view: NoticesView, notices: Notices) -> None:
    notices.tell(FULL, remedy=Remedy.try_again)
    for button in view.findChildren(QToolButton):
        assert button.accessibleName()
