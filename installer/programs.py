"""Compiles our own small Windows programs with MinGW: the launchers, the interpreter, python3.dll, and `tidy`."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from installer.cpython import PYTHON_DLL
from installer.steps import BuildError, fresh_folder, run

SOURCES = Path(__file__).parent / "native"
MODULE = "app.installed"
_CC, _WINDRES, _OBJDUMP = (f"x86_64-w64-mingw32-{tool}" for tool in ("gcc", "windres", "objdump"))
_LINK = ("-static", "-s", "-Wl,--no-insert-timestamp,--dynamicbase,--high-entropy-va,--nxcompat")
_FLAGS = ("-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-municode", *_LINK)
_STUB = """__attribute__((used)) int __stdcall DllMainCRTStartup(void *instance, unsigned reason, void *reserved)
{ return instance || reason || reserved || 1; }
"""


@dataclass(frozen=True, slots=True)
class Program:
    """One of our programs. `window`: without a console."""

    file_name: str
    source: str
    title: str
    window: bool = False


PROGRAMS = (
    Program("Firstlight.exe", "launcher.c", "Firstlight", window=True),
    Program("firstlight.com", "launcher.c", "Firstlight's command line"),
    Program("python.exe", "python.c", "Python, for Firstlight"),
    Program("pythonw.exe", "python.c", "Python, for Firstlight", window=True),
)
TIDY = Program("tidy.exe", "tidy.c", "Firstlight's uninstaller")


def build_programs(app: Path, icon: Path, version: str, work: Path) -> Path:
    """Compile what lies in `app`, and return the path of `tidy.exe`, which only setup and uninstaller carry.

    Raises:
        BuildError: the compiler is not there, or fails.
    """
    folder = fresh_folder(work / "programs")
    for name in ("firstlight.manifest", "firstlight.rc"):
        shutil.copy(SOURCES / name, folder / name)
    shutil.copy(icon, folder / "app.ico")
    for program in PROGRAMS:
        _compile(program, app / program.file_name, version, folder)
    _make_python3(app, folder)
    tidy = folder / TIDY.file_name
    _compile(TIDY, tidy, version, folder)
    return tidy


def read_exports(listing: str) -> list[str]:
    """Names that a DLL exports, from what `objdump -p` writes."""
    table = listing.split("[Ordinal/Name Pointer] Table", 1)[-1]
    return re.findall(r"^\s*\[\s*\d+\](?: \+base\[\s*\d+\]\s+[0-9a-f]+)? (\w+)$", table, re.MULTILINE)


def _compile(program: Program, target: Path, version: str, folder: Path) -> None:
    numbers = ",".join([*re.findall(r"\d+", version)[:3], "0"])
    resource = folder / f"{target.name}.res"
    _write_defines(folder / "defines.h", numbers, version, program)
    run([_WINDRES, "-O", "coff", "firstlight.rc", "-o", resource], cwd=folder)
    window = ("-mwindows", "-DWINDOW") if program.window else ()
    names = (f'-DPYTHON_DLL=L"{PYTHON_DLL}"', f'-DMODULE=L"{MODULE}"')
    run([_CC, *_FLAGS, *window, *names, SOURCES / program.source, resource.name, "-o", target], cwd=folder)


def _write_defines(path: Path, numbers: str, version: str, program: Program) -> None:
    lines = {
        "VERSION_NUMBERS": numbers,
        "VERSION_TEXT": f'"{version}"',
        "TITLE": f'"{program.title}"',
        "FILE_NAME": f'"{program.file_name}"',
    }
    path.write_text("".join(f"#define {name} {value}\n" for name, value in lines.items()), encoding="ascii")


def _make_python3(app: Path, folder: Path) -> None:
    """python3.dll, which wheels for the stable ABI ask for: every name is handed on to the DLL of this version."""
    exports = [name for name in read_exports(run([_OBJDUMP, "-p", app / PYTHON_DLL])) if re.match(r"_?Py", name)]
    if len(exports) < 1000:
        raise BuildError(f"{PYTHON_DLL} exports only {len(exports)} names of Python")
    stem = PYTHON_DLL.removesuffix(".dll")
    table = "".join(f" {name}={stem}.{name}\n" for name in sorted(exports))
    (folder / "python3.def").write_text(f"LIBRARY python3.dll\nEXPORTS\n{table}", encoding="ascii")
    (folder / "stub.c").write_text(_STUB, encoding="ascii")
    # an address of our own: the linker would choose one by the path of the file that it writes
    link = ("-shared", "-nostdlib", "-s", "-Wl,--no-insert-timestamp,--image-base,0x180000000,-e,DllMainCRTStartup")
    run([_CC, *link, "stub.c", "python3.def", "-o", app / "python3.dll"], cwd=folder)
