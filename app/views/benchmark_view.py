"""The last benchmark as a plot, and in words for those who cannot see it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.measures import say_seconds
from app.views.plot import Plot, PlotLoader, series_colour
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.services.benchmarks import Benchmark
    from app.viewmodels.engine import EnginePanel


class BenchmarkView(QFrame):
    """A card: seconds a picture by size, a bar for each contender, and what the fastest gains."""

    def __init__(self, panel: EnginePanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._plot: Plot | None = None
        self._loader = PlotLoader(self)
        self.setProperty("role", "card")
        title = QLabel(self.tr("Last benchmark"))
        title.setProperty("role", "heading")
        self._legend, self._words = wrapping_label("caption"), wrapping_label("caption")
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        self._column.setSpacing(SPACE)
        for widget in (title, self._legend, self._words):
            self._column.addWidget(widget)
        self._loader.loaded.connect(self._make_plot)
        follow(panel, "benchmark", self._show)

    def load(self) -> None:
        """Load what draws the plot, where that was not done yet."""
        self._loader.load()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._plot is not None:
            self._plot.follow_palette()
            self._draw()

    def _make_plot(self, pg: Any) -> None:
        self._plot = Plot(pg, self.tr("Size"), self.tr("Seconds a picture"))
        self._column.insertWidget(1, self._plot.widget)
        self._draw()

    def _show(self, benchmark: Benchmark | None) -> None:
        self._words.setText(self._say(benchmark))
        self._legend.setVisible(benchmark is not None)
        if benchmark is not None:
            marks = (
                f"<span style='color:{series_colour(number)}'>■</span>&nbsp;{escape(name)}"
                for number, name in enumerate(benchmark.contenders)
            )
            self._legend.setText("&emsp; ".join(marks))
        self._draw()

    def _draw(self) -> None:
        benchmark = self._panel.benchmark
        if self._plot is None:
            return
        self._plot.widget.setVisible(benchmark is not None)
        self._plot.widget.setAccessibleDescription(self._words.text())
        if benchmark is not None:
            times = [[benchmark.find(name, size) for size in benchmark.sizes] for name in benchmark.contenders]
            values = [[one.seconds if one is not None else None for one in row] for row in times]
            self._plot.draw_groups([size.replace("x", " × ") for size in benchmark.sizes], values)

    def _say(self, benchmark: Benchmark | None) -> str:
        if benchmark is None:
            return self.tr("None was made on this machine yet. This command makes one: firstlight bench")
        about = self.tr("%1, suite %2, %n steps, %3.", "", benchmark.steps)
        for number, word in enumerate((benchmark.model, benchmark.suite, benchmark.created[:10]), start=1):
            about = about.replace(f"%{number}", word)
        return "\n".join([about, *(self._say_size(benchmark, size) for size in benchmark.sizes)])

    def _say_size(self, benchmark: Benchmark, size: str) -> str:
        """The fastest of a size against the baseline."""
        times = [one for one in benchmark.times if one.size == size]
        baseline, fastest = times[0], min(times, key=lambda one: one.seconds)
        if fastest is baseline:
            text, words = self.tr("%1: %2 is the fastest, %3 a picture."), ()
        else:
            text = self.tr("%1: %2 is the fastest, %3 a picture, %4 times as fast as %5.")
            words = QLocale().toString(baseline.seconds / fastest.seconds, "f", 2), baseline.contender
        every = (size.replace("x", " × "), fastest.contender, say_seconds(fastest.seconds), *words)
        for number, word in enumerate(every, start=1):
            text = text.replace(f"%{number}", word)
        return text
