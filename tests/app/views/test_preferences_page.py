"""The Settings page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from app.services.settings import Settings
from app.services.settings_table import (
    BACKEND,
    CONFIRM_BIN,
    LANGUAGE,
    PICTURES_FOLDER,
    SETTINGS,
    THEME,
    THUMBNAIL_CACHE_MB,
    UPDATE_CHECK,
)
from app.viewmodels.preferences import Preferences
from app.views.about_dialog import AboutDialog
from app.views.preferences_page import PreferencesPage

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def page(settings: Settings, tmp_path: Path, qtbot: QtBot) -> PreferencesPage:
    page = PreferencesPage(Preferences(settings, tmp_path / "pictures"))
    qtbot.addWidget(page)
    page.resize(900, 900)
    page.show()
    qtbot.waitExposed(page)
    return page


def test_every_shown_setting_has_a_named_control(page: PreferencesPage) -> None:
    for setting in SETTINGS:
        control = page.findChild(QWidget, setting.name)
        shown = bool(setting.label) and setting is not UPDATE_CHECK  # that one is for an installed program on Windows
        assert (control is not None) == shown
        if control is not None:
            assert control.accessibleName() == setting.label
            assert control.toolTip() == setting.text


def test_every_button_has_words(page: PreferencesPage) -> None:
    for button in page.findChildren(QAbstractButton):
        assert button.text() or button.accessibleName()


def test_a_choice_is_in_force_at_once(page: PreferencesPage, settings: Settings, qtbot: QtBot) -> None:
    box = page.findChild(QComboBox, THEME.name)
    assert isinstance(box, QComboBox)
    qtbot.keyClick(box, Qt.Key.Key_End)
    assert settings.text(THEME) == "dark"
    switch = page.findChild(QCheckBox, CONFIRM_BIN.name)
    assert isinstance(switch, QCheckBox)
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert settings.flag(CONFIRM_BIN) is False


def test_a_number_is_taken_when_it_was_typed_to_its_end(
    page: PreferencesPage, settings: Settings, qtbot: QtBot
) -> None:
    box = page.findChild(QSpinBox, THUMBNAIL_CACHE_MB.name)
    assert isinstance(box, QSpinBox)
    box.selectAll()
    qtbot.keyClicks(box, "2500")
    assert settings.number(THUMBNAIL_CACHE_MB) == 1000
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert settings.number(THUMBNAIL_CACHE_MB) == 2500


def test_a_change_from_elsewhere_is_shown(page: PreferencesPage, settings: Settings, tmp_path: Path) -> None:
    settings.set(PICTURES_FOLDER, str(tmp_path / "mine"))
    field = page.findChild(QWidget, PICTURES_FOLDER.name)
    assert field is not None
    assert [edit.text() for edit in field.findChildren(QLineEdit)] == [str(tmp_path / "mine")]


def test_the_stand_in_is_offered_only_where_it_was_chosen(settings: Settings, tmp_path: Path) -> None:
    preferences = Preferences(settings, tmp_path)
    assert "fake" not in preferences.choices(BACKEND)
    settings.set(BACKEND, "fake")
    assert "fake" in preferences.choices(BACKEND)


def test_everything_back_to_its_default(page: PreferencesPage, settings: Settings, tmp_path: Path) -> None:
    settings.set(LANGUAGE, "de")
    settings.set(THUMBNAIL_CACHE_MB, 60)
    preferences = Preferences(settings, tmp_path)
    preferences.reset_all()
    assert (settings.text(LANGUAGE), settings.number(THUMBNAIL_CACHE_MB)) == ("system", 1000)


def test_the_licences_are_there_in_full(qtbot: QtBot) -> None:
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    texts = "".join(text.toPlainText() for text in dialog.findChildren(QPlainTextEdit))
    assert "Apache License" in texts
    assert "Lucide" in texts
