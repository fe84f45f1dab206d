"""The middle of the Generate page: the picture or its preview, how far it is, and the latest pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views import icons, messages, pixels
from app.views.filmstrip import Filmstrip
from app.views.image_view import ImageView
from app.views.run_view import RunView
from app.views.theme import SPACE

if TYPE_CHECKING:
    from app.viewmodels.generate import GenerateModels
    from pipelines.events import Failure, Preview
    from pipelines.viewing import View


class CentreView(QWidget):
    """Shows what `Recent.live` says: the job being drawn, or a picture that was chosen.

    Signals:
        gallery_wanted (Path): the user wants to see this picture in the Gallery, with all its details.
    """

    gallery_wanted = Signal(object)

    def __init__(self, models: GenerateModels) -> None:
        super().__init__()
        self._models = models
        self.image = ImageView()
        self.image.set_hint(self.tr("Describe a picture, then press Generate."))
        self.run_view = RunView(models.run)
        self.filmstrip = Filmstrip(models.recent)
        self.follow_button = QPushButton(icons.icon("eye"), self.tr("Watch the picture being drawn"))
        self.follow_button.setProperty("role", "chip")
        self.follow_button.clicked.connect(self._go_live)
        self.image.save_wanted.connect(self._ask_copy)
        self.image.folder_wanted.connect(models.picture.show_in_folder)
        self._add_actions()
        self._lay_out()
        follow(models.picture, "image", self._show_image)
        follow(models.picture, "problem", self._show_problem)
        follow(models.run, "preview", self._show_preview)
        follow(models.run, "phase", self._show_follow)
        follow(models.recent, "live", self._show_follow)
        models.recent.list.rowsInserted.connect(self._show_strip)
        models.recent.list.rowsRemoved.connect(self._show_strip)
        models.recent.list.modelReset.connect(self._show_strip)
        self._show_strip()

    def _lay_out(self) -> None:
        chip = QHBoxLayout()
        chip.addStretch(1)
        chip.addWidget(self.follow_button)
        chip.addStretch(1)
        below = QVBoxLayout()
        below.setContentsMargins(16, SPACE, 16, SPACE)
        below.setSpacing(SPACE)
        below.addLayout(chip)
        below.addWidget(self.run_view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.image, 1)
        column.addLayout(below)
        strip = QHBoxLayout()
        strip.setContentsMargins(12, 0, 12, 0)  # the tiles have a gap of their own
        strip.addWidget(self.filmstrip)
        column.addLayout(strip)

    def _add_actions(self) -> None:
        for text, slot in (
            (self.tr("Use its settings"), self._reuse),
            (self.tr("Use as start picture"), self._start_from),
            (self.tr("Show in the Gallery"), self._want_gallery),
        ):
            action = QAction(text, self.image)
            action.triggered.connect(slot)
            self.image.addAction(action)

    # What the user does

    def _go_live(self) -> None:
        self._models.recent.go_live()
        self._show_preview(self._models.run.preview)

    def _row(self) -> int:
        """The row of the picture in the middle, -1 where it is not among the latest."""
        strip = self._models.recent.list
        for row in range(strip.rowCount()):
            picture = strip.picture_at(row)
            if picture is not None and picture.path == self.image.path:
                return row
        return -1

    def _reuse(self) -> None:
        self._models.recent.reuse(self._row())

    def _start_from(self) -> None:
        self._models.recent.start_from(self._row())

    def _want_gallery(self) -> None:
        if self.image.path is not None:
            self.gallery_wanted.emit(self.image.path)

    def _ask_copy(self) -> None:
        path = self.image.path
        if path is None:
            return
        dialog = QFileDialog(self, self.tr("Save a copy"), str(path), self.tr("Pictures (*.png *.jpg *.webp)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self._save_copy)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _save_copy(self, file: str) -> None:
        self._models.picture.save_as(Path(file))

    # What is shown

    def _show_image(self, view: View | None) -> None:
        if view is None:
            if not self._shows_preview():
                self.image.clear()
            return
        if self._shows_preview() and not self._is_news(view):
            return
        request = self._prompt_of(view.path)
        self.image.set_image(pixels.image_of(view), view.path, request, pixels.size_of(view))

    def _is_news(self, view: View) -> bool:
        """The picture that was drawn last comes in between two previews."""
        first = self._models.recent.list.picture_at(0)
        return first is not None and first.path == view.path

    def _prompt_of(self, path: Path) -> str:
        row = next(
            (
                picture.prompt
                for number in range(min(self._models.recent.list.rowCount(), 100))
                if (picture := self._models.recent.list.picture_at(number)) is not None and picture.path == path
            ),
            "",
        )
        return " ".join(row.split())

    def _show_problem(self, problem: Failure | None) -> None:
        if problem is None:
            self.image.set_hint(self.tr("Describe a picture, then press Generate."))
        else:
            self.image.set_hint(messages.say(problem))

    def _shows_preview(self) -> bool:
        return self._models.recent.live and self._models.run.preview is not None

    def _show_preview(self, preview: Preview | None) -> None:
        if preview is None or not self._models.recent.live:
            return
        job = self._models.run.job
        request = job.request if job is not None else None
        full = QSize(*request.picture_size) if request is not None else None
        self.image.set_preview(pixels.preview_of(preview), full)

    def _show_follow(self, _value: object) -> None:
        self.follow_button.setVisible(self._models.run.is_active and not self._models.recent.live)

    def _show_strip(self) -> None:
        self.filmstrip.setVisible(self._models.recent.list.rowCount() > 0)
