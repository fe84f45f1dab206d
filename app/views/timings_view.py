"""The last timings as plots, and in words for those who cannot see them."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.engine_phrases import say_backend
from app.views.measures import say_seconds
from app.views.plot import Plot, PlotLoader
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.timings import PictureTime, StepRun, Timings


class TimingsView(QFrame):
    """A card with two plots: the steps of the last pictures, and the last pictures as a whole."""

    def __init__(self, timings: Timings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timings = timings
        self._loader = PlotLoader(self)
        self._steps: Plot | None = None
        self._pictures: Plot | None = None
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
        self._loader.loaded.connect(self._make_plots)
        follow(timings, "runs", self._show_runs)
        follow(timings, "pictures", self._show_pictures)

    def load(self) -> None:
        """Load what draws the plots, where that was not done yet."""
        self._loader.load()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            for plot in (self._steps, self._pictures):
                if plot is not None:
                    plot.follow_palette()
            self._draw()

    def _make_plots(self, pg: Any) -> None:
        self._steps = Plot(pg, self.tr("Step"), self.tr("Seconds a step"))
        self._pictures = Plot(pg, self.tr("Picture"), self.tr("Seconds a picture"))
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
