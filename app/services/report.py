"""A report for the developers: versions, machine, settings and logs in one zip file, without anything private."""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import platform
import socket
import sys
import time
import zipfile
from dataclasses import asdict, dataclass
from importlib import metadata as distributions
from pathlib import Path
from typing import TYPE_CHECKING

from app.services import files
from app.services.anonymous import anonymise
from app.services.settings_table import SETTINGS
from pipelines.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.services.settings_table import Value
    from pipelines.devices import Machine

_LOG_END = 400_000  # bytes of each log file, its end
_PACKAGES = (
    "firstlight", "diffusers", "httpx2", "huggingface_hub", "numpy", "peft", "pillow", "PySide6_Essentials",
    "safetensors", "tensorrt-rtx-cu13", "torch", "transformers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into a report.

    Args:
        version: Firstlight's.
        machine: as `devices.probe` has it, or None where it is not known.
        settings: the value of each that was chosen; texts are left out.
        problems: what the window tells at the moment.
        logs: the folder of the log files.
        places: folders whose paths must not appear.
        private: further texts that must not appear: prompts.
    """

    version: str
    machine: Machine | None
    settings: Mapping[str, Value]
    problems: Sequence[str]
    logs: Path
    places: Sequence[Path]
    private: Sequence[str]


def write(file: Path, contents: Contents) -> None:
    """Write the report, whole or not at all.

    Raises:
        NoRoom, UnusableFile: it cannot be written.
    """
    names = (*_own_names(), *contents.private)
    places = (*contents.places, Path.home())
    try:
        with replacing(file) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in _parts(contents):
                archive.writestr(name, anonymise(text, names, places))
    except OSError as error:
        raise files.explain(error, file) from error


def _parts(contents: Contents) -> Iterator[tuple[str, str]]:
    yield "report.txt", _summary(contents)
    if contents.machine is not None:
        yield "machine.json", json.dumps(asdict(contents.machine), indent=1)
    yield "settings.json", json.dumps(_settings(contents.settings), indent=1, sort_keys=True)
    for path in sorted(contents.logs.glob("*.log*")) if contents.logs.is_dir() else ():
        yield f"logs/{path.name}", _read_end(path)


def _summary(contents: Contents) -> str:
    lines = [
        f"Firstlight {contents.version}, {time.strftime('%Y-%m-%d %H:%M %z')}",
        f"{platform.platform()}, Python {sys.version.split()[0]}, {'frozen' if getattr(sys, 'frozen', False) else ''}",
        "",
        *(f"{package} {_version(package)}" for package in _PACKAGES),
        "",
        "Problems that the window tells now:",
        *(contents.problems or ["none"]),
    ]
    return "\n".join(lines) + "\n"


def _settings(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values; of free text only that there is some."""
    free = {setting.name for setting in SETTINGS if isinstance(setting.default, str) and not setting.choices}
    return {name: "<set>" if name in free and value else value for name, value in values.items()}


def _version(package: str) -> str:
    try:
        return distributions.version(package)
    except distributions.PackageNotFoundError:
        return "not installed"


def _read_end(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_END))
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def _own_names() -> tuple[str, ...]:
    """The user's and the computer's name."""
    names = [socket.gethostname(), os.environ.get("COMPUTERNAME", ""), Path.home().name]
    with contextlib.suppress(OSError, KeyError, ImportError):  # a user without a name
        names.append(getpass.getuser())
    # `root` and the like name nobody, and stand in many words
    return tuple(name for name in names if name.lower() not in ("root", "user", "home", "localhost", ""))
