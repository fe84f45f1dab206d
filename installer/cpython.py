"""Puts a Windows CPython together: python.org's signed binaries, Debian's standard library, Microsoft's runtime.

The wheels of Panda3D hold CPython's DLLs as python.org built and signed them, for its own tool that makes Windows
programs on Linux. Each is checked here: the digest in its signature is the file's own, and the signer is the Python
Software Foundation. (The chain cannot be checked further without a network that reaches certificate servers; the
wheel's sha256 is pinned.) What is missing there: python.exe and python3.dll, see `programs`.

The standard library is one file of compiled modules, as in python.org's own package for embedding: 1,300 files fewer to
install and to scan.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from installer.locks import PYTHON
from installer.steps import BuildError, fresh_folder, run

if TYPE_CHECKING:
    from collections.abc import Sequence

TAG = PYTHON.replace(".", "")
PYTHON_DLL = f"python{TAG}.dll"
_LIBRARY = f"python{TAG}.zip"
# Modules are compiled once, at the build: by hash, so that no date goes in, and never checked again
COMPILE = (sys.executable, "-m", "compileall", "-q", "-j", "1", "--invalidation-mode", "unchecked-hash")
COMPILE_ALIKE = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}
_SIGNER = "CN=Python Software Foundation"
_BESIDE = ("libcrypto-3.dll", "libffi-8.dll", "libssl-3.dll", "sqlite3.dll")
_NOT_SHIPPED = frozenset({"_tkinter.pyd", "_msi.pyd"})  # Tk is not there, and the app makes no .msi
_UNUSED_LIB = (
    "lib-dynload",
    "test",
    "idlelib",
    "turtledemo",
    "tkinter",
    "lib2to3",
    "ensurepip",
    "curses",
    "pydoc_data",
    "venv",
    "EXTERNALLY-MANAGED",
    "sitecustomize.py",
    "_distutils_system_mod.py",
)
# Where Python looks, and nowhere else: no registry, no PYTHONPATH, no other Python's packages
_PATHS = f"{_LIBRARY}\r\nDLLs\r\nLib\\site-packages\r\nimport site\r\n"
_RUNTIME = re.compile(r".*/Scripts/(vcruntime140|msvcp140)[^/]*\.dll$")


def assemble(app: Path, panda: Path, runtime: Path, debs: Sequence[Path], work: Path) -> None:
    """Lay out CPython in the folder `app`: DLLs beside the programs, `DLLs/`, the library in one file.

    All of Microsoft's runtime lies beside the programs, too: torch's libraries look for it there.

    Raises:
        BuildError: a binary is not signed as it should be.
    """
    extensions = app / "DLLs"
    extensions.mkdir(parents=True)
    with zipfile.ZipFile(panda) as archive:
        for name in archive.namelist():
            file = Path(name).name
            if not name.startswith("deploy_libs/") or file in _NOT_SHIPPED:
                continue
            if file == PYTHON_DLL:
                _extract(archive, name, app / file)
            elif file.endswith(".pyd") or file in _BESIDE:
                _extract(archive, name, extensions / file)
    for binary in (app / PYTHON_DLL, *sorted(extensions.iterdir())):
        check_signature(binary)
    with zipfile.ZipFile(runtime) as archive:
        for name in archive.namelist():
            if _RUNTIME.match(name):
                _extract(archive, name, app / Path(name).name)
    _zip_library(_unpack_library(debs, work), app / _LIBRARY)
    (app / "Lib" / "site-packages").mkdir(parents=True)
    (app / f"python{TAG}._pth").write_bytes(_PATHS.encode("ascii"))


def check_signature(binary: Path) -> None:
    """Check that a file is as the Python Software Foundation signed it.

    Raises:
        BuildError: it is not.
    """
    try:  # osslsigncode fails in the end: no server of certificates answers, and the certificate is past its date
        words = subprocess.run(
            ["osslsigncode", "verify", "-in", str(binary)], capture_output=True, text=True, check=False
        ).stdout
    except FileNotFoundError as error:
        raise BuildError("osslsigncode is not installed; installer/README.md says what the build needs") from error
    current, calculated = (
        re.search(rf"^{kind} message digest\s*: ([0-9A-F]+)", words, re.MULTILINE) for kind in ("Current", "Calculated")
    )
    subject = re.search(r"^\s*Subject: (.*)$", words, re.MULTILINE)
    if not current or not calculated or current[1] != calculated[1]:
        raise BuildError(f"{binary.name} is not as it was signed")
    if not subject or _SIGNER not in subject[1].replace("/", " "):
        raise BuildError(f"{binary.name} is not signed by the Python Software Foundation")


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.write_bytes(archive.read(name))


def _unpack_library(debs: Sequence[Path], work: Path) -> Path:
    unpacked = fresh_folder(work / "debs")
    for deb in debs:
        run(["dpkg-deb", "-x", deb, unpacked])
    library = unpacked / "usr" / "lib" / f"python{PYTHON}"
    for name in (*_UNUSED_LIB, *(path.name for path in library.glob("_sysconfigdata*"))):
        path = library / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in library.glob("config-*"):
        shutil.rmtree(folder)
    licence = unpacked / "usr" / "share" / "doc" / f"libpython{PYTHON}-minimal" / "copyright"
    (work / "python-licence.txt").write_bytes(licence.read_bytes() if licence.is_file() else b"")
    return library


def _zip_library(library: Path, target: Path) -> None:
    """Compile the modules and store them, uncompressed: the setup program compresses better."""
    run([*COMPILE, "-b", "-s", library, "-p", "Firstlight/Lib", library], env=COMPILE_ALIKE)
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(library.rglob("*")):
            if path.is_file() and path.suffix != ".py":
                archive.writestr(zipfile.ZipInfo(path.relative_to(library).as_posix()), path.read_bytes())
