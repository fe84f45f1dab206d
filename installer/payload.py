"""Fills the folder `app` of the installed program: CPython, packages, Firstlight, locks, licences, compiled files."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

from installer import cpython, inputs, locks, programs, trim
from installer.steps import BuildError, find_uv, fresh_folder, run

ROOT = Path(__file__).resolve().parent.parent
_LIST = "files.txt"
_COMMON_LICENCES = Path("/usr/share/common-licenses")  # Debian's
_BUILD_LOCK = locks.FOLDER / "build.lock"


@dataclass(frozen=True, slots=True)
class Source:
    """The commit that is built. `time` is its date in seconds since 1970, the only time that goes into the files."""

    commit: str
    version: str
    time: int
    tree: Path


@dataclass(frozen=True, slots=True)
class Update:
    """Where the installed program may look for a newer one: an address and an Ed25519 key (hexadecimal), or neither."""

    url: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Payload:
    """What was made: the folder `app`, the helper of the uninstaller, the wheel, and the inputs for the SBOM."""

    app: Path
    tidy: Path
    wheel: Path
    debs: tuple[str, ...]


def take_source(commit: str, work: Path) -> Source:
    """Unpack a commit of this repository.

    Raises:
        BuildError: git does not know it.
    """
    tree = fresh_folder(work / "source")
    archive = work / "source.tar"
    run(["git", "-C", ROOT, "archive", "--format=tar", "-o", archive, commit])
    with tarfile.open(archive) as file:
        file.extractall(tree, filter="data")
    archive.unlink()
    identity = run(["git", "-C", ROOT, "show", "-s", "--format=%H %ct", f"{commit}^{{commit}}"]).split()
    return Source(identity[0], _read_version(tree), int(identity[1]), tree)


def fill(source: Source, cache: Path, work: Path, update: Update) -> Payload:
    """Make the folder `app` in `work`.

    Raises:
        BuildError: anything is missing, or is not what it should be.
    """
    if sys.version_info[:2] != tuple(int(part) for part in locks.PYTHON.split(".")):
        raise BuildError(f"the compiled files must be made by Python {locks.PYTHON}: run this script with it")
    app = fresh_folder(work / "app")
    tools = {path.name.split("-")[0]: path for path in inputs.fetch_wheels("tools", cache)}
    debs = inputs.fetch_debs(cache)
    cpython.assemble(app, tools["panda3d"], tools["msvc_runtime"], debs, work)
    packages = app / "Lib" / "site-packages"
    _install_packages(packages)
    trim.trim(packages)
    wheel = build_wheel(source, work)
    _unpack_wheel(wheel, packages)
    tidy = programs.build_programs(app, source.tree / "resources" / "icons" / "app.ico", source.version, work)
    with zipfile.ZipFile(tools["uv"]) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/uv.exe"))
        (app / "uv.exe").write_bytes(archive.read(name))
    _write_facts(app, source, update)
    _gather_licences(app / "licenses", source, work, cache, tools["uv"])
    _compile_python(app, source)
    write_list(app)
    return Payload(app, tidy, wheel, tuple(deb.name for deb in debs))


def build_wheel(source: Source, work: Path) -> Path:
    """The wheel of Firstlight: the Linux artefact, and a part of the Windows one."""
    out = fresh_folder(work / "wheel")
    run(
        [
            *(find_uv(), "build", "--wheel", "--quiet", "--python", sys.executable, "--require-hashes"),
            *("--build-constraints", _BUILD_LOCK, "--out-dir", out, source.tree),
        ],
        env={"SOURCE_DATE_EPOCH": str(source.time)},
    )
    return next(out.glob("*.whl"))


def list_files(app: Path) -> list[str]:
    """All files below `app`, relative, with forward slashes, in an order that no file system decides."""
    return sorted(path.relative_to(app).as_posix() for path in app.rglob("*") if path.is_file())


def write_list(app: Path) -> None:
    """Write the list by which the uninstaller deletes: what is not on it, it leaves."""
    names = sorted({*list_files(app), _LIST})
    (app / _LIST).write_text("".join(f"{name}\n" for name in names).replace("/", "\\"), encoding="utf-8", newline="\n")


def _read_version(tree: Path) -> str:
    import tomllib

    return str(tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def _install_packages(packages: Path) -> None:
    run(
        [
            *(find_uv(), "pip", "install", "--quiet", "--no-config", "--python-platform", locks.PLATFORM),
            *("--python-version", locks.PYTHON, "--only-binary", ":all:", "--no-deps", "--require-hashes"),
            *("--link-mode", "copy", "--target", packages, "-r", locks.lock_file("base")),
        ]
    )


def _unpack_wheel(wheel: Path, packages: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    starter = packages / "resources" / "starter"
    shutil.rmtree(starter / "train")  # how it was trained; it needs packages of its own
    (starter / "contact_sheet.png").unlink()  # for the README
    # Every Python started from this folder finds the engine runtime: launchers, engine process, self-check
    (packages / "firstlight_runtime.pth").write_text(
        "import app.runtime_path; app.runtime_path.activate()\n", encoding="ascii", newline="\n"
    )


def _write_facts(app: Path, source: Source, update: Update) -> None:
    for part in ("engine", "nvidia"):
        shutil.copyfile(locks.lock_file(part), app / f"{part}.lock")
    facts = {
        "version": source.version,
        "commit": source.commit,
        "python": locks.PYTHON,
        "update": asdict(update),
        "packages": json.loads((locks.FOLDER / "sizes.json").read_text(encoding="utf-8")),
    }
    text = json.dumps(facts, indent=1, sort_keys=True) + "\n"
    (app / "installation.json").write_text(text, encoding="ascii", newline="\n")


def _gather_licences(folder: Path, source: Source, work: Path, cache: Path, uv: Path) -> None:
    folder.mkdir()
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        shutil.copyfile(source.tree / name, folder / name)
    shutil.copyfile(work / "python-licence.txt", folder / "python.txt")
    for name in ("LGPL-3", "GPL-3"):  # Qt's, of which its wheels hold no copy; the first refers to the second
        text = _COMMON_LICENCES / name
        if not text.is_file():
            raise BuildError(f"{text} is missing: it goes into the program beside Qt")
        shutil.copyfile(text, folder / f"{name}.txt")
    with zipfile.ZipFile(uv) as archive:
        for name in archive.namelist():
            if "/licenses/LICENSE" in name:
                (folder / f"uv-{Path(name).name}.txt").write_bytes(archive.read(name))
    bindings = next(path for path in fetch_nvidia_bindings(cache) if "bindings" in path.name)
    with zipfile.ZipFile(bindings) as archive:  # the words only: the program shows them before it fetches the wheels
        name = next(name for name in archive.namelist() if name.endswith("LICENSE.txt"))
        (folder / "nvidia-tensorrt-rtx.txt").write_bytes(archive.read(name))


def fetch_nvidia_bindings(cache: Path) -> list[Path]:
    """NVIDIA's two wheels, in the cache of the build alone."""
    return inputs.fetch_wheels("nvidia", cache)


def _compile_python(app: Path, source: Source) -> None:
    run([*cpython.COMPILE, "-s", app, "-p", "Firstlight", app / "Lib"], env=cpython.COMPILE_ALIKE)
    for folder, _, names in os.walk(app):
        for name in names:
            os.utime(Path(folder) / name, (source.time, source.time))
