"""Widgets whose height depends on their width, which Qt's scroll areas and dialogs do not ask for by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent


class TallArea(QScrollArea):
    """Scrolls up and down only: what is inside is as wide as the area, and as high as it has to be at that width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inside: QWidget | None = None

    def set_inside(self, inside: QWidget) -> None:
        """Scroll this."""
        inside.setObjectName("content")
        self._inside = inside
        self.setWidget(inside)
        inside.installEventFilter(self)

    def height_inside(self) -> int:
        """How high what is inside is at the present width."""
        return height_for(self._inside, self.viewport().width()) if self._inside is not None else 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Follow what is inside."""
        if watched is self._inside and event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the width."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As wide as what is inside needs at least."""
        inside = self._inside.minimumSizeHint().width() if self._inside is not None else 0
        return QSize(inside + self.verticalScrollBar().sizeHint().width(), super().minimumSizeHint().height())

    def _fit(self) -> None:
        if self._inside is not None:
            self._inside.setMinimumHeight(self.height_inside())


def height_for(widget: QWidget, width: int) -> int:
    """How high a widget with a layout is at that width."""
    layout = widget.layout()
    if layout is None or not layout.hasHeightForWidth():
        return widget.sizeHint().height()
    return layout.totalHeightForWidth(width)


def wrapping_label(role: str = "") -> QLabel:
    """A label for plain text of any length, in several lines where there is no room for one."""
    label = QLabel()
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label
