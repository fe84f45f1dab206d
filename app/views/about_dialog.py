"""What this is, which version, by whose licences."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.version import read_version

_FILES = ("LICENSE", "THIRD_PARTY_NOTICES.md")


class AboutDialog(QDialog):
    """Name, version, and the licences in full."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Firstlight"))
        self.resize(640, 520)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(14)
        column.addLayout(self._head())
        tabs = QTabWidget()
        tabs.addTab(_page(_FILES[0]), self.tr("Licence"))
        tabs.addTab(_page(_FILES[1]), self.tr("Works of others"))
        column.addWidget(tabs, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)

    def _head(self) -> QHBoxLayout:
        mark = QLabel()
        mark.setPixmap(QGuiApplication.windowIcon().pixmap(QSize(56, 56), self.devicePixelRatio()))
        mark.setAccessibleName("Firstlight")
        name = QLabel("Firstlight")
        name.setProperty("role", "title")
        words = QLabel(self.tr("Pictures from words, drawn on this machine."))
        words.setWordWrap(True)
        version = QLabel(self.tr("Version {version}, with Qt {qt}").format(version=read_version(), qt=qVersion()))
        version.setProperty("role", "caption")
        version.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        text = QVBoxLayout()
        text.setSpacing(2)
        for label in (name, words, version):
            text.addWidget(label)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text, 1)
        return row


def read_licence(name: str) -> str:
    """A file of the licences: beside the source, or in the installed package."""
    source = Path(__file__).parents[2] / name
    if source.is_file():
        return source.read_text(encoding="utf-8")
    try:
        files = metadata.files("firstlight") or []
    except metadata.PackageNotFoundError:
        return ""
    return next((file.read_text(encoding="utf-8") for file in files if file.name == name), "")


def _page(name: str) -> QPlainTextEdit:
    text = QPlainTextEdit(read_licence(name), readOnly=True)
    text.setAccessibleName(name)
    text.setTabChangesFocus(True)
    return text
