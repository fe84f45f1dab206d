"""What the gallery says where there is nothing to show, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow

if TYPE_CHECKING:
    from app.viewmodels.gallery import Gallery


class GalleryEmpty(QWidget):
    """No pictures at all, or none that match.

    Signals:
        generate_wanted: the user wants to draw.
        folder_wanted: the user wants to take in a folder.
    """

    generate_wanted = Signal()
    folder_wanted = Signal()

    def __init__(self, gallery: Gallery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel()
        self._title.setProperty("role", "title")
        self._text = QLabel()
        self._text.setWordWrap(True)
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._generate = QPushButton(self.tr("Make a picture"))
        self._generate.setProperty("role", "primary")
        self._folder = QPushButton(self.tr("Add a folder of pictures…"))
        self._all = QPushButton(self.tr("Show all pictures"))
        self._all.setProperty("role", "primary")
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self._generate, self._folder, self._all):
            buttons.addWidget(button)
        buttons.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._text, 4)
        middle.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addLayout(middle)
        column.addLayout(buttons)
        column.addStretch(3)
        self._generate.clicked.connect(self.generate_wanted)
        self._folder.clicked.connect(self.folder_wanted)
        self._all.clicked.connect(gallery.show_all)
        follow(gallery, "has_any", self._show_any)

    def _show_any(self, has_any: bool) -> None:
        self._generate.setVisible(not has_any)
        self._folder.setVisible(not has_any)
        self._all.setVisible(has_any)
        if has_any:
            self._title.setText(self.tr("No picture matches"))
            self._text.setText(self.tr("Try fewer words, or show all pictures again."))
        else:
            self._title.setText(self.tr("No pictures yet"))
            self._text.setText(
                self.tr(
                    "Every picture that you make is kept here, with all its settings. Pictures that Firstlight made "
                    "before can be added from their folder."
                )
            )
