"""The Settings page: every shown setting, in force at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import settings_table
from app.services.settings_table import PICTURES_FOLDER, SETTINGS, UPDATE_CHECK, Setting, Value
from app.services.update import can_update

if TYPE_CHECKING:
    from app.services.settings import Settings


class Group(Enum):
    """The parts of the page, in their order."""

    window = "window"
    pictures = "pictures"
    engine = "engine"


_GROUPS = {
    settings_table.LANGUAGE: Group.window,
    settings_table.UPDATE_CHECK: Group.window,
    settings_table.THEME: Group.window,
    settings_table.BACKEND: Group.engine,
    settings_table.PRECISION: Group.engine,
}
_HIDDEN_CHOICES = {"fake"}  # for demos and tests: it draws no real picture


class Control(Enum):
    """How a setting is chosen."""

    choice = "choice"
    switch = "switch"
    number = "number"
    folder = "folder"


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of the page."""

    setting: Setting
    group: Group
    control: Control


class Preferences(QObject):
    """What the page shows and changes.

    Signals:
        changed (str): the setting of that name has another value now.
    """

    changed = Signal(object)

    def __init__(self, settings: Settings, pictures: Path) -> None:
        super().__init__()
        self._settings = settings
        self._pictures = pictures
        self._settings.changed.connect(self.changed)
        shown = [one for one in SETTINGS if one.label and (one is not UPDATE_CHECK or can_update())]
        self.rows = tuple(Row(one, _GROUPS.get(one, Group.pictures), _control(one)) for one in shown)

    def value(self, setting: Setting) -> Value:
        """The value in force."""
        return self._settings.get(setting)

    def choices(self, setting: Setting) -> tuple[Value, ...]:
        """The values to choose from; one that is for demos only where it was chosen already."""
        now = self.value(setting)
        return tuple(choice for choice in setting.choices if choice not in _HIDDEN_CHOICES or choice == now)

    def choose(self, setting: Setting, value: Value) -> None:
        """Take another value."""
        self._settings.set(setting, value)

    def reset_all(self) -> None:
        """Everything on the page to its default."""
        for row in self.rows:
            self._settings.reset(row.setting)

    @property
    def folder(self) -> Path:
        """Where new pictures go."""
        chosen = self._settings.text(PICTURES_FOLDER)
        return Path(chosen) if chosen else self._pictures


def _control(setting: Setting) -> Control:
    if setting is PICTURES_FOLDER:
        return Control.folder
    if setting.choices:
        return Control.choice
    return Control.switch if isinstance(setting.default, bool) else Control.number
