"""What this machine is: probed once, without loading PyTorch."""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.util
import logging
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

log = logging.getLogger(__name__)

_NVIDIA_SMI_TIMEOUT = 10  # seconds; a driver that hangs must not hang us
RTX_CAPABILITIES = ((7, 5), (8, 0), (8, 6), (8, 7), (8, 9))  # Turing to Ada; Hopper (9.0) and 10.x are none
RTX_NEWEST = (12, 0)  # Blackwell, and what comes after it
DRIVER_MIN = 580  # major version; TensorRT-RTX 1.7 is built with CUDA 13
_TRITON_CAPABILITY = (7, 0)
_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU. `index` is CUDA's number; memory is in bytes, `memory_free` None where it is not known."""

    index: int
    name: str
    compute_capability: tuple[int, int]
    memory_total: int
    driver: str
    memory_free: int | None = None


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of what runs the networks, None where not installed. `torch_cuda` is None on CPU builds."""

    torch: str | None
    torch_cuda: str | None
    diffusers: str | None
    transformers: str | None
    tensorrt_rtx: str | None


@dataclass(frozen=True, slots=True)
class Lack:
    """Why an accelerated backend cannot run here, in words that follow a colon."""

    backend: str
    reason: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine as the planner sees it. Memory is in bytes; `cores` are those that this process may use."""

    system: str
    cpu: str
    cores: int
    memory_total: int
    memory_available: int
    gpus: tuple[Gpu, ...]
    versions: Versions
    lacks: tuple[Lack, ...]

    def compute_gpu(self) -> Gpu | None:
        """The GPU that PyTorch can compute on, or None."""
        return self.gpus[0] if self.gpus and self.versions.torch_cuda else None

    def find_gpu(self, device: str) -> Gpu | None:
        """The GPU of a plan's device, such as `cuda:0`."""
        return next((gpu for gpu in self.gpus if device == f"cuda:{gpu.index}"), None)

    def torch_device(self, device: str) -> str:
        """Where PyTorch can put tensors for a network that runs on `device`: this PyTorch may have no CUDA."""
        return device if self.compute_gpu() is not None else "cpu"

    def lack(self, backend: str) -> str:
        """What `backend` lacks here; empty where it lacks nothing."""
        return next((lack.reason for lack in self.lacks if lack.backend == backend), "")


def probe() -> Machine:
    """Look at this machine. Fast and never fails; what it cannot find out it logs."""
    total, available = read_memory()
    gpus = _probe_gpus()
    versions = _probe_versions()
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        cpu=_cpu_name(),
        cores=_usable_cores(),
        memory_total=total,
        memory_available=available,
        gpus=gpus,
        versions=versions,
        lacks=find_lacks(gpus, versions),
    )


def read_memory() -> tuple[int, int]:
    """Total and available memory in bytes, within the limit of the container where there is one."""
    memory = psutil.virtual_memory()
    limit, used = _read_number(_CGROUP / "memory.max"), _read_number(_CGROUP / "memory.current")
    if limit is None or used is None:
        return memory.total, memory.available
    return min(memory.total, limit), max(0, min(memory.available, limit - used))


def parse_nvidia_smi(text: str) -> tuple[Gpu, ...]:
    """Read `index,name,compute_cap,memory.total,driver_version,memory.free` as nvidia-smi writes it, without units.

    A line that does not read so is left out and logged: MIG slices and broken cards answer in other ways.
    """
    gpus: list[Gpu] = []
    for row in csv.reader(text.splitlines(), skipinitialspace=True):
        try:
            index, name, capability, memory, driver, *rest = row
            major, minor = (int(part) for part in capability.split("."))
            free = _mebibytes(rest[0]) if rest and rest[0].replace(".", "").isdecimal() else None
            gpus.append(Gpu(int(index), name, (major, minor), _mebibytes(memory), driver, free))
        except ValueError:
            log.warning("nvidia-smi's line %r is not understood", row)
    return tuple(gpus)


def _mebibytes(text: str) -> int:
    return int(float(text) * 2**20)


def _probe_gpus() -> tuple[Gpu, ...]:
    command = shutil.which("nvidia-smi")
    if command is None:
        return ()
    query = "--query-gpu=index,name,compute_cap,memory.total,driver_version,memory.free"
    try:
        answer = subprocess.run(
            [command, query, "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=_NVIDIA_SMI_TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("nvidia-smi does not answer: %s", error)
        return ()
    return parse_nvidia_smi(answer.stdout)


def _probe_versions() -> Versions:
    return Versions(
        torch=_version("torch"),
        torch_cuda=_torch_cuda(),
        diffusers=_version("diffusers"),
        transformers=_version("transformers"),
        tensorrt_rtx=_version("tensorrt-rtx-cu13") or _version("tensorrt-rtx-cu13-bindings"),
    )


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _torch_cuda() -> str | None:
    """The CUDA version that PyTorch was built with, from its version file, so that nothing is imported."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        text = (Path(spec.origin).parent / "version.py").read_text(encoding="utf-8")
    except OSError as error:
        log.warning("PyTorch's version file cannot be read: %s", error)
        return None
    match = re.search(r"^cuda\b[^=\n]*=\s*['\"]([\d.]+)['\"]", text, re.MULTILINE)
    return match.group(1) if match else None


def find_lacks(gpus: tuple[Gpu, ...], versions: Versions) -> tuple[Lack, ...]:
    """What keeps the accelerated backends from running here; only those that something keeps."""
    lacks = (
        Lack("tensorrt_rtx", _find_rtx_lack(gpus, versions)),
        Lack("inductor", _find_inductor_lack(gpus, versions)),
    )
    return tuple(lack for lack in lacks if lack.reason)


def _find_rtx_lack(gpus: tuple[Gpu, ...], versions: Versions) -> str:
    if not gpus:
        return "there is no NVIDIA GPU"
    gpu = gpus[0]
    if gpu.compute_capability not in RTX_CAPABILITIES and gpu.compute_capability < RTX_NEWEST:
        capability = ".".join(map(str, gpu.compute_capability))
        return f"TensorRT-RTX does not run on the {gpu.name}, whose compute capability is {capability}"
    if not versions.tensorrt_rtx:
        return "TensorRT-RTX is not installed"
    if importlib.util.find_spec("cuda") is None:
        return "cuda-python is not installed"
    major = gpu.driver.partition(".")[0]
    if major.isdecimal() and int(major) < DRIVER_MIN:
        return f"the driver {gpu.driver} is too old: {DRIVER_MIN} is needed"
    return ""


def _find_inductor_lack(gpus: tuple[Gpu, ...], versions: Versions) -> str:
    if not gpus:
        return "there is no NVIDIA GPU"
    if not versions.torch_cuda:
        return "this PyTorch has no CUDA"
    if gpus[0].compute_capability < _TRITON_CAPABILITY:
        return f"the {gpus[0].name} is older than PyTorch's compiler supports"
    return "" if importlib.util.find_spec("triton") else "Triton, PyTorch's compiler for GPUs, is not installed"


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_name() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""  # not Linux
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or platform.machine()


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such limit ("max"), or no cgroup version 2
        return None
