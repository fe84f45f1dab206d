"""How the networks run: the last plan with its reason, and the kernels by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.views.engine_phrases import say_backend, say_component, say_kernels, say_progress, say_reason
from app.views.tables import WordTable
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.engine import EnginePanel, KernelRow
    from pipelines.events import CacheRead, PlanChosen


class RunningView(QFrame):
    """A card: a line for each network, then a table of sizes."""

    def __init__(self, panel: EnginePanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._plans: tuple[PlanChosen, ...] = ()
        self._reads: tuple[CacheRead, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE)
        title = QLabel(self.tr("How the networks run"))
        title.setProperty("role", "heading")
        self._nothing = wrapping_label("caption")
        self._nothing.setText(self.tr("Nothing was drawn in this session yet. Then it is told here, with the reasons."))
        self._lines: dict[str, _Line] = {}
        self._networks = QGridLayout()
        self._networks.setHorizontalSpacing(2 * SPACE)
        self._networks.setVerticalSpacing(SPACE // 2 + 2)
        self._networks.setColumnStretch(1, 1)
        self._sizes_title = QLabel(self.tr("Kernels by size"))
        self._sizes_title.setProperty("role", "heading")
        self._sizes = WordTable(
            self.tr("Kernels by size"), (self.tr("Network"), self.tr("Size"), self.tr("Kernels"), self.tr("Details"))
        )
        self._no_sizes = wrapping_label("caption")
        self._no_sizes.setText(
            self.tr("On TensorRT-RTX and torch.compile, each size that is drawn gets kernels of its own meanwhile.")
        )
        column.addWidget(title)
        column.addWidget(self._nothing)
        column.addLayout(self._networks)
        column.addSpacing(SPACE)
        for widget in (self._sizes_title, self._sizes, self._no_sizes):
            column.addWidget(widget)
        follow(panel, "plans", self._show_plans)
        follow(panel, "reads", self._show_reads)
        follow(panel, "kernels", self._show_kernels)

    def _show_plans(self, plans: tuple[PlanChosen, ...]) -> None:
        self._plans = plans
        self._show_networks()

    def _show_reads(self, reads: tuple[CacheRead, ...]) -> None:
        self._reads = reads
        self._show_networks()

    def _show_networks(self) -> None:
        self._nothing.setVisible(not self._plans)
        for plan in self._plans:  # components come, and stay for the session
            if plan.component not in self._lines:
                self._lines[plan.component] = _Line(self._networks, say_component(plan.component))
            reasons = [say_reason(plan.reason)]
            read = next((read for read in self._reads if read.component == plan.component), None)
            if read is not None:
                reasons.append(self._say_read(read))
            how = f"{say_backend(plan.backend)}, {plan.precision}"
            self._lines[plan.component].show(how, "\n".join(reason for reason in reasons if reason))

    def _say_read(self, read: CacheRead) -> str:
        if read.hit:
            return self.tr("Kernels of an earlier session were found.")
        missing = self.tr("No kernels of an earlier session: %1.")
        return missing.replace("%1", say_reason(read.reason))

    def _show_kernels(self, rows: tuple[KernelRow, ...]) -> None:
        self._no_sizes.setVisible(not rows)
        lines: list[tuple[str, tuple[str, ...]]] = []
        for row in rows:
            details = say_progress(row) or say_reason(row.reason)
            if row.fraction is not None:
                details = f"{round(100 * row.fraction)} %, {details}"
            size = row.shape.replace("x", " × ")
            words = (say_component(row.component), size, say_kernels(row.kernels), details)
            lines.append((f"{row.component} {row.shape}", words))
        self._sizes.show_lines(lines)


class _Line:
    """One network in the grid: its name, how it runs, and why."""

    def __init__(self, grid: QGridLayout, name: str) -> None:
        number = grid.rowCount()
        title = QLabel(name)
        self._how, self._why = wrapping_label(), wrapping_label("caption")
        self._how.setAccessibleName(name)
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box = QVBoxLayout()
        box.setSpacing(0)
        box.addWidget(self._how)
        box.addWidget(self._why)
        grid.addWidget(title, number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(box, number, 1)

    def show(self, how: str, why: str) -> None:
        """Show it as it is now."""
        self._how.setText(how)
        self._why.setText(why)
        self._how.setAccessibleDescription(why)
