"""The page that gets the engine of an installed Firstlight: what comes, NVIDIA's licence, progress, cancel, retry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.services.files import say_bytes
from app.services.runtime_install import Phase
from app.viewmodels.observable import follow
from app.viewmodels.runtime import Graphics, RuntimeModel, Stage, say_share
from app.views import messages
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from app.services.runtime_install import RuntimeProgress
    from app.viewmodels.runtime import Offer
    from pipelines.events import Failure

_WIDTH = 640  # logical pixels
_STEPS = 1000  # of the bar


class RuntimePage(QWidget):
    """Shown at the first start.

    Signals:
        left (): the user goes on to the window, with the engine or without.
    """

    left = Signal()

    def __init__(self, model: RuntimeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._about = _label()
        self._problem = _label("warning")
        self._bar = QProgressBar()
        self._bar.setAccessibleName(self.tr("Progress"))
        self._bar.setTextVisible(False)
        self._doing = _label("caption")
        self._begin = QPushButton(self.tr("Get the engine"))
        self._begin.setObjectName("begin")
        self._begin.setProperty("role", "primary")
        self._cancel = QPushButton(self.tr("Cancel"))
        self._cancel.setObjectName("cancel")
        self._leave = QPushButton(self.tr("Not now"))
        self._leave.setObjectName("leave")
        self._leave.setProperty("role", "quiet")
        self._mirror, self._proxy = QLineEdit(model.source.mirror), QLineEdit(model.source.proxy)
        self._network = self._make_network()
        self._build()
        self._begin.clicked.connect(self._start)
        self._cancel.clicked.connect(model.cancel)
        self._leave.clicked.connect(self.left)
        follow(model, "offer", self._show_offer)
        follow(model, "stage", self._show_stage)
        follow(model, "progress", self._show_progress)
        follow(model, "failure", self._show_failure)

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("content")
        content.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        title = _label("title")
        title.setText(self.tr("The engine is still to come"))
        column.addWidget(title)
        column.addWidget(self._about)
        if licence := self._read_licence():
            column.addWidget(self._make_licence(licence))
        elif words := self._say_graphics():
            note = _label("caption")
            note.setText(words)
            column.addWidget(note)
        column.addWidget(self._network)
        for widget in (self._bar, self._doing, self._problem):
            column.addWidget(widget)
        row = QHBoxLayout()
        for button in (self._begin, self._cancel, self._leave):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        area.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self.setFocusProxy(self._begin)

    def _make_licence(self, licence: str) -> QWidget:
        box = QGroupBox(self.tr("TensorRT-RTX, for full speed on your GPU"))
        column = QVBoxLayout(box)
        words = _label()
        words.setText(self.tr("It comes from NVIDIA, under NVIDIA's licence. Without it, Firstlight draws on the CPU."))
        column.addWidget(words)
        text = QPlainTextEdit(licence)
        text.setReadOnly(True)
        text.setMinimumHeight(140)
        text.setAccessibleName(self.tr("NVIDIA's licence"))
        column.addWidget(text)
        accept = QCheckBox(self.tr("I accept NVIDIA's licence"))
        accept.setObjectName("accept")
        accept.setChecked(self._model.accepted)
        accept.toggled.connect(self._model.accept)
        column.addWidget(accept)
        return box

    def _make_network(self) -> QGroupBox:
        box = QGroupBox(self.tr("Network"))
        form = QFormLayout(box)
        self._mirror.setPlaceholderText(self.tr("PyPI"))
        self._mirror.setObjectName("mirror")
        self._proxy.setPlaceholderText(self.tr("As the system says"))
        self._proxy.setObjectName("proxy")
        form.addRow(self.tr("Packages from"), self._mirror)
        form.addRow(self.tr("Proxy"), self._proxy)
        return box

    def _read_licence(self) -> str:
        try:
            return self._model.licence
        except UnusableFile as error:
            self._problem.setText(messages.translate(error.message))
            return ""

    def _say_graphics(self) -> str:
        match self._model.graphics:
            case Graphics.none:
                return self.tr("There is no NVIDIA GPU here: Firstlight draws on the CPU, and larger models take long.")
            case Graphics.too_old:
                return self.tr("TensorRT-RTX does not know this GPU; it is too old. Firstlight draws on the CPU.")
            case Graphics.old_driver:
                words = self.tr(
                    "The NVIDIA driver {driver} is too old for TensorRT-RTX: version 580 or later is needed."
                )
                return words.format(driver=self._model.driver)
            case Graphics.usable:
                return ""

    def _show_offer(self, offer: Offer) -> None:
        if offer.is_local:
            words = self.tr("What draws the pictures came with the setup program. It takes {disk} on the disk.")
        else:
            words = self.tr("What draws the pictures is fetched once: {download}, and {disk} on the disk.")
        self._about.setText(words.format(download=say_bytes(offer.download), disk=say_bytes(offer.disk)))
        self._network.setVisible(not offer.is_local)

    def _show_stage(self, stage: Stage) -> None:
        working = stage in (Stage.working, Stage.stopping)
        self._begin.setVisible(not working and stage is not Stage.done)
        self._begin.setText(self.tr("Try again") if stage is Stage.failed else self.tr("Get the engine"))
        self._cancel.setVisible(working)
        self._cancel.setEnabled(stage is Stage.working)
        self._leave.setVisible(not working)
        self._leave.setText(self.tr("Go on") if stage is Stage.done else self.tr("Not now"))
        self._network.setEnabled(not working)
        self._bar.setVisible(working)
        self._doing.setVisible(working or stage is Stage.done)
        if stage is Stage.stopping:
            self._doing.setText(self.tr("Stopping… What has been fetched is kept."))
        elif stage is Stage.done:
            self._doing.setText(self.tr("The engine is ready."))

    def _show_progress(self, progress: RuntimeProgress | None) -> None:
        if progress is None:
            return
        share = say_share(progress)
        self._bar.setRange(0, 0 if share is None else _STEPS)  # 0 to 0: busy, for how long is not known
        if share is not None:
            self._bar.setValue(int(share * _STEPS))
        self._doing.setText(self._say_doing(progress))

    def _say_doing(self, progress: RuntimeProgress) -> str:
        match progress.phase:
            case Phase.fetching:
                words = self.tr("{done} of {total} {package}")
                return words.format(
                    done=say_bytes(progress.done), total=say_bytes(progress.total), package=progress.package
                ).strip()
            case Phase.installing:
                return self.tr("Putting files in their places…")
            case Phase.checking:
                return self.tr("Trying the engine; the first time takes a minute or two…")

    def _show_failure(self, failure: Failure | None) -> None:
        self._problem.setText("" if failure is None else messages.say(failure))
        self._problem.setVisible(failure is not None)

    def _start(self) -> None:
        self._model.set_source(self._mirror.text(), self._proxy.text())
        self._model.start()


def _label(role: str = "") -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
