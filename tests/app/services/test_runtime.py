"""The engine runtime, by the real uv, from wheels that the test makes: whole or not at all, and never untried."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
import time
import zipfile
from pathlib import Path

import pytest

from app import runtime_path
from app.services import runtime_install, runtime_parts
from app.services.runtime_install import Phase, RuntimeProgress, Source, Tools
from app.services.runtime_parts import Installation, PartName
from pipelines.errors import Cancelled, EngineFailure, NoRoom, UnusableFile

UV = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
CHECK = '''"""Stands where the program's own self-check does: tries what the wheels of these tests hold."""
import json, sys

def main(part):
    try:
        import tool
        print(json.dumps({"tool": tool.work()}))
    except Exception as error:
        print(json.dumps({"problem": str(error)}))
        return 1
    return 0
'''
WORKS = "def work():\n    return 42\n"
FAILS = "def work():\n    raise RuntimeError('no such instruction')\n"
CRASHES = "import os\n\ndef work():\n    os.abort()\n"

pytestmark = pytest.mark.skipif(UV is None, reason="uv is not installed")


def make_wheel(folder: Path, name: str, version: str, code: str) -> tuple[Path, str]:
    """A wheel of one module `tool`, and its sha256."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    files = {
        "tool.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{file},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
        for file, text in files.items()
    )
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        archive.writestr(f"{about}/RECORD", f"{record}{about}/RECORD,,\n")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An installed program of two parts, with their wheels beside it as an offline setup brings them."""
    folder = tmp_path / "Programs" / "Firstlight" / "app"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "__init__.py").write_text("")
    (folder / "app" / "runtime_check.py").write_text(CHECK)
    (folder / "licenses").mkdir()
    (folder / "licenses" / "nvidia-tensorrt-rtx.txt").write_text("NVIDIA's words")
    (folder.parent / "wheels").mkdir()
    for part in PartName:
        set_wheel(folder, part, "1.0", WORKS)
    return folder


def set_wheel(program: Path, part: PartName, version: str, code: str) -> None:
    name = f"{part.value}_tool"
    wheel, digest = make_wheel(program.parent / "wheels", name, version, code)
    (program / f"{part.value}.lock").write_text(f"{name.replace('_', '-')}=={version} --hash=sha256:{digest}\n")
    facts = program / runtime_path.FACTS
    packages = json.loads(facts.read_text())["packages"] if facts.is_file() else {}
    entry = {"name": name.replace("_", "-"), "version": version, "wheel": wheel.stat().st_size, "unpacked": 1000}
    facts.write_text(json.dumps({"packages": {**packages, part.value: [entry]}}))


@pytest.fixture
def tools(program: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    monkeypatch.chdir(program)
    monkeypatch.setenv("PYTHONPATH", str(program))  # the interpreter of the installed program finds its own modules
    assert UV is not None
    return Tools(Path(UV), Path(sys.executable))


def open_installation(program: Path, tmp_path: Path) -> Installation:
    found = runtime_parts.find_installation(tmp_path / "data", program)
    assert found is not None
    return found


def ignore(progress: RuntimeProgress) -> None:
    """Take progress, and do nothing."""


def test_a_part_is_installed_tried_and_then_named(program: Path, tools: Tools, tmp_path: Path) -> None:
    installation = open_installation(program, tmp_path)
    part = installation.part(PartName.engine)
    seen: list[RuntimeProgress] = []
    runtime_install.install(installation, part, tools, Source(), seen.append)
    assert part.is_ready
    assert not part.partial.exists()
    assert json.loads((part.folder / runtime_path.READY).read_text()) == {"tool": 42}
    assert runtime_path.find_parts(program, tmp_path / "data") == [part.folder]
    assert seen[-1].phase is Phase.checking
    assert [one.name for one in installation.missing] == [PartName.nvidia]
    assert sorted(path.name for path in installation.runtime.iterdir()) == [part.folder.name]  # no cache is left


@pytest.mark.parametrize(("code", "said"), [(FAILS, "no such instruction"), (CRASHES, "ended with")])
def test_a_part_that_does_not_work_is_never_used(
    program: Path, tools: Tools, tmp_path: Path, code: str, said: str
) -> None:
    set_wheel(program, PartName.engine, "1.0", code)
    installation = open_installation(program, tmp_path)
    with pytest.raises(EngineFailure, match=said):
        runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), ignore)
    assert runtime_path.find_parts(program, tmp_path / "data") == []


def test_a_changed_package_is_refused(program: Path, tools: Tools, tmp_path: Path) -> None:
    installation = open_installation(program, tmp_path)
    wheel = next((program.parent / "wheels").glob("engine*"))
    make_wheel(wheel.parent, "engine_tool", "1.0", "def work():\n    return 'something else'\n")
    with pytest.raises(UnusableFile, match="not the one"):
        runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), ignore)
    assert not installation.part(PartName.engine).folder.exists()


def test_the_old_version_goes_only_after_the_new_one_works(program: Path, tools: Tools, tmp_path: Path) -> None:
    old = open_installation(program, tmp_path)
    for part in old.parts:
        runtime_install.install(old, part, tools, Source(), ignore)
    set_wheel(program, PartName.engine, "2.0", FAILS)
    broken = open_installation(program, tmp_path)
    with pytest.raises(EngineFailure):
        runtime_install.install(broken, broken.part(PartName.engine), tools, Source(), ignore)
    assert old.part(PartName.engine).folder.is_dir()
    set_wheel(program, PartName.engine, "3.0", WORKS)
    new = open_installation(program, tmp_path)
    runtime_install.install(new, new.part(PartName.engine), tools, Source(), ignore)
    names = sorted(path.name for path in new.runtime.iterdir())
    assert names == sorted(part.folder.name for part in new.parts)


def test_deleting_an_old_version_follows_no_link(program: Path, tools: Tools, tmp_path: Path) -> None:
    installation = open_installation(program, tmp_path)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "work.txt").write_text("only here")
    old = installation.runtime / "engine-000000000000"
    old.mkdir(parents=True)
    (old / "linked").symlink_to(precious)
    (installation.runtime / "engine-111111111111").symlink_to(precious)
    runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), ignore)
    assert (precious / "work.txt").read_text() == "only here"
    assert not old.exists()


def test_cancelling_stops_uv_and_leaves_nothing_in_use(program: Path, tools: Tools, tmp_path: Path) -> None:
    installation = open_installation(program, tmp_path)

    def cancel(progress: RuntimeProgress) -> None:
        raise Cancelled

    started = time.monotonic()
    with pytest.raises(Cancelled):
        runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), cancel)
    assert time.monotonic() - started < 10
    assert len(installation.missing) == 2
    runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), ignore)
    assert installation.part(PartName.engine).is_ready


def test_without_network_the_words_say_so(
    program: Path, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(program.parent / "wheels")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    tools_without_retries = tools
    monkeypatch.setattr(runtime_install, "_RETRIES", "0")
    installation = open_installation(program, tmp_path)
    source = Source(mirror="http://127.0.0.1:9/simple")  # the discard port: nothing listens there
    with pytest.raises(UnusableFile, match="cannot be reached"):
        runtime_install.install(installation, installation.part(PartName.engine), tools_without_retries, source, ignore)


def test_a_disk_that_is_too_small_is_told_before_anything_is_fetched(
    program: Path, tools: Tools, tmp_path: Path
) -> None:
    facts = program / runtime_path.FACTS
    packages = json.loads(facts.read_text())["packages"]
    packages["engine"][0]["unpacked"] = 10**18
    facts.write_text(json.dumps({"packages": packages}))
    installation = open_installation(program, tmp_path)
    with pytest.raises(NoRoom, match="GB are free"):
        runtime_install.install(installation, installation.part(PartName.engine), tools, Source(), ignore)
    assert not installation.runtime.exists()


def test_a_source_tree_is_no_installation(tmp_path: Path) -> None:
    assert runtime_path.find_program() is None
    assert runtime_parts.find_installation(tmp_path) is None


def test_damaged_facts_are_told(program: Path, tmp_path: Path) -> None:
    (program / runtime_path.FACTS).write_text("{")
    with pytest.raises(UnusableFile, match="damaged"):
        runtime_parts.find_installation(tmp_path / "data", program)


def test_progress_counts_what_uv_says_and_what_it_writes(program: Path, tmp_path: Path) -> None:
    part = open_installation(program, tmp_path).part(PartName.engine)
    part = runtime_parts.Part(part.name, part.lock, part.folder, {"torch": 900, "onnx": 100}, 4000)
    fetched = runtime_install._Fetched(part)
    fetched.take("Downloading torch (116.4MiB)\n")
    fetched.take("Downloading onnx (7.5MiB)\n")
    assert fetched.progress(0) == RuntimeProgress(part.name, Phase.fetching, 0, 1000, "torch")
    assert fetched.progress(2000).done == 500
    fetched.take(" Downloaded torch\n")
    assert fetched.progress(0) == RuntimeProgress(part.name, Phase.fetching, 900, 1000, "onnx")
    assert fetched.progress(10**9).done == 1000
    fetched.take("Prepared 35 packages in 14.09s\n")
    assert fetched.progress(0).phase is Phase.installing


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("error: failed to copy: There is not enough space on the disk. (os error 112)", NoRoom),
        ("error: Failed to fetch: `x`\n  Caused by: dns error", UnusableFile),
        ("error: something new", UnusableFile),
    ],
)
def test_every_failure_of_uv_has_words(words: str, kind: type[Exception]) -> None:
    error = runtime_install.explain_uv(words)
    assert isinstance(error, kind)
    assert error.message
    assert error.action


def test_the_data_folder_is_the_one_of_the_app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from app.folders import find_folders

    monkeypatch.setenv("FIRSTLIGHT_HOME", str(tmp_path))
    assert runtime_path.find_data() == find_folders(os.environ).data
