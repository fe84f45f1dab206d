"""Asking where a copy of a picture is to go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_KINDS = {"PNG": ".png", "JPEG": ".jpg", "WebP": ".webp"}


class SaveDialog(QFileDialog):
    """The system's dialog for saving, with the formats that pictures can have. It asks before it replaces a file.

    Signals:
        chosen (Path): the place, with a picture's suffix.
    """

    chosen = Signal(object)

    def __init__(self, source: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent, QCoreApplication.translate("SaveDialog", "Save picture as"))
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        kinds = {f"{kind} (*{suffix})": suffix for kind, suffix in _KINDS.items()}
        self.setNameFilters(list(kinds))
        own = next((kind for kind, suffix in kinds.items() if suffix == source.suffix.lower()), next(iter(kinds)))
        self.selectNameFilter(own)
        self.setDefaultSuffix(kinds[own][1:])
        self._kinds = kinds
        self.setDirectory(str(source.parent))
        self.selectFile(source.with_suffix(kinds[own]).name)
        self.filterSelected.connect(self._take_kind)
        self.fileSelected.connect(self._take)

    def _take_kind(self, kind: str) -> None:
        self.setDefaultSuffix(self._kinds[kind][1:])

    def _take(self, text: str) -> None:
        path = Path(text)
        if path.suffix.lower() not in (*_KINDS.values(), ".jpeg"):
            path = path.with_name(f"{path.name}.{self.defaultSuffix()}")
        self.chosen.emit(path)
