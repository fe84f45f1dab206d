"""What there is to know of one model, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.services.registry import Keeping
from app.services.shelf import Condition, Place, Shelved
from app.viewmodels.observable import follow
from app.views import icons, messages
from app.views.flow import FlowLayout
from app.views.measures import say_size
from app.views.model_phrases import say_condition, say_family, say_keeping, say_kind, say_memory_need
from app.views.theme import SPACE, repolish
from app.views.wrapping import TallArea, wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.models import Checked, Models

_TROUBLE = (Condition.gone, Condition.changed, Condition.damaged)


class ModelDetails(TallArea):
    """Follows one model by its name.

    Signals:
        download_wanted (str): the user wants the model of that name.
    """

    download_wanted = Signal(str)

    def __init__(self, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._name = ""
        self._checks: dict[str, Checked] = {}
        self._arriving: frozenset[str] = frozenset()
        self._build()
        models.checked.connect(self._take_check)
        follow(models, "rows", self._show)
        follow(models, "machine", self._show)
        follow(models, "work", self._show)

    def show_model(self, name: str) -> None:
        """Show the model of that name."""
        self._name = name
        self._show()
        self.verticalScrollBar().setValue(0)

    def show_arriving(self, names: frozenset[str]) -> None:
        """These are being downloaded."""
        if names != self._arriving:
            self._arriving = names
            self._show()

    def _build(self) -> None:
        self._card = card = QFrame()
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE + SPACE // 2)
        self._title = wrapping_label("heading")
        self._condition = wrapping_label("")
        self._facts = QFormLayout()
        self._facts.setHorizontalSpacing(2 * SPACE)
        self._facts.setVerticalSpacing(SPACE // 2 + 2)
        self._facts.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self._facts.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._verdict = wrapping_label("caption")
        column.addWidget(self._title)
        column.addWidget(self._condition)
        column.addLayout(self._facts)
        column.addWidget(self._verdict)
        column.addLayout(self._make_buttons())
        column.addStretch(1)
        outer = QWidget()
        row = QHBoxLayout(outer)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(card)
        self.set_inside(outer)
        self._make_facts()

    def _make_facts(self) -> None:
        self._family = self._fact(self.tr("Family"))
        self._kind = self._fact(self.tr("Sort"))
        self._size = self._fact(self.tr("On disk"))
        self._place = self._fact(self.tr("Place"))
        self._keeping = self._fact(self.tr("Files"))
        self._source = self._fact(self.tr("From"))
        self._licence = self._fact(self.tr("Licence"))
        self._memory = self._fact(self.tr("Memory"))
        self._usual = self._fact(self.tr("Made for"))

    def _fact(self, name: str) -> QLabel:
        title, value = wrapping_label("caption"), wrapping_label("")
        title.setWordWrap(False)
        title.setText(name)
        title.setBuddy(value)
        value.setAccessibleName(name)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        value.setOpenExternalLinks(True)
        value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._facts.addRow(title, value)
        return value

    def _make_buttons(self) -> FlowLayout:
        self._download = self._button(self.tr("Download…"), "download", self._want_download, "primary")
        self._check = self._button(self.tr("Check files"), "shield-check", self._want_check)
        self._check.setToolTip(self.tr("Reads every byte and compares it with what is known"))
        self._mend = self._button(self.tr("Fetch damaged files again"), "download", self._want_mending, "primary")
        self._folder = self._button(self.tr("Show in folder"), "folder-open", self._want_folder)
        self._page = self._button(self.tr("Licence page"), "external-link", self._want_page)
        self._remove = self._button(self.tr("Remove…"), "trash-2", self._want_removal, "danger")
        row = FlowLayout()
        for button in (self._download, self._mend, self._check, self._folder, self._page, self._remove):
            row.addWidget(button)
        return row

    def _button(self, text: str, icon: str, slot: object, role: str = "") -> QPushButton:
        button = QPushButton(text)
        tints = {"primary": icons.Tint.on_accent, "danger": icons.Tint.danger}
        button.setIcon(icons.icon(icon, tints.get(role, icons.Tint.text)))
        button.setProperty("role", role)
        button.clicked.connect(slot)
        return button

    # What is shown

    def _show(self, _: object = None) -> None:
        row = self._models.find(self._name)
        self._card.setVisible(row is not None)
        if row is None:
            return
        self._title.setText(row.title)
        arriving = self.tr("It is among the downloads below.")
        self._condition.setText(arriving if row.name in self._arriving else say_condition(row))
        self._condition.setProperty("role", "warning" if row.condition in _TROUBLE else "")
        repolish(self._condition)
        self._show_facts(row)
        self._show_memory(row)
        self._show_check(row)
        self._show_buttons(row)

    def _show_facts(self, row: Shelved) -> None:
        model, entry = row.model, row.entry
        self._set(self._family, say_family(row.family) if row.family else "")
        self._set(self._kind, say_kind(row.kind))
        self._set(self._size, say_size(row.size) if row.size else "")
        self._set(self._place, str(row.location) if row.location is not None and row.place is Place.here else "")
        self._set(self._keeping, say_keeping(row))
        source = model.source if model is not None and model.keeping is Keeping.downloaded else ""
        self._set(self._source, source or (messages.translate(entry.source) if entry is not None else ""))
        self._set(self._licence, row.licence)
        usual = ""
        if entry is not None:
            usual = self.tr("%1 × %2 pixels, %3 steps, guidance %4")
            numbers = (entry.width, entry.height, entry.steps, QLocale().toString(entry.guidance_scale, "g", 3))
            for number, value in enumerate(numbers, start=1):
                usual = usual.replace(f"%{number}", str(value))
        self._set(self._usual, usual)

    def _show_memory(self, row: Shelved) -> None:
        needs, machine = self._models.memory_needs(row), self._models.machine
        least = min(needs, key=lambda need: need.bytes, default=None)
        text = say_memory_need(least, machine) if least is not None and machine is not None else ""
        self._set(self._memory, text)
        self._memory.setProperty("role", "" if least is None or least.fits else "warning")
        repolish(self._memory)

    def _show_check(self, row: Shelved) -> None:
        checked = self._checks.get(row.name)
        self._verdict.setVisible(checked is not None)
        if checked is None:
            return
        if not checked.damaged:
            hashed = sum(verdict.hashed for verdict in checked.verdicts)
            whole = self.tr("Checked: every file is whole.")
            known = self.tr("%n files were compared with a known hash.", "", hashed)
            self._verdict.setText(f"{whole} {known}")
            return
        lines = [self.tr("Checked: %n files are damaged or missing.", "", len(checked.damaged))]
        lines += [f"{verdict.file}: {messages.translate(verdict.problem)}" for verdict in checked.damaged[:8]]
        self._verdict.setText("\n".join(lines))

    def _show_buttons(self, row: Shelved) -> None:
        entry, model, idle = row.entry, row.model, self._models.work is None
        bad = row.condition in _TROUBLE or (row.name in self._checks and bool(self._checks[row.name].damaged))
        can_mend = bad and model is not None and model.keeping is Keeping.downloaded
        offered = row.place is Place.offered and entry is not None and bool(entry.repository)
        self._download.setVisible(offered and row.name not in self._arriving)
        self._mend.setVisible(can_mend)
        self._check.setVisible(model is not None and not can_mend)
        self._folder.setVisible(row.location is not None and row.condition is not Condition.gone)
        self._page.setVisible(entry is not None and bool(entry.licence_page))
        self._remove.setVisible(model is not None)
        for button in (self._mend, self._check, self._remove):
            button.setEnabled(idle)

    def _set(self, value: QLabel, text: str) -> None:
        value.setText(text)
        self._facts.setRowVisible(value, bool(text))

    # What is wanted

    def _want_download(self) -> None:
        self.download_wanted.emit(self._name)

    def _want_check(self) -> None:
        self._models.check(self._name)

    def _want_mending(self) -> None:
        self._models.check(self._name, mend=True)

    def _want_folder(self) -> None:
        self._models.show_in_folder(self._name)

    def _want_page(self) -> None:
        row = self._models.find(self._name)
        if row is not None and row.entry is not None:
            QDesktopServices.openUrl(QUrl(row.entry.licence_page))

    def _want_removal(self) -> None:
        self._models.plan_removal(self._name)

    def _take_check(self, checked: Checked) -> None:
        self._checks[checked.model.name] = checked
        self._show()
