"""A newer version, from a real server to the dialog: nothing is asked unless allowed, nothing comes without a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pytestqt.qtbot")

from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QPushButton

from app.services.settings import Settings
from app.services.settings_table import UPDATE_CHECK
from app.services.update import UpdateSource
from app.viewmodels.updates import Updates, UpdateStage
from app.views.update_dialog import UpdateDialog
from tests.app.services.test_update import KEY, publish, server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

__all__ = ["server"]  # a fixture


@pytest.fixture
def updates(server: tuple[Path, str], tmp_path: Path, qtbot: QtBot) -> Iterator[Updates]:
    folder, address = server
    publish(folder, address)
    settings = Settings(tmp_path / "settings.json")
    made = Updates(UpdateSource(f"{address}/latest.json", KEY), "0.1.0", tmp_path / "data", settings)
    yield made
    made.close()


def test_nothing_is_asked_unless_the_user_has_said_so(updates: Updates, qtbot: QtBot) -> None:
    updates.begin()
    qtbot.wait(300)
    assert updates.update is None
    updates._settings.set(UPDATE_CHECK, True)
    with qtbot.waitSignal(updates.update_changed, timeout=10_000):
        updates.begin()
    assert updates.stage is UpdateStage.found


def test_notes_are_shown_and_a_click_fetches(updates: Updates, qtbot: QtBot, tmp_path: Path) -> None:
    updates._settings.set(UPDATE_CHECK, True)
    with qtbot.waitSignal(updates.update_changed, timeout=10_000):
        updates.begin()
    dialog = UpdateDialog(updates)
    qtbot.addWidget(dialog)
    dialog.show()
    notes = dialog.findChild(QPlainTextEdit)
    assert notes is not None
    assert notes.toPlainText() == "What is new"
    assert not list(tmp_path.rglob("data/updates/*"))
    box = dialog.findChild(QDialogButtonBox)
    assert box is not None
    go = next(
        button
        for button in box.findChildren(QPushButton)
        if box.buttonRole(button) is QDialogButtonBox.ButtonRole.AcceptRole
    )
    go.click()
    qtbot.waitUntil(lambda: updates.stage is UpdateStage.ready, timeout=10_000)
    assert [path.name for path in tmp_path.rglob("data/updates/*.exe")] == ["Firstlight-0.2.0-setup.exe"]
    assert "install" in go.text()


def test_a_setup_program_that_cannot_start_is_told(updates: Updates, qtbot: QtBot, tmp_path: Path) -> None:
    updates._settings.set(UPDATE_CHECK, True)
    with qtbot.waitSignal(updates.update_changed, timeout=10_000):
        updates.begin()
    updates.fetch()
    qtbot.waitUntil(lambda: updates.stage is UpdateStage.ready, timeout=10_000)
    next(tmp_path.rglob("data/updates/*.exe")).unlink()  # a virus scanner took it
    updates.install()
    assert updates.failure is not None
    assert "cannot be started" in updates.failure.message
