"""The job in hand: how far it is, how long it will take, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.observable import follow
from app.viewmodels.run import Phase
from app.views import messages
from app.views.generate_words import say_clock, say_doing, say_ending
from app.views.measures import say_time_left
from app.views.theme import SPACE
from app.views.wrapping import wrapping_label

if TYPE_CHECKING:
    from app.services.engine_values import Stuck
    from app.viewmodels.run import Doing, Run, Times
    from pipelines.events import PlanChosen

_PARTS = 1000  # of the progress bar


class RunView(QWidget):
    """One line with a bar under it, and below what there is to know of this job."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self.what = QLabel()
        self.time = QLabel()
        self.time.setProperty("role", "caption")
        self.bar = QProgressBar()
        self.bar.setRange(0, _PARTS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.retry = QPushButton(self.tr("Try again"))
        self.retry.setProperty("role", "quiet")
        self.retry.clicked.connect(run.retry)
        self.notes = wrapping_label("caption")
        self._stuck = self._make_stuck()
        self._lay_out()
        follow(run, "phase", self._show_phase)
        follow(run, "doing", self._show_doing)
        follow(run, "picture", self._show_picture)
        follow(run, "fraction", self._show_fraction)
        follow(run, "times", self._show_times)
        follow(run, "notices", self._show_notices)
        follow(run, "plans", self._show_plans)
        follow(run, "stuck", self._show_stuck)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE)
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head.addWidget(self.what, 1)
        head.addWidget(self.time)
        head.addWidget(self.retry)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE // 2)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.notes)
        column.addWidget(self._stuck)

    def _make_stuck(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "card")
        self.stuck_text = wrapping_label()
        self.end_now = QPushButton(self.tr("End it now"))
        self.end_now.setProperty("role", "danger")
        self.end_now.clicked.connect(self._run.end_now)
        row = QHBoxLayout(frame)
        row.addWidget(self.stuck_text, 1)
        row.addWidget(self.end_now, 0, Qt.AlignmentFlag.AlignTop)
        return frame

    def _show_phase(self, phase: Phase) -> None:
        self.setVisible(phase is not Phase.none)
        self.bar.setVisible(self._run.is_active)
        self.retry.setVisible(self._run.can_retry)
        self._show_times(self._run.times)
        self._show_what()

    def _show_doing(self, _doing: Doing | None) -> None:
        self._show_what()

    def _show_picture(self, _picture: tuple[int, int]) -> None:
        self._show_what()

    def _show_what(self) -> None:
        run = self._run
        if run.phase is Phase.ended:
            self.what.setText(say_ending(run))
            return
        words = self.tr("Cancelling") if run.phase is Phase.cancelling else say_doing(run.doing)
        number, count = run.picture
        if count > 1:
            which = self.tr("Picture %1 of %2").replace("%1", str(number)).replace("%2", str(count))
            words = f"{which} – {words}"
        self.what.setText(words)

    def _show_fraction(self, fraction: float) -> None:
        self.bar.setValue(int(fraction * _PARTS))

    def _show_times(self, times: Times) -> None:
        words = say_clock(times.elapsed)
        if self._run.is_active and times.remaining is not None:
            words = f"{words}, {say_time_left(times.remaining)}"
        self.time.setText(words)

    def _show_notices(self, notices: tuple[str, ...]) -> None:
        self.notes.setText("\n".join(messages.translate(notice) for notice in notices))
        self.notes.setVisible(bool(notices))

    def _show_plans(self, plans: tuple[PlanChosen, ...]) -> None:
        lines = (
            f"{plan.component}: {plan.backend}, {plan.precision} – {messages.translate(plan.reason)}" for plan in plans
        )
        self.what.setToolTip("\n".join(lines))

    def _show_stuck(self, stuck: Stuck | None) -> None:
        self._stuck.setVisible(stuck is not None)
        if stuck is None:
            return
        if stuck.cancelling:
            words = self.tr("The engine is still busy and cannot stop by itself yet: %1.")
        else:
            words = self.tr("The engine has said nothing for a minute: %1. That may be right, or it may hang.")
        self.stuck_text.setText(words.replace("%1", say_doing(self._run.doing)))
