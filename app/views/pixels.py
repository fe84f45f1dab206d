"""Pixels of the layers below as images of Qt's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from pipelines.events import Preview
    from pipelines.viewing import View


def image_of(view: View) -> QImage:
    """The picture. The bytes are copied: Qt would not keep them alive."""
    kind = QImage.Format.Format_ARGB32 if view.has_alpha else QImage.Format.Format_RGB32
    return QImage(view.pixels, view.shown_width, view.shown_height, 4 * view.shown_width, kind).copy()


def size_of(view: View) -> QSize:
    """The whole picture's size."""
    return QSize(view.width, view.height)


def preview_of(preview: Preview) -> QImage:
    """A preview while drawing."""
    pixels = QImage(preview.pixels, preview.width, preview.height, 3 * preview.width, QImage.Format.Format_RGB888)
    return pixels.convertToFormat(QImage.Format.Format_RGB32)
