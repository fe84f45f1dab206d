"""The Models page: what is here, what is to be had, what is being fetched, and how much room it all takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.services.queue import State
from app.viewmodels.models import usage_total
from app.viewmodels.observable import follow
from app.views import icons
from app.views.added_view import AddedView
from app.views.download_dialog import DownloadDialog
from app.views.downloads_view import DownloadsView
from app.views.measures import say_size
from app.views.model_details import ModelDetails
from app.views.model_list import ModelListView
from app.views.model_questions import ModelQuestions
from app.views.theme import SPACE
from app.views.token_dialog import TokenDialog
from app.views.work_view import WorkView
from pipelines import checkpoints

if TYPE_CHECKING:
    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent

    from app.services.models import Usage
    from app.services.registry import Model
    from app.services.shelf import Shelved
    from app.viewmodels.download_offer import DownloadOffer
    from app.viewmodels.downloads import DownloadQueue, Row
    from app.viewmodels.models import Models
    from app.viewmodels.tokens import TokenDesk


class ModelsPage(QWidget):
    """The page. It looks at the files again whenever it is shown or its window comes to the front."""

    def __init__(
        self,
        models: Models,
        queue: DownloadQueue,
        offer: DownloadOffer,
        tokens: TokenDesk,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._models = models
        self._queue = queue
        self._offer = offer
        self._tokens = tokens
        self._dialog: DownloadDialog | None = None
        self.setAcceptDrops(True)
        self._build()
        self._questions = ModelQuestions(models, self)
        models.queued.connect(self._take_queued)
        models.appeared.connect(self._added.show_appeared)
        queue.finished.connect(self._take_finished)
        tokens.stored.connect(self._take_token)
        follow(models, "rows", self._show_rows)
        follow(queue, "rows", self._show_arriving)
        follow(models, "usage", self._show_usage)
        follow(models, "work", self._show_work)
        self._list.setFocus()

    def choose(self, name: str) -> None:
        """Show the model of that name."""
        self._list.choose(name)

    def offer_to_add(self, place: Path) -> None:
        """Ask whether the files at `place` are to be used there or copied, then add them."""
        self._questions.ask_to_add(place)

    # Qt's events

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Look at the files again."""
        super().showEvent(event)
        self._models.refresh()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Look at the files again when the user comes back from elsewhere."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self._models.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802  # Qt's name
        """Take model files and folders; pictures are left to the window."""
        if _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802  # Qt's name
        """Offer to add it."""
        place = _dropped(event)
        if place is not None:
            event.acceptProposedAction()
            self.offer_to_add(place)

    # What it is made of

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE + SPACE // 2)
        column.addLayout(self._build_head())
        self._work = WorkView(self._models)
        self._added = AddedView(self._models)
        column.addWidget(self._work)
        column.addWidget(self._added)
        column.addWidget(self._build_middle(), 1)
        self._downloads = DownloadsView(self._queue, self._offer.host)
        self._downloads.token_wanted.connect(self._open_tokens)
        column.addWidget(self._downloads)
        self._usage = QLabel()
        self._usage.setProperty("role", "caption")
        self._usage.setWordWrap(True)
        column.addWidget(self._usage)

    def _build_head(self) -> QHBoxLayout:
        title = QLabel(self.tr("Models"))
        title.setProperty("role", "title")
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search models"))
        self._search.setAccessibleName(self.tr("Search models"))
        self._search.setClearButtonEnabled(True)
        self._search.setMaximumWidth(280)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._search.setFocus)
        self._add = QPushButton(self.tr("Add models"))
        self._add.setIcon(icons.icon("plus"))
        menu = QMenu(self._add)
        menu.setToolTipsVisible(True)
        self._add_file = menu.addAction(icons.icon("file-input"), self.tr("A model file…"), self._choose_file)
        self._add_folder = menu.addAction(icons.icon("folder"), self.tr("A folder of models…"), self._choose_folder)
        for action in (self._add_file, self._add_folder):
            action.setToolTip(self.tr("Models that are on this computer already, also those of other programs"))
        get = menu.addAction(
            icons.icon("download"), self.tr("Download by name or address…"), lambda: self._open_download("")
        )
        get.setToolTip(self.tr("By its name on %1, or from an https address").replace("%1", self._offer.host))
        menu.addSeparator()
        token = menu.addAction(icons.icon("key"), self.tr("Access token…"), lambda: self._open_tokens(""))
        token.setToolTip(self.tr("For models whose licence must be accepted first"))
        self._add.setMenu(menu)
        row = QHBoxLayout()
        row.setSpacing(SPACE)
        row.addWidget(title)
        row.addStretch(1)
        row.addWidget(self._search, 2)
        row.addWidget(self._add)
        return row

    def _build_middle(self) -> QSplitter:
        self._list = ModelListView()
        self._details = ModelDetails(self._models)
        self._list.chosen.connect(self._details.show_model)
        self._details.download_wanted.connect(self._open_download)
        self._search.textChanged.connect(self._list.rows.search)
        middle = QSplitter(Qt.Orientation.Horizontal)
        middle.setChildrenCollapsible(False)
        middle.setHandleWidth(SPACE)
        middle.addWidget(self._list)
        middle.addWidget(self._details)
        middle.setStretchFactor(0, 2)
        middle.setStretchFactor(1, 3)
        middle.setSizes([320, 480])
        return middle

    # What is shown

    def _show_rows(self, rows: tuple[Shelved, ...]) -> None:
        self._list.show_rows(rows)

    def _show_arriving(self, rows: tuple[Row, ...]) -> None:
        self._details.show_arriving(frozenset(row.name for row in rows))
        self._list.rows.show_arriving({row.name: self._say_arriving(row) for row in rows})

    def _say_arriving(self, row: Row) -> str:
        if row.download.state is State.failed:
            return self.tr("The download failed")
        if row.download.state is State.paused:
            return self.tr("The download is paused")
        if not row.total:
            return self.tr("Downloading")
        return self.tr("Downloading, %1 %").replace("%1", str(100 * row.done // row.total))

    def _show_work(self, work: object) -> None:
        for action in (self._add_file, self._add_folder):
            action.setEnabled(work is None)

    def _show_usage(self, usage: Usage | None) -> None:
        if usage is None:
            self._usage.setText(self.tr("Looking at the disk…"))
            return
        text = self.tr(
            "On disk: models %1, unfinished downloads %2, engines %3, caches %4. %5 are free.",
        )
        sizes = (usage_total(usage), usage.unfinished, usage.engines, usage.cache, usage.free)
        for number, size in enumerate(sizes, start=1):
            text = text.replace(f"%{number}", say_size(size))
        self._usage.setText(text)

    # What is wanted

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a model file"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Models (*.safetensors *.gguf)"), self.tr("All files (*)")])
        self._choose(dialog)

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a folder of models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._choose(dialog)

    def _choose(self, dialog: QFileDialog) -> None:
        dialog.fileSelected.connect(lambda chosen: self.offer_to_add(Path(chosen)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _open_download(self, wish: str) -> None:
        self._dialog = DownloadDialog(self._offer, wish, self)
        self._dialog.token_wanted.connect(self._open_tokens)
        self._dialog.finished.connect(self._forget_dialog)
        self._open(self._dialog)

    def _forget_dialog(self) -> None:
        self._dialog = None
        self._offer.forget()

    def _open_tokens(self, host: str) -> None:
        self._tokens.look(host)
        self._open(TokenDialog(self._tokens, self._dialog or self))

    def _open(self, dialog: DownloadDialog | TokenDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # What happened elsewhere

    def _take_finished(self, model: Model) -> None:
        self._models.refresh()
        self._list.choose(model.name)

    def _take_queued(self) -> None:
        self._queue.refresh()

    def _take_token(self) -> None:
        if self._dialog is not None:
            self._dialog.ask()
        self._queue.retry_denied()


def _dropped(event: QDropEvent) -> Path | None:
    """The first model file or folder of what is dragged."""
    for url in event.mimeData().urls():
        if url.isLocalFile():
            path = Path(url.toLocalFile())
            if path.suffix.casefold() in checkpoints.SUFFIXES or path.is_dir():
                return path
    return None
