"""Downloads when the world is rough: the process is killed, the disk is full, Ctrl+C comes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.app.hub_server import Content, safetensors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.app.conftest import Command, Starter
    from tests.app.hub_server import HubServer

linux = pytest.mark.skipif(sys.platform != "linux", reason="kills, and mounts a file system, as Linux does")


def wait_until(size: int, part: Path) -> int:
    """Wait until so much has reached the disk; how much is there."""
    end, there = time.monotonic() + 60, 0
    while time.monotonic() < end:
        there = part.stat().st_size if part.exists() else 0
        if there >= size:
            return there
        time.sleep(0.02)
    raise AssertionError(f"{part} stays at {there} bytes")


@linux
@pytest.mark.parametrize(
    "size", [pytest.param(12 * 10**6, id="12 MB"), pytest.param(10**9, id="1 GB", marks=pytest.mark.slow)]
)
def test_killed_three_times_it_arrives_whole_with_only_the_missing_bytes_fetched_again(
    hub: HubServer, start: Starter, home: Path, size: int
) -> None:
    content = hub.links["big.safetensors"] = safetensors(size)
    part = home / "data" / "models" / "big.part" / "big.safetensors.part"
    there: list[int] = []
    for quarter in (1, 2, 3):
        stop = quarter * size // 4
        hub.holds = [stop]
        words = [hub.link("big.safetensors")] if quarter == 1 else []  # later: what was begun goes on
        running = start("models", "download", *words)
        there.append(wait_until(stop, part))
        running.kill()
        running.communicate()
        assert part.stat().st_size == there[-1] == stop
        assert not (home / "data" / "models" / "big").exists()
    hub.holds = []
    finished = start("models", "download", "--json")
    out, err = finished.communicate(timeout=300)
    assert finished.returncode == 0, err
    assert [request.start for request in hub.requests] == [None, *there]
    assert hub.sent == content.size
    assert b'"big"' in out
    model = home / "data" / "models" / "big" / "big.safetensors"
    assert Content.same(content, model)
    assert [path.name for path in (home / "data" / "models").rglob("*") if path.is_file()] == ["big.safetensors"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    disk = tmp_path / "small disk"
    disk.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("a file system can be mounted by root alone")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@linux
def test_a_disk_that_fills_up_is_told_and_it_goes_on_when_there_is_room(
    firstlight: Command, hub: HubServer, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(small_disk / "home"))
    content = hub.links["big.safetensors"] = safetensors(3_000_000)
    hub.chunked = True  # so that nobody knows beforehand
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(6_500_000))
    full = firstlight("models", "download", hub.link("big.safetensors"), "--json")
    assert full.code == 4
    assert full.json["error"]["kind"] == "no_room"
    assert "disk is full" in full.json["error"]["message"]
    assert "Traceback" not in full.err
    models = small_disk / "home" / "data" / "models"
    there = (models / "big.part" / "big.safetensors.part").stat().st_size
    assert there > 500_000
    ballast.unlink()
    assert firstlight("models", "download").code == 0
    assert hub.requests[-1].start == there
    assert Content.same(content, models / "big" / "big.safetensors")


@linux
def test_a_disk_that_is_too_small_is_seen_before(
    firstlight: Command, hub: HubServer, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(small_disk / "home"))
    hub.repositories["maker/big"] = {"model_index.json": Content(b"{}"), "unet/x.safetensors": safetensors(9_000_000)}
    full = firstlight("models", "download", "maker/big", "--json")
    assert full.code == 4
    assert "9.0 MB are needed" in full.json["error"]["message"]
    assert hub.requests == []


@linux
def test_ctrl_c_stops_at_once_and_what_is_there_stays(hub: HubServer, start: Starter, home: Path) -> None:
    hub.links["big.safetensors"] = safetensors(2_000_000)
    hub.holds = [1_000_000]
    running = start("models", "download", hub.link("big.safetensors"))
    part = home / "data" / "models" / "big.part" / "big.safetensors.part"
    wait_until(1_000_000, part)
    began = time.monotonic()
    os.kill(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=20)
    assert time.monotonic() - began < 8  # of the 30 that a silent server is waited for
    assert running.returncode == 130
    assert b"Traceback" not in err
    assert part.stat().st_size == 1_000_000
    log = home / "logs" / "firstlight.log"
    assert not log.exists() or "127.0.0.1" not in log.read_text()
