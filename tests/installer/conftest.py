"""The setup program to test, and a Windows to test it in. Where there can be none, tests are skipped and say why."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from installer import build, locks
from installer.steps import run
from tests.installer import wine as windows

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tests.installer.wine import Wine

_TOOLS = ("makensis", "x86_64-w64-mingw32-gcc", "osslsigncode", "dpkg-deb", "apt-get", "git")


def _kept(name: str) -> Path:
    """A folder that later runs on this machine use again: it holds only what can be made anew."""
    return Path(os.environ.get("FIRSTLIGHT_WINE") or Path(tempfile.gettempdir()) / "firstlight-wine") / name


def need_tools() -> None:
    """Skip where the build's own tools are missing."""
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"the installer is not tested here: {', '.join(missing)} not installed")
    if sys.version_info[:2] != tuple(int(part) for part in locks.PYTHON.split(".")):
        pytest.skip(f"the installer is not tested here: it is built by Python {locks.PYTHON}")


def need_wine() -> None:
    """Skip where there can be no chroot."""
    if reason := windows.why_not():
        pytest.skip(f"the installer is not tested here: {reason}")


def build_setup(out: Path, work: Path, *more: str) -> list[Path]:
    """Build with the reduced payload: no engine, and nothing compressed."""
    args: argparse.Namespace = build.make_parser().parse_args(
        ["--out", str(out), "--work", str(work), "--cache", str(_kept("cache")), "--compression", "none", *more]
    )
    return build.build(args)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for signing code, of our own making, and its key."""
    if not shutil.which("openssl") or not shutil.which("osslsigncode"):
        pytest.skip("openssl, osslsigncode is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Firstlight test"),
            *("-addext", "extendedKeyUsage=codeSigning", "-keyout", key, "-out", certificate),
        ]
    )
    return certificate, key


@pytest.fixture(scope="session")
def setup(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The setup program of the last commit, signed by a certificate of ours; `FIRSTLIGHT_SETUP` names a ready one."""
    if given := os.environ.get("FIRSTLIGHT_SETUP"):
        return Path(given)
    need_tools()
    folder = tmp_path_factory.mktemp("setup")
    certificate, key = request.getfixturevalue("certificate")
    return build_setup(folder / "out", folder / "work", "--certificate", str(certificate), "--key", str(key))[0]


@pytest.fixture(scope="session")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    """Wine with a fresh prefix."""
    need_tools()
    need_wine()
    yield from windows.open_wine(_kept("root"), tmp_path_factory.mktemp("shared"))
