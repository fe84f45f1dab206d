"""The engine runtime of an installed Firstlight, for the window: installs its parts away from the window's thread."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app import runtime_path
from app.services import runtime_install
from app.services.background import Background
from app.services.runtime_parts import check_room
from pipelines.errors import Cancelled, FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from app.services.runtime_install import RuntimeProgress, Source, Tools
    from app.services.runtime_parts import Installation, Part

log = logging.getLogger(__name__)


class Runtime(QObject):
    """Installs what is missing, one part after the other.

    Signals:
        progressed (RuntimeProgress): how far it is; several times a second.
        part_ready (PartName): a part is installed, tried, and can be used by the engine's next process.
        ended (Failure | None): all that was asked for is there, or why not.
    """

    progressed = Signal(object)
    part_ready = Signal(object)
    ended = Signal(object)

    def __init__(self, installation: Installation, tools: Tools | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.installation = installation
        self._tools = tools or runtime_install.Tools.of(installation)
        self._background = Background()
        self._stop = threading.Event()

    def install(self, parts: tuple[Part, ...], source: Source) -> None:
        """Install the parts in this order. What was fetched by an earlier try is not fetched again."""
        self._stop.clear()
        self._background.do(lambda: self.ended.emit(self._install(parts, source)))

    def cancel(self) -> None:
        """Stop soon; what has been fetched is kept."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait for it."""
        self.cancel()
        self._background.close()

    def _install(self, parts: tuple[Part, ...], source: Source) -> Failure | None:
        try:
            check_room(self.installation, parts)
            for part in parts:
                runtime_install.install(self.installation, part, self._tools, source, self._report)
                runtime_path.use(part.folder)
                self.part_ready.emit(part.name)
        except FirstlightError as error:
            return Failure(error.kind, error.message, error.action)
        except Exception as fault:  # the worker's edge: a page that waits for ever would be worse
            log.exception("installing the engine runtime failed")
            return Failure("error", f"Firstlight has a fault: {type(fault).__name__}: {fault}.", "Please report it.")
        return None

    def _report(self, progress: RuntimeProgress) -> None:
        if self._stop.is_set() or self._background.closing:
            raise Cancelled
        self.progressed.emit(progress)
