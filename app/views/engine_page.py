"""The Engine page: this machine, how the networks run and why, what is kept on disk, and the last timings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.views import icons
from app.views.benchmark_view import BenchmarkView
from app.views.caches_view import CachesView
from app.views.engines_view import EnginesView
from app.views.machine_view import MachineView
from app.views.running_view import RunningView
from app.views.theme import SPACE
from app.views.timings_view import TimingsView
from app.views.wrapping import TallArea

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.viewmodels.engine import EnginePanel
    from app.viewmodels.timings import Timings


class EnginePage(QWidget):
    """The page. It looks at the disk whenever it is shown."""

    def __init__(self, panel: EnginePanel, timings: Timings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._timings = timings
        inside = QWidget()
        cards = QVBoxLayout(inside)
        cards.setContentsMargins(0, 0, SPACE // 2, 0)
        cards.setSpacing(SPACE + SPACE // 2)
        self._plots = TimingsView(timings)
        self._benchmark = BenchmarkView(panel)
        middle = (self._plots, self._benchmark)
        for card in (MachineView(panel), RunningView(panel), *middle, CachesView(panel), EnginesView(panel)):
            cards.addWidget(card)
        cards.addStretch(1)
        area = TallArea()
        area.set_inside(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        column.setSpacing(SPACE + SPACE // 2)
        column.addLayout(self._build_head())
        column.addWidget(area, 1)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Look again, and load what draws the plots."""
        super().showEvent(event)
        self._look()
        self._plots.load()
        self._benchmark.load()

    def _build_head(self) -> QHBoxLayout:
        title = QLabel(self.tr("Engine"))
        title.setProperty("role", "title")
        again = QPushButton(self.tr("Look again"))
        again.setIcon(icons.icon("refresh-cw"))
        again.setProperty("role", "quiet")
        again.clicked.connect(self._look)
        row = QHBoxLayout()
        row.addWidget(title)
        row.addStretch(1)
        row.addWidget(again)
        return row

    def _look(self) -> None:
        self._panel.refresh()
        self._timings.refresh()
