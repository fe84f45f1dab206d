"""The strip at the foot of the window: how the networks run, and how far they are tuned to the size on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QToolButton, QWidget

from app.services.engine_values import EngineState
from app.viewmodels.observable import follow
from app.views import icons, messages
from app.views.fields import describe
from app.views.generate_words import say_clock
from app.views.theme import SPACE
from pipelines.events import Kernels

if TYPE_CHECKING:
    from app.viewmodels.engine_strip import Adaptation, EngineStrip
    from pipelines.events import CacheRead, PlanChosen

translate = QCoreApplication.translate  # by this name lupdate finds the texts
_PARTS = 1000  # of the bar
_ICON = QSize(14, 14)  # logical pixels


class EngineStripView(QWidget):
    """One button that leads to the Engine page, and beside it what goes on."""

    def __init__(self, strip: EngineStrip) -> None:
        super().__init__()
        self._strip = strip
        self.engine = QToolButton()
        self.engine.setProperty("role", "quiet")
        self.engine.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.engine.setIcon(icons.icon("cpu", icons.Tint.muted))
        self.engine.setIconSize(_ICON)
        self.engine.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.engine.clicked.connect(strip.show_more)
        self.tuning, self.cache = QLabel(), QLabel()
        self.bar = QProgressBar()
        self.bar.setRange(0, _PARTS)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(90)
        self.bar.setAccessibleName(self.tr("Tuning"))
        for label in (self.tuning, self.cache):
            label.setProperty("role", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE, 2, SPACE, 2)
        row.setSpacing(SPACE)
        for part in (self.engine, self.tuning, self.bar):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.cache)
        follow(strip, "state", self._show_engine)
        follow(strip, "plans", self._show_plans)
        follow(strip, "adaptation", self._show_adaptation)
        follow(strip, "cache", self._show_cache)

    def _show_plans(self, plans: tuple[PlanChosen, ...]) -> None:
        self._show_engine(self._strip.state)
        why = [f"{plan.component}: {messages.translate(plan.reason)}" for plan in plans]
        tip = "\n".join([*why, self.tr("Click for engines, caches and timings.")])
        describe(self.engine, self.engine.text(), tip)

    def _show_engine(self, state: EngineState) -> None:
        words = say_engine(self._strip.plan, state)
        self.engine.setText(words)
        self.engine.setAccessibleName(words)

    def _show_adaptation(self, adaptation: Adaptation | None) -> None:
        self.tuning.setText(say_adaptation(adaptation) if adaptation is not None else "")
        self.tuning.setToolTip(messages.translate(adaptation.reason) if adaptation is not None else "")
        self.tuning.setVisible(adaptation is not None)
        fraction = adaptation.fraction if adaptation is not None else None
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(int((fraction or 0.0) * _PARTS))

    def _show_cache(self, cache: CacheRead | None) -> None:
        self.cache.setVisible(cache is not None)
        if cache is None:
            return
        if cache.hit:
            self.cache.setText(self.tr("Tuning of earlier sessions found"))
        else:
            self.cache.setText(self.tr("No tuning of earlier sessions"))
        self.cache.setToolTip(messages.translate(cache.reason))


def say_engine(plan: PlanChosen | None, state: EngineState) -> str:
    """Which engine runs, and where."""
    if plan is None:
        return {
            EngineState.stopped: translate("Engine", "Engine starts with the first picture"),
            EngineState.idle: translate("Engine", "Engine ready"),
            EngineState.working: translate("Engine", "Engine starting"),
        }[state]
    names = {
        "eager": "PyTorch",
        "inductor": translate("Engine", "PyTorch, compiled"),
        "tensorrt_rtx": "TensorRT-RTX",
        "fake": translate("Engine", "Demo engine, draws no real picture"),
    }
    name = names.get(plan.backend, plan.backend)
    if not plan.device:
        return name
    words = translate("Engine", "%1 on the CPU") if plan.device == "cpu" else translate("Engine", "%1 on the GPU")
    return words.replace("%1", name)


def say_adaptation(adaptation: Adaptation) -> str:
    """How far it is tuned to the size."""
    match adaptation.kernels:
        case Kernels.generic:
            words = translate("Engine", "%1: not tuned yet, runs at once")
        case Kernels.specialising if adaptation.estimate is not None:
            words = translate("Engine", "%1: being tuned, %2 of about %3")
            words = words.replace("%3", say_clock(max(adaptation.estimate, adaptation.elapsed)))
        case Kernels.specialising:
            words = translate("Engine", "%1: being tuned, %2 so far")
        case Kernels.specialised:
            words = translate("Engine", "%1: tuned")
        case Kernels.graph:
            words = translate("Engine", "%1: tuned, full speed")
    shape = adaptation.shape.replace("x", " × ")
    return words.replace("%1", shape).replace("%2", say_clock(adaptation.elapsed))
