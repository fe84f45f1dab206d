"""Deciding on a download: what it is, how large, what it needs of this machine, and its licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.observable import follow
from app.views import icons
from app.views.measures import say_size
from app.views.model_phrases import say_memory_need, say_refusal
from app.views.theme import SPACE, repolish
from app.views.wrapping import height_for, wrapping_label

if TYPE_CHECKING:
    from app.viewmodels.download_offer import DownloadOffer, Refusal, Terms


class DownloadDialog(QDialog):
    """Asks the server first, then the user.

    Signals:
        token_wanted (str): the user wants to enter a token for that host.
    """

    token_wanted = Signal(str)

    def __init__(self, offer: DownloadOffer, wish: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer = offer
        self.setWindowTitle(self.tr("Download a model"))
        self.setMinimumWidth(520)
        offer.forget()
        self._build(fixed=bool(wish))
        follow(offer, "asking", self._show_asking)
        follow(offer, "terms", self._show_terms)
        follow(offer, "refusal", self._show_refusal)
        follow(offer, "agreed", self._show_agreed)
        offer.accepted.connect(self.accept)
        self._wish.setText(wish)
        if wish:
            self.ask()

    def ask(self) -> None:
        """Ask the server for what is in the field."""
        self._offer.ask(self._wish.text())

    def _build(self, *, fixed: bool) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE + SPACE // 2)
        column.addWidget(self._build_question(fixed=fixed))
        self._waiting = QProgressBar()
        self._waiting.setRange(0, 0)
        self._waiting.setAccessibleName(self.tr("Asking the server"))
        column.addWidget(self._waiting)
        column.addWidget(self._build_terms())
        column.addWidget(self._build_refusal())
        column.addStretch(1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._start = buttons.addButton(self.tr("Download"), QDialogButtonBox.ButtonRole.ActionRole)
        self._start.setProperty("role", "primary")
        self._start.setIcon(icons.icon("download", icons.Tint.on_accent))
        self._start.clicked.connect(self._want_download)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        if fixed:
            self._start.setDefault(True)

    def _build_question(self, *, fixed: bool) -> QWidget:
        question = QWidget()
        column = QVBoxLayout(question)
        column.setContentsMargins(0, 0, 0, 0)
        label = QLabel(self.tr("&Name on %1, or address").replace("%1", self._offer.host))
        self._wish = QLineEdit()
        self._wish.setPlaceholderText(self.tr("owner/model, or https://…/file.safetensors"))
        self._wish.textEdited.connect(self._offer.forget)
        self._wish.returnPressed.connect(self.ask)
        label.setBuddy(self._wish)
        look = QPushButton(self.tr("Look"))
        look.setIcon(icons.icon("search"))
        look.setDefault(not fixed)
        look.clicked.connect(self.ask)
        row = QHBoxLayout()
        row.addWidget(self._wish, 1)
        row.addWidget(look)
        column.addWidget(label)
        column.addLayout(row)
        question.setVisible(not fixed)
        return question

    def _build_terms(self) -> QWidget:
        self._terms = QFrame()
        self._terms.setProperty("role", "card")
        column = QVBoxLayout(self._terms)
        column.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        self._title = wrapping_label("heading")
        column.addWidget(self._title)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._form = form
        self._size, self._memory = wrapping_label(""), wrapping_label("")
        self._licence, self._engine = wrapping_label(""), wrapping_label("warning")
        for name, value in (
            (self.tr("Size"), self._size),
            (self.tr("Memory"), self._memory),
            (self.tr("Licence"), self._licence),
        ):
            title = wrapping_label("caption")
            title.setText(name)
            value.setAccessibleName(name)
            form.addRow(title, value)
        self._name = QLineEdit()
        self._name.setAccessibleName(self.tr("Name here"))
        title = wrapping_label("caption")
        title.setText(self.tr("Name here"))
        title.setBuddy(self._name)
        form.addRow(title, self._name)
        column.addLayout(form)
        column.addWidget(self._engine)
        self._page = QPushButton(self.tr("Read the licence on its page"))
        self._page.setIcon(icons.icon("external-link"))
        self._page.setAutoDefault(False)
        self._page.clicked.connect(self._open_licence)
        self._agree = QCheckBox(self.tr("I have read the licence and accepted it on its page"))
        self._agree.toggled.connect(self._take_agreement)
        self._no_token = wrapping_label("caption")
        self._token = QPushButton(self.tr("Enter a token…"))
        self._token.setIcon(icons.icon("key"))
        self._token.setAutoDefault(False)
        self._token.clicked.connect(self._want_token)
        column.addWidget(self._page, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._agree)
        column.addWidget(self._no_token)
        column.addWidget(self._token, 0, Qt.AlignmentFlag.AlignLeft)
        return self._terms

    def _build_refusal(self) -> QWidget:
        self._refusal = QWidget()
        column = QVBoxLayout(self._refusal)
        column.setContentsMargins(0, 0, 0, 0)
        self._reason = wrapping_label("warning")
        row = QHBoxLayout()
        self._refusal_page = QPushButton(self.tr("Open its page"))
        self._refusal_page.setIcon(icons.icon("external-link"))
        self._refusal_page.setAutoDefault(False)
        self._refusal_page.clicked.connect(self._open_refusal_page)
        self._refusal_token = QPushButton(self.tr("Enter a token…"))
        self._refusal_token.setIcon(icons.icon("key"))
        self._refusal_token.setAutoDefault(False)
        self._refusal_token.clicked.connect(self._want_token)
        self._again = QPushButton(self.tr("Try again"))
        self._again.setIcon(icons.icon("rotate-ccw"))
        self._again.setAutoDefault(False)
        self._again.clicked.connect(self.ask)
        for button in (self._refusal_page, self._refusal_token, self._again):
            row.addWidget(button)
        row.addStretch(1)
        column.addWidget(self._reason)
        column.addLayout(row)
        return self._refusal

    def event(self, event: QEvent) -> bool:
        """Be as high as what is shown."""
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.resize(self.width(), height_for(self, self.width()))
        return done

    # What is shown

    def _show_asking(self, asking: bool) -> None:
        self._waiting.setVisible(asking)

    def _show_terms(self, terms: Terms | None) -> None:
        self._terms.setVisible(terms is not None)
        self._start.setVisible(terms is not None)
        if terms is None:
            return
        self._title.setText(terms.title)
        size = self.tr("%1 in %n files; %2 are free here.", "", terms.files) if terms.size else ""
        if terms.size and not terms.fits_on_disk:
            size = self.tr("%1 in %n files, and only %2 are free here. Make room first.", "", terms.files)
        unknown = self.tr("The server tells when the download begins; %2 are free here.")
        self._set(self._size, (size or unknown).replace("%1", say_size(terms.size)).replace("%2", say_size(terms.free)))
        self._mark(self._size, bad=not terms.fits_on_disk)
        self._set(self._memory, say_memory_need(terms.least, terms.machine) if terms.least is not None else "")
        self._mark(self._memory, bad=terms.least is not None and not terms.least.fits)
        self._set(self._licence, terms.licence)
        self._name.setText(terms.name)
        self._form.setRowVisible(self._name, terms.entry is None)  # those of the catalog keep their names
        runs = terms.entry is None or terms.entry.runs
        self._engine.setVisible(not runs)
        self._engine.setText(self.tr("This version of Firstlight cannot draw with it yet. It can be kept here."))
        self._page.setVisible(bool(terms.licence_page))
        self._agree.setVisible(terms.gated)
        self._no_token.setVisible(terms.gated and not terms.has_token)
        self._token.setVisible(terms.gated and not terms.has_token)
        needs_token = self.tr("It is only given with a token of an account at %1 that has accepted the licence.")
        self._no_token.setText(needs_token.replace("%1", self._offer.host))
        (self._agree if terms.gated else self._start).setFocus()

    def _show_refusal(self, refusal: Refusal | None) -> None:
        self._refusal.setVisible(refusal is not None)
        if refusal is None:
            return
        self._reason.setText(say_refusal(refusal, self._wish.text(), self._offer.host))
        self._refusal_page.setVisible(bool(refusal.page))
        self._refusal_token.setVisible(bool(refusal.denial))

    def _show_agreed(self, agreed: bool) -> None:
        self._agree.setChecked(agreed)
        self._start.setEnabled(agreed)

    def _set(self, value: QLabel, text: str) -> None:
        value.setText(text)
        self._form.setRowVisible(value, bool(text))

    def _mark(self, label: QLabel, *, bad: bool) -> None:
        label.setProperty("role", "warning" if bad else "")
        repolish(label)

    # What is wanted

    def _want_download(self) -> None:
        terms = self._offer.terms
        own = terms is not None and terms.entry is None and self._name.text().strip() != terms.name
        self._offer.accept(self._name.text() if own else "")

    def _take_agreement(self, agreed: bool) -> None:
        self._offer.agree(agreed=agreed)

    def _open_licence(self) -> None:
        if self._offer.terms is not None:
            QDesktopServices.openUrl(QUrl(self._offer.terms.licence_page))

    def _open_refusal_page(self) -> None:
        if self._offer.refusal is not None:
            QDesktopServices.openUrl(QUrl(self._offer.refusal.page))

    def _want_token(self) -> None:
        self.token_wanted.emit(self._offer.host)
