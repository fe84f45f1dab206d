"""The window's one look: colours and measures as tokens, light and dark, made into a palette and a style sheet.

Pages set no colours and no sizes of text. They give a widget a role, and the style sheet knows it:

    button.setProperty("role", "primary")

| role | on | what it is for |
|---|---|---|
| primary | QPushButton | the one thing to do on a page: filled with the accent |
| quiet | QPushButton, QToolButton | an action without a frame, until it is pointed at |
| danger | QPushButton | deletes or ends something |
| title, heading | QLabel | the name of a page; of a part of it |
| caption | QLabel | smaller and muted: an explanation, a unit |
| chip | QLabel, QPushButton, QToolButton | a small rounded fact or choice; `checked` shows it chosen |
| card | QFrame, QWidget | a raised surface that keeps things together |
| canvas | QWidget | the neutral ground behind pictures |
| problem | QLabel | what is wrong with the field above it |
| warning | QLabel | a hint that something will not be as asked for |

A property that changes while the widget is shown needs `repolish(widget)`. The palette carries the same colours for
what paints itself: Window, Base, AlternateBase (cards), Text, PlaceholderText (muted), Mid (lines), Accent,
HighlightedText (on the accent), BrightText (danger), Dark (canvas).
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette

import resources
from app.services.settings_table import THEME

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.services.settings import Settings

SPACE = 8  # logical pixels; gaps are this, its half or its double


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one look, as `#rrggbb`. Text on its ground has a contrast of at least 4.5 to 1."""

    window: str
    base: str
    card: str
    canvas: str
    text: str
    muted: str
    line: str
    line_strong: str
    hover: str
    pressed: str
    accent: str
    accent_hover: str
    accent_pressed: str
    accent_soft: str
    on_accent: str
    danger: str
    warning: str
    disabled: str


LIGHT = Tokens(
    window="#f6f5f3",
    base="#ffffff",
    card="#ffffff",
    canvas="#e9e7e3",
    text="#1f1d1b",
    muted="#67635d",
    line="#dedad4",
    line_strong="#8f8a82",
    hover="#ebe8e4",
    pressed="#e0dcd6",
    accent="#a8481a",
    accent_hover="#973f15",
    accent_pressed="#833611",
    accent_soft="#f6e6dc",
    on_accent="#ffffff",
    danger="#b3261e",
    warning="#855600",
    disabled="#a39e96",
)
DARK = Tokens(
    window="#1d1c1b",
    base="#272624",
    card="#262523",
    canvas="#141312",
    text="#ece9e4",
    muted="#a8a39b",
    line="#3a3835",
    line_strong="#7d7871",
    hover="#33312e",
    pressed="#3d3b37",
    accent="#f0a265",
    accent_hover="#f4b381",
    accent_pressed="#e09153",
    accent_soft="#43301f",
    on_accent="#24170c",
    danger="#f2857c",
    warning="#e3b341",
    disabled="#6d6963",
)


class Theme(QObject):
    """Keeps the look as the settings and the system want it.

    Signals:
        changed (): another look was applied; what paints itself with `tokens` has to paint again.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__()
        self._app = app
        self._settings = settings
        self._size = app.font().pointSizeF()  # as the system has it
        self.tokens = LIGHT
        self._applied = False
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._apply)
        settings.changed.connect(self._notice)
        self._follow()
        self._apply()

    def _notice(self, name: str) -> None:
        if name == THEME.name:
            self._follow()
            self._apply()

    def _follow(self) -> None:
        """Tell Qt, which asks the system for the frames of windows in the same scheme."""
        match self._settings.text(THEME):
            case "light":
                self._app.styleHints().setColorScheme(Qt.ColorScheme.Light)
            case "dark":
                self._app.styleHints().setColorScheme(Qt.ColorScheme.Dark)
            case _:
                self._app.styleHints().unsetColorScheme()

    def _apply(self) -> None:
        wanted = self._settings.text(THEME)
        dark = wanted == "dark" or (wanted == "system" and self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark)
        tokens = DARK if dark else LIGHT
        if self._applied and tokens is self.tokens:
            return
        self.tokens, self._applied = tokens, True
        self._app.setPalette(make_palette(self.tokens))
        self._app.setStyleSheet(make_style_sheet(self.tokens, self._size))
        self.changed.emit()


def make_palette(tokens: Tokens) -> QPalette:
    """The palette for what is not styled by the sheet, and for what paints itself."""
    role = QPalette.ColorRole
    palette = QPalette()
    for roles, colour in (
        ((role.Window, role.Button), tokens.window),
        ((role.Base, role.Light), tokens.base),
        ((role.AlternateBase, role.ToolTipBase), tokens.card),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), tokens.text),
        ((role.PlaceholderText,), tokens.muted),
        ((role.Mid, role.Midlight), tokens.line),
        ((role.Dark, role.Shadow), tokens.canvas),
        ((role.Accent, role.Highlight, role.Link), tokens.accent),
        ((role.HighlightedText,), tokens.on_accent),
        ((role.BrightText,), tokens.danger),
        ((role.LinkVisited,), tokens.accent_hover),
    ):
        for one in roles:
            palette.setColor(one, QColor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(tokens.disabled))
    return palette


def make_style_sheet(tokens: Tokens, points: float) -> str:
    """The style sheet. `points` is the size of the system's font."""
    folder = resources.folder() / "style"
    template = Template((folder / "window.qss").read_text(encoding="utf-8"))
    return template.substitute(
        {name: getattr(tokens, name) for name in Tokens.__dataclass_fields__},
        style=folder.as_posix(),
        scheme="dark" if tokens is DARK else "light",
        size_title=f"{points * 1.6:.1f}pt",
        size_heading=f"{points * 1.1:.1f}pt",
        size_caption=f"{points * 0.92:.1f}pt",
    )


def repolish(widget: QWidget) -> None:
    """Let the style sheet look at the widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def is_dark() -> bool:
    """Whether the palette in force is a dark one."""
    return QGuiApplication.palette().color(QPalette.ColorRole.Window).lightness() < 128
