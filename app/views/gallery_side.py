"""Beside the gallery: what is known of the current picture, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views import icons
from app.views.details_view import DetailsView

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.services.picture_store import Picture
    from app.viewmodels.gallery import Gallery


class GallerySide(QWidget):
    """The details of the current picture, and buttons for the page's actions."""

    def __init__(self, gallery: Gallery, actions: list[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = QPushButton(self.tr("Use these settings"))
        self._settings.setProperty("role", "primary")
        self._settings.setToolTip(self.tr("Take all settings of this picture over to the Generate page"))
        self._start = QPushButton(self.tr("Use as start picture"))
        self._start.setToolTip(self.tr("Draw the next picture over this one"))
        self.details = DetailsView()
        head = QHBoxLayout()
        title = QLabel(self.tr("Details"))
        title.setProperty("role", "heading")
        copy = QToolButton()
        copy.setIcon(icons.icon("clipboard-copy"))
        copy.setToolTip(self.tr("Copy all details"))
        copy.setAccessibleName(self.tr("Copy all details"))
        copy.setProperty("role", "quiet")
        head.addWidget(title, 1)
        head.addWidget(copy)
        self._hint = QLabel(self.tr("Choose a picture to see how it was made."))
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setProperty("role", "caption")
        self._hint.setContentsMargins(16, 16, 16, 16)
        some = QWidget()
        column = QVBoxLayout(some)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.details, 1)
        column.addLayout(self._make_row(actions))
        column.addWidget(self._start)
        column.addWidget(self._settings)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._hint)
        self._stack.addWidget(some)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)
        self.setMinimumWidth(200)
        copy.clicked.connect(self.details.copy_all)
        self._settings.clicked.connect(gallery.use_settings)
        self._start.clicked.connect(gallery.use_as_start)
        follow(gallery, "details", self.details.set_details)
        follow(gallery, "current", self._show_current)

    def _make_row(self, actions: list[QAction]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        for action in actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAccessibleName(action.text())
            button.setProperty("role", "quiet")
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _show_current(self, picture: Picture | None) -> None:
        self._stack.setCurrentIndex(0 if picture is None else 1)
        self._settings.setEnabled(picture is not None and picture.request is not None)
        self._start.setEnabled(picture is not None and not picture.missing)
