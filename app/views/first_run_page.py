"""The first page of all: one button to a first picture, and what this machine can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.first_run import EXAMPLES, FirstRun, Hint, Outlook
from app.viewmodels.observable import follow
from app.views import icons, messages

if TYPE_CHECKING:
    from pipelines.devices import Machine

_WIDTH = 620  # logical pixels
_GIB = 2**30


class FirstRunPage(QWidget):
    """Example prompts to choose from, the button, and below it the machine."""

    def __init__(self, first_run: FirstRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first_run = first_run
        self._examples = QButtonGroup(self)
        self._machine = _label("", "caption")
        self._outlook = QVBoxLayout()
        self._outlook.setSpacing(8)
        self._build()
        follow(first_run, "machine", self._show_machine)
        follow(first_run, "outlook", self._show_outlook)
        first_run.look()

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("content")
        content.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(14)
        column.addStretch(1)
        column.addWidget(_mark(), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(_centred(_label(self.tr("Draw a first picture"), "title")))
        column.addWidget(
            _centred(
                _label(
                    self.tr(
                        "A small model comes with Firstlight. It draws simple things in a few seconds, on any machine, "
                        "and needs no download. Larger models are on the Models page."
                    )
                )
            )
        )
        column.addSpacing(6)
        column.addWidget(self._choices())
        column.addLayout(self._buttons())
        column.addSpacing(16)
        column.addWidget(self._card())
        column.addStretch(2)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        area.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def _choices(self) -> QWidget:
        box = QWidget()
        box.setAccessibleName(self.tr("Examples"))
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for number, prompt in enumerate(EXAMPLES):
            button = QPushButton(prompt)
            button.setProperty("role", "chip")
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setAccessibleDescription(self.tr("An example; the model reads English."))
            button.setToolTip(button.accessibleDescription())
            self._examples.addButton(button)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        return box

    def _buttons(self) -> QHBoxLayout:
        draw = QPushButton(self.tr("Draw it"))
        draw.setObjectName("draw")
        draw.setProperty("role", "primary")
        draw.setIcon(icons.icon("wand-sparkles", icons.Tint.on_accent))
        draw.setIconSize(QSize(18, 18))
        draw.setMinimumHeight(38)
        draw.setDefault(True)
        draw.clicked.connect(self._draw)
        skip = QPushButton(self.tr("Skip this page"))
        skip.setObjectName("skip")
        skip.setProperty("role", "quiet")
        skip.clicked.connect(self._first_run.skip)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        row.addWidget(draw)
        row.addWidget(skip)
        row.addStretch(1)
        self.setFocusProxy(draw)
        return row

    def _card(self) -> QWidget:
        card = QFrame()
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(6)
        column.addWidget(_label(self.tr("This machine"), "heading"))
        column.addWidget(self._machine)
        column.addLayout(self._outlook)
        return card

    def _draw(self) -> None:
        chosen = self._examples.checkedButton()
        if chosen is not None:
            self._first_run.draw(chosen.text())

    def _show_machine(self, machine: Machine | None) -> None:
        if machine is None:
            self._machine.setText(self.tr("Having a look…"))
            return
        memory = QLocale().toString(machine.memory_total / _GIB, "f", 0)
        facts = [gpu.name for gpu in machine.gpus]
        facts += [machine.cpu, self.tr("%n cores", "", machine.cores), self.tr("{0} GB of memory").format(memory)]
        self._machine.setText("  ·  ".join(facts))

    def _show_outlook(self, outlook: tuple[Outlook, ...]) -> None:
        while (item := self._outlook.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for one in outlook:
            self._outlook.addWidget(_label(say(one)))


def say(outlook: Outlook) -> str:
    """A hint in words."""
    match outlook.hint:
        case Hint.accelerated:
            text = QCoreApplication.translate("FirstRunPage", "The {0} draws: large models such as FLUX.1 run well.")
        case Hint.gpu_idle:
            text = QCoreApplication.translate("FirstRunPage", "The {0} cannot be used yet: {1}.")
        case Hint.gpu_too_old:
            text = QCoreApplication.translate(
                "FirstRunPage", "The {0} is too old to draw with, so the processor does it."
            )
        case Hint.no_gpu:
            text = QCoreApplication.translate(
                "FirstRunPage",
                "The processor draws: seconds a picture with the starter model, many minutes with large ones. "
                "An NVIDIA RTX graphics card would make those fast.",
            )
        case Hint.little_memory:
            text = QCoreApplication.translate(
                "FirstRunPage", "Memory is short for large models; 16 GB or more would make them faster."
            )
    return text.format(outlook.subject, messages.translate(outlook.details))


def _mark() -> QLabel:
    mark = QLabel()
    icon: QIcon = QGuiApplication.windowIcon()
    mark.setPixmap(icon.pixmap(QSize(64, 64), QGuiApplication.primaryScreen().devicePixelRatio()))
    return mark


def _label(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label


def _centred(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    return label
