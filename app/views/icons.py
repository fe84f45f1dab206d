"""Icons drawn from `resources/icons` in the colours of the palette, crisp at every scale.

    button.setIcon(icons.icon("play", icons.Tint.on_accent))

They follow a change of the theme by themselves: the colour is taken from the palette when they are painted.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

import resources


class Tint(Enum):
    """What an icon's colour stands for; its value is the palette's role."""

    text = QPalette.ColorRole.ButtonText
    muted = QPalette.ColorRole.PlaceholderText
    accent = QPalette.ColorRole.Accent
    on_accent = QPalette.ColorRole.HighlightedText
    danger = QPalette.ColorRole.BrightText


def icon(name: str, tint: Tint = Tint.text) -> QIcon:
    """The icon of that file in `resources/icons`; it is muted where it is disabled, and accented where it is on."""
    _svg(name)  # a name that is not there is a mistake to be seen at once
    return QIcon(_Engine(name, tint))


def pixmap(name: str, size: int, tint: Tint = Tint.text) -> QPixmap:
    """The icon as a picture of `size` logical pixels, for a label. It does not follow the theme: ask again."""
    return icon(name, tint).pixmap(QSize(size, size), QGuiApplication.primaryScreen().devicePixelRatio())


class _Engine(QIconEngine):
    """Renders one SVG whose strokes are `currentColor`."""

    def __init__(self, name: str, tint: Tint) -> None:
        super().__init__()
        self._name = name
        self._tint = tint

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._tint)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        size = (QSize(rect.size()) * painter.device().devicePixelRatioF()).expandedTo(QSize(1, 1))
        painter.drawPixmap(rect, self.pixmap(size, mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """`size` is in pixels of the device; a widget that has no size yet asks for none."""
        size = size.expandedTo(QSize(1, 1))
        colour = self._colour(mode, state).name()
        key = f"firstlight {self._name} {colour} {size.width()}x{size.height()}"
        found = QPixmap()
        if QPixmapCache.find(key, found):
            return found
        drawn = _render(self._name, colour, size)
        QPixmapCache.insert(key, drawn)
        return drawn

    def _colour(self, mode: QIcon.Mode, state: QIcon.State):  # a QColor
        palette = QGuiApplication.palette()
        if mode is QIcon.Mode.Disabled:
            return palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
        if state is QIcon.State.On and self._tint in (Tint.text, Tint.muted):
            return palette.color(QPalette.ColorRole.Accent)
        return palette.color(self._tint.value)


def _render(name: str, colour: str, size: QSize) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_svg(name).replace(b"currentColor", colour.encode())))
    drawn = QPixmap(size)
    drawn.fill(Qt.GlobalColor.transparent)
    side = min(size.width(), size.height())
    corner = QPoint((size.width() - side) // 2, (size.height() - side) // 2)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(corner.x(), corner.y(), side, side))
    painter.end()
    return drawn


@lru_cache(maxsize=256)
def _svg(name: str) -> bytes:
    """The file's content.

    Raises:
        FileNotFoundError: there is no icon of that name.
    """
    return (resources.folder() / "icons" / f"{name}.svg").read_bytes()
