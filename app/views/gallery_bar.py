"""The bar above the gallery: search, filters, the size of the tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QSlider, QWidget

from app.viewmodels.observable import follow
from app.views import icons

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from app.viewmodels.gallery import Gallery

_ROOM = 400  # logical pixels for all but the words
_TILE_MIN, _TILE, _TILE_MAX = 96, 196, 384  # logical pixels


class GalleryBar(QWidget):
    """Search and filters of a `Gallery`.

    Signals:
        tile_changed (int): the tiles are to be this wide.
        folder_wanted: the user wants to take in a folder.
        down_wanted: the user goes on to the pictures.
    """

    tile_changed = Signal(int)
    folder_wanted = Signal()
    down_wanted = Signal()

    def __init__(self, gallery: Gallery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gallery = gallery
        self.search = _SearchField()
        self.search.setPlaceholderText(self.tr("Search in prompts"))
        self.search.setAccessibleName(self.tr("Search in prompts"))
        self.search.setClearButtonEnabled(True)
        self.search.addAction(icons.icon("search", icons.Tint.muted), QLineEdit.ActionPosition.LeadingPosition)
        self.search.setMinimumWidth(120)
        self.favourites = self._filter("star", self.tr("Favourites"), self.tr("Show favourites only"))
        self.missing = self._filter(
            "eye-off", self.tr("Also missing"), self.tr("Also show pictures whose file is gone")
        )
        self._names = {self.favourites: self.favourites.text(), self.missing: self.missing.text()}
        self._count = QLabel()
        self._count.setProperty("role", "caption")
        self.size_slider = QSlider(Qt.Orientation.Horizontal)
        self.size_slider.setRange(_TILE_MIN, _TILE_MAX)
        self.size_slider.setPageStep(48)
        self.size_slider.setValue(_TILE)
        self.size_slider.setMaximumWidth(120)
        self.size_slider.setMinimumWidth(60)
        self.size_slider.setAccessibleName(self.tr("Size of the pictures"))
        self.size_slider.setToolTip(self.tr("Size of the pictures"))
        self.folder = QPushButton(self.tr("Add folder…"))
        self.folder.setIcon(icons.icon("folder-open"))
        self.folder.setToolTip(self.tr("Add the pictures of a folder that Firstlight made"))
        self._is_compact = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.search, 1)
        for widget in (self.favourites, self.missing, self._count, self.size_slider, self.folder):
            row.addWidget(widget)
        find = QShortcut(QKeySequence("Ctrl+F"), self)
        find.setContext(Qt.ShortcutContext.WindowShortcut)
        find.activated.connect(self._find)
        self.search.textEdited.connect(gallery.search)
        self.search.left.connect(self.down_wanted)
        self.favourites.toggled.connect(gallery.show_favourites)
        self.missing.toggled.connect(gallery.show_missing)
        self.size_slider.valueChanged.connect(self.tile_changed)
        self.folder.clicked.connect(self.folder_wanted)
        follow(gallery, "words", self._show_words)
        follow(gallery, "favourites", self.favourites.setChecked)
        follow(gallery, "missing", self.missing.setChecked)
        follow(gallery, "count", self._show_count)
        follow(gallery, "scanning", self._show_scanning)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Where there is little room, icons do without words."""
        super().resizeEvent(event)
        compact = event.size().width() < self._full_width
        if compact != self._is_compact:
            self._is_compact = compact
            self._show_names()

    @property
    def _full_width(self) -> int:
        """How wide it is with all words."""
        metrics = self.fontMetrics()
        words = (*self._names.values(), self.tr("Add folder…"), self._count.text())
        return _ROOM + sum(metrics.horizontalAdvance(word) for word in words)

    def _show_names(self) -> None:
        for button, name in self._names.items():
            button.setText("" if self._is_compact else name)
        self._count.setVisible(not self._is_compact)
        self._show_scanning(self._gallery.scanning)

    def _filter(self, icon: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setIcon(icons.icon(icon))
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setProperty("role", "chip")
        return button

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _show_words(self, words: str) -> None:
        if self.search.text() != words:
            self.search.setText(words)

    def _show_count(self, count: int) -> None:
        self._count.setText(self.tr("%n pictures", "", count))

    def _show_scanning(self, scanning: bool) -> None:
        self.folder.setEnabled(not scanning)
        name = self.tr("Adding…") if scanning else self.tr("Add folder…")
        self.folder.setText("" if self._is_compact else name)
        self.folder.setAccessibleName(name)


class _SearchField(QLineEdit):
    """Esc empties it, and Down goes on to the pictures.

    Signals:
        left: the user goes on.
    """

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """See the class."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            self.textEdited.emit("")
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)
