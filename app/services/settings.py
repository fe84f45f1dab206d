"""What the user has chosen, in settings.json: read leniently, written whole."""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, TypeVar, cast

from PySide6.QtCore import QObject, Signal

from app.services.settings_table import SETTINGS, Setting, Value
from pipelines.events import Failure
from pipelines.replacing import replace_bytes

if TYPE_CHECKING:
    from pathlib import Path

V = TypeVar("V", bool, int, float, str)
_SIZE_MAX = 10_000_000  # bytes; no settings file of ours comes near

log = logging.getLogger(__name__)


class Settings(QObject):
    """The settings in force. Only what differs from its default is written, and what is not known here is kept.

    Signals:
        changed (str): the setting of that name has another value now.
        problem (Failure): the file could not be written; the values stay in force until the app ends.
    """

    changed = Signal(object)
    problem = Signal(object)

    def __init__(self, file: Path, parent: QObject | None = None, table: tuple[Setting, ...] = SETTINGS) -> None:
        super().__init__(parent)
        self._file = file
        self._table = {setting.name: setting for setting in table}
        self._chosen: dict[str, Value] = {}
        self._unknown: dict[str, object] = {}
        self.notice = self._read()

    notice: str
    """Empty, or what the user is to be told once: the file was broken, and where it is now."""

    def get(self, setting: Setting) -> Value:
        """The value in force."""
        return self._chosen.get(setting.name, setting.default)

    def text(self, setting: Setting) -> str:
        """The value of a setting whose default is text."""
        return self._typed(setting, str)

    def flag(self, setting: Setting) -> bool:
        """The value of a setting that is on or off."""
        return self._typed(setting, bool)

    def number(self, setting: Setting) -> int:
        """The value of a setting whose default is a whole number."""
        return self._typed(setting, int)

    def set(self, setting: Setting, value: Value) -> None:
        """Choose a value and write the file.

        Raises:
            ValueError: the caller's mistake: the setting cannot have that value.
        """
        if reason := setting.check(value):
            raise ValueError(f"{setting.name}: {reason}")
        if value == self.get(setting):
            return
        if value == setting.default:
            del self._chosen[setting.name]
        else:
            self._chosen[setting.name] = value
        self._write()
        self.changed.emit(setting.name)

    def reset(self, setting: Setting) -> None:
        """Go back to the default."""
        self.set(setting, setting.default)

    def _typed(self, setting: Setting, kind: type[V]) -> V:
        value = self.get(setting)
        if not isinstance(value, kind):
            raise TypeError(f"{setting.name} is not of the kind {kind.__name__}")
        return value

    def _read(self) -> str:
        try:
            with self._file.open("rb") as file:
                data = file.read(_SIZE_MAX + 1)
        except FileNotFoundError:
            return ""
        except OSError as error:
            log.warning("%s cannot be read: %s", self._file, error)
            return f"The settings in {self._file} cannot be read ({error.strerror}); the defaults are used."
        try:
            document = _parse(data)
        except ValueError as error:
            log.warning("%s is broken: %s", self._file, error)
            return self._put_aside()
        faults = self._take(document)
        if faults:
            log.warning("%s: %s", self._file, "; ".join(faults))
            kept = self._keep_copy(data)
            return f"Some settings were not possible and are at their defaults now: {'; '.join(faults)}.{kept}"
        return ""

    def _take(self, document: dict[str, object]) -> list[str]:
        """Take over what is possible, and say what is not."""
        faults: list[str] = []
        rest = dict(document)
        for setting in self._table.values():
            name = next((name for name in (setting.name, *setting.old_names) if name in rest), None)
            if name is None:
                continue
            value = rest.pop(name)
            if reason := setting.check(value):
                faults.append(f"{name}: {reason}")
            else:
                self._chosen[setting.name] = cast("Value", value)
        self._unknown = rest  # of a later version, which may come back
        return faults

    def _put_aside(self) -> str:
        aside = self._aside()
        try:
            self._file.rename(aside)
        except OSError as error:
            log.warning("%s cannot be put aside: %s", self._file, error)
            return f"The settings in {self._file} are broken; the defaults are used."
        return f"The settings were broken. They are kept as {aside}, and the defaults are used."

    def _keep_copy(self, data: bytes) -> str:
        aside = self._aside()
        try:
            aside.write_bytes(data)
        except OSError as error:
            log.warning("%s cannot be written: %s", aside, error)
            return ""
        return f" The file as it was is kept as {aside}."

    def _aside(self) -> Path:
        return self._file.with_name(f"{self._file.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}{self._file.suffix}")

    def _write(self) -> None:
        data = json.dumps({**self._unknown, **self._chosen}, indent=2, ensure_ascii=True, sort_keys=True) + "\n"
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace_bytes(self._file, data.encode("ascii"))
        except OSError as error:
            log.warning("%s cannot be written: %s", self._file, error)
            words = f"The settings cannot be saved in {self._file}: {error.strerror or error}."
            self.problem.emit(Failure("unusable_file", words, "They hold until Firstlight ends."))


def _parse(data: bytes) -> dict[str, object]:
    """Read a JSON object.

    Raises:
        ValueError: it is none.
    """
    if len(data) > _SIZE_MAX:
        raise ValueError("it is too large")
    try:
        document: object = json.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")  # what was read is wrong, not a caller's type
    return cast("dict[str, object]", document)
