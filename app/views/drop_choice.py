"""What is dropped on the window: caught wherever it falls, and a question what to do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.observable import follow
from app.viewmodels.picture_details import Fact, of_inspection
from app.views import messages, pixels
from app.views.image_view import ImageView
from app.views.picture_words import source_name

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData
    from PySide6.QtGui import QPaintEvent

    from app.viewmodels.picture import Drops, Offer

_PROMPT_MAX = 300  # characters shown


class DropCatcher(QObject):
    """Catches files that are dropped on a window, shows while they hover that they would be taken, and asks.

    Text that is dragged is left to the fields. A field that would take a file's address for text is added by `add`.
    """

    def __init__(self, window: QWidget, drops: Drops) -> None:
        super().__init__(window)
        self._window = window
        self._drops = drops
        self._overlay = _Overlay(window)
        self._choice: DropChoice | None = None
        self._covered: WeakSet[QWidget] = WeakSet()
        self.add(window)
        follow(drops, "offer", self._show_offer)

    def add(self, widget: QWidget) -> None:
        """Catch what is dropped on this one, too."""
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def cover_fields(self) -> None:
        """Catch what is dropped on fields of text, which would take a file's address for text.

        Call it when a page was made. Pages that take files themselves keep their fields.
        """
        fields = [*self._window.findChildren(QLineEdit)]
        fields += [area.viewport() for area in self._window.findChildren(QPlainTextEdit)]
        fields += [area.viewport() for area in self._window.findChildren(QTextEdit) if not area.isReadOnly()]
        for field in fields:
            if field not in self._covered and not self._is_taken(field):
                self._covered.add(field)
                self.add(field)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Take drags and drops of files from outside before the widget does."""
        if isinstance(event, QDropEvent):  # also of entering and moving
            return self._take(event)
        if event.type() is QEvent.Type.DragLeave:
            self._overlay.hide()
        return super().eventFilter(watched, event)

    def _is_taken(self, field: QWidget) -> bool:
        """Whether a widget round the field takes files: a page of models, say."""
        parent = field.parentWidget()
        while parent is not None and parent is not self._window:
            if parent.acceptDrops() and not isinstance(parent, QPlainTextEdit | QTextEdit):
                return True
            parent = parent.parentWidget()
        return False

    def _take(self, event: QDropEvent) -> bool:
        mime = event.mimeData()
        if event.source() is not None or not mime.hasUrls():
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._overlay.cover()
        else:
            self._overlay.hide()
            self._drops.take(*sort_urls(mime))
        return True

    def _show_offer(self, offer: Offer | None) -> None:
        if self._choice is not None:
            self._choice.rejected.disconnect(self._drops.dismiss)  # it is answered, or another picture came
            self._choice.close()
            self._choice = None
        if offer is not None:
            self._choice = DropChoice(self._drops, offer, self._window)
            self._choice.open()


class DropChoice(QDialog):
    """Asks what to do with a picture. Closing it does nothing with it."""

    def __init__(self, drops: Drops, offer: Offer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drops = drops
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Use this picture"))
        picture = ImageView()
        picture.setMinimumSize(200, 200)
        picture.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        picture.set_image(pixels.image_of(offer.view), offer.path, offer.path.name, pixels.size_of(offer.view))
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(picture, 1)
        row.addLayout(self._make_text(offer), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(16)
        column.addLayout(row, 1)
        column.addWidget(self._make_buttons(offer))
        self.rejected.connect(drops.dismiss)
        self.resize(640, 340)

    def _make_text(self, offer: Offer) -> QVBoxLayout:
        column = QVBoxLayout()
        name = QLabel(offer.path.name)
        name.setProperty("role", "heading")
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setWordWrap(True)
        told = QLabel(self._describe(offer))
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        facts = QLabel(f"{offer.view.width} × {offer.view.height}")
        facts.setProperty("role", "caption")
        column.addWidget(name)
        column.addWidget(facts)
        column.addWidget(told)
        if offer.found.note:
            note = QLabel(messages.translate(offer.found.note))
            note.setProperty("role", "warning")
            note.setWordWrap(True)
            column.addWidget(note)
        column.addStretch(1)
        return column

    def _describe(self, offer: Offer) -> str:
        if not offer.has_settings:
            return self.tr("It does not say how it was made. It can be the start of a new picture.")
        prompt = next((row.value for row in of_inspection(offer.found) if row.fact is Fact.prompt), "")
        if len(prompt) > _PROMPT_MAX:
            prompt = prompt[:_PROMPT_MAX].rstrip() + "…"
        made = self.tr("It holds settings by %1.").replace("%1", source_name(offer.found.source.value))
        return f"{made}\n\n{prompt}".strip()

    def _make_buttons(self, offer: Offer) -> QDialogButtonBox:
        box = QDialogButtonBox()
        settings = QPushButton(self.tr("Use its settings"))
        start = QPushButton(self.tr("Use as start picture"))
        both = QPushButton(self.tr("Use both"))
        for button, use in (
            (settings, self._drops.use_settings),
            (start, self._drops.use_as_start),
            (both, self._drops.use_both),
        ):
            button.clicked.connect(use)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        settings.setEnabled(offer.has_settings)
        both.setEnabled(offer.has_settings)
        first = settings if offer.has_settings else start
        first.setProperty("role", "primary")
        first.setDefault(True)
        first.setFocus()
        cancel = box.addButton(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.clicked.connect(self.reject)
        return box


class _Overlay(QWidget):
    """Lies over the window while a file hovers."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self) -> None:
        """Show it over all of the window."""
        self.setGeometry(self.window().rect())
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """A veil, a frame and a sentence."""
        painter = QPainter(self)
        veil = self.palette().color(QPalette.ColorRole.Window)
        veil.setAlphaF(0.85)
        painter.fillRect(self.rect(), veil)
        pen = painter.pen()
        pen.setColor(self.palette().color(QPalette.ColorRole.Accent))
        pen.setWidthF(3)
        painter.setPen(pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(self.rect().adjusted(12, 12, -12, -12), 12, 12)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        painter.setFont(font)
        text = self.tr("Drop the picture to use it or its settings")
        painter.drawText(
            self.rect().adjusted(48, 48, -48, -48), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text
        )


def sort_urls(mime: QMimeData) -> tuple[list[Path], int]:
    """The files among what is dragged, and how many addresses of the web there are."""
    urls = mime.urls()
    files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return files, len(urls) - len(files)
