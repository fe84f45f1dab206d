"""Runs makensis: lists the files in an order of our own, and hands over what the script wants to know."""

from __future__ import annotations

import math
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from installer import payload
from installer.steps import run

if TYPE_CHECKING:
    from installer.payload import Payload, Source

SCRIPT = Path(__file__).parent / "nsis" / "firstlight.nsi"
COMPRESSIONS = ("lzma", "zlib", "none")


@dataclass(frozen=True, slots=True)
class Setup:
    """One setup program to make. `signer` is a command that gets a file's path; empty: nothing is signed."""

    out: Path
    compression: str = "lzma"
    wheels: Path | None = None
    signer: tuple[str, ...] = ()


def make_setup(made: Payload, source: Source, setup: Setup, work: Path) -> None:
    """Write the setup program.

    Raises:
        BuildError: makensis is not there, or fails.
    """
    icon = source.tree / "resources" / "icons" / "app.ico"
    names = payload.list_files(made.app)
    files = work / "files.nsh"
    files.write_text(list_commands(made.app, names, "app.new"), encoding="utf-8")
    total = _total(made.app)
    deepest = max(len(name) for name in names) + len("\\app.new\\")
    defines = {
        "VERSION": source.version,
        "OUT": setup.out,
        "FILES": files,
        "TIDY": made.tidy,
        "ICON": icon,
        "LICENCE": source.tree / "LICENSE",
        "COMPRESSION": setup.compression,
    }
    if setup.wheels:
        names = payload.list_files(setup.wheels)
        wheels = work / "wheels.nsh"
        commands = list_commands(setup.wheels, names, "wheels")
        wheels.write_text(f"SetCompress off\n{commands}SetCompress auto\n", encoding="utf-8")
        defines |= {"OFFLINE": "1", "WHEELS": wheels}
        total += _total(setup.wheels)
    if setup.signer:
        defines["SIGN"] = shlex.join(setup.signer)
    defines |= {"DEEPEST": deepest, "KILOBYTES": math.ceil(total / 1024)}
    run(
        ["makensis", "-V2", "-WX", "-NOCD", "-INPUTCHARSET", "UTF8"]
        + [f"-D{name}={value}" for name, value in defines.items()]
        + [SCRIPT],
        cwd=SCRIPT.parent,
        env={"SOURCE_DATE_EPOCH": str(source.time)},
    )


def list_commands(root: Path, names: list[str], target: str) -> str:
    """NSIS commands that write the files `names` of `root` into `target` below the program folder."""
    lines: list[str] = []
    folder = None
    for name in names:
        parent = str(PurePosixPath(target, name).parent).replace("/", "\\")
        if parent != folder:
            folder = parent
            lines.append(f'SetOutPath "$INSTDIR\\{folder}"')
        lines.append(f'File "{_escape(str(root / name))}"')
    return "\n".join(lines) + "\n"


def sign_command(certificate: Path, key: Path, timestamp: str) -> tuple[str, ...]:
    """The command by which makensis, and the build, sign one of our files."""
    words = [sys.executable, os.fspath(Path(__file__).parent / "sign.py"), str(certificate), str(key)]
    return (*words, timestamp) if timestamp else tuple(words)


def _escape(path: str) -> str:
    return path.replace("$", "$$")


def _total(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
