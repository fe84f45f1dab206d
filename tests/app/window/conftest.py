"""The whole window, in this process, on a profile of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from app import composition
from app.folders import Folders
from app.services.settings import Settings
from app.services.settings_table import FIRST_RUN_DONE, LANGUAGE
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from app.shell import Shell

    Open = Callable[..., Shell]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    root = tmp_path / "profile"
    return Folders(root / "config", root / "data", root / "cache", root / "logs", root / "pictures")


@pytest.fixture
def open_shell(qapp: QApplication, folders: Folders, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens windows; `fresh` as at the very first start. A fault that nobody caught fails the test."""
    for name in composition.ENVIRONMENT:
        monkeypatch.setenv(name, os.environ.get(name, composition.ENVIRONMENT[name]))  # taken back afterwards
    qapp.setQuitOnLastWindowClosed(False)
    shells: list[Shell] = []

    def open_one(*, fresh: bool = False, prepare: bool = True, language: str = "en") -> Shell:
        if prepare:
            settings = Settings(folders.config / "settings.json")
            settings.set(LANGUAGE, language)
            settings.set(FIRST_RUN_DONE, not fresh)
        shell = composition.open_shell(qapp, folders)
        shells.append(shell)
        return shell

    yield open_one
    for shell in reversed(shells):  # those that the test has closed, too: closing does no harm twice
        faults = [notice.what for notice in shell.panels.notices.shown]
        if shell.window.isVisible():
            shell.window.close()
        shell.close()
        shell.window.deleteLater()
        shell.deleteLater()
        assert not [fault for fault in faults if isinstance(fault, Failure) and fault.kind == "fault"], faults
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")
    qapp.setPalette(qapp.style().standardPalette())
