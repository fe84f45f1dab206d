"""Plots of pyqtgraph in the colours of the theme.

pyqtgraph takes a third of a second to load, so it is loaded on a thread of its own when a plot is first shown.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QSizePolicy

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEIGHT = 190  # logical pixels of a plot
_SERIES = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
)  # Okabe and Ito's


class PlotLoader(QObject):
    """Loads pyqtgraph.

    Signals:
        loaded (module): it is there.
    """

    loaded = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._loading = False

    def load(self) -> None:
        """Begin, where that was not done yet."""
        if not self._loading:
            self._loading = True
            threading.Thread(target=self._import, name="plots", daemon=True).start()

    def _import(self) -> None:
        """On the thread."""
        pg = importlib.import_module("pyqtgraph")
        with contextlib.suppress(RuntimeError):  # the page is gone
            self.loaded.emit(pg)


def series_colour(number: int) -> str:
    """The colour of a series, as in `#0072B2`."""
    return _SERIES[number % len(_SERIES)]


class Plot:
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

    def draw_groups(self, names: Sequence[str], series: Sequence[Sequence[float | None]]) -> None:
        """A group of bars for each name, in it a bar of each series that has a value."""
        self.widget.clear()
        width = 0.8 / max(1, len(series))
        none = self._pg.mkPen(None)
        for number, values in enumerate(series):
            shift = (number - (len(series) - 1) / 2) * width
            bars = [(place + shift, value) for place, value in enumerate(values) if value is not None]
            places, heights = [place for place, _ in bars], [value for _, value in bars]
            brush = QColor(series_colour(number))
            self.widget.addItem(
                self._pg.BarGraphItem(x=places, height=heights, width=0.9 * width, brush=brush, pen=none)
            )
        self.widget.getPlotItem().getAxis("bottom").setTicks([list(enumerate(names))])
        highest = max((value for values in series for value in values if value is not None), default=1)
        self.widget.setYRange(0, 1.1 * highest)
        self.widget.setXRange(-0.6, max(len(names), 1) - 0.4, padding=0)


def _colour(role: QPalette.ColorRole) -> QColor:
    return QColor(QGuiApplication.palette().color(role))
