"""Brings the translations up to date with the source: `python -m resources.translations`.

Writes the list of messages, lets lupdate collect the words into the .ts files (translate what is new there, in Qt
Linguist or any editor), and makes the .qm files, which the window reads, of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

from resources.translations.messages import ROOT, find

FOLDER = Path(__file__).parent
LANGUAGES = ("de", "en")
MESSAGE_LIST = ROOT / "app" / "views" / "message_list.py"
_HEAD = '''"""All sentences of pipelines and services. Written by `python -m resources.translations`: do not edit."""

# fmt: off
# ruff: noqa: E501

from __future__ import annotations

from app.services.settings_table import QT_TRANSLATE_NOOP

MESSAGES: tuple[str, ...] = (
'''


def make_message_list() -> str:
    """The source of the module that lists the messages."""
    rows = (f'    QT_TRANSLATE_NOOP("Messages", {_quote(text)}),\n' for text in (", and ", *find()))
    return f"{_HEAD}{''.join(rows)})\n"


def update(folder: Path = FOLDER) -> None:
    """Collect the words of the source into the .ts files in `folder`; what is translated there stays."""
    sources = [
        str(file) for part in ("views", "viewmodels", "services") for file in sorted((ROOT / "app" / part).glob("*.py"))
    ]
    sources += [str(file) for file in sorted((ROOT / "app").glob("*.py"))]
    for language in LANGUAGES:
        plural = ["-pluralonly"] if language == "en" else []  # English is what the source says, but for plurals
        target = folder / f"firstlight_{language}.ts"
        options = ["-locations", "none", "-no-obsolete", "-source-language", "en", "-target-language", language]
        _run("lupdate", *plural, *options, *sources, "-ts", str(target))


def release(folder: Path = FOLDER, out: Path = FOLDER) -> None:
    """Make the .qm files in `out` of the .ts files in `folder`."""
    for language in LANGUAGES:
        name = f"firstlight_{language}"
        _run("lrelease", "-silent", str(folder / f"{name}.ts"), "-qm", str(out / f"{name}.qm"))


def _run(tool: str, *arguments: str) -> None:
    program = Path(PySide6.__file__).parent / (f"{tool}.exe" if sys.platform == "win32" else tool)
    done = subprocess.run([str(program), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{tool}: {done.stdout}{done.stderr}")


def _quote(text: str) -> str:
    """The text as a literal in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


if __name__ == "__main__":
    MESSAGE_LIST.write_text(make_message_list(), encoding="utf-8")
    update()
    release()
