"""The list of models: a model of rows under two headings, and how a row is painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QPainter, QPalette
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.services.shelf import Condition, Place, Shelved
from app.views import icons
from app.views.model_phrases import say_caption
from app.views.theme import SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

_Index = QModelIndex | QPersistentModelIndex
_ICON = 18  # logical pixels
_ICONS = {
    Condition.ready: ("circle-check", icons.Tint.accent),
    Condition.part: ("layers", icons.Tint.muted),
    Condition.absent: ("download", icons.Tint.muted),
    Condition.no_engine: ("clock", icons.Tint.muted),
    Condition.gone: ("triangle-alert", icons.Tint.danger),
    Condition.changed: ("triangle-alert", icons.Tint.danger),
    Condition.damaged: ("triangle-alert", icons.Tint.danger),
}
ROW = Qt.ItemDataRole.UserRole
CAPTION = Qt.ItemDataRole.UserRole + 1


class ModelRows(QAbstractListModel):
    """The rows that fit the words of the search, under headings that cannot be chosen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: Sequence[Shelved] = ()
        self._words = ""
        self._arriving: dict[str, str] = {}
        self._lines: list[Shelved | str] = []

    def show_rows(self, rows: Sequence[Shelved]) -> None:
        """Show these."""
        self._rows = rows
        self._update()

    def show_arriving(self, arriving: dict[str, str]) -> None:
        """What to say of models that are being downloaded, by name."""
        if arriving == self._arriving:
            return
        self._arriving = arriving
        if self._lines:
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1))

    def search(self, words: str) -> None:
        """Show those whose name has all of the words."""
        self._words = words.casefold()
        self._update()

    @property
    def is_searching(self) -> bool:
        """Whether words are searched for."""
        return bool(self._words.strip())

    def line_of(self, name: str) -> QModelIndex:
        """Where the model of that name stands; an invalid index where it does not."""
        for number, line in enumerate(self._lines):
            if isinstance(line, Shelved) and line.name == name:
                return self.index(number)
        return QModelIndex()

    def first(self) -> QModelIndex:
        """The first model."""
        for number, line in enumerate(self._lines):
            if isinstance(line, Shelved):
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:  # noqa: N802  # Qt's name
        """How many lines."""
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, and the row itself."""
        line = self._lines[index.row()]
        if role == ROW:
            return line if isinstance(line, Shelved) else None
        if isinstance(line, str):
            return line if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return line.title
        if role == CAPTION:
            return self._arriving.get(line.name) or say_caption(line)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return f"{line.title}, {self.data(index, CAPTION)}"
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """A heading cannot be chosen."""
        if isinstance(self._lines[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _update(self) -> None:
        def fits(row: Shelved) -> bool:
            text = f"{row.name} {row.title} {row.family}".casefold()
            return all(word in text for word in self._words.split())

        here = [row for row in self._rows if row.place is not Place.offered and fits(row)]
        offered = [row for row in self._rows if row.place is Place.offered and fits(row)]
        lines: list[Shelved | str] = []
        if here:
            lines += [self.tr("On this computer"), *here]
        if offered:
            lines += [self.tr("To download"), *offered]
        if lines == self._lines:
            return
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()


class ModelListView(QListView):
    """The list.

    Signals:
        chosen (str): the model of that name; empty where none is.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = ModelRows(self)
        self._wanted = ""
        self._updating = False
        self.setModel(self.rows)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(self.tr("Models"))
        self.setUniformItemSizes(False)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(240)
        self.rows.modelReset.connect(self._keep_choice)

    def show_rows(self, rows: Sequence[Shelved]) -> None:
        """Show these; the choice stays where it can."""
        self._updating = True
        self.rows.show_rows(rows)
        self._updating = False
        if not self.currentIndex().isValid():
            self._keep_choice()

    def choose(self, name: str) -> None:
        """Choose the model of that name; as soon as it is there, where it is not yet."""
        self._wanted = name
        index = self.rows.line_of(name)
        if index.isValid():
            self.setCurrentIndex(index)

    def currentChanged(self, current: _Index, previous: _Index) -> None:  # noqa: N802  # Qt's name
        """Tell."""
        super().currentChanged(current, previous)
        row = current.data(ROW) if current.isValid() else None
        if isinstance(row, Shelved):
            self._wanted = row.name
            self.chosen.emit(row.name)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Say so where the search finds nothing."""
        super().paintEvent(event)
        if self.rows.is_searching and not self.rows.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(QGuiApplication.palette().color(QPalette.ColorRole.PlaceholderText))
            area = self.viewport().rect().adjusted(2 * SPACE, 2 * SPACE, -2 * SPACE, -2 * SPACE)
            how = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, how, self.tr("No model has these words in its name."))
            painter.end()

    def _keep_choice(self) -> None:
        index = self.rows.line_of(self._wanted)
        self.setCurrentIndex(index if index.isValid() else self.rows.first())


class _Delegate(QStyledItemDelegate):
    """Two lines: the title and a caption, with an icon for the condition."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802  # Qt's name
        """As high as its lines."""
        line = QFontMetrics(option.font).height()
        if index.data(ROW) is None:
            return QSize(100, line + 2 * SPACE)
        return QSize(100, 2 * line + 2 * SPACE + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint it in the colours of the palette."""
        painter.save()
        row = index.data(ROW)
        area: QRect = option.rect
        palette = QGuiApplication.palette()  # the option's has another muted colour, as the list has a style sheet
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetrics(font)
        inner = area.adjusted(SPACE, 0, -SPACE, 0)
        if not isinstance(row, Shelved):
            painter.setFont(font)
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            at = inner.adjusted(0, 0, 0, -SPACE // 2)
            painter.drawText(at, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, str(index.data()))
            painter.restore()
            return
        widget = option.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget)
        name, tint = _ICONS[row.condition]
        icon = QRect(inner.left(), area.center().y() - _ICON // 2, _ICON, _ICON)
        icons.icon(name, tint).paint(painter, icon)
        text = inner.adjusted(_ICON + SPACE + 2, SPACE, 0, -SPACE)
        line = metrics.height()
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        first = QRect(text.left(), text.top(), text.width(), line)
        painter.drawText(
            first,
            Qt.AlignmentFlag.AlignVCenter,
            metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, text.width()),
        )
        font.setWeight(QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        caption = QFontMetrics(font).elidedText(str(index.data(CAPTION)), Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(first.translated(0, line + 2), Qt.AlignmentFlag.AlignVCenter, caption)
        painter.restore()
