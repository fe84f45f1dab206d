"""The engine runtime of an installed Firstlight: which parts there are, what they weigh, and where they go. No Qt here.

The setup program brings the window. PyTorch and its like come at the first start, by `uv` from a lock with hashes: one
folder a part and lock, `<data>/runtime/<part>-<hash>`, that gets its name when it is whole and has been tried.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from app import runtime_path
from pipelines.errors import NoRoom, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PARTIAL = ".partial"
_SPARE = 500_000_000  # bytes that are to stay free besides: pictures, logs, the system
_GB = 1e9


class PartName(Enum):
    """`nvidia` is TensorRT-RTX, under NVIDIA's own licence: fetched only when that has been accepted."""

    engine = "engine"
    nvidia = "nvidia"


@dataclass(frozen=True, slots=True)
class Part:
    """One part. `sizes` maps each package to the bytes of its wheel; `download` and `unpacked` are sums in bytes."""

    name: PartName
    lock: Path
    folder: Path
    sizes: Mapping[str, int]
    unpacked: int

    @property
    def download(self) -> int:
        """Bytes to fetch."""
        return sum(self.sizes.values())

    @property
    def partial(self) -> Path:
        """Where it is built, before it has been tried."""
        return self.folder.with_name(self.folder.name + PARTIAL)

    @property
    def is_ready(self) -> bool:
        """Whether it is installed and has passed its self-check."""
        return (self.folder / runtime_path.READY).is_file()


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed program: its folder, its data, and its parts. `wheels`: packages that came with an offline setup."""

    program: Path
    data: Path
    parts: tuple[Part, ...]
    wheels: Path | None

    @property
    def runtime(self) -> Path:
        """The folder of all parts, and of the download cache."""
        return self.data / "runtime"

    @property
    def missing(self) -> tuple[Part, ...]:
        """Parts that are not there yet."""
        return tuple(part for part in self.parts if not part.is_ready)

    @property
    def needs_engine(self) -> bool:
        """Whether nothing can be drawn yet."""
        return any(part.name is PartName.engine for part in self.missing)

    def part(self, name: PartName) -> Part:
        """The part of that name."""
        return next(part for part in self.parts if part.name is name)

    def read_licence(self) -> str:
        """NVIDIA's licence, as its wheels hold it.

        Raises:
            UnusableFile: it is not there.
        """
        path = self.program / "licenses" / "nvidia-tensorrt-rtx.txt"
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UnusableFile("NVIDIA's licence is not there to be read.", "Install Firstlight again.") from error


def find_installation(data: Path, program: Path | None = None) -> Installation | None:
    """The installed program that this process runs in; None in a source tree, or where pip has installed it.

    Raises:
        UnusableFile: there is one, and its own files are damaged.
    """
    program = program or runtime_path.find_program()
    if program is None:
        return None
    try:
        facts = cast("dict[str, object]", json.loads((program / runtime_path.FACTS).read_text(encoding="utf-8")))
        packages = cast("dict[str, list[dict[str, int | str]]]", facts["packages"])
        parts = tuple(_read_part(program, data, name, packages[name.value]) for name in PartName)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnusableFile(
            f"A file of the installed program is damaged: {error}.", "Install Firstlight again."
        ) from error
    wheels = program.parent / "wheels"
    return Installation(program, data, parts, wheels if wheels.is_dir() else None)


def check_room(installation: Installation, parts: Iterable[Part]) -> None:
    """Look whether the parts fit on the disk.

    Raises:
        NoRoom: they do not.
    """
    needed = sum(part.unpacked + part.download for part in parts) + _SPARE
    existing = next(folder for folder in (installation.data, *installation.data.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise NoRoom(
            f"The engine needs {needed / _GB:.1f} GB on the disk of {installation.data}; {free / _GB:.1f} GB are free.",
            "Free some space there and try again.",
        )


def carries(installation: Installation, part: Part) -> bool:
    """Whether the wheels of a part lie beside the program."""
    if installation.wheels is None:
        return False
    there = {path.name.split("-")[0].lower().replace("_", "-") for path in installation.wheels.glob("*.whl")}
    return all(name in there for name in part.sizes)


def _read_part(program: Path, data: Path, name: PartName, packages: list[dict[str, int | str]]) -> Part:
    return Part(
        name=name,
        lock=program / f"{name.value}.lock",
        folder=data / "runtime" / runtime_path.name_part(program, name.value),
        sizes={str(package["name"]): int(package["wheel"]) for package in packages},
        unpacked=sum(int(package["unpacked"]) for package in packages),
    )
