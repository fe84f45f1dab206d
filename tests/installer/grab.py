"""Runs in the installed Python, under Wine: opens the window offscreen, and writes what it shows to a file, argv[1]."""

from __future__ import annotations

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # here, since Wine hands no QT_ variable on
os.environ["QT_QPA_FONTDIR"] = r"Z:\usr\share\fonts\truetype\liberation"  # offscreen knows no others


def main() -> int:
    """Open, wait until it has drawn itself, grab, close."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow

    from app import composition
    from app.folders import find_folders
    from app.qt_start import make_application

    app = make_application()
    shell = composition.open_shell(app, find_folders(os.environ))
    saved: list[bool] = []

    def grab() -> None:
        window = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMainWindow))
        saved.append(window.isVisible() and window.grab().save(sys.argv[1]))
        app.quit()

    QTimer.singleShot(4000, grab)
    app.exec()
    shell.close()
    return 0 if saved == [True] else 1


if __name__ == "__main__":
    sys.exit(main())
