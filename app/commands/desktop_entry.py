"""`firstlight desktop-entry`: puts Firstlight into the menu of a Linux desktop, or takes it out again.

Formats: freedesktop.org's Desktop Entry Specification 1.5 and Icon Theme Specification.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import resources
from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from app.terminal import Terminal

NAME = "firstlight"  # what the window calls itself, too: so the desktop gives it this icon
_RESERVED = frozenset(" \t\n\"'\\><~|&;$*?#()`")
_ENTRY = """[Desktop Entry]
Type=Application
Version=1.5
Name=Firstlight
GenericName=Image Generator
GenericName[de]=Bildgenerator
Comment=Draws pictures from words, on this machine
Comment[de]=Zeichnet Bilder aus Worten, auf diesem Rechner
Exec={command}
Icon=firstlight
Terminal=false
StartupNotify=true
StartupWMClass=firstlight
Categories=Graphics;2DGraphics;RasterGraphics;
MimeType=image/png;image/jpeg;image/webp;
Keywords=AI;image;picture;FLUX;Stable Diffusion;
"""


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    """Write the files, or remove them, and tell which.

    Raises:
        InvalidRequest: this is no system with such menus.
        UnusableFile: they cannot be written.
    """
    if sys.platform != "linux":
        raise InvalidRequest("Menu entries of this kind are for Linux.", "On Windows, the setup program makes one.")
    files = find_files(os.environ)
    try:
        changed = _remove(files) if args.remove else _write(files)
    except OSError as error:
        raise UnusableFile(
            f"{error.filename or files[0]} cannot be written: {error.strerror}.", "Check the folder's permissions."
        ) from error
    if terminal.wants_json:
        terminal.answer({"removed" if args.remove else "written": [str(path) for path in changed]})
    else:
        for path in changed:
            terminal.say(f"{'removed' if args.remove else 'wrote'} {path}")
    return 0


def find_files(environment: Mapping[str, str]) -> tuple[Path, Path, Path]:
    """Where the entry and its two icons go, for this user."""
    given = environment.get("XDG_DATA_HOME", "")
    data = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "share"
    icons = data / "icons" / "hicolor"
    return (
        data / "applications" / f"{NAME}.desktop",
        icons / "scalable" / "apps" / f"{NAME}.svg",
        icons / "256x256" / "apps" / f"{NAME}.png",
    )


def find_command() -> list[str]:
    """How this very Firstlight is started."""
    started = Path(sys.argv[0])
    if started.name == NAME and (found := shutil.which(sys.argv[0])):
        return [str(Path(found).absolute())]
    return [sys.executable, "-m", "app"]


def quote(argument: str) -> str:
    """An argument as the key Exec wants it."""
    text = argument.replace("%", "%%")
    if not set(text) & _RESERVED:
        return text
    # within quotes these four are escaped, and the file's own strings escape the backslash once more
    for sign in ("\\", '"', "`", "$"):
        text = text.replace(sign, f"\\{sign}")
    return '"' + text.replace("\\", "\\\\") + '"'


def _write(files: tuple[Path, Path, Path]) -> list[Path]:
    entry, vector, pixels = files
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
    icons = resources.folder() / "icons"
    shutil.copyfile(icons / "firstlight.svg", vector)
    shutil.copyfile(icons / "app.png", pixels)
    command = " ".join([*(quote(part) for part in find_command()), "--open", "%f"])
    part = entry.with_name(f".{entry.name}.part")
    part.write_text(_ENTRY.format(command=command), encoding="utf-8")
    part.replace(entry)
    return list(files)


def _remove(files: tuple[Path, Path, Path]) -> list[Path]:
    removed: list[Path] = []
    for path in files:
        if path.is_file():
            path.unlink()
            removed.append(path)
    return removed
