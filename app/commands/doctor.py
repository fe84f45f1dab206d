"""`firstlight doctor`: what this machine can do, and what is missing."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from app.commands.models import find_state
from app.runtime_path import find_program
from app.services.models import Models
from app.services.shelf import find_problem
from app.version import read_version
from pipelines import catalog, devices, gpu_advice
from pipelines.errors import FirstlightError, NoRoom, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from app.folders import Folders
    from app.terminal import Terminal
    from pipelines.devices import Machine
    from pipelines.gpu_advice import GpuState

_GIB = 2**30
_LITTLE_DISK = 100 * 2**20  # bytes; room for some dozens of pictures


@dataclass(frozen=True, slots=True)
class FolderState:
    """One of our folders. `free` is in bytes; `writable` also where it can be made, but is not there yet."""

    name: str
    path: Path
    writable: bool
    free: int


@dataclass(frozen=True, slots=True)
class BackendState:
    """A way to run networks; `reason` says why it is not ready."""

    name: str
    ready: bool
    reason: str


def run(terminal: Terminal, folders: Folders) -> int:
    """Look, tell, and return 0, or the exit code of the first problem found."""
    machine = devices.probe()
    states = [_look_at(field.name, getattr(folders, field.name)) for field in fields(folders)]
    backends = [
        BackendState("eager", ready=machine.versions.torch is not None, reason=""),
        *(BackendState(name, not machine.lack(name), machine.lack(name)) for name in ("tensorrt_rtx", "inductor")),
    ]
    models = Models(folders.data, folders.cache)
    known = {entry.name: find_state(entry, models) for entry in catalog.load()}
    gpus = gpu_advice.look(machine)
    problems = list(_find_problems(machine, states))
    if terminal.wants_json:
        terminal.answer(
            {
                "version": read_version(),
                "machine": machine,
                "gpu_state": gpus,
                "backends": backends,
                "folders": states,
                "models": [{"name": name, "problem": problem} for name, problem in known.items()],
                "problems": [_as_json(problem) for problem in problems],
            }
        )
    else:
        for line in (
            *_describe(machine),
            *_describe_rest(backends, states, known),
            *_describe_gpus(gpus),
            *_describe_problems(problems),
        ):
            terminal.say(line)
    return problems[0].exit_code if problems else 0


def _look_at(name: str, path: Path) -> FolderState:
    """Look without making anything: a folder that is not there yet is judged by the one above it."""
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except OSError:  # a name that is too long, a file in the way, a folder above that is closed to us
        return FolderState(name, path, writable=False, free=0)
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    writable = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    return FolderState(name, path, writable, shutil.disk_usage(existing).free)


def _find_problems(machine: Machine, states: Iterable[FolderState]) -> Iterator[FirstlightError]:
    # the setup program for Windows brings the window, which fetches the rest
    action = "Open the window, which fetches it." if find_program() else "Install Firstlight again."
    for package in ("torch", "diffusers", "transformers"):
        if getattr(machine.versions, package) is None:
            yield UnusableFile(f"The package {package} is missing.", action)
    if problem := find_problem(catalog.find(catalog.STARTER)):
        yield UnusableFile(f"The starter model cannot be used: {problem}", "Install Firstlight again.")
    for state in states:
        if not state.writable:
            yield UnusableFile(
                f"The folder {state.path} for {state.name} is not writable.",
                "Change its permissions, or set FIRSTLIGHT_HOME to another folder.",
            )
        elif state.free < _LITTLE_DISK:
            yield NoRoom(f"The disk of {state.path} is nearly full.", "Free some space there.")


def _describe(machine: Machine) -> Iterator[str]:
    versions = machine.versions
    yield f"Firstlight    {read_version()}"
    yield f"System        {machine.system}"
    yield f"CPU           {machine.cpu}, {machine.cores} cores for this process"
    yield f"Memory        {machine.memory_available / _GIB:.1f} of {machine.memory_total / _GIB:.1f} GiB free"
    for gpu in machine.gpus:
        major, minor = gpu.compute_capability
        facts = f"{gpu.memory_total / _GIB:.1f} GiB, compute capability {major}.{minor}, driver {gpu.driver}"
        yield f"GPU {gpu.index}         {gpu.name}, {facts}"
        if gpu.memory_free is not None:
            yield f"              {gpu.memory_free / _GIB:.1f} GiB of its memory are free"
    if not machine.gpus:
        yield "GPU           no NVIDIA GPU"
    cuda = f"with CUDA {versions.torch_cuda}" if versions.torch_cuda else "without CUDA"
    yield f"PyTorch       {versions.torch or 'missing'} {cuda if versions.torch else ''}".rstrip()
    yield f"diffusers     {versions.diffusers or 'missing'}"
    yield f"transformers  {versions.transformers or 'missing'}"
    yield f"TensorRT-RTX  {versions.tensorrt_rtx or 'not installed'}"


def _describe_rest(
    backends: Iterable[BackendState], states: Iterable[FolderState], models: Mapping[str, str]
) -> Iterator[str]:
    for backend in backends:
        yield f"Backend       {backend.name}: {'ready' if backend.ready else f'no, {backend.reason}'}"
    for name, problem in models.items():
        yield f"Model         {name}: {problem or 'ready'}"
    for state in states:
        access = f"{state.free / _GIB:.1f} GiB free" if state.writable else "not writable"
        yield f"{state.name.capitalize():<13} {state.path} ({access})"


def _describe_gpus(state: GpuState) -> Iterator[str]:
    if state.scheduling is not None:
        yield f"Scheduling    hardware-accelerated GPU scheduling is {'on' if state.scheduling else 'off'}"
    for text in state.advice:
        yield f"Advice        {text}"


def _describe_problems(problems: Iterable[FirstlightError]) -> Iterator[str]:
    for problem in problems:
        yield f"Problem       {problem}"


def _as_json(problem: FirstlightError) -> dict[str, str]:
    return {"kind": problem.kind, "message": problem.message, "action": problem.action}
