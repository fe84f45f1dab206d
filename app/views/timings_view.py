"""The last timings as plots, and in words for those who cannot see them.

pyqtgraph takes a third of a second to load, so it is loaded on a thread of its own when the page is first shown.
"""

from __future__ import annotations

import contextlib
import importlib
import statistics
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.engine_phrases import say_backend
from app.views.measures import say_seconds
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.timings import PictureTime, StepRun, Timings

_HEIGHT = 190  # logical pixels of a plot


class TimingsView(QFrame):
    """A card with two plots: the steps of the last pictures, and the last pictures as a whole."""

    _loaded = Signal(object)

    def __init__(self, timings: Timings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timings = timings
        self._loading = False
        self._steps: _Plot | None = None
        self._pictures: _Plot | None = None
        self.setProperty("role", "card")
        title = QLabel(self.tr("Last timings"))
        title.setProperty("role", "heading")
        self._steps_words, self._pictures_words = wrapping_label("caption"), wrapping_label("caption")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * SPACE)
        self._grid.addWidget(self._steps_words, 1, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self._pictures_words, 1, 1, Qt.AlignmentFlag.AlignTop)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE)
        column.addWidget(title)
        column.addLayout(self._grid)
        self._loaded.connect(self._make_plots)
        follow(timings, "runs", self._show_runs)
        follow(timings, "pictures", self._show_pictures)

    def load(self) -> None:
        """Load what draws the plots, where that was not done yet."""
        if not self._loading:
            self._loading = True
            threading.Thread(target=self._import, name="plots", daemon=True).start()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            for plot in (self._steps, self._pictures):
                if plot is not None:
                    plot.follow_palette()
            self._draw()

    def _import(self) -> None:
        """On the thread."""
        pg = importlib.import_module("pyqtgraph")
        with contextlib.suppress(RuntimeError):  # the page is gone
            self._loaded.emit(pg)

    def _make_plots(self, pg: Any) -> None:
        self._steps = _Plot(pg, self.tr("Step"), self.tr("Seconds a step"))
        self._pictures = _Plot(pg, self.tr("Picture"), self.tr("Seconds a picture"))
        self._grid.addWidget(self._steps.widget, 0, 0)
        self._grid.addWidget(self._pictures.widget, 0, 1)
        self._draw()

    def _show_runs(self, runs: tuple[StepRun, ...]) -> None:
        self._steps_words.setText(self._say_runs(runs))
        self._draw()

    def _show_pictures(self, pictures: tuple[PictureTime, ...]) -> None:
        self._pictures_words.setText(self._say_pictures(pictures))
        self._draw()

    def _draw(self) -> None:
        runs, pictures = self._timings.runs, self._timings.pictures
        if self._steps is not None:
            self._steps.draw_lines([run.seconds for run in runs])
            self._steps.widget.setVisible(bool(runs))
            self._steps.widget.setAccessibleDescription(self._steps_words.text())
        if self._pictures is not None:
            self._pictures.draw_bars([picture.seconds for picture in pictures])
            self._pictures.widget.setVisible(bool(pictures))
            self._pictures.widget.setAccessibleDescription(self._pictures_words.text())

    def _say_runs(self, runs: tuple[StepRun, ...]) -> str:
        if not runs:
            return self.tr("Steps are shown here as soon as something was drawn in this session.")
        last = runs[-1]
        text = self.tr(
            "Last picture, %n steps: a typical step took %1, the first %2, the slowest %3.", "", len(last.seconds)
        )
        for number, seconds in enumerate((last.median, last.seconds[0], max(last.seconds)), start=1):
            text = text.replace(f"%{number}", say_seconds(seconds))
        return text

    def _say_pictures(self, pictures: tuple[PictureTime, ...]) -> str:
        if not pictures:
            return self.tr("There are no pictures in the gallery yet.")
        last = pictures[-1]
        alike = [
            one.seconds
            for one in pictures
            if (one.width, one.height, one.steps, one.backend) == (last.width, last.height, last.steps, last.backend)
        ]
        text = self.tr("Last picture: %1 (%2 × %3, %4 steps, %5). Typical of %n alike: %6.", "", len(alike))
        words = (
            say_seconds(last.seconds),
            last.width,
            last.height,
            last.steps,
            say_backend(last.backend),
            say_seconds(statistics.median(alike)),
        )
        for number, word in enumerate(words, start=1):
            text = text.replace(f"%{number}", str(word))
        return text


class _Plot:
    """A plot of pyqtgraph in the colours of the palette. It is looked at, not moved."""

    def __init__(self, pg: Any, bottom: str, left: str) -> None:
        self._pg = pg
        self._names = {"bottom": bottom, "left": left}
        self.widget = pg.PlotWidget()
        self.widget.setFixedHeight(_HEIGHT)
        self.widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.widget.setAccessibleName(left)
        self.widget.setFrameShape(QFrame.Shape.NoFrame)
        self.widget.setMenuEnabled(False)
        self.widget.hideButtons()
        self.widget.setMouseEnabled(x=False, y=False)
        self.widget.getPlotItem().setContentsMargins(0, 6, 6, 0)
        self.widget.getPlotItem().getAxis("left").enableAutoSIPrefix(False)
        self.widget.setAntialiasing(True)
        self.follow_palette()

    def follow_palette(self) -> None:
        """Take the colours of the theme."""
        self.widget.setBackground(_colour(QPalette.ColorRole.AlternateBase))
        muted, line = _colour(QPalette.ColorRole.PlaceholderText), _colour(QPalette.ColorRole.Mid)
        for side, name in self._names.items():
            axis = self.widget.getPlotItem().getAxis(side)
            axis.setPen(self._pg.mkPen(line))
            axis.setTextPen(self._pg.mkPen(muted))
            axis.setTickFont(self.widget.font())
            axis.setLabel(name, color=muted.name())
        self.widget.showGrid(x=False, y=True, alpha=0.15)

    def draw_lines(self, lines: list[tuple[float, ...]]) -> None:
        """One line each; the last one is marked."""
        self.widget.clear()
        for number, values in enumerate(lines):
            last = number == len(lines) - 1
            colour = _colour(QPalette.ColorRole.Accent if last else QPalette.ColorRole.PlaceholderText)
            colour.setAlpha(255 if last else 90)
            pen = self._pg.mkPen(colour, width=2 if last else 1)
            marks = {"symbol": "o", "symbolSize": 5, "symbolBrush": colour, "symbolPen": None} if last else {}
            self.widget.plot(list(range(1, len(values) + 1)), list(values), pen=pen, **marks)
        self.widget.setYRange(0, 1.1 * max((value for values in lines for value in values), default=1))
        self.widget.setXRange(0.5, max((len(values) for values in lines), default=4) + 0.5, padding=0)

    def draw_bars(self, values: list[float]) -> None:
        """One bar each; the last one is marked."""
        self.widget.clear()
        accent, muted = _colour(QPalette.ColorRole.Accent), _colour(QPalette.ColorRole.PlaceholderText)
        muted.setAlpha(130)
        places = list(range(1, len(values) + 1))
        brushes = [muted] * (len(values) - 1) + [accent] * bool(values)
        none = self._pg.mkPen(None)
        self.widget.addItem(self._pg.BarGraphItem(x=places, height=values, width=0.7, brushes=brushes, pen=none))
        self.widget.setYRange(0, 1.1 * max(values, default=1))
        self.widget.setXRange(0.4, max(len(values), 10) + 0.6, padding=0)


def _colour(role: QPalette.ColorRole) -> QColor:
    return QColor(QGuiApplication.palette().color(role))
