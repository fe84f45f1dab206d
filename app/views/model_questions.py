"""What is asked before something is done to models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.views.measures import say_size

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.models import Removal
    from app.viewmodels.models import Models


class ModelQuestions(QObject):
    """Asks over `page`, and lets `models` do what was answered."""

    def __init__(self, models: Models, page: QWidget) -> None:
        super().__init__(page)
        self._models = models
        self._page = page
        models.removal_planned.connect(self._ask_to_remove)
        models.not_binned.connect(self._ask_to_delete)

    def ask_to_add(self, place: Path) -> None:
        """Whether the files at `place` are to be used there or copied."""
        text = self.tr("Use “%1” where it is, or make a copy?").replace("%1", place.name)
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("Add models"), text, parent=self._page)
        box.setInformativeText(
            self.tr(
                "Used in place, the files take no more room, and Firstlight never changes, moves or deletes them. "
                "A copy stays when the originals go."
            )
        )
        use = box.addButton(self.tr("Use in place"), QMessageBox.ButtonRole.AcceptRole)
        copy = box.addButton(self.tr("Make a copy"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(use)
        use.clicked.connect(lambda: self._models.add(place))
        copy.clicked.connect(lambda: self._models.add(place, copy=True))
        self._open(box)

    def _ask_to_remove(self, removal: Removal) -> None:
        name = removal.model.name
        text = (
            self.tr("Move the model “%1” to the bin?") if removal.paths else self.tr("Take “%1” out of the list?")
        ).replace("%1", name)
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("Remove a model"), text, parent=self._page)
        if removal.paths:
            more = self.tr("%1 become free when the bin is emptied. What goes:").replace("%1", say_size(removal.freed))
            box.setInformativeText("\n".join((more, *map(str, removal.paths))))
            yes = box.addButton(self.tr("Move to the bin"), QMessageBox.ButtonRole.DestructiveRole)
        else:
            more = self.tr("Its files are not Firstlight’s own, and stay where they are: %1")
            box.setInformativeText(more.replace("%1", str(removal.model.location)))
            yes = box.addButton(self.tr("Take it out"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        yes.clicked.connect(lambda: self._models.remove(removal))
        self._open(box)

    def _ask_to_delete(self, removal: Removal) -> None:
        text = self.tr("The bin does not take “%1”. Delete it for good?").replace("%1", removal.model.name)
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("Remove a model"), text, parent=self._page)
        more = self.tr("%1 become free. This cannot be undone.").replace("%1", say_size(removal.freed))
        box.setInformativeText("\n".join((more, *map(str, removal.paths))))
        yes = box.addButton(self.tr("Delete for good"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        yes.clicked.connect(lambda: self._models.remove(removal, permanently=True))
        self._open(box)

    def _open(self, box: QMessageBox) -> None:
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
