"""The language of the window: our translations and Qt's own, as the settings or the system want them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal

import resources
from app.services.settings_table import LANGUAGE

if TYPE_CHECKING:
    from PySide6.QtCore import QCoreApplication

    from app.services.settings import Settings

LANGUAGES = ("en", "de")

log = logging.getLogger(__name__)


class Language(QObject):
    """Keeps the translators of the application.

    Signals:
        changed (): another language holds; windows are to be built again.
    """

    changed = Signal()

    def __init__(self, app: QCoreApplication, settings: Settings) -> None:
        super().__init__()
        self._app = app
        self._settings = settings
        self._installed: list[QTranslator] = []
        self.code = ""
        settings.changed.connect(self._notice)
        self._apply()

    def close(self) -> None:
        """Take the translators back."""
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed = []
        QLocale.setDefault(QLocale.system())

    def _notice(self, name: str) -> None:
        if name == LANGUAGE.name and self._apply():
            self.changed.emit()

    def _apply(self) -> bool:
        code = choose(self._settings.text(LANGUAGE), QLocale.system().uiLanguages())
        if code == self.code:
            return False
        self.code = code
        self.close()
        own = resources.folder() / "translations" / f"firstlight_{code}.qm"
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath) + f"/qtbase_{code}.qm"
        for file in (qt, str(own)):
            translator = QTranslator()
            if translator.load(file):
                self._app.installTranslator(translator)
                self._installed.append(translator)
            elif file == str(own):
                log.warning("no translation in %s", file)
        locale = QLocale.system() if QLocale.system().name().startswith(code) else QLocale(code)
        QLocale.setDefault(locale)
        return True


def choose(wanted: str, system: list[str]) -> str:
    """The language to use: the wanted one, else the first of the system's that there is, else English."""
    if wanted in LANGUAGES:
        return wanted
    codes = (name.replace("_", "-").split("-")[0].lower() for name in system)
    return next((code for code in codes if code in LANGUAGES), LANGUAGES[0])
