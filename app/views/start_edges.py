"""What of a start picture is drawn anew: how a mask is used, and margins around the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.problems import Field, of
from app.views.fields import ProblemLabel, describe, named
from app.views.generate_words import say_problem
from app.views.theme import SPACE
from pipelines.families import Picture
from pipelines.request import FEATHER_MAX, MARGIN_MAX, Outpaint

if TYPE_CHECKING:
    from app.viewmodels.generation import Generation
    from app.viewmodels.problems import Problem

_STEP = 32  # pixels


class StartEdges(QWidget):
    """Soft edge, masked part alone, and four margins; what means nothing now is hidden."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation
        self.feather = _pixels(FEATHER_MAX, 1)
        self.area_only = QCheckBox(self.tr("Draw the masked part alone"))
        tip = self.tr("It is drawn at the size chosen above and set back into the start picture, which keeps its size.")
        describe(self.area_only, self.area_only.text(), tip)
        self.margins = {side: _pixels(MARGIN_MAX, _STEP) for side in ("left", "top", "right", "bottom")}
        self._feather_row, self._margin_rows = QWidget(), QWidget()
        self._problem = ProblemLabel(*self.margins.values())
        self._lay_out()
        self.feather.valueChanged.connect(self._take_feather)
        self.area_only.clicked.connect(self._take_area_only)
        for box in self.margins.values():
            box.valueChanged.connect(self._take_margins)
        follow(generation, "mask_feather", self._show_feather)
        follow(generation, "mask_area_only", self.area_only.setChecked)
        follow(generation, "outpaint", self._show_margins)
        for name in ("image", "mask_image", "able"):
            follow(generation, name, self._show_use)
        follow(generation, "problems", self._show_problems)

    def _lay_out(self) -> None:
        tip = self.tr("How far the edge of what is drawn fades into the start picture, in pixels.")
        feather = named(self.tr("Soft edge"), self.feather, tip)
        self._feather_row.setLayout(feather)
        names = (self.tr("Left"), self.tr("Above"), self.tr("Right"), self.tr("Below"))
        caption = QLabel(self.tr("Margins to draw around it, in pixels"))
        caption.setProperty("role", "caption")
        grid = QGridLayout(self._margin_rows)
        grid.setSpacing(SPACE)
        grid.addWidget(caption, 0, 0, 1, 2)
        for index, (box, name) in enumerate(zip(self.margins.values(), names, strict=True)):
            grid.addLayout(named(name, box), 1 + index // 2, index % 2)
            describe(box, self.tr("Margin: %1").replace("%1", name))
        for layout in (feather, grid):
            layout.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for part in (self.area_only, self._margin_rows, self._problem, self._feather_row):
            column.addWidget(part)

    # What the user does

    def _take_feather(self, value: int) -> None:
        self._generation.mask_feather = value

    def _take_area_only(self, wanted: bool) -> None:  # a slot of Qt
        self._generation.mask_area_only = wanted

    def _take_margins(self, _value: int) -> None:
        self._generation.change_margins(Outpaint(**{side: box.value() for side, box in self.margins.items()}))

    # What is shown

    def _show_feather(self, value: int) -> None:
        self.feather.setValue(value)

    def _show_margins(self, margins: Outpaint) -> None:
        for side, box in self.margins.items():
            with QSignalBlocker(box):  # all of them make one change
                box.setValue(getattr(margins, side))
        self._show_use()

    def _show_use(self, _value: object = None) -> None:
        page = self._generation
        can_mask = page.image is not None and page.able.picture is not Picture.reference
        has_mask = can_mask and page.mask_image is not None
        self.area_only.setVisible(has_mask)
        self._margin_rows.setVisible(can_mask and not has_mask)
        self._feather_row.setVisible(has_mask or (can_mask and bool(page.outpaint)))

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        found = of(Field.outpaint, problems)
        self._problem.show_problem(say_problem(found) if found is not None else "")


def _pixels(most: int, step: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(0, most)
    box.setSingleStep(step)
    box.setKeyboardTracking(False)
    return box
