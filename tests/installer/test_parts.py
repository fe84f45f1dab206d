"""The parts of the build that need no Windows: what goes in, in which order, signed by whom, and what is told of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import runtime_path
from app.services import runtime_parts
from installer import cpython, locks, payload, release, script, sign, trim
from installer.programs import SOURCES, build_programs, read_exports
from installer.steps import BuildError, run, sha256

NSIS = SOURCES.parent / "nsis"
MINGW = "x86_64-w64-mingw32-gcc"
_USERS_EXTRAS = ("lora", "proof", "rtx", "safety", "upscale")  # the others are for developers


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A small Windows program."""
    if not shutil.which(MINGW):
        pytest.skip("MinGW is not installed")
    source = tmp_path / "small.c"
    source.write_text("int main(void) { return 0; }\n")
    run([MINGW, source, "-o", tmp_path / "small.exe"])
    return tmp_path / "small.exe"


def test_what_we_sign_verifies_and_a_changed_byte_does_not(certificate: tuple[Path, Path], program: Path) -> None:
    sign.sign(str(certificate[0]), str(certificate[1]), "", program)
    check = ["osslsigncode", "verify", "-CAfile", str(certificate[0]), "-in", str(program)]
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0
    data = bytearray(program.read_bytes())
    data[0x400] ^= 1
    program.write_bytes(data)
    assert subprocess.run(check, capture_output=True, check=False).returncode != 0


def test_a_python_of_another_signer_is_refused(certificate: tuple[Path, Path], program: Path) -> None:
    with pytest.raises(BuildError, match="not as it was signed"):
        cpython.check_signature(program)
    sign.sign(str(certificate[0]), str(certificate[1]), "", program)
    with pytest.raises(BuildError, match="not signed by the Python Software Foundation"):
        cpython.check_signature(program)


def test_a_failed_signature_leaves_the_file_as_it_was(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "text.exe"
    file.write_text("no program")
    with pytest.raises(subprocess.CalledProcessError):
        sign.sign(str(certificate[0]), str(certificate[1]), "", file)
    assert file.read_text() == "no program"


def test_every_package_is_locked_once_with_a_hash() -> None:
    names: list[str] = []
    for part in (*locks.PARTS, "tools", "build"):
        for name, entry in locks.split_entries(locks.lock_file(part).read_text(encoding="utf-8")).items():
            assert "--hash=sha256:" in entry, name
            if part in locks.PARTS:
                names.append(name)
    assert len(names) == len(set(names))
    assert {"pyside6-essentials", "torch", "diffusers", "transformers", "tensorrt-rtx-cu13-libs"} <= set(names)


def test_nvidias_wheels_are_in_no_other_part() -> None:
    assert set(locks.read_entries(locks.lock_file("nvidia").read_text())) == {
        "tensorrt-rtx-cu13-bindings",
        "tensorrt-rtx-cu13-libs",
    }


def test_the_locks_hold_what_the_project_asks_for() -> None:
    import tomllib

    from packaging.requirements import Requirement

    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    locked: dict[str, str] = {}
    for part in locks.PARTS:
        locked |= locks.read_entries(locks.lock_file(part).read_text())
    wanted = [
        Requirement(text)
        for text in (*project["dependencies"], *(text for name in _USERS_EXTRAS for text in extras[name]))
    ]
    for one in wanted:
        name = one.name.lower().replace("_", "-")
        if name == "tensorrt-rtx-cu13":  # published as source alone; its two halves are locked
            name = "tensorrt-rtx-cu13-libs"
        assert one.specifier.contains(locked[name]), f"{one} is locked at {locked[name]}: python -m installer.locks"


def test_what_is_left_out_is_imported_by_nothing_of_ours() -> None:
    root = Path(__file__).parents[2]
    ours = [path for folder in ("app", "pipelines") for path in (root / folder).rglob("*.py")]
    for name in (*locks.LEFT_OUT, "rich.syntax", "rich.traceback", "rich.markdown"):  # the three need pygments
        word = re.compile(rf"(import|from) {re.escape(name.replace('-', '_'))}\b")
        assert not [path for path in ours if word.search(path.read_text(encoding="utf-8"))], name


def test_the_standard_library_is_one_file_that_never_differs(tmp_path: Path) -> None:
    made: list[bytes] = []
    for name in ("one", "two"):
        library = tmp_path / name / "library"
        (library / "email").mkdir(parents=True)
        (library / "email" / "__init__.py").write_text("NAME = __name__\n")
        (library / "email" / "notes.txt").write_text("kept")
        cpython._zip_library(library, tmp_path / name / "library.zip")
        made.append((tmp_path / name / "library.zip").read_bytes())
        time.sleep(1.1)  # a date would count seconds
    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / "one" / "library.zip") as archive:
        assert archive.namelist() == ["email/__init__.pyc", "email/notes.txt"]
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_sizes_are_those_of_the_locks() -> None:
    sizes = json.loads((locks.FOLDER / "sizes.json").read_text())
    for part in ("engine", "nvidia"):
        locked = locks.read_entries(locks.lock_file(part).read_text())
        assert {one["name"]: one["version"] for one in sizes[part]} == locked


def test_app_and_build_name_the_parts_alike(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    sizes = (locks.FOLDER / "sizes.json").read_text()
    (tmp_path / "app" / runtime_path.FACTS).write_text(json.dumps({"packages": json.loads(sizes)}))
    for part in runtime_path.PARTS:
        shutil.copy(locks.lock_file(part), tmp_path / "app" / f"{part}.lock")
    found = runtime_parts.find_installation(tmp_path / "data", tmp_path / "app")
    assert found is not None
    digest = hashlib.sha256(locks.lock_file("engine").read_bytes()).hexdigest()[:12]
    assert found.parts[0].folder == tmp_path / "data" / "runtime" / f"engine-{digest}"
    assert found.parts[0].download > 200e6
    assert found.parts[1].download > 90e6


def test_files_are_written_in_an_order_that_no_disk_decides(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/$x.txt", "B.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    names = payload.list_files(tmp_path)
    assert names == sorted(names)
    commands = script.list_commands(tmp_path, names, "app.new")
    assert commands.splitlines()[0] == 'SetOutPath "$INSTDIR\\app.new"'
    assert '"$INSTDIR\\app.new\\a"' in commands
    assert "$$x.txt" in commands
    payload.write_list(tmp_path)
    assert (tmp_path / "files.txt").read_text().splitlines() == ["B.txt", "a\\$x.txt", "a\\z.txt", "b.txt", "files.txt"]


def test_trimming_leaves_what_a_window_needs(tmp_path: Path) -> None:
    keep = [
        "PySide6/Qt6Core.dll",
        "PySide6/QtWidgets.pyd",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/pyside6.abi3.dll",
    ]
    keep += ["PySide6/translations/qtbase_de.qm", "numpy/core.pyd", "rich-15.dist-info/METADATA", "app/tests.py"]
    drop = [
        "PySide6/Qt6Quick.dll",
        "PySide6/QtQml.pyd",
        "PySide6/lrelease.exe",
        "PySide6/qml/x.qml",
        "numpy/tests/t.py",
    ]
    drop += [
        "PySide6/plugins/sqldrivers/x.dll",
        "PySide6/translations/qtbase_fr.qm",
        "PySide6/msvcp140.dll",
        "bin/x.exe",
    ]
    keep += ["pyqtgraph/widgets/a.py"]
    drop += ["pyqtgraph/examples/a.py", "PySide6/pyside6qml.abi3.dll", "rich-15.dist-info/INSTALLER", "numpy/a.pyi"]
    (tmp_path / "shiboken6").mkdir()
    for name in keep + drop:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    trim.trim(tmp_path)
    assert payload.list_files(tmp_path) == sorted(keep)


def test_every_text_of_the_setup_program_is_in_both_languages() -> None:
    texts = (NSIS / "strings.nsh").read_text(encoding="utf-8")
    defined = [line.split()[2] for line in texts.splitlines() if line.startswith("!insertmacro Text ")]
    assert len(defined) == len(set(defined))
    used = "".join((NSIS / name).read_text(encoding="utf-8") for name in ("firstlight.nsi", "uninstall.nsh"))
    assert set(defined) == {name for name in defined if f"$({name})" in used}
    for line in texts.splitlines():
        if line.startswith("!insertmacro Text "):
            assert line.count('"') == 4, line


def test_the_uninstaller_deletes_folders_by_our_helper_alone() -> None:
    for name in ("firstlight.nsi", "uninstall.nsh"):
        assert "RMDir /r" not in (NSIS / name).read_text(encoding="utf-8")  # it would go through junctions


def test_exports_are_read_as_objdump_writes_them() -> None:
    old = "[Ordinal/Name Pointer] Table\n\t[   0] PyAIter_Check\n\t[   1] _Py_Dealloc\n\nSections:\n"
    new = "[Ordinal/Name Pointer] Table\n\t[   0] +base[   1]  0000 PyAIter_Check\n"
    assert read_exports(old) == ["PyAIter_Check", "_Py_Dealloc"]
    assert read_exports(new) == ["PyAIter_Check"]


def test_the_bill_of_materials_names_every_package(tmp_path: Path) -> None:
    source = payload.Source("0" * 40, "0.1.0", 1_700_000_000, tmp_path)
    debs = ("libpython3.11-stdlib_3.11.2-6+deb12u9_amd64.deb",)
    release.write_sbom(tmp_path / "bill.json", source, debs)
    first = (tmp_path / "bill.json").read_bytes()
    bill = json.loads(first)
    assert bill["bomFormat"] == "CycloneDX"
    names = [component["name"] for component in bill["components"]]
    assert {"panda3d", "torch", "pyside6-essentials", "libpython3.11-stdlib"} <= set(names)
    assert bill["components"][0]["hashes"][0]["alg"] == "SHA-256"
    release.write_sbom(tmp_path / "bill.json", source, debs)
    assert (tmp_path / "bill.json").read_bytes() == first


def test_the_sha256_is_as_sha256sum_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "setup.exe"
    file.write_bytes(b"MZ")
    release.write_sha256(file)
    assert subprocess.run(["sha256sum", "-c", "setup.exe.sha256"], cwd=tmp_path, check=False).returncode == 0


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True), st.from_regex(r"\d\.\d", fullmatch=True)))
def test_a_lock_is_split_without_loss(packages: dict[str, str]) -> None:
    text = "".join(f"{name}=={version} \\\n    --hash=sha256:{'0' * 64}\n" for name, version in packages.items())
    assert locks.read_entries(text) == packages
    assert "".join(locks.split_entries(text).values()) == text


def test_the_wheel_holds_what_the_installer_wants(tmp_path: Path) -> None:
    """One of the artefacts: for Linux, and the program's own part of the Windows one."""
    if not (Path(__file__).parents[2] / ".git").exists():
        pytest.skip("not a clone")
    try:
        source = payload.take_source("HEAD", tmp_path)
        first = payload.build_wheel(source, tmp_path).read_bytes()
        wheel = payload.build_wheel(source, tmp_path)
    except BuildError as error:
        if "uv is not installed" in str(error):
            pytest.skip("uv is not installed")
        raise
    assert wheel.read_bytes() == first
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"app/installed.py", "app/runtime_path.py", "resources/icons/app.ico", "resources/catalog.toml"} <= set(
        names
    )
    assert not [name for name in names if name.startswith(("tests/", "installer/"))]


def test_our_programs_are_the_same_wherever_and_whenever_they_are_built(tmp_path: Path) -> None:
    tools = (
        Path(os.environ.get("FIRSTLIGHT_WINE") or Path(tempfile.gettempdir()) / "firstlight-wine") / "cache" / "tools"
    )
    panda = next(tools.glob("panda3d-*.whl"), None)
    if not shutil.which(MINGW) or panda is None:
        pytest.skip("MinGW is not installed, or no installer was built on this machine yet")
    built: list[dict[str, str]] = []
    for name in ("one", "another place"):
        app = tmp_path / name / "app"
        app.mkdir(parents=True)
        with zipfile.ZipFile(panda) as archive:
            (app / cpython.PYTHON_DLL).write_bytes(archive.read(f"deploy_libs/{cpython.PYTHON_DLL}"))
        icon = Path(__file__).parents[2] / "resources" / "icons" / "app.ico"
        tidy = build_programs(app, icon, "0.1.0", tmp_path / name)
        built.append({path.name: sha256(path) for path in (*app.iterdir(), tidy)})
        time.sleep(1.1)  # the linker's clock counts seconds
    assert built[0] == built[1]
    assert set(built[0]) >= {"Firstlight.exe", "firstlight.com", "python.exe", "pythonw.exe", "python3.dll", "tidy.exe"}
