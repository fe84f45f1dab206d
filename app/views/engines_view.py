"""The card of the engines that were built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.viewmodels.observable import follow
from app.views.engine_phrases import say_component
from app.views.measures import say_age, say_size
from app.views.stored_card import MB, StoredCard
from app.views.tables import WordTable

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.services.engines import EngineList, EngineRow
    from app.viewmodels.engine import EnginePanel


class EnginesView(StoredCard):
    """The engines that were built."""

    def __init__(self, panel: EnginePanel, parent: QWidget | None = None) -> None:
        title = self.tr("Engines")
        headers = (self.tr("Network"), self.tr("Precision"), self.tr("On disk"), self.tr("Last used"), self.tr("Name"))
        about = self.tr(
            "Plans for TensorRT-RTX, without weights: one serves every model of the same build, on every RTX GPU."
        )
        super().__init__(title, about, WordTable(title, headers), parent)
        self._panel = panel
        self._delete = self.add_button(self.tr("Delete"), "trash-2", self._want_deletion, "danger")
        self.limit.valueChanged.connect(self._want_limit)
        follow(panel, "engines", self._show)
        follow(panel, "busy", self._show_busy)

    def show_buttons(self) -> None:
        """Show which can be used now."""
        self._delete.setEnabled(bool(self.table.chosen()) and not self._panel.busy)

    def _show(self, engines: EngineList | None) -> None:
        self.limit.setEnabled(engines is not None)
        if engines is None:
            self.state.setText(self.tr("Looking at the disk…"))
            return
        self.table.show_lines([(row.name, self._say(row)) for row in engines.rows])
        self._delete.setVisible(bool(engines.rows))
        none = self.tr("None built here yet.") if engines.shipped else self.tr("None yet.")
        some = self.tr("%n engines, %1 on disk.", "", len(engines.rows)).replace("%1", say_size(engines.bytes))
        shipped = self.tr("%n came with Firstlight.", "", engines.shipped) if engines.shipped else ""
        self.state.setText(f"{some if engines.rows else none} {shipped}".rstrip())
        self.show_limit(engines.limit)
        self.show_buttons()

    def _say(self, row: EngineRow) -> tuple[str, ...]:
        name = row.name
        if not row.fits:
            other = self.tr("for TensorRT-RTX %1, which is not installed").replace("%1", row.rtx_version)
            name = f"{row.name} ({other})"
        return (say_component(row.part), row.precision, say_size(row.stored_bytes), say_age(row.used), name)

    def _show_busy(self, _: bool) -> None:
        self.show_buttons()

    def _want_limit(self, value: int) -> None:
        self._panel.set_engine_limit(value * MB)

    def _want_deletion(self) -> None:
        names = self.table.chosen()

        def delete() -> None:
            for name in names:
                self._panel.remove_engine(name)

        self.ask(
            self.tr("Delete engines"),
            self.tr("Delete %n engines?", "", len(names)),
            self.tr("They are built again when they are needed, which takes minutes."),
            self.tr("Delete"),
            delete,
        )
