"""Installs a part of the engine runtime by `uv`: with hashes, beside the old one, tried before it is used. No Qt here.

What has been fetched stays in a cache until the part is whole: after a cut, a cancel or a kill, the next try goes on
from there.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

import psutil

from app import runtime_path
from app.services.files import explain, is_link
from app.services.runtime_parts import Installation, Part, PartName, carries, check_room
from app.services.transfer import TransferFailed
from pipelines.errors import EngineFailure, FirstlightError, NoRoom, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_LOOK_SECONDS = 0.25
_RETRIES = "5"  # of each file, by uv itself
_CHECK_SECONDS = 600  # the first import compiles every module, and a virus scanner reads each
_DOWNLOADING = re.compile(r"^\s*(Downloading|Downloaded) (\S+)")
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows: no console flashes up
_LAST_WORDS = 300  # characters of uv's error in ours

log = logging.getLogger(__name__)


class Phase(Enum):
    """What is being done. Only fetching knows how far it is."""

    fetching = "fetching"
    installing = "installing"
    checking = "checking"


@dataclass(frozen=True, slots=True)
class RuntimeProgress:
    """How far a part is: `done` of `total` bytes to fetch; `package` is what is being fetched, the largest of them."""

    part: PartName
    phase: Phase
    done: int
    total: int
    package: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where packages come from. Empty: PyPI, and the system's own proxy."""

    mirror: str = ""
    proxy: str = ""


class Report(Protocol):
    """Takes progress. It raises `Cancelled` to stop the work."""

    def __call__(self, progress: RuntimeProgress, /) -> None:
        """Take one."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs that do the work; all of them lie in the installed program."""

    uv: Path
    python: Path

    @classmethod
    def of(cls, installation: Installation) -> Tools:
        """Those of an installed program."""
        return cls(installation.program / "uv.exe", installation.program / "python.exe")


@dataclass(slots=True)
class _Fetched:
    """What uv has said so far."""

    part: Part
    begun: list[str] = field(default_factory=list[str])
    ended: set[str] = field(default_factory=set[str])
    installing: bool = False
    words: list[str] = field(default_factory=list[str])

    def take(self, line: str) -> None:
        if match := _DOWNLOADING.match(line):
            (self.begun.append if match[1] == "Downloading" else self.ended.add)(match[2])
        elif line.startswith("Prepared "):
            self.installing = True
        self.words.append(line.rstrip())

    def progress(self, written: int) -> RuntimeProgress:
        """`written`: bytes that uv has put on the disk; fetched packages are unpacked as they come."""
        part, total = self.part, self.part.download
        if self.installing:
            return RuntimeProgress(part.name, Phase.installing, total, total)
        told = sum(part.sizes.get(name, 0) for name in self.ended)
        seen = int(total * min(1.0, written / max(1, part.unpacked)))
        waiting = [name for name in self.begun if name not in self.ended]
        largest = max(waiting, key=lambda name: part.sizes.get(name, 0), default="")
        return RuntimeProgress(part.name, Phase.fetching, min(total, max(told, seen)), total, largest)


def install(installation: Installation, part: Part, tools: Tools, source: Source, report: Report) -> None:
    """Fetch, install and try a part, and put it in its place. Parts of other versions go after that.

    Raises:
        Cancelled: `report` has raised it.
        TransferFailed: a server cannot be reached.
        NoRoom: the disk is too small, or became full.
        UnusableFile: a package is not what the lock says, or a file cannot be written.
        EngineFailure: it is installed, and does not work here.
    """
    check_room(installation, [part])
    try:
        installation.runtime.mkdir(parents=True, exist_ok=True)
        remove_tree(part.partial)
        _run_uv(installation, part, tools, source, report)
        report(RuntimeProgress(part.name, Phase.checking, part.download, part.download))
        facts = try_out(tools, part.partial, part.name, lambda: report(_checking(part)))
        (part.partial / runtime_path.READY).write_text(json.dumps(facts), encoding="utf-8")
        remove_tree(part.folder)  # one that was damaged
        part.partial.rename(part.folder)
    except OSError as error:
        raise explain(error, part.folder) from error
    clear_old(installation)


def clear_old(installation: Installation) -> None:
    """Delete parts of other versions, and the downloads. What is in use stays for the next time.

    A part that is not there in its new version keeps its old one: nothing goes before its successor serves.
    """
    keep = {part.folder for part in installation.parts}
    for part in installation.missing:
        keep.update(installation.runtime.glob(f"{part.name.value}-*"))
    for folder in list(installation.runtime.iterdir()):
        if folder.is_dir() and folder not in keep:
            try:
                remove_tree(folder)
            except OSError as error:
                log.warning("%s stays for now: %s", folder, error)


def remove_tree(folder: Path) -> None:
    """Delete a folder of ours; a link in it goes, and what it leads to stays.

    Raises:
        OSError: it cannot be deleted.
    """
    if is_link(folder):
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def try_out(tools: Tools, folder: Path, name: PartName, wait: Callable[[], None]) -> dict[str, object]:
    """Use a part in a process of its own, which may crash, and return what it found.

    Raises:
        EngineFailure: it does not work; with its words.
    """
    base = folder.parent
    others = [str(path) for path in base.glob("engine-*") if path != folder and (path / runtime_path.READY).is_file()]
    code = (
        "import sys; sys.path += sys.argv[2:]; from app import runtime_check; sys.exit(runtime_check.main(sys.argv[1]))"
    )
    with subprocess.Popen(
        [str(tools.python), "-c", code, name.value, str(folder), *others],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        creationflags=_NO_WINDOW,
    ) as process:
        try:
            out, err = _await(process, wait)
        except BaseException:
            process.kill()
            raise
    answer = _read_answer(out)
    if process.returncode == 0 and answer is not None:
        return answer
    log.error("the self-check of %s ended with %s: %s\n%s", folder, process.returncode, out, err)
    said = str((answer or {}).get("problem") or f"the process ended with {process.returncode}")
    raise EngineFailure(
        f"The engine was installed, and does not work on this machine: {said}.",
        "Try again; if it happens again, send a report.",
    )


def _await(process: subprocess.Popen[str], wait: Callable[[], None]) -> tuple[str, str]:
    for _ in range(int(_CHECK_SECONDS / _LOOK_SECONDS)):
        try:
            return process.communicate(timeout=_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            wait()
    raise EngineFailure("The engine was installed, and does not answer.", "Try again.")


def _read_answer(out: str) -> dict[str, object] | None:
    try:
        answer = json.loads(out.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return answer if isinstance(answer, dict) else None  # pyright: ignore[reportUnknownVariableType]  # our own child's


def _checking(part: Part) -> RuntimeProgress:
    return RuntimeProgress(part.name, Phase.checking, part.download, part.download)


def _cache(installation: Installation) -> Path:
    return installation.runtime / "download-cache"


def _run_uv(installation: Installation, part: Part, tools: Tools, source: Source, report: Report) -> None:
    command = [str(tools.uv), "pip", "install", "--no-config", "--color", "never", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--python", str(tools.python), "--target", str(part.partial)]
    command += ["--cache-dir", str(_cache(installation)), "-r", str(part.lock)]
    if installation.wheels is not None and carries(installation, part):
        command += ["--offline", "--no-index", "--find-links", str(installation.wheels)]
    elif source.mirror:
        command += ["--default-index", source.mirror]
    fetched = _Fetched(part)
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=_environment(os.environ, source),
        creationflags=_NO_WINDOW,
    ) as process:
        try:
            _follow(process, fetched, report)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        log.error("uv ended with %s: %s", process.returncode, "\n".join(fetched.words))
        raise explain_uv("\n".join(fetched.words))


def _environment(given: Mapping[str, str], source: Source) -> dict[str, str]:
    """What uv is to read; the user's own settings for it (a mirror, certificates, credentials) stay."""
    environment = {**given, "UV_NO_PROGRESS": "1", "UV_HTTP_RETRIES": _RETRIES, "UV_PYTHON_DOWNLOADS": "never"}
    if source.proxy:
        environment |= {"HTTPS_PROXY": source.proxy, "HTTP_PROXY": source.proxy, "ALL_PROXY": source.proxy}
    return environment


def _follow(process: subprocess.Popen[str], fetched: _Fetched, report: Report) -> None:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in process.stderr or ():
            lines.put(line)
        lines.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while True:
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=_LOOK_SECONDS)
            if line is None:
                break
            fetched.take(line)
        report(fetched.progress(_written(process.pid)))
    reader.join()


def _written(pid: int) -> int:
    """Bytes that a process has written to files, as far as the system tells; 0 where it does not."""
    if sys.platform == "darwin":
        return 0
    try:
        return psutil.Process(pid).io_counters().write_bytes
    except (psutil.Error, OSError, NotImplementedError, AttributeError):
        return 0


def explain_uv(words: str) -> FirstlightError:
    """Why uv has failed, from what it wrote."""
    last = " ".join(line.strip() for line in words.splitlines() if not _DOWNLOADING.match(line))[-_LAST_WORDS:]
    small = words.lower()
    if "hash mismatch" in small or ("hashes" in small and "mismatch" in small):
        return UnusableFile(
            "A package that came is not the one that this version was built with.",
            "Try again; with a mirror of your own, check that it is complete.",
        )
    if any(sign in small for sign in ("no space left", "os error 112", "disk full", "not enough space")):
        return NoRoom("The disk became full while the engine was installed.", "Free some space and try again.")
    if any(sign in small for sign in ("error sending request", "failed to fetch", "dns error", "timed out", "connect")):
        return TransferFailed(
            "The server with the engine's packages cannot be reached.",
            "Check the connection, or give a proxy; what has been fetched is kept.",
        )
    if "access is denied" in small or "os error 5" in small or "permission denied" in small:
        return UnusableFile(
            "A file of the engine cannot be written; another program may hold it.",
            "Close other programs, or wait for the virus scanner, and try again.",
        )
    return UnusableFile(f"The engine could not be installed: {last}.", "Try again; if it happens again, send a report.")
