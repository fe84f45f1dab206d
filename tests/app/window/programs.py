"""Programs that open the real window in a process of their own: `python -m tests.app.window.programs NAME …`."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def start_time() -> None:
    """Tell how long it takes from the start of the process until the window has been painted, and what is loaded."""
    begun = float(os.environ["BEGUN"])  # psutil knows the start of a process to a second only
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QWidget

    from app import composition
    from app.folders import find_folders
    from app.qt_start import make_application, serve

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            if event.type() is QEvent.Type.Paint and "painted" not in times:
                times["painted"] = time.time() - begun
                times["cpu"] = time.process_time()  # all threads
                times["heavy"] = [
                    name for name in ("torch", "diffusers", "transformers", "numpy", "PIL") if name in sys.modules
                ]
                QTimer.singleShot(500, app.quit)
            return False

    times: dict[str, object] = {"interpreter": time.time() - begun}
    app = make_application()
    times["application"] = time.time() - begun
    shell = composition.open_shell(app, find_folders(os.environ))
    times["made"] = time.time() - begun
    watch = Watch()
    shell.window.findChildren(QWidget)[0].installEventFilter(watch)
    serve(app)
    shell.close()
    sys.stdout.write(json.dumps(times))


def queue_jobs(count: str) -> None:
    """Type prompts and click Generate so often, say so once the engine draws, and go on until killed."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest

    from app import composition
    from app.folders import find_folders
    from app.qt_start import make_application, serve
    from app.services.settings_table import FIRST_RUN_DONE
    from app.viewmodels.run import Phase
    from app.views.generate_page import GeneratePage

    app = make_application()
    shell = composition.open_shell(app, find_folders(os.environ))
    shell.desk.settings.set(FIRST_RUN_DONE, value=True)
    shell.window.show_page("generate")
    page = shell.window.page_widget("generate")
    assert isinstance(page, GeneratePage)
    app.processEvents()
    for number in range(int(count)):
        edit = page.controls.prompt.prompt
        edit.selectAll()
        QTest.keyClicks(edit, f"picture {number}")
        QTest.mouseClick(page.controls.generate, Qt.MouseButton.LeftButton)

    def tell() -> None:
        if shell.panels.generate.run.phase is Phase.running:
            sys.stdout.write("queued\n")
            sys.stdout.flush()
            looking.stop()

    looking = QTimer(interval=20)
    looking.timeout.connect(tell)
    looking.start()
    serve(app)
    shell.close()


def drag_source(file: str) -> None:
    """A window at the right of the screen from which `file` can be dragged, as from a file manager."""
    from PySide6.QtCore import QMimeData, Qt, QUrl
    from PySide6.QtGui import QDrag, QMouseEvent
    from PySide6.QtWidgets import QApplication, QLabel

    class Source(QLabel):
        def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
            event.accept()

        def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
            mime = QMimeData()
            mime.setUrls([QUrl.fromLocalFile(file)])
            drag = QDrag(self)
            drag.setMimeData(mime)
            drag.exec(Qt.DropAction.CopyAction)

    app = QApplication([])
    source = Source("Drag me")
    source.setWindowTitle("Drag me")
    source.setGeometry(1500, 200, 160, 250)
    source.show()
    app.exec()


PROGRAMS: dict[str, Callable[..., None]] = {
    "start_time": start_time,
    "queue_jobs": queue_jobs,
    "drag_source": drag_source,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
