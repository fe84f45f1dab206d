"""The window's wiring: what the user does in one view and concerns another. Part of the composition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.crash_hook import CrashHook
from app.panels import Panels, make_panels
from app.services.settings_table import WINDOW_GEOMETRY
from app.viewmodels.notices import Remedy, Told
from app.views import placement
from app.views.drop_choice import DropCatcher
from app.views.engine_strip_view import EngineStripView
from app.views.language import Language
from app.views.notices_view import NoticesView
from app.views.theme import Theme
from app.views.window import MainWindow, PageSpec
from pipelines import checkpoints
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.folders import Folders
    from app.services.desk import Desk
    from app.services.wiring import ModelServices


class Shell(QObject):
    """Everything that lives as long as the window's process. `window` is made anew when the language changes."""

    def __init__(self, app: QApplication, desk: Desk, services: ModelServices, folders: Folders) -> None:
        super().__init__()
        self.desk = desk
        self._closed = False
        self.panels = make_panels(desk, services, folders)
        self._hook = CrashHook(self.panels.notices.tell)
        self._hook.install()
        self._theme = Theme(app, desk.settings)
        self._language = Language(app, desk.settings)
        self._language.changed.connect(self._rebuild_soon)
        self._connect(self.panels)
        self.window = self._make_window()
        app.screenRemoved.connect(self._bring_back)
        app.primaryScreenChanged.connect(self._bring_back)

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The keys of all pages, in their order."""
        return tuple(page.key for page in self._pages())

    def show(self) -> None:
        """Show the window, and begin to work once it is there."""
        self.window.show_page(self._first_page)
        placement.restore(self.window, self.desk.settings.text(WINDOW_GEOMETRY))
        self.window.show()
        QTimer.singleShot(0, self._begin)

    def receive(self, files: tuple[Path, ...]) -> None:
        """Come to the front, and open files: a picture as if it were dropped, a model as if it were added."""
        window = self.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()
        models = [path for path in files if path.suffix.lower() in checkpoints.SUFFIXES]
        for path in models:
            self.panels.models.add(path)
        if models:
            window.show_page("models")
        if pictures := [path for path in files if path not in models]:
            self.panels.drops.take(pictures)

    @property
    def _first_page(self) -> str:
        if self.panels.runtime and self.panels.runtime.is_wanted:
            return "runtime"
        return "welcome" if self.panels.first_run.is_wanted else "generate"

    def close(self) -> None:
        """End everything in order. Call it when the event loop has ended; again does no harm."""
        if self._closed:
            return
        self._closed = True
        self.panels.close()
        self.desk.close()
        self._language.close()
        self._hook.remove()

    def _connect(self, panels: Panels) -> None:
        panels.diagnostics.saved.connect(self._tell_saved)
        panels.first_run.finished.connect(self._show_generate)
        for source in (panels.drops, panels.gallery):
            source.used.connect(self._show_generate)
        panels.generate.strip.engine_page_wanted.connect(self._show_engine)

        if panels.updates:
            panels.updates.update_changed.connect(self._show_update)
            panels.updates.quit_wanted.connect(self._quit)

    # Views

    def _make_window(self) -> MainWindow:
        notices = NoticesView(self.panels.notices)
        notices.report_wanted.connect(self._save_report)
        window = MainWindow(self._pages(), notices, EngineStripView(self.panels.generate.strip))
        window.closing.connect(self._save_place)
        catcher = DropCatcher(window, self.panels.drops)
        window.page_changed.connect(catcher.cover_fields)
        return window

    def _pages(self) -> list[PageSpec]:
        pages = [
            PageSpec("generate", self.tr("Generate"), "wand-sparkles", self._make_generate),
            PageSpec("gallery", self.tr("Gallery"), "images", self._make_gallery),
            PageSpec("models", self.tr("Models"), "box", self._make_models),
            PageSpec("engine", self.tr("Engine"), "gauge", self._make_engine),
            PageSpec("preferences", self.tr("Settings"), "settings", self._make_preferences),
            PageSpec("welcome", self.tr("Welcome"), "", self._make_welcome),
        ]
        if self.panels.runtime and self.panels.runtime.is_offered:
            pages.insert(0, PageSpec("runtime", self.tr("Get the engine"), "download", self._make_runtime))
        return pages

    def _make_generate(self) -> QWidget:
        from app.views.generate_page import GeneratePage

        page = GeneratePage(self.panels.generate)
        page.gallery_wanted.connect(self._show_in_gallery)
        page.mask_wanted.connect(self._paint_mask)
        page.setFocusProxy(page.controls.prompt.prompt)
        return page

    def _make_gallery(self) -> QWidget:
        from app.views.gallery_page import GalleryPage

        page = GalleryPage(self.panels.gallery, self.panels.viewer)
        page.generate_wanted.connect(self._show_generate)
        return page

    def _make_models(self) -> QWidget:
        from app.views.models_page import ModelsPage

        panels = self.panels
        return ModelsPage(panels.models, panels.downloads, panels.offer, panels.tokens)

    def _make_engine(self) -> QWidget:
        from app.views.engine_page import EnginePage

        return EnginePage(self.panels.engine, self.panels.timings)

    def _make_preferences(self) -> QWidget:
        from app.views.preferences_page import PreferencesPage

        page = PreferencesPage(self.panels.preferences)
        page.report_wanted.connect(self._save_report)
        page.welcome_wanted.connect(self._show_welcome)
        return page

    def _make_welcome(self) -> QWidget:
        from app.views.first_run_page import FirstRunPage

        return FirstRunPage(self.panels.first_run)

    def _make_runtime(self) -> QWidget:
        from app.views.runtime_page import RuntimePage

        assert self.panels.runtime is not None  # the page is there only with it
        page = RuntimePage(self.panels.runtime)
        page.left.connect(self._leave_runtime)
        return page

    def _leave_runtime(self) -> None:
        self.window.show_page("welcome" if self.panels.first_run.is_wanted else "generate")

    def _rebuild_soon(self) -> None:
        QTimer.singleShot(0, self._rebuild)  # not while a widget of the old window is being clicked

    def _rebuild(self) -> None:
        """The same window in another language."""
        old = self.window
        self._save_place()
        self.window = self._make_window()
        self.window.show_page(old.page)
        placement.restore(self.window, self.desk.settings.text(WINDOW_GEOMETRY))
        self.window.show()
        old.closing.disconnect(self._save_place)
        old.hide()
        old.deleteLater()

    # Events

    def _begin(self) -> None:
        """The window is visible: take up what the last session left, and tell what there is to tell."""
        if self._closed:
            return
        notices = self.panels.notices
        for words in self.desk.notices:
            notices.tell(words)
        try:
            restored = self.desk.start()
        except FirstlightError as error:
            notices.tell(Failure(error.kind, error.message, error.action))
            return
        self.panels.generate.recent.fill(notices)
        self.panels.downloads.restore()
        if self.panels.updates:
            self.panels.updates.begin()
        for job in restored.set_aside:
            notices.tell(Told.job_set_aside, job.title)
        if restored.queued:
            jobs = self.desk.jobs
            notices.tell(Told.queue_restored, str(restored.queued), remedy=Remedy.resume_queue, run=jobs.resume)
            jobs.paused_changed.connect(self._forget_restored)

    def _show_update(self) -> None:
        from app.views.update_dialog import UpdateDialog

        if self.panels.updates:
            UpdateDialog(self.panels.updates, self.window).open()

    def _quit(self) -> None:
        self.window.close()

    def _forget_restored(self, paused: bool) -> None:
        if not paused:
            self.panels.notices.retract(Told.queue_restored)

    def _show_generate(self) -> None:
        self.window.show_page("generate")

    def _paint_mask(self, picture: Path) -> None:
        from app.views.mask_editor import MaskEditor

        self.panels.mask.begin(picture, self.panels.generate.generation.mask_image)
        MaskEditor(self.panels.mask, self.window).open()

    def _show_in_gallery(self, path: Path) -> None:
        self.window.show_page("gallery")
        self.panels.viewer.show(path)

    def _show_engine(self) -> None:
        self.window.show_page("engine")

    def _show_welcome(self) -> None:
        self.window.show_page("welcome")

    def _save_place(self) -> None:
        self.desk.settings.set(WINDOW_GEOMETRY, placement.save(self.window))

    def _bring_back(self) -> None:
        if QGuiApplication.screens():
            placement.bring_on_screen(self.window)

    def _save_report(self) -> None:
        caption = self.tr("Save a report")
        kind = self.tr("Zip files (*.zip)")
        dialog = QFileDialog(self.window, caption, "", kind)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile("firstlight-report.zip")
        dialog.fileSelected.connect(self._write_report)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write_report(self, file: str) -> None:
        self.panels.diagnostics.save(Path(file))

    def _tell_saved(self, file: object) -> None:
        words = self.tr("The report is saved as {file}. It has no names, paths, tokens or prompts in it.")
        self.panels.notices.tell(words.format(file=file))
