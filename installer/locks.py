"""Makes the locks anew: `python -m installer.locks [--upgrade]`, by hand when a dependency is to change; read the diff.

What is locked stays at its version unless `--upgrade` is given. One resolution for all, then three parts: what goes
into the setup program, what is fetched at the first start, and NVIDIA's own two wheels. `sizes.json` beside them tells
the progress bar what is coming.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from installer.steps import find_uv, run

FOLDER = Path(__file__).parent / "locks"
PYTHON = "3.11"  # the minor version that is shipped, and must make the .pyc files: the host's
PLATFORM = "x86_64-pc-windows-msvc"
PARTS = ("base", "engine", "nvidia")
# Asked for by packages, and never imported by the program: huggingface_hub's own downloads (ours are in
# app/services/transfer.py), and the colours of source text that rich shows
LEFT_OUT = ("hf-xet", "pygments")
_ENTRY = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^\s\\;]+)", re.MULTILINE)
_WHEEL_OPTIONS = ("--only-binary", ":all:", "--no-deps", "--require-hashes")


@dataclass(frozen=True, slots=True)
class Size:
    """What a wheel weighs, in bytes: the file, and the files in it."""

    name: str
    version: str
    wheel: int
    unpacked: int


def lock_file(part: str) -> Path:
    """The lock of a part."""
    return FOLDER / f"{part}.lock"


def read_entries(text: str) -> dict[str, str]:
    """Name and version of every package in a lock."""
    return {match["name"]: match["version"] for match in _ENTRY.finditer(text)}


def split_entries(text: str) -> dict[str, str]:
    """Name and whole text of every package in a lock."""
    starts = [match.start() for match in _ENTRY.finditer(text)]
    pieces = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return {next(iter(read_entries(piece))): piece for piece in pieces}


def download(lock: Path, folder: Path) -> None:
    """Fetch the win_amd64 wheels of a lock, checked against its hashes; what is there already is not fetched again."""
    tag = PYTHON.replace(".", "")
    run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, "--platform", "win_amd64"),
            *("--python-version", PYTHON, "--implementation", "cp", "--abi", f"cp{tag}", "--abi", "abi3"),
            *("--abi", "none", *_WHEEL_OPTIONS, "-r", lock),
        ]
    )


def _compile(sources: list[Path], out: Path, *more: str) -> str:
    left_out = [word for name in LEFT_OUT for word in ("--no-emit-package", name)]
    options = ["--python-platform", PLATFORM, "--python-version", PYTHON, "--only-binary", ":all:"]
    words = ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet", "-o", out]
    run([find_uv(), "pip", "compile", *sources, *options, *left_out, *more, *words])
    return out.read_text(encoding="utf-8")


def _measure(folder: Path) -> list[Size]:
    sizes: list[Size] = []
    for wheel in sorted(folder.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        with zipfile.ZipFile(wheel) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        sizes.append(Size(re.sub(r"[-_.]+", "-", name).lower(), version, wheel.stat().st_size, unpacked))
    return sizes


def main() -> None:
    """Resolve, split, download and measure."""
    more = [word for word in sys.argv[1:] if word == "--upgrade"]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        whole = work / "all.lock"  # uv keeps the versions that it finds in it
        whole.write_text("".join(lock_file(part).read_text(encoding="utf-8") for part in PARTS), encoding="utf-8")
        entries = split_entries(_compile([FOLDER / f"{part}.in" for part in PARTS], whole, *more))
        constraint = work / "all.txt"
        constraint.write_text(
            "".join(f"{key}=={value}\n" for key, value in read_entries("".join(entries.values())).items())
        )
        taken: set[str] = set()
        for part in ("base", "nvidia", "engine"):
            own = set(entries) - taken
            if part != "engine":
                own &= set(
                    read_entries(_compile([FOLDER / f"{part}.in"], work / f"{part}.lock", "-c", str(constraint)))
                )
            taken |= own
            lock_file(part).write_text("".join(entries[key] for key in sorted(own)), encoding="utf-8")
        sizes: dict[str, list[dict[str, str | int]]] = {}
        for part in ("engine", "nvidia"):
            wheels = work / part
            download(lock_file(part), wheels)
            sizes[part] = [
                {"name": one.name, "version": one.version, "wheel": one.wheel, "unpacked": one.unpacked}
                for one in _measure(wheels)
            ]
        (FOLDER / "sizes.json").write_text(json.dumps(sizes, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
