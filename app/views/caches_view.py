"""The card of the kernels that are kept for the next start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.viewmodels.observable import follow
from app.views.engine_phrases import say_component, say_difference
from app.views.measures import say_age, say_size
from app.views.stored_card import MB, StoredCard
from app.views.tables import WordTable
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.services.caches import CacheRow, CacheState, Cleared, Imported
    from app.viewmodels.engine import EnginePanel

_SIZES = 4  # sizes by name, before the rest is only counted


class CachesView(StoredCard):
    """The kernels that were compiled."""

    def __init__(self, panel: EnginePanel, parent: QWidget | None = None) -> None:
        title = self.tr("Kernels kept for the next start")
        headers = (
            self.tr("Network"), self.tr("Sizes"), self.tr("On disk"), self.tr("Last used"), self.tr("For"),
        )  # fmt: skip
        about = self.tr(
            "What was compiled for this GPU and driver. A machine of the same kind can take them over from a file."
        )
        super().__init__(title, about, WordTable(title, headers), parent)
        self._panel = panel
        self._delete = self.add_button(self.tr("Delete"), "trash-2", self._want_deletion, "danger")
        self._clear = self.add_button(self.tr("Delete all…"), "trash-2", self._want_clearing, "danger")
        self._export = self.add_button(self.tr("Export…"), "upload", self._want_export)
        self._export.setToolTip(self.tr("Writes those that are chosen, or all, into one file"))
        self._import = self.add_button(self.tr("Import…"), "import", self._want_import)
        self._told = wrapping_label("caption")
        self._told.hide()
        layout = self.layout()
        if layout is not None:
            layout.addWidget(self._told)
        self.limit.valueChanged.connect(self._want_limit)
        panel.cleared.connect(self._tell_cleared)
        panel.exported.connect(self._tell_exported)
        panel.imported.connect(self._tell_imported)
        follow(panel, "caches", self._show)
        follow(panel, "busy", self._show_busy)

    def show_buttons(self) -> None:
        """Show which can be used now."""
        caches, idle = self._panel.caches, not self._panel.busy
        some = caches is not None and bool(caches.rows)
        self._delete.setEnabled(idle and bool(self.table.chosen()))
        self._clear.setEnabled(idle and caches is not None and (some or caches.set_aside > 0))
        self._export.setEnabled(idle and some)
        self._import.setEnabled(idle)

    def _show(self, caches: CacheState | None) -> None:
        self.limit.setEnabled(caches is not None)
        if caches is None:
            self.state.setText(self.tr("Looking at the disk…"))
            return
        self.table.show_lines([(row.name, self._say(row)) for row in caches.rows])
        self._delete.setVisible(bool(caches.rows))
        text = self.tr("%n files, %1 on disk.", "", len(caches.rows)) if caches.rows else self.tr("None yet.")
        text = text.replace("%1", say_size(caches.bytes))
        if caches.set_aside:
            aside = self.tr("Damaged files that were set aside take %1.").replace("%1", say_size(caches.set_aside))
            text = f"{text} {aside}"
        self.state.setText(text)
        self.show_limit(caches.limit)
        self.show_buttons()

    def _say(self, row: CacheRow) -> tuple[str, ...]:
        sizes = [shape.replace("x", " × ") for shape in row.shapes[:_SIZES]]
        if len(row.shapes) > _SIZES:
            sizes.append(self.tr("%n more", "", len(row.shapes) - _SIZES))
        facts = row.manifest.facts
        processor = self.tr("processor")
        where = f"{facts.gpu or processor}, {facts.precision}"
        return (
            say_component(row.manifest.component),
            ", ".join(sizes),
            say_size(row.manifest.bytes),
            say_age(row.used),
            where if row.difference is None else say_difference(row.difference),
        )

    def _show_busy(self, _: bool) -> None:
        self.show_buttons()

    def _want_limit(self, value: int) -> None:
        self._panel.set_cache_limit(value * MB)

    def _want_deletion(self) -> None:
        self._panel.clear_caches(self.table.chosen())

    def _want_clearing(self) -> None:
        self.ask(
            self.tr("Delete kernels"),
            self.tr("Delete all kernels?"),
            self.tr("Nothing is lost but time: they are made again, in the background, as sizes are drawn."),
            self.tr("Delete all"),
            self._panel.clear_caches,
        )

    def _want_export(self) -> None:
        names = self.table.chosen()
        dialog = QFileDialog(self, self.tr("Export kernels"), "", self.tr("Kernels (*.zip)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile("firstlight-kernels.zip")
        dialog.fileSelected.connect(lambda file: self._panel.export_caches(Path(file), names))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _want_import(self) -> None:
        dialog = QFileDialog(self, self.tr("Import kernels"), "", self.tr("Kernels (*.zip)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda file: self._panel.import_caches(Path(file)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _tell(self, text: str) -> None:
        self._told.setText(text)
        self._told.show()

    def _tell_cleared(self, cleared: Cleared) -> None:
        self._tell(self.tr("%n files were deleted.", "", len(cleared.names) + cleared.set_aside))

    def _tell_exported(self, file: Path) -> None:
        self._tell(
            self.tr("Written to %1. Import it on a machine with the same GPU and driver.").replace("%1", str(file))
        )

    def _tell_imported(self, imported: Imported) -> None:
        lines = [self.tr("%n files were taken in.", "", len(imported.names))]
        lines += [f"{one.name}: {say_difference(one.difference)}" for one in imported.refused]
        self._tell("\n".join(lines))
