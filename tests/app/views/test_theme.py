"""The look: tokens, palette and style sheet."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QPushButton

from app.services.settings import Settings
from app.services.settings_table import THEME
from app.views import icons
from app.views.theme import DARK, LIGHT, Theme, Tokens, make_style_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def plain(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *((text, ground) for text in ("text", "muted", "danger", "warning") for ground in ("window", "base", "card")),
        *(("text", ground) for ground in ("hover", "pressed", "accent_soft", "canvas")),
        *(("on_accent", ground) for ground in ("accent", "accent_hover", "accent_pressed")),
        *(("accent", ground) for ground in ("window", "base", "accent_soft")),
    ],
)
def test_text_can_be_read(tokens: Tokens, text: str, ground: str) -> None:
    """WCAG 2, level AA."""
    assert _contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_the_style_sheet_is_whole(tokens: Tokens, plain: QApplication) -> None:
    sheet = make_style_sheet(tokens, 9.0)
    assert "$" not in sheet
    plain.setStyleSheet(sheet)  # Qt's warning "Could not parse application stylesheet" fails the test


def test_every_token_is_a_colour() -> None:
    for tokens in (LIGHT, DARK):
        for field in fields(tokens):
            assert QColor(getattr(tokens, field.name)).name() == getattr(tokens, field.name)


def test_the_look_follows_the_setting_at_once(plain: QApplication, settings: Settings) -> None:
    theme = Theme(plain, settings)
    settings.set(THEME, "dark")
    assert theme.tokens is DARK
    assert plain.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    settings.set(THEME, "light")
    assert theme.tokens is LIGHT
    assert plain.palette().color(QPalette.ColorRole.Window).name() == LIGHT.window


def test_an_icon_follows_the_look_by_itself(plain: QApplication, settings: Settings, qtbot: QtBot) -> None:
    theme = Theme(plain, settings)
    assert theme.tokens is LIGHT
    button = QPushButton()
    qtbot.addWidget(button)
    button.setIcon(icons.icon("square"))
    colours = {}
    for look in ("light", "dark"):
        settings.set(THEME, look)
        image = button.icon().pixmap(32, 32).toImage()
        colours[look] = {image.pixelColor(x, 16).name() for x in range(32) if image.pixelColor(x, 16).alpha() == 255}
    assert colours == {"light": {LIGHT.text}, "dark": {DARK.text}}


def test_an_icon_is_crisp_at_200_percent(qapp: QApplication) -> None:
    assert icons.icon("play").pixmap(16, 16).width() * 2 == icons.icon("play").pixmap(32, 32).width()
    scaled = icons.icon("play").pixmap(icons.QSize(16, 16), 2.0)
    assert (scaled.width(), scaled.devicePixelRatio()) == (32, 2.0)


def test_an_icon_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(FileNotFoundError):
        icons.icon("no such icon")


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(QColor(one)), _luminance(QColor(other))))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: QColor) -> float:
    values = (colour.redF(), colour.greenF(), colour.blueF())
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
