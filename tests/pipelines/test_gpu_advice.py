"""What the owner of a GPU is told to change."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pipelines import devices, gpu_advice
from pipelines.devices import Gpu, Machine

RTX = Gpu(0, "NVIDIA GeForce RTX 4070", (8, 9), 12 * 2**30, "581.29", 11 * 2**30)


def machine(*gpus: Gpu, system: str = "Windows 11") -> Machine:
    return replace(devices.probe(), gpus=gpus, system=system)


def test_a_machine_in_order_gets_no_advice_on_linux() -> None:
    assert gpu_advice.advise(machine(RTX, system="Linux 6.8"), scheduling=None) == ()


@pytest.mark.parametrize("scheduling", [True, False, None])
def test_windows_is_told_of_scheduling_where_it_is_off(scheduling: bool | None) -> None:
    told = " ".join(gpu_advice.advise(machine(RTX), scheduling))
    assert ("hardware-accelerated GPU scheduling" in told) == (scheduling is False)
    assert "Sysmem Fallback" in told


def test_nothing_is_advised_without_a_gpu() -> None:
    assert gpu_advice.advise(machine(), scheduling=False) == ()


def test_an_old_driver_and_held_memory_are_told() -> None:
    told = gpu_advice.advise(machine(replace(RTX, driver="566.03", memory_free=2**30), system="Linux"), scheduling=None)
    assert told == (
        "Update the driver of the NVIDIA GeForce RTX 4070: it is 566.03, and 580 is needed.",
        "Close what holds 11.0 GiB of the memory of the NVIDIA GeForce RTX 4070: games, browsers, other models.",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the registry is Windows'")
def test_elsewhere_nobody_knows_of_scheduling() -> None:
    assert gpu_advice.look(devices.probe()).scheduling is None


class _Key:
    def __enter__(self) -> _Key:
        return self

    def __exit__(self, *failure: object) -> None:
        pass


@pytest.mark.parametrize(("value", "expected"), [(2, True), (1, False), (None, None)])
def test_the_registry_is_read(monkeypatch: pytest.MonkeyPatch, value: int | None, expected: bool | None) -> None:
    def open_key(root: str, path: str) -> _Key:
        assert (root, path.endswith("GraphicsDrivers")) == ("HKLM", True)
        if value is None:
            raise FileNotFoundError(2, "no such key")
        return _Key()

    def query(key: _Key, name: str) -> tuple[Any, int]:
        assert name == "HwSchMode"
        return value, 4

    registry = SimpleNamespace(HKEY_LOCAL_MACHINE="HKLM", OpenKey=open_key, QueryValueEx=query)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "winreg", registry)  # pyright: ignore[reportArgumentType]
    assert gpu_advice.read_scheduling() is expected
