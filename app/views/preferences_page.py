"""The Settings page: one row a setting, in force at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.services.settings_table import PICTURES_FOLDER, Setting, Value
from app.viewmodels.preferences import Control, Group, Preferences, Row
from app.views import icons
from app.views.about_dialog import AboutDialog

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH = 760  # logical pixels; longer lines are hard to read


class PreferencesPage(QWidget):
    """All shown settings in groups, and what else concerns the app as a whole.

    Signals:
        report_wanted (): the user wants to save a report.
        welcome_wanted (): the user wants to see the first page again.
    """

    report_wanted = Signal()
    welcome_wanted = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._refreshers: dict[str, Callable[[], None]] = {}
        content = QWidget()
        content.setObjectName("content")
        content.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 20, 24, 24)
        column.setSpacing(12)
        column.addWidget(_label(self.tr("Settings"), "title"))
        for group in Group:
            column.addWidget(self._group(group))
        column.addLayout(self._buttons())
        column.addStretch(1)
        self._scroll(content)
        preferences.changed.connect(self._refresh)

    def _scroll(self, content: QWidget) -> None:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(content)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        row = QVBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(area)

    def _group(self, group: Group) -> QWidget:
        card = QFrame()
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(14)
        column.addWidget(_label(_group_title(group), "heading"))
        for row in self._preferences.rows:
            if row.group is group:
                column.addLayout(self._row(row))
        return card

    def _row(self, row: Row) -> QHBoxLayout:
        setting = row.setting
        name = _label(_tr(setting.label), "")
        text = _label(_tr(setting.text), "caption")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(name)
        words.addWidget(text)
        control = self._control(row)
        control.setObjectName(setting.name)
        name.setBuddy(control)
        control.setAccessibleName(name.text())
        control.setAccessibleDescription(text.text())
        control.setToolTip(text.text())
        layout = QHBoxLayout()
        layout.setSpacing(16)
        layout.addLayout(words, 1)
        layout.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        return layout

    def _control(self, row: Row) -> QWidget:
        match row.control:
            case Control.choice:
                return self._choice(row.setting)
            case Control.switch:
                return self._switch(row.setting)
            case Control.number:
                return self._number(row.setting)
            case Control.folder:
                return self._folder(row.setting)

    def _choice(self, setting: Setting) -> QComboBox:
        box = QComboBox()
        for value in self._preferences.choices(setting):
            box.addItem(_choice_words(setting, value), value)

        def refresh() -> None:
            box.setCurrentIndex(box.findData(self._preferences.value(setting)))

        self._keep(setting, refresh)
        box.activated.connect(lambda index: self._preferences.choose(setting, box.itemData(index)))
        return box

    def _switch(self, setting: Setting) -> QCheckBox:
        box = QCheckBox()
        self._keep(setting, lambda: box.setChecked(bool(self._preferences.value(setting))))
        box.clicked.connect(lambda on: self._preferences.choose(setting, bool(on)))
        return box

    def _number(self, setting: Setting) -> QSpinBox:
        box = QSpinBox()
        box.setRange(int(setting.low or 0), int(setting.high or 2**31 - 1))
        box.setSingleStep(50)
        box.setGroupSeparatorShown(True)
        box.setKeyboardTracking(False)  # only what was typed to its end
        self._keep(setting, lambda: box.setValue(int(self._preferences.value(setting))))
        box.valueChanged.connect(lambda value: self._preferences.choose(setting, int(value)))
        return box

    def _folder(self, setting: Setting) -> QWidget:
        box = _FolderField(self._preferences)
        self._keep(setting, box.refresh)
        return box

    def _keep(self, setting: Setting, refresh: Callable[[], None]) -> None:
        self._refreshers[setting.name] = refresh
        refresh()

    def _refresh(self, name: str) -> None:
        if name in self._refreshers:
            self._refreshers[name]()

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for text, icon, slot in (
            (self.tr("About Firstlight"), "info", self._show_about),
            (self.tr("Show the first page"), "sparkles", self.welcome_wanted.emit),
            (self.tr("Save a report…"), "file-input", self.report_wanted.emit),
        ):
            button = QPushButton(text)
            button.setIcon(icons.icon(icon))
            button.clicked.connect(slot)
            row.addWidget(button)
        row.addStretch(1)
        reset = QPushButton(self.tr("Reset all"))
        reset.setProperty("role", "quiet")
        reset.setIcon(icons.icon("rotate-ccw"))
        reset.setToolTip(self.tr("Takes every setting of this page back to its default."))
        reset.clicked.connect(self._preferences.reset_all)
        row.addWidget(reset)
        return row

    def _show_about(self) -> None:
        dialog = AboutDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class _FolderField(QWidget):
    """The folder for pictures: where it is, another one, and back to the system's."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self._path = QLineEdit(readOnly=True)
        self._path.setAccessibleName(self.tr("Folder for pictures"))
        self._path.setMinimumWidth(220)
        self._choose = QPushButton(self.tr("Choose…"))
        self._choose.clicked.connect(self._ask)
        self._default = QPushButton()
        self._default.setProperty("role", "quiet")
        self._default.setIcon(icons.icon("rotate-ccw"))
        self._default.setAccessibleName(self.tr("Use the system’s folder for pictures"))
        self._default.setToolTip(self._default.accessibleName())
        self._default.clicked.connect(self._reset)
        self.setFocusProxy(self._choose)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._path, 1)
        row.addWidget(self._choose)
        row.addWidget(self._default)

    def refresh(self) -> None:
        """Show the folder in force."""
        self._path.setText(str(self._preferences.folder))
        self._path.setToolTip(self._path.text())
        self._path.setCursorPosition(len(self._path.text()))  # the end tells folders apart
        self._default.setEnabled(bool(self._preferences.value(PICTURES_FOLDER)))

    def _ask(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder for pictures"), str(self._preferences.folder))
        if folder:
            self._preferences.choose(PICTURES_FOLDER, folder)

    def _reset(self) -> None:
        self._preferences.choose(PICTURES_FOLDER, "")


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label


def _tr(text: str) -> str:
    return QCoreApplication.translate("Settings", text)


def _group_title(group: Group) -> str:
    match group:
        case Group.window:
            return QCoreApplication.translate("PreferencesPage", "Window")
        case Group.pictures:
            return QCoreApplication.translate("PreferencesPage", "Pictures")
        case Group.engine:
            return QCoreApplication.translate("PreferencesPage", "Engine")


def _choice_words(setting: Setting, value: Value) -> str:
    """What a value is called. Names of languages are their own, data types are names."""
    words = {
        "language": {
            "system": QCoreApplication.translate("PreferencesPage", "As the system"),
            "en": "English",
            "de": "Deutsch",
        },
        "theme": {
            "system": QCoreApplication.translate("PreferencesPage", "As the system"),
            "light": QCoreApplication.translate("PreferencesPage", "Light"),
            "dark": QCoreApplication.translate("PreferencesPage", "Dark"),
        },
        "backend": {
            "auto": QCoreApplication.translate("PreferencesPage", "Automatic"),
            "eager": QCoreApplication.translate("PreferencesPage", "PyTorch (eager)"),
            "inductor": QCoreApplication.translate("PreferencesPage", "PyTorch, compiled (inductor)"),
            "tensorrt_rtx": "TensorRT-RTX",
        },
        "precision": {"auto": QCoreApplication.translate("PreferencesPage", "Automatic")},
    }
    return words.get(setting.name, {}).get(str(value), str(value))
