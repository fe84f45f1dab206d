"""Showing a file in the system's file manager."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QProcess, QStandardPaths

if TYPE_CHECKING:
    from pathlib import Path


def commands(path: Path, platform: str = sys.platform) -> list[tuple[str, list[str]]]:
    """The commands that do it, the best first: with the file selected, else its folder alone."""
    if platform == "win32":
        return [("explorer", [f"/select,{path}"])]
    if platform == "darwin":
        return [("open", ["-R", str(path)])]
    # freedesktop.org's file manager interface; an array in dbus-send is split at commas, which a URI can have escaped
    uri = path.absolute().as_uri().replace(",", "%2C")
    ask = ["--session", "--print-reply", "--dest=org.freedesktop.FileManager1", "--type=method_call"]
    call = ["/org/freedesktop/FileManager1", "org.freedesktop.FileManager1.ShowItems", f"array:string:{uri}", "string:"]
    return [("dbus-send", ask + call), ("xdg-open", [str(path.parent)])]


def show_in_folder(path: Path) -> bool:
    """Show it; False where this system has no way to."""
    for program, arguments in commands(path):
        if not QStandardPaths.findExecutable(program):
            continue
        process = QProcess()
        process.setProgram(program)
        if sys.platform == "win32":
            # Explorer reads its own quoting: only the path is quoted, not the whole argument
            process.setNativeArguments(f'/select,"{path}"')  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - Windows only
        else:
            process.setArguments(arguments)
        if program == "dbus-send":  # there may be nobody on the bus who shows folders
            process.start()
            if process.waitForFinished(2000) and process.exitCode() == 0:
                return True
            process.kill()
            process.waitForFinished(500)
        elif process.startDetached()[0]:
            return True
    return False
