"""The queue as a panel: what is drawn, what waits, what has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.services.job_store import ENDED, Job, JobState
from app.viewmodels.observable import follow
from app.viewmodels.queue import QueueRole
from app.views import icons, messages
from app.views.fields import icon_button
from app.views.generate_words import say_state
from app.views.theme import SPACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.viewmodels.queue import Queue

_ICONS = {
    JobState.queued: ("hourglass", icons.Tint.muted),
    JobState.running: ("play", icons.Tint.accent),
    JobState.done: ("check", icons.Tint.muted),
    JobState.failed: ("circle-alert", icons.Tint.danger),
    JobState.cancelled: ("x", icons.Tint.muted),
    JobState.set_aside: ("triangle-alert", icons.Tint.danger),
}


class QueueView(QWidget):
    """List and buttons.

    Signals:
        settings_wanted (GenerationRequest): the user wants to take a job's settings over.
        fold_wanted (): the user wants to have it out of the way.
    """

    settings_wanted = Signal(object)
    fold_wanted = Signal()

    def __init__(self, queue: Queue) -> None:
        super().__init__()
        self._queue = queue
        self.count = QLabel()
        self.count.setProperty("role", "caption")
        self.pause = icon_button("pause", self.tr("Pause"), queue.toggle_pause)
        self.clear = QPushButton(self.tr("Clear what has ended"))
        self.clear.setProperty("role", "quiet")
        self.clear.clicked.connect(queue.clear_ended)
        self.list = QListView()
        self.list.setModel(queue)
        self.list.setItemDelegate(_Row(self.list))
        self.list.setObjectName("queue")
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(self.tr("Queue"))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self._make_actions()
        self._lay_out()
        follow(queue, "waiting", self._show_count)
        follow(queue, "ended", self._show_ended)
        follow(queue, "paused", self._show_paused)

    def _lay_out(self) -> None:
        title = QLabel(self.tr("Queue"))
        title.setProperty("role", "heading")
        fold = icon_button("chevron-right", self.tr("Fold the queue"), self.fold_wanted.emit)
        head = QHBoxLayout()
        head.setSpacing(SPACE // 2)
        head.addWidget(title)
        head.addWidget(self.count, 1)
        head.addWidget(self.pause)
        head.addWidget(fold)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE // 2)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addWidget(self.clear)

    def _make_actions(self) -> None:
        queue = self._queue
        self.cancel_action = self._add(self.tr("Cancel"), queue.cancel)
        self.first_action = self._add(self.tr("Draw next"), queue.move_first, "Ctrl+Home")
        self.last_action = self._add(self.tr("Draw last"), queue.move_last, "Ctrl+End")
        self.retry_action = self._add(self.tr("Try again"), queue.retry, "Ctrl+R")
        self.remove_action = self._add(self.tr("Remove from the list"), queue.remove)
        self.settings_action = QAction(self.tr("Use its settings"), self.list)
        self.settings_action.triggered.connect(self._take_settings)
        self.delete_action = QAction(self.list)  # one key for both
        self.delete_action.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        self.delete_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.delete_action.triggered.connect(self._delete)
        self.list.addAction(self.delete_action)

    def _add(self, text: str, act: Callable[[int], object], shortcut: str = "") -> QAction:
        action = QAction(text, self.list)
        if shortcut:
            action.setShortcut(QKeySequence(shortcut))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: self._with_job(act))
        self.list.addAction(action)
        return action

    @property
    def current(self) -> Job | None:
        """The job that is chosen in the list."""
        return self._queue.job_at(self.list.currentIndex().row())

    def menu(self) -> QMenu:
        """What can be done with the chosen job."""
        menu, job = QMenu(self), self.current
        if job is None:
            return menu
        if job.state in (JobState.queued, JobState.running):
            menu.addAction(self.cancel_action)
        if job.state is JobState.queued:
            menu.addActions([self.first_action, self.last_action])
        if job.state in ENDED and job.state is not JobState.done:
            menu.addAction(self.retry_action)
        if job.request is not None:
            menu.addAction(self.settings_action)
        if job.state in ENDED:
            menu.addAction(self.remove_action)
        return menu

    def _open_menu(self) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        where = self.list.visualRect(self.list.currentIndex()).bottomLeft()
        menu.popup(self.list.viewport().mapToGlobal(where))

    def _with_job(self, act: Callable[[int], object]) -> None:
        if (job := self.current) is not None:
            act(job.id)

    def _delete(self) -> None:
        if (job := self.current) is not None:
            (self._queue.remove if job.state in ENDED else self._queue.cancel)(job.id)

    def _take_settings(self) -> None:
        if (job := self.current) is not None and job.request is not None:
            self.settings_wanted.emit(job.request)

    def _show_count(self, waiting: int) -> None:
        self.count.setText(self.tr("%n waiting", "", waiting) if waiting else "")

    def _show_ended(self, ended: int) -> None:
        self.clear.setVisible(ended > 0)

    def _show_paused(self, paused: bool) -> None:
        words = self.tr("Go on drawing") if paused else self.tr("Pause after this job")
        self.pause.setIcon(icons.icon("play" if paused else "pause"))
        self.pause.setAccessibleName(words)
        self.pause.setToolTip(words)


class _Row(QStyledItemDelegate):
    """A mark, the prompt, and below it size, state and progress."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: object) -> QSize:  # noqa: N802  # Qt's name
        metrics = option.fontMetrics  # pyright: ignore[reportAttributeAccessIssue] # Qt's stubs lack it
        return QSize(0, 2 * metrics.lineSpacing() + 18)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        job: Job | None = index.data(QueueRole.job)
        if job is None:
            return
        self.initStyleOption(option, index)
        rect: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue]
        widget: QWidget = option.widget  # pyright: ignore[reportAttributeAccessIssue]
        option.text = ""  # pyright: ignore[reportAttributeAccessIssue]
        style = widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        name, tint = _ICONS[job.state]
        icons.icon(name, tint).paint(painter, QRect(rect.left() + 6, rect.top() + 9, 16, 16), mode=QIcon.Mode.Normal)
        painter.save()
        palette, metrics = widget.palette(), painter.fontMetrics()
        text = rect.adjusted(30, 6, -8, -6)
        line = metrics.lineSpacing()
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        shown = metrics.elidedText(job.title or "–", Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(QRect(text.left(), text.top(), text.width(), line), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        below = QRect(text.left(), text.top() + line + 2, text.width(), line)
        shown = metrics.elidedText(describe_job(job), Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, shown)
        fraction = index.data(QueueRole.fraction)
        if fraction >= 0:
            bar = QRectF(text.left(), rect.bottom() - 5, text.width(), 3)
            painter.fillRect(bar, palette.color(QPalette.ColorRole.Midlight))
            bar.setWidth(bar.width() * fraction)
            painter.fillRect(bar, palette.color(QPalette.ColorRole.Accent))
        painter.restore()

    def displayText(self, value: object, _locale: object) -> str:  # noqa: N802  # Qt's name
        return str(value)


def describe_job(job: Job) -> str:
    """Size, number and state in one line."""
    parts: list[str] = []
    if job.request is not None:
        parts.append(" × ".join(map(str, job.request.hires_size)))
        if job.request.num_images > 1:
            parts.append(f"{job.pictures} / {job.request.num_images}")
    parts.append(messages.translate(job.failure.message) if job.failure is not None else say_state(job.state))
    return "  ·  ".join(parts)
