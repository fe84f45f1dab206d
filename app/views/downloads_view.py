"""The queue of downloads: one line each, with what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.services.queue import State
from app.viewmodels.observable import follow
from app.views import icons, messages
from app.views.flow import FlowLayout
from app.views.measures import say_size, say_speed, say_time_left
from app.views.model_phrases import say_denial
from app.views.theme import SPACE, repolish
from app.views.wrapping import TallArea, wrapping_label

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.viewmodels.downloads import DownloadQueue, Row

_BAR = 1000  # the bar's own units: sizes in bytes are beyond what a QProgressBar counts
_LINES = 11  # of text; what is higher gets a scroll bar


class DownloadsView(QFrame):
    """Hidden while there is nothing to download.

    Signals:
        token_wanted (str): the user wants to enter a token for that host.
    """

    token_wanted = Signal(str)

    def __init__(self, queue: DownloadQueue, hub_host: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._hub_host = hub_host
        self._lines: dict[str, _Line] = {}
        self.setProperty("role", "card")
        self.setAccessibleName(self.tr("Downloads"))
        self._build()
        follow(queue, "rows", self._show_rows)
        follow(queue, "running", self._show_running)
        follow(queue, "left_over", self._show_left_over)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        head = QHBoxLayout()
        title = QLabel(self.tr("Downloads"))
        title.setProperty("role", "heading")
        self._left_over = QLabel()
        self._left_over.setProperty("role", "caption")
        self._left_over.setWordWrap(True)
        self._go_on = QPushButton(self.tr("Go on"))
        self._go_on.setProperty("role", "primary")
        self._go_on.setIcon(icons.icon("play", icons.Tint.on_accent))
        self._go_on.clicked.connect(self._queue.go_on)
        self._pause_all = QPushButton(self.tr("Pause all"))
        self._pause_all.setProperty("role", "quiet")
        self._pause_all.setIcon(icons.icon("pause"))
        self._pause_all.clicked.connect(self._queue.pause_all)
        head.addWidget(title)
        head.addWidget(self._left_over, 1)
        head.addWidget(self._go_on)
        head.addWidget(self._pause_all)
        column.addLayout(head)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE)
        self._area = TallArea()
        self._area.set_inside(inner)
        column.addWidget(self._area)

    def _show_rows(self, rows: tuple[Row, ...]) -> None:
        names = [row.name for row in rows]
        for name in [name for name in self._lines if name not in names]:
            line = self._lines.pop(name)
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        for number, row in enumerate(rows):
            if row.name not in self._lines:
                self._lines[row.name] = line = _Line(self._queue, self._hub_host)
                line.token_wanted.connect(self.token_wanted)
                self._column.insertWidget(number, line)
            self._lines[row.name].show_row(row)
        self.setVisible(bool(rows))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        page = self.parentWidget()
        most = min(_LINES * self.fontMetrics().lineSpacing(), page.height() // 3 if page is not None else 0)
        self._area.setFixedHeight(min(self._area.height_inside(), most))

    def _show_running(self, running: bool) -> None:
        self._pause_all.setVisible(running)

    def _show_left_over(self, count: int) -> None:
        self._left_over.setText(
            self.tr("%n downloads were not finished last time. What has arrived is kept.", "", count) if count else ""
        )
        self._go_on.setVisible(bool(count))


class _Line(QWidget):
    """One download."""

    token_wanted = Signal(str)

    def __init__(self, queue: DownloadQueue, hub_host: str) -> None:
        super().__init__()
        self._queue = queue
        self._hub_host = hub_host
        self._row: Row | None = None
        self._build()

    def _build(self) -> None:
        self._name = QLabel()
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._words = wrapping_label()
        self._pause = self._tool("pause", self.tr("Pause"), self._want_pause)
        self._resume = self._tool("play", self.tr("Go on"), self._want_resume)
        self._cancel = self._tool("x", self.tr("Cancel the download"), self._want_cancel)
        self._page = QPushButton(self.tr("Open its page"))
        self._page.setIcon(icons.icon("external-link"))
        self._page.clicked.connect(self._want_page)
        self._token = QPushButton(self.tr("Enter a token…"))
        self._token.setIcon(icons.icon("key"))
        self._token.clicked.connect(self._want_token)
        self._again = QPushButton(self.tr("Try again"))
        self._again.setIcon(icons.icon("rotate-ccw"))
        self._again.clicked.connect(self._want_resume)
        head = QHBoxLayout()
        head.addWidget(self._name, 1)
        for button in (self._pause, self._resume, self._cancel):
            head.addWidget(button)
        remedies = FlowLayout()
        for button in (self._page, self._token, self._again):
            remedies.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE // 2)
        column.addLayout(head)
        column.addWidget(self._bar)
        column.addWidget(self._words)
        column.addLayout(remedies)

    def _tool(self, icon: str, text: str, slot: object) -> QToolButton:
        button = QToolButton()
        button.setIcon(icons.icon(icon))
        button.setProperty("role", "quiet")
        button.setToolTip(text)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(slot)
        return button

    def show_row(self, row: Row) -> None:
        """Show it as it is now."""
        before, self._row = self._row, row
        state, download = row.download.state, row.download
        self._name.setText(row.name if row.name == download.source else f"{row.name}   ({download.source})")
        for button, name in ((self._pause, "%1: pause"), (self._resume, "%1: go on"), (self._cancel, "%1: cancel")):
            button.setAccessibleName(self._say_action(name).replace("%1", row.name))
        self._bar.setAccessibleName(row.name)
        self._bar.setRange(0, _BAR if row.total or state is not State.running else 0)  # 0: moves without an end
        self._bar.setValue(round(_BAR * row.done / row.total) if row.total else 0)
        self._bar.setVisible(state is not State.failed)
        self._words.setText(self._say(row))
        role = "warning" if state is State.failed else "caption"
        if self._words.property("role") != role:
            self._words.setProperty("role", role)
            repolish(self._words)
        if before is None or before.download != download:
            self._pause.setVisible(state in (State.running, State.waiting))
            self._resume.setVisible(state is State.paused)
            self._page.setVisible(state is State.failed and bool(download.page))
            self._token.setVisible(state is State.failed and bool(download.denial))
            self._again.setVisible(state is State.failed)

    def _say_action(self, name: str) -> str:
        return {
            "%1: pause": self.tr("%1: pause"),
            "%1: go on": self.tr("%1: go on"),
            "%1: cancel": self.tr("%1: cancel"),
        }[name]

    def _say(self, row: Row) -> str:
        download = row.download
        if download.state is State.failed:
            if download.denial:
                return "\n".join(say_denial(download.denial, download.source, self._host(row)))
            return messages.say(download.failure) if download.failure is not None else self.tr("It failed.")
        parts: list[str] = []
        if download.state is State.paused:
            parts.append(self.tr("Paused"))
        elif download.state is State.waiting:
            parts.append(self.tr("Waiting"))
        if row.total:
            parts.append(self.tr("%1 of %2").replace("%1", say_size(row.done)).replace("%2", say_size(row.total)))
        elif row.done:
            parts.append(say_size(row.done))
        if download.state is State.running:
            if row.speed > 0:
                parts.append(say_speed(row.speed))
            if row.seconds_left is not None:
                parts.append(say_time_left(row.seconds_left))
        return " · ".join(parts) or self.tr("Asking the server…")

    def _host(self, row: Row) -> str:
        return (urlsplit(row.download.source).hostname or "") if row.download.is_link else self._hub_host

    def _want_pause(self) -> None:
        if self._row is not None:
            self._queue.pause(self._row.name)

    def _want_resume(self) -> None:
        if self._row is not None:
            self._queue.resume(self._row.name)

    def _want_cancel(self) -> None:
        row = self._row
        if row is None:
            return
        if not row.done:
            self._queue.cancel(row.name)
            return
        text = self.tr("Cancel the download of %1?").replace("%1", row.name)
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("Cancel the download"), text, parent=self)
        more = self.tr("%1 have arrived and will be deleted. Pausing keeps them.").replace("%1", say_size(row.done))
        box.setInformativeText(more)
        yes = box.addButton(self.tr("Cancel and delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(self.tr("Keep it"), QMessageBox.ButtonRole.RejectRole)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name, queue = row.name, self._queue
        yes.clicked.connect(lambda: queue.cancel(name))
        box.open()

    def _want_page(self) -> None:
        if self._row is not None:
            QDesktopServices.openUrl(QUrl(self._row.download.page))

    def _want_token(self) -> None:
        if self._row is not None:
            self.token_wanted.emit(self._host(self._row))
