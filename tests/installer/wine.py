"""A Windows to test in: Wine 10 of Debian 13 in a chroot of its own, with three stand-ins for what it lacks.

Nothing of this machine is touched: every command gets a mount namespace of its own, so no mount outlives it.
`FIRSTLIGHT_WINE` names a folder to keep the chroot in (1.3 GB, a minute to make); without it, it is made anew.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

from installer.programs import read_exports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHIMS = Path(__file__).parent / "shims"
PREFIX = "/root/wine"
USER = PureWindowsPath(r"C:\users\root")
_DISPLAY = ":78"
_PACKAGES = "wine,wine64,xvfb,fonts-liberation,ca-certificates"
_OVERRIDES = "mscoree=;mshtml=;winemenubuilder.exe=d;ucrtbase=n,b;icuuc=n;mscms=n,b"
_NOISE = re.compile(
    r"^.*(wine32 is missing|multiarch needs|dpkg --add-architecture|apt-get install wine32|wine client error:).*\n?",
    re.M,
)
_CC = "x86_64-w64-mingw32-gcc"
_DLL = ("-O2", "-shared", "-s", "-nostartfiles", "-static", "-Wl,-e,DllMainCRTStartup")
_LIBRARIES = ("-lmingwex", "-lgcc", "-lmsvcrt", "-lkernel32")


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended, and all that it wrote."""

    code: int
    text: str


class Wine:
    """One chroot with one prefix. `shared` is a folder that Windows sees as `Z:\\shared`."""

    def __init__(self, root: Path, shared: Path) -> None:
        self.root = root
        self.shared = shared
        self._running: list[subprocess.Popen[bytes]] = []  # for as long as this is open

    @property
    def drive(self) -> Path:
        """The folder that is drive C:."""
        return self.root / PREFIX.lstrip("/") / "drive_c"

    def path(self, windows: PureWindowsPath | str) -> Path:
        """Where a path on drive C: lies on this machine."""
        return self.drive.joinpath(*PureWindowsPath(windows).parts[1:])

    def start(self) -> None:
        """Begin with a new prefix, and the stand-ins in it."""
        shutil.rmtree(self.root / PREFIX.lstrip("/"), ignore_errors=True)
        self._running.append(self._popen(["Xvfb", _DISPLAY, "-screen", "0", "1280x900x24"]))
        time.sleep(1)
        first = self.run("wineboot", "-u", timeout=300)
        assert first.code == 0, first.text
        self.run("wineserver", "-w", program="", timeout=60)
        _install_shims(self.drive / "windows" / "system32", self.shared)
        self._running.append(self.popen(r"Z:\shared\run.exe"))  # see there

    def close(self) -> None:
        """End everything that runs in it."""
        self.run("wineserver", "-k", program="", timeout=30)
        for process in self._running:
            process.terminate()
            process.wait()

    def run(self, *command: str, program: str = "wine", timeout: float = 300, **environment: str) -> Answer:
        """Run a Windows program, and wait for it."""
        process = self._popen([*([program] if program else []), *command], environment, subprocess.PIPE)
        try:
            text, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            self._popen(["wineserver", "-k"]).wait(30)
            text, _ = process.communicate()
            raise AssertionError(f"{command} has not ended in {timeout} s: {text.decode(errors='replace')}") from None
        return Answer(process.returncode, _NOISE.sub("", text.decode(errors="replace")))

    def popen(self, *command: str, program: str = "wine", **environment: str) -> subprocess.Popen[bytes]:
        """Start a Windows program."""
        return self._popen([*([program] if program else []), *command], environment)

    def line(self, line: str, timeout: float = 300) -> Answer:
        """Run one command line exactly as it stands: /D= of NSIS takes no quotes, which Wine would set."""
        (self.shared / "line.txt").write_text(line, encoding="utf-8")
        return self.run(r"Z:\shared\run.exe", r"Z:\shared\line.txt", timeout=timeout)

    def _popen(
        self, command: Sequence[str], environment: dict[str, str] | None = None, out: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        # no /sys: where PyTorch's OpenMP sees it, it asks Wine for what that lacks
        mounts = "; ".join(
            f"mkdir -p {self.root}{there} && mount --bind {shlex.quote(str(here))} {self.root}{there}"
            for here, there in (("/proc", "/proc"), ("/dev", "/dev"), (self.shared, "/shared"))
        )
        values = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "WINEPREFIX": PREFIX,
            "WINEARCH": "win64",
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": _OVERRIDES,
            "DISPLAY": _DISPLAY,
            **(environment or {}),
        }
        words = ["/usr/bin/env", "-i", *(f"{key}={value}" for key, value in values.items()), *command]
        script = f"{mounts}; exec chroot {self.root} {shlex.join(words)}"
        return subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def why_not() -> str:
    """Why there can be no chroot here; empty where there can."""
    for tool in ("mmdebstrap", "unshare", "chroot"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    if os.geteuid() != 0:
        return "chroot is for root alone"
    probe = "mount --bind /proc /proc && chroot / true"
    allowed = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-ec", probe], capture_output=True, check=False
    )
    return "" if allowed.returncode == 0 else "chroot or mount is not allowed here"


def make_root(folder: Path) -> Path:
    """Debian 13 with Wine in `folder`; made where it is not there yet."""
    root = folder / "trixie"
    if not root.exists():
        part = folder / "trixie.part"
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        quick = ["force-unsafe-io", *(f"path-exclude=/usr/share/{name}/*" for name in ("doc", "locale", "man"))]
        options = ["--quiet", "--variant=essential", "--mode=root", f"--include={_PACKAGES}"]
        options += [f"--dpkgopt={option}" for option in quick]
        subprocess.run(["mmdebstrap", *options, "trixie", str(part)], check=True)
        part.rename(root)
    return root


def open_wine(folder: Path, shared: Path) -> Iterator[Wine]:
    """A Wine for a test's fixture."""
    shared.mkdir(parents=True, exist_ok=True)
    wine = Wine(make_root(folder), shared)
    try:
        wine.start()
        yield wine
    finally:
        wine.close()


def _install_shims(system: Path, work: Path) -> None:
    _output([_CC, "-O2", "-s", "-static", "-municode", str(SHIMS / "run.c"), "-o", str(work / "run.exe")])
    _compile([SHIMS / "icuuc.c"], system / "icuuc.dll")
    for name in ("mscms", "ucrtbase"):
        original = system / f"{name}.dll"
        shutil.move(original, system / f"{name}_wine.dll")
        source = SHIMS / f"{name}.c"
        own = set(re.findall(r"\bshim_(\w+)\(", _preprocess(source)))
        exports = set(read_exports(_output(["x86_64-w64-mingw32-objdump", "-p", str(system / f"{name}_wine.dll")])))
        table = work / f"{name}.def"
        lines = [f" {it}=shim_{it}" if it in own else f" {it}={name}_wine.{it}" for it in sorted(exports | own)]
        table.write_text(f"LIBRARY {name}.dll\nEXPORTS\n" + "\n".join(lines) + "\n")
        _compile([source, table], original)


def _preprocess(source: Path) -> str:
    return _output([_CC, "-E", "-P", str(source)])


def _compile(sources: Sequence[Path], target: Path) -> None:
    _output([_CC, *_DLL, *map(str, sources), "-o", str(target), *_LIBRARIES])


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
