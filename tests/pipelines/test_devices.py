"""The probe of this machine."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines import devices
from pipelines.devices import Gpu, Versions


def test_the_probe_tells_of_this_machine() -> None:
    machine = devices.probe()
    assert machine.cores >= 1
    assert 0 < machine.memory_available <= machine.memory_total
    assert machine.versions.torch is not None
    assert machine.versions.torch.startswith("2.13")
    assert machine.cpu
    assert machine.system


def test_each_accelerated_backend_says_what_it_lacks() -> None:
    machine = devices.probe()
    assert machine.lack("inductor")
    assert machine.lack("tensorrt_rtx")
    assert machine.lack("eager") == ""


VERSIONS = Versions("2.13.0", "13.0", "0.42.1", "5.24.0", "1.7.1.116")
RTX = Gpu(0, "NVIDIA GeForce RTX 4070", (8, 9), 12 * 2**30, "581.29")


@pytest.mark.parametrize(
    ("gpu", "versions", "reason"),
    [
        (RTX, VERSIONS, ""),
        (replace(RTX, name="RTX 2060", compute_capability=(7, 5)), VERSIONS, ""),
        (replace(RTX, name="RTX 6090", compute_capability=(13, 0)), VERSIONS, ""),
        (replace(RTX, name="H200", compute_capability=(9, 0)), VERSIONS, "does not run on the H200"),
        (replace(RTX, name="GTX 1080", compute_capability=(6, 1)), VERSIONS, "does not run on the GTX 1080"),
        (replace(RTX, driver="566.03"), VERSIONS, "the driver 566.03 is too old: 580 is needed"),
        (RTX, replace(VERSIONS, tensorrt_rtx=None), "TensorRT-RTX is not installed"),
    ],
)
def test_what_keeps_tensorrt_rtx_from_running(gpu: Gpu, versions: Versions, reason: str) -> None:
    lacks = {lack.backend: lack.reason for lack in devices.find_lacks((gpu,), versions)}
    if reason or importlib.util.find_spec("cuda"):
        assert reason in lacks.get("tensorrt_rtx", "")
        assert bool(reason) == ("tensorrt_rtx" in lacks)


def test_what_keeps_inductor_from_running() -> None:
    without_cuda = replace(VERSIONS, torch_cuda=None)
    assert {lack.backend: lack.reason for lack in devices.find_lacks((RTX,), without_cuda)}["inductor"] == (
        "this PyTorch has no CUDA"
    )
    old = replace(RTX, compute_capability=(6, 1))
    assert "older" in {lack.backend: lack.reason for lack in devices.find_lacks((old,), VERSIONS)}["inductor"]


def test_a_plans_device_is_a_gpu_and_a_place_for_tensors() -> None:
    machine = replace(devices.probe(), gpus=(RTX,), versions=VERSIONS)
    assert machine.find_gpu("cuda:0") == RTX
    assert machine.find_gpu("cpu") is machine.find_gpu("cuda:1") is None
    assert machine.torch_device("cuda:0") == "cuda:0"
    assert replace(machine, versions=replace(VERSIONS, torch_cuda=None)).torch_device("cuda:0") == "cpu"


def test_pytorch_is_not_loaded_for_it() -> None:
    import subprocess

    code = "import sys; from pipelines import devices; devices.probe(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2]).returncode == 0


def test_the_cuda_version_is_the_one_that_pytorch_says() -> None:
    import torch

    assert devices.probe().versions.torch_cuda == torch.version.cuda


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("cuda: Optional[str] = '13.0'\n", "13.0"),
        ("cuda = '12.8'\nhip = None\n", "12.8"),
        ("cuda: Optional[str] = None\n", None),
        ("__all__ = ['cuda']\n", None),
    ],
)
def test_both_forms_of_pytorchs_version_file_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, cuda: str | None
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").touch()
    (tmp_path / "torch" / "version.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    importlib.invalidate_caches()
    assert devices.probe().versions.torch_cuda == cuda


def test_nvidia_smi_is_read() -> None:
    text = "0, NVIDIA GeForce RTX 5090, 12.0, 32607, 581.29, 30000\n1, Quadro RTX 6000, 7.5, 24576, 581.29, [N/A]\n"
    first, second = devices.parse_nvidia_smi(text)
    assert first == Gpu(0, "NVIDIA GeForce RTX 5090", (12, 0), 32607 * 2**20, "581.29", 30000 * 2**20)
    assert second.memory_free is None
    assert second.compute_capability == (7, 5)


@pytest.mark.parametrize("line", ["", "No devices were found", "0, GPU, [N/A], 1, 2", "0, GPU, 8.6, [N/A], 2", "x, y"])
def test_what_nvidia_smi_says_otherwise_is_no_gpu(line: str) -> None:
    assert devices.parse_nvidia_smi(line) == ()


def test_a_broken_nvidia_smi_is_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text("#!/bin/sh\necho 'driver mismatch' >&2\nexit 18\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert devices.probe().gpus == ()
