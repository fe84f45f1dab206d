"""Start picture, mask and strength."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field
from app.views.fields import ProblemLabel, describe, icon_button
from app.views.generate_words import say_problem
from app.views.start_edges import StartEdges
from app.views.theme import SPACE
from pipelines.families import Picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.viewmodels.generation import Generation
    from app.viewmodels.model_choices import Abilities
    from app.viewmodels.problems import Problem

PICTURES = "*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff *.gif *.avif"
_NAME_WIDTH = 150  # logical pixels; the tooltip has the whole path
_PARTS = 100  # of the slider


class StartPanel(QWidget):
    """What a picture is drawn from, besides words.

    Signals:
        mask_wanted (Path): the user wants to paint a mask on this picture.
    """

    mask_wanted = Signal(object)

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.image_row = FileRow(self.tr("Start picture"), self._ask_image, self._drop_image)
        self.mask_row = FileRow(self.tr("Mask: white is drawn anew"), self._ask_mask, self._drop_mask)
        self.paint_button = QPushButton(self.tr("Paint a mask…"))
        self.paint_button.clicked.connect(self._want_mask)
        self.strength = QDoubleSpinBox()
        self.strength.setRange(0.0, 1.0)
        self.strength.setSingleStep(0.05)
        self.strength.setKeyboardTracking(False)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _PARTS)
        self._strength_row = self._make_strength()
        self.edges = StartEdges(generation)
        self._problem = ProblemLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for part in (self.image_row, self._strength_row, self.mask_row, self.paint_button, self.edges, self._problem):
            column.addWidget(part)
        self.strength.valueChanged.connect(self._take_strength)
        self.slider.valueChanged.connect(self._take_slider)
        follow(generation, "image", self._show_image)
        follow(generation, "mask_image", self._show_mask)
        follow(generation, "strength", self._show_strength)
        follow(generation, "able", self._show_able)
        follow(generation, "problems", self._show_problems)

    def _make_strength(self) -> QWidget:
        tip = self.tr("How much of the start picture changes: 0 nothing, 1 everything.")
        describe(self.strength, self.tr("Strength"), tip)
        describe(self.slider, self.tr("Strength"), tip)
        label = QLabel(self.tr("St&rength"))
        label.setProperty("role", "caption")
        label.setBuddy(self.strength)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.strength)
        return whole

    # What the user does

    def _ask_image(self) -> None:
        self._ask(self.tr("Start picture"), self._take_image)

    def _ask_mask(self) -> None:
        self._ask(self.tr("Mask"), self._take_mask)

    def _ask(self, title: str, take: Callable[[str], object]) -> None:
        dialog = QFileDialog(self, title, "", self.tr("Pictures") + f" ({PICTURES})")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_image(self, file: str) -> None:
        self._generation.set_start_picture(Path(file))

    def _take_mask(self, file: str) -> None:
        self._generation.set_mask(Path(file))

    def _drop_image(self) -> None:
        self._generation.set_start_picture(None)

    def _drop_mask(self) -> None:
        self._generation.set_mask(None)

    def _want_mask(self) -> None:
        if self._generation.image is not None:
            self.mask_wanted.emit(self._generation.image)

    def _take_strength(self, value: float) -> None:
        self._generation.strength = value

    def _take_slider(self, value: int) -> None:
        self._generation.strength = value / _PARTS

    # What is shown

    def _show_image(self, path: Path | None) -> None:
        self.image_row.show_file(path)
        self._show_use()

    def _show_mask(self, path: Path | None) -> None:
        self.mask_row.show_file(path)
        self._show_use()

    def _show_strength(self, value: float) -> None:
        # A value with more places than are shown stays as it is
        with QSignalBlocker(self.strength), QSignalBlocker(self.slider):
            self.strength.setValue(value)
            self.slider.setValue(round(value * _PARTS))

    def _show_able(self, _able: Abilities) -> None:
        self._show_use()

    def _show_use(self) -> None:
        kind, has_image = self._generation.able.picture, self._generation.image is not None
        self._strength_row.setVisible(has_image and kind is Picture.start)
        uses_mask = kind is not Picture.reference
        self.mask_row.setVisible(uses_mask and (has_image or self._generation.mask_image is not None))
        self.paint_button.setVisible(uses_mask and has_image)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        mine = (Field.image, Field.strength)
        self._problem.show_problem("\n".join(say_problem(one) for one in problems if one.field in mine))


class FileRow(QWidget):
    """A file that is chosen or not."""

    def __init__(self, name: str, choose: Callable[[], object], drop: Callable[[], object]) -> None:
        super().__init__()
        self._name = name
        self.button = QPushButton()
        self.button.clicked.connect(choose)
        self.clear = icon_button("x", self.tr("Remove"), drop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE // 2)
        row.addWidget(self.button, 1)
        row.addWidget(self.clear)
        self.show_file(None)

    def show_file(self, path: Path | None) -> None:
        """Show its name, or the words that ask for one."""
        if path is None:
            self.button.setText(f"{self._name}…")
            describe(self.button, self._name)
            self.button.setToolTip("")
        else:
            short = self.fontMetrics().elidedText(path.name, Qt.TextElideMode.ElideMiddle, _NAME_WIDTH)
            self.button.setText(short.replace("&", "&&"))
            describe(self.button, f"{self._name}: {path.name}", str(path))
        self.clear.setVisible(path is not None)
