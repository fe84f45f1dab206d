"""The gallery: all pictures as a grid, one of them large, and what is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QMessageBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.observable import follow
from app.views import icons
from app.views.gallery_bar import GalleryBar
from app.views.gallery_empty import GalleryEmpty
from app.views.gallery_side import GallerySide
from app.views.picture_grid import PictureGrid
from app.views.picture_tile import PictureTile
from app.views.picture_viewer import PictureViewer

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QShowEvent

    from app.services.picture_store import Picture
    from app.viewmodels.gallery import Gallery
    from app.viewmodels.picture import PictureView

_RESTING = 400  # milliseconds in sight before files are looked for


class GalleryPage(QWidget):
    """Pairs with `viewmodels.gallery.Gallery`; `picture` shows one of them large.

    Signals:
        generate_wanted: there is nothing here yet, and the user wants to draw.
    """

    generate_wanted = Signal()

    def __init__(self, gallery: Gallery, picture: PictureView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gallery = gallery
        self._picture = picture
        self.grid = PictureGrid()
        self.grid.setModel(gallery.pictures)
        self.grid.setItemDelegate(PictureTile(self.grid.viewport()))
        self.grid.setAccessibleName(self.tr("Pictures, newest first"))
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewer = PictureViewer(picture)
        self.empty = GalleryEmpty(gallery)
        self.bar = GalleryBar(gallery)
        self._make_actions()
        self.side = GallerySide(
            gallery, [self.favourite_action, self.folder_action, self.compare_action, self.bin_action]
        )
        self._lay_out()
        self._resting = QTimer(self, singleShot=True, interval=_RESTING)
        self._resting.timeout.connect(self._look_at)
        self._connect()
        picture.path_changed.connect(self._follow_path)
        self._follow_path(picture.path)
        follow(gallery, "count", self._show_count)
        follow(gallery, "chosen", self._show_chosen)

    def open_current(self) -> None:
        """Show the current picture large."""
        if (current := self._gallery.current) is not None:
            self._picture.show(current)
            self._stack.setCurrentWidget(self.viewer)
            self.viewer.setFocus()

    def leave_viewer(self) -> None:
        """Back to the grid."""
        self._picture.clear()
        self._show_count(self._gallery.count)
        self.grid.setFocus()

    def compare(self) -> None:
        """Show the two that are chosen, by a slider."""
        pictures = self._gallery.chosen_pictures
        if len(pictures) == 2:
            self._picture.show(pictures[0])
            self._picture.compare_with(pictures[1])
            self._stack.setCurrentWidget(self.viewer)

    def ask_bin(self) -> None:
        """Move the chosen pictures to the bin, after a question where the user wants one."""
        count = len(self._gallery.chosen)
        if not count:
            return
        if not self._gallery.asks_before_bin:
            self._gallery.move_to_bin()
            return
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Move to the bin"))
        box.setText(self.tr("Move %n pictures to the bin?", "", count))
        box.setInformativeText(self.tr("They can be taken back from the system's bin."))
        yes = box.addButton(self.tr("Move to the bin"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        yes.clicked.connect(self._gallery.move_to_bin)
        box.open()

    def ask_folder(self) -> None:
        """Take in the pictures of a folder that the user chooses."""
        dialog = QFileDialog(self, self.tr("Take in a folder of pictures"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._take_in)
        dialog.open()

    def copy(self) -> None:
        """Put the chosen pictures' files on the clipboard."""
        indexes = self.grid.selectionModel().selectedIndexes()
        if indexes:
            QGuiApplication.clipboard().setMimeData(self._gallery.pictures.mimeData(indexes))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Files may have been deleted meanwhile."""
        super().showEvent(event)
        self._resting.start()

    def _make_actions(self) -> None:
        self.open_action = self._action("eye", self.tr("Open"), self.open_current)
        self.settings_action = self._action(
            "rotate-ccw", self.tr("Use these settings"), self._gallery.use_settings, "Ctrl+Return"
        )
        self.start_action = self._action("image-plus", self.tr("Use as start picture"), self._gallery.use_as_start)
        self.favourite_action = self._action("star", self.tr("Favourite"), self._gallery.toggle_favourite, "F")
        self.favourite_action.setCheckable(True)
        self.compare_action = self._action("columns-2", self.tr("Compare two pictures"), self.compare, "C")
        self.copy_action = self._action("copy", self.tr("Copy"), self.copy, "Ctrl+C")
        self.folder_action = self._action(
            "folder-open", self.tr("Show in folder"), self._gallery.show_in_folder, "Ctrl+Shift+E"
        )
        self.bin_action = self._action("trash-2", self.tr("Move to the bin"), self.ask_bin, "Del")
        self.grid.addActions(self._grid_actions())
        # The view of one picture copies and shows its own file
        self.viewer.image_view.addActions(
            [self.settings_action, self.start_action, self.favourite_action, self.bin_action]
        )

    def _grid_actions(self) -> list[QAction]:
        return [
            self.open_action,
            self.settings_action,
            self.start_action,
            self.favourite_action,
            self.compare_action,
            self.copy_action,
            self.folder_action,
            self.bin_action,
        ]

    def _action(self, icon: str, text: str, slot: object, shortcut: str = "") -> QAction:
        action = QAction(icons.icon(icon), text, self)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        if shortcut:
            action.setShortcut(QKeySequence(shortcut))
            action.setToolTip(f"{text} ({action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})")
        action.triggered.connect(slot)
        return action

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        for widget in (self.grid, self.empty, self.viewer):
            self._stack.addWidget(widget)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self._stack, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(self.side)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([800, 280])
        splitter.setChildrenCollapsible(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(splitter)
        self.setFocusProxy(self.grid)

    def _connect(self) -> None:
        self.grid.selectionModel().selectionChanged.connect(self._choose)
        self.grid.selectionModel().currentChanged.connect(self._choose_current)
        self.grid.activated.connect(self.open_current)
        self.grid.customContextMenuRequested.connect(self._show_menu)
        self.grid.seen.connect(self._resting.start)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.connect(self._come_back)
        self.bar.tile_changed.connect(self.grid.set_tile)
        self.bar.folder_wanted.connect(self.ask_folder)
        self.bar.down_wanted.connect(self.grid.setFocus)
        self.empty.folder_wanted.connect(self.ask_folder)
        self.empty.generate_wanted.connect(self.generate_wanted)
        self.viewer.left.connect(self.leave_viewer)
        self.viewer.step_wanted.connect(self._step)
        self._gallery.pictures.modelReset.connect(self._restore_current)
        self._gallery.current_changed.connect(self._show_current)
        self._gallery.words_changed.connect(self._leave_for_search)
        self._show_current(self._gallery.current)

    def _choose(self, _on: QItemSelection, _off: QItemSelection) -> None:
        self._tell_choice()

    def _choose_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._tell_choice()

    def _tell_choice(self) -> None:
        selection = self.grid.selectionModel().selection()
        parts = [selection.at(number) for number in range(selection.count())]
        rows = [row for part in parts for row in range(part.top(), part.bottom() + 1)]
        self._gallery.choose(rows, self.grid.currentIndex().row())

    def _restore_current(self) -> None:
        """After another search the picture that was current is so again, where it is there."""
        current = self._gallery.current
        row = self._gallery.pictures.row_of(current.id) if current is not None else -1
        if row >= 0:
            self.grid.setCurrentIndex(self._gallery.pictures.index(row))
            self.grid.scrollTo(self.grid.currentIndex())
        else:
            self._gallery.choose((), -1)

    def _step(self, by: int) -> None:
        row = self.grid.currentIndex().row() + by
        if 0 <= row < self._gallery.count:
            index = self._gallery.pictures.index(row)
            self.grid.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.open_current()

    def _come_back(self, state: Qt.ApplicationState) -> None:
        """Files may have been deleted while another program was in front."""
        if state is Qt.ApplicationState.ApplicationActive:
            self._resting.start()

    def _look_at(self) -> None:
        if self.isVisible():
            self._gallery.look_at(*self.grid.rows_in_sight())

    def _follow_path(self, path: Path | None) -> None:
        """Another page wants this picture to be shown: choose it in the grid, too."""
        if path is None or self._stack.currentWidget() is self.viewer:
            return
        if self._gallery.current is None or self._gallery.current.path != path:
            row = self._gallery.row_of_file(path)
            if row >= 0:
                index = self._gallery.pictures.index(row)
                self.grid.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
                self.grid.scrollTo(index)
        self._stack.setCurrentWidget(self.viewer)

    def _leave_for_search(self, _words: str) -> None:
        if self._stack.currentWidget() is self.viewer:
            self._picture.clear()
            self._stack.setCurrentWidget(self.grid)

    def _take_in(self, folder: str) -> None:
        self._gallery.take_in(Path(folder))

    def _show_menu(self, at: QPoint) -> None:
        if self._gallery.chosen:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self._grid_actions())
            menu.popup(self.grid.viewport().mapToGlobal(at))

    def _show_count(self, count: int) -> None:
        if self._stack.currentWidget() is self.viewer and self._picture.path is not None:
            if self._gallery.current is None:  # it went to the bin
                self.leave_viewer()
            return
        self._stack.setCurrentWidget(self.grid if count else self.empty)

    def _show_chosen(self, chosen: tuple[int, ...]) -> None:
        self.compare_action.setEnabled(len(chosen) == 2)
        self.bin_action.setEnabled(bool(chosen))
        self.copy_action.setEnabled(bool(chosen))
        self.favourite_action.setEnabled(bool(chosen))

    def _show_current(self, picture: Picture | None) -> None:
        self.open_action.setEnabled(picture is not None)
        self.folder_action.setEnabled(picture is not None)
        self.settings_action.setEnabled(picture is not None and picture.request is not None)
        self.start_action.setEnabled(picture is not None and not picture.missing)
        self.favourite_action.setChecked(picture is not None and picture.favourite)
        if picture is None and self._stack.currentWidget() is self.viewer:
            self.leave_viewer()
