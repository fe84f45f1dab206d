"""The life of an installation, under Wine: install, use, upgrade, uninstall, purge. Wine is not Windows: no GPU, no
SmartScreen, no Defender, no real DPI; and Wine 10 knows no junctions, so a symbolic link, which it shows as a reparse
point, stands for one (it cannot remove it, either, so the link itself stays where Windows would remove it).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from installer import build
from tests.installer.wine import USER

if TYPE_CHECKING:
    from tests.installer.wine import Wine

pytestmark = pytest.mark.slow

PROGRAM = USER / "Mein Programm Größe 日本"
DATA = USER / "AppData" / "Local" / "Firstlight"
PICTURES = USER / "Pictures" / "Firstlight"
START_MENU = USER / r"AppData\Roaming\Microsoft\Windows\Start Menu\Programs\Firstlight.lnk"
DESKTOP = USER / "Desktop" / "Firstlight.lnk"
UNINSTALL_KEY = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Firstlight"
KEYS = (UNINSTALL_KEY, r"HKCU\Software\Firstlight", r"HKCU\Software\Classes\Firstlight.File")
OWN_FILES = {
    DATA / "settings.json": '{"theme": "dark"}',
    DATA / "models" / "mine" / "weights.safetensors": "the user's weights",
    PICTURES / "0001.png": "the user's picture",
}
CACHES = (
    DATA / "runtime" / "engine-000000000000" / "big.dll",
    DATA / "engines" / "flux" / "engine",
    DATA / "Cache" / "thumbnails" / "1.jpg",
    DATA / "Logs" / "old.log",
)
PATIENCE = 300  # seconds: where other work keeps the machine busy, Wine takes minutes


def test_install_use_upgrade_uninstall_purge(wine: Wine, setup: Path, tmp_path: Path) -> None:
    shutil.copy(setup, wine.shared / "setup.exe")
    _install(wine, "/DESKTOP /OPENWITH ")
    _check_installed(wine)
    _check_doctor(wine)
    _check_window(wine, tmp_path)
    _check_child_process(wine)
    precious = _give_user_data(wine)
    _check_running_app_holds_setup_up(wine)
    _check_upgraded(wine)
    _uninstall(wine, "/S")
    _check_only_user_data_is_left(wine, precious)
    _install(wine, "")
    _uninstall(wine, "/S /PURGE")
    _check_nothing_is_left(wine, precious)


def test_a_folder_of_somebody_else_is_left_alone(wine: Wine, setup: Path) -> None:
    shutil.copy(setup, wine.shared / "setup.exe")
    folder = wine.path(USER / "theirs" / "app")
    folder.mkdir(parents=True)
    (folder / "work.txt").write_text("theirs")
    answer = wine.line(rf"Z:\shared\setup.exe /S /D={USER / 'theirs'}")
    assert answer.code == 7
    assert [path.name for path in folder.parent.rglob("*")] == ["app", "work.txt"]


def test_a_path_that_is_too_long_is_refused_before_anything_is_written(wine: Wine, setup: Path) -> None:
    shutil.copy(setup, wine.shared / "setup.exe")
    folder = USER / ("long" * 40)
    assert wine.line(rf"Z:\shared\setup.exe /S /D={folder}").code == 8
    assert not wine.path(folder).exists()


def _install(wine: Wine, options: str) -> None:
    answer = wine.line(rf"Z:\shared\setup.exe /S {options}/D={PROGRAM}")
    assert answer.code == 0, answer.text


def _check_signed(program: Path) -> None:
    if os.environ.get("FIRSTLIGHT_SETUP"):
        return  # not of our build
    for file in (program / "uninstall.exe", *(program / "app" / name for name in build.OURS)):
        said = subprocess.run(["osslsigncode", "verify", "-in", str(file)], capture_output=True, text=True, check=False)
        assert "CN=Firstlight test" in said.stdout.replace("/", " "), f"{file.name} is not signed"
        digests = re.findall(r"(?:Current|Calculated) message digest\s*: ([0-9A-F]+)", said.stdout)
        assert len(set(digests)) == 1, f"{file.name} is not as it was signed"


def _check_installed(wine: Wine) -> None:
    app = wine.path(PROGRAM) / "app"
    listed = (app / "files.txt").read_text(encoding="utf-8").replace("\\", "/").splitlines()
    assert sorted(path.relative_to(app).as_posix() for path in app.rglob("*") if path.is_file()) == sorted(listed)
    _check_signed(wine.path(PROGRAM))
    assert wine.path(START_MENU).is_file()
    assert wine.path(DESKTOP).is_file()
    facts = wine.run("reg", "query", UNINSTALL_KEY).text
    size = sum(path.stat().st_size for path in app.rglob("*") if path.is_file()) // 1024
    told = int(facts.split("EstimatedSize")[1].split()[1], 16)
    assert abs(told - size) < 100
    for name in ("DisplayName", "DisplayVersion", "UninstallString", "QuietUninstallString", "InstallLocation"):
        assert name in facts
    assert wine.run("reg", "query", KEYS[2]).code == 0


def _check_doctor(wine: Wine) -> None:
    answer = wine.run(str(PROGRAM / "app" / "firstlight.com"), "doctor", "--json")
    report = json.loads(answer.text)
    assert answer.code == 3  # usable, but the engine runtime is not there yet
    assert report["machine"]["system"].startswith("Windows")
    assert {folder["name"]: PureWindowsPath(folder["path"]) for folder in report["folders"]}["data"] == DATA
    assert next(model for model in report["models"] if model["name"] == "starter")["problem"] == ""
    assert {problem["message"] for problem in report["problems"]} >= {"The package torch is missing."}


def _check_window(wine: Wine, folder: Path) -> None:
    shutil.copy(Path(__file__).with_name("grab.py"), wine.shared / "grab.py")
    python = str(PROGRAM / "app" / "python.exe")
    answer = wine.run(python, r"Z:\shared\grab.py", r"Z:\shared\window.png", timeout=PATIENCE)
    assert answer.code == 0, answer.text
    picture = folder / "window.png"
    shutil.copy(wine.shared / "window.png", picture)
    with Image.open(picture) as image:
        assert min(image.size) >= 400
        colours = image.convert("RGB").getcolors(2**24) or []
        assert len(colours) > 50  # text and icons, not an empty frame


def _check_child_process(wine: Wine) -> None:
    """The engine's process: not the launcher again, which would run Firstlight instead."""
    shutil.copy(Path(__file__).with_name("spawn.py"), wine.shared / "spawn.py")
    answer = wine.run(str(PROGRAM / "app" / "python.exe"), r"Z:\shared\spawn.py", timeout=PATIENCE)
    assert answer.text.strip() == "python.exe", answer.text


def _give_user_data(wine: Wine) -> Path:
    """What a user has after a while; returns a file that only links lead to."""
    for path, text in OWN_FILES.items():
        wine.path(path).parent.mkdir(parents=True, exist_ok=True)
        wine.path(path).write_text(text, encoding="utf-8")
    for path in CACHES:
        wine.path(path).parent.mkdir(parents=True, exist_ok=True)
        wine.path(path).write_text("can be made again", encoding="utf-8")
    precious = wine.drive / "precious" / "work.txt"
    precious.parent.mkdir()
    precious.write_text("only here")
    for folder in (PROGRAM / "app", DATA / "models", DATA / "runtime", PICTURES):
        (wine.path(folder) / "linked").symlink_to(precious.parent)
    app = wine.path(PROGRAM) / "app"
    (app / "notes.txt").write_text("put there by the user")
    (app / "outdated.dll").write_text("of the version before")
    with (app / "files.txt").open("a", encoding="utf-8") as file:
        file.write("outdated.dll\n")
    return precious


def _check_running_app_holds_setup_up(wine: Wine) -> None:
    running = wine.popen(str(PROGRAM / "app" / "Firstlight.exe"))
    time.sleep(8)
    assert running.poll() is None
    before = (wine.path(PROGRAM) / "app" / "outdated.dll").stat()
    refused = wine.line(rf"Z:\shared\setup.exe /S /WAIT=1 /D={PROGRAM}")
    assert refused.code == 6
    assert (wine.path(PROGRAM) / "app" / "outdated.dll").stat() == before
    (wine.shared / "line.txt").write_text(rf"Z:\shared\setup.exe /S /D={PROGRAM}", encoding="utf-8")
    waiting = wine.popen(r"Z:\shared\run.exe", r"Z:\shared\line.txt")
    time.sleep(5)
    assert waiting.poll() is None
    wine.run("taskkill", "/f", "/im", "Firstlight.exe")
    assert waiting.wait(PATIENCE) == 0
    running.wait(30)


def _check_upgraded(wine: Wine) -> None:
    program = wine.path(PROGRAM)
    assert not (program / "app" / "outdated.dll").exists()
    assert not (program / "app.old").exists()
    assert not (program / "app.new").exists()
    assert (program / "kept-1" / "notes.txt").read_text() == "put there by the user"
    assert wine.path(DESKTOP).is_file()  # the box is remembered
    for path, text in OWN_FILES.items():
        assert wine.path(path).read_text(encoding="utf-8") == text
    answer = wine.run(str(PROGRAM / "app" / "firstlight.com"), "--version")
    assert answer.text.startswith("firstlight ")


def _uninstall(wine: Wine, options: str) -> None:
    uninstaller = wine.path(PROGRAM) / "uninstall.exe"
    answer = wine.line(rf'"{PROGRAM}\uninstall.exe" {options}')
    assert answer.code == 0, answer.text
    deadline = time.monotonic() + PATIENCE  # it goes on in a copy of itself
    while uninstaller.exists() or wine.run("reg", "query", UNINSTALL_KEY).code == 0:
        assert time.monotonic() < deadline
        time.sleep(0.5)


def _check_only_user_data_is_left(wine: Wine, precious: Path) -> None:
    assert precious.read_text() == "only here"
    program = wine.path(PROGRAM)
    assert sorted(path.relative_to(program).as_posix() for path in program.rglob("*")) == [
        "kept-1",
        "kept-1/linked",
        "kept-1/notes.txt",
    ]
    for path, text in OWN_FILES.items():
        assert wine.path(path).read_text(encoding="utf-8") == text
    for path in CACHES:
        assert not wine.path(path).exists()
    for path in (START_MENU, DESKTOP):
        assert not wine.path(path).exists()
    for key in KEYS:
        assert wine.run("reg", "query", key).code == 1
    shutil.rmtree(program)
    for folder in (DATA / "runtime", DATA / "models", PICTURES):
        (wine.path(folder) / "linked").unlink(missing_ok=True)


def _check_nothing_is_left(wine: Wine, precious: Path) -> None:
    for path in (PROGRAM, DATA, PICTURES, START_MENU, DESKTOP):
        assert not wine.path(path).exists(), path
    for key in KEYS:
        assert wine.run("reg", "query", key).code == 1
    assert precious.read_text() == "only here"
