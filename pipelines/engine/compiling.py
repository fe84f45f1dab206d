"""Compiling regions in processes of their own: the one that draws keeps its interpreter, and goes on at full speed.

A process gets a region without its weights, compiles it by `torch._inductor.standalone_compile` and ends. What it has
made is loaded here without tracing anything again. Importing this loads PyTorch; the first load brings the compiler.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import logging
import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass
from multiprocessing import spawn
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch.utils import _pytree as pytree

from pipelines.engine.inductor_regions import Kind, TensorFacts, find_weights
from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ORDER, RESULT, LOG = "order", "result", "log.txt"  # files in the folder of a job
_AT_ONCE = 2  # processes: each has a CUDA context of half a GiB and keeps a core or more busy
_POLL = 0.1  # seconds
_INDEX = "index.json"  # in a pack
_NICE = 10
_STDIN = 0
# What loading a build needs of PyTorch, which it would import in the midst of a picture
_COMPILER = ("torch._inductor.compile_fx", "torch._inductor.standalone_compile", "torch._inductor.codecache")
# Runs before our packages can be found; the path is ours, which an installed program puts together as it starts
_CODE = "import sys; sys.path[:] = sys.argv[2:]; from pipelines.engine.compiling import main; main(sys.argv[1])"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Build:
    """What was compiled for one kind of region of one shape: `content` is what `load` takes."""

    content: bytes
    names: tuple[str, ...]
    out_spec: str


def compile_kinds(kinds: Sequence[Kind], device: str, folder: Path, stop: threading.Event) -> list[Build]:
    """Compile each kind of region. `folder` is for the files of the work.

    Raises:
        EngineFailure: one cannot be compiled, or `stop` was set; the message has the compiler's own words.
    """
    jobs = [folder / f"{os.getpid()}-{threading.get_ident()}-{number}" for number in range(len(kinds))]
    waiting = list(zip(jobs, kinds, strict=True))
    running: dict[Path, subprocess.Popen[bytes]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < _AT_ONCE:
                job, kind = waiting.pop(0)
                running[job] = _start(job, kind, device)
            if stop.wait(_POLL):
                raise EngineFailure("Nobody waits for it any more.", "")
            for job, process in list(running.items()):
                if process.poll() is not None:
                    _check(job, running.pop(job))
        return [
            Build((job / RESULT).read_bytes(), tuple(kind.names), kind.signature.out_spec)
            for job, kind in zip(jobs, kinds, strict=True)
        ]
    except OSError as error:
        raise EngineFailure(f"The compiler's process cannot work: {error}.", "The log has the details.") from error
    finally:
        for process in running.values():
            process.kill()
            _close(process)
        for job in jobs:
            _remove(job)


class Preparation:
    """Imports the compiler on a thread: a few seconds, in which weights are read anyway."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=_import_compiler, name="compiler", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Return when it is there."""
        self._thread.join()


def _import_compiler() -> None:
    try:
        for name in _COMPILER:
            importlib.import_module(name)
    except ImportError as error:  # said again, to the user, where something is loaded
        log.warning("the compiler cannot be imported: %s", error)


def pack(builds: Mapping[str, list[Build]]) -> bytes:
    """All builds, by the digest of their shape, as one file's content."""
    content = io.BytesIO()
    index: dict[str, list[dict[str, object]]] = {}
    with zipfile.ZipFile(content, "w") as archive:
        for digest, some in builds.items():
            index[digest] = [{"names": build.names, "out_spec": build.out_spec} for build in some]
            for number, build in enumerate(some):
                archive.writestr(f"{digest}/{number}", build.content)
        archive.writestr(_INDEX, json.dumps(index))
    return content.getvalue()


def unpack(content: bytes) -> dict[str, list[Build]]:
    """What `pack` gave; `ValueError`, `KeyError`, `TypeError` or `BadZipFile` for anything else."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        index = cast("dict[str, list[dict[str, Any]]]", json.loads(archive.read(_INDEX)))
        return {
            digest: [
                Build(archive.read(f"{digest}/{number}"), tuple(one["names"]), str(one["out_spec"]))
                for number, one in enumerate(some)
            ]
            for digest, some in index.items()
        }


def load(content: bytes, folder: Path, name: str) -> Callable[..., Any]:
    """The `content` of a build, as a function of weights and inputs, one after the other.

    Raises:
        EngineFailure: PyTorch turns it down.
    """
    file = folder / name
    try:
        file.write_bytes(content)
        artifact = cast("Any", importlib.import_module("torch._inductor")).CompiledArtifact
        return artifact.load(path=str(file), format="binary")
    except Exception as error:  # the compiler's edge: whatever it dislikes, it is made anew
        raise EngineFailure(f"PyTorch turns it down: {type(error).__name__}: {error}.", "") from error
    finally:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def _start(job: Path, kind: Kind, device: str) -> subprocess.Popen[bytes]:
    job.mkdir(parents=True)
    content = io.BytesIO()
    torch.save((_hollow(kind.form), kind.signature, device), content)
    (job / ORDER).write_bytes(content.getvalue())
    command = [os.fsdecode(spawn.get_executable()), "-c", _CODE, str(job), *sys.path]
    with (job / LOG).open("wb") as output:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output)


def _hollow(form: torch.nn.Module) -> torch.nn.Module:
    """A copy without values: its tensors have sizes only."""
    tensors = [*form.parameters(), *form.buffers()]
    memo = {
        id(one): torch.nn.Parameter(torch.empty_like(one, device="meta"), requires_grad=False)
        if isinstance(one, torch.nn.Parameter)
        else torch.empty_like(one, device="meta")
        for one in tensors
    }
    return copy.deepcopy(form, cast("dict[int, Any]", memo))


def _check(job: Path, process: subprocess.Popen[bytes]) -> None:
    _close(process)
    if process.returncode == 0 and (job / RESULT).is_file():
        return
    words = (job / LOG).read_text(encoding="utf-8", errors="replace").strip()
    log.error("compiling ended with %s: %s", process.returncode, words[-4000:])
    last = words.splitlines()[-1] if words else f"code {process.returncode}"
    raise EngineFailure(f"The compiler failed: {last}.", "The log has the details.")


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _remove(job: Path) -> None:
    with contextlib.suppress(OSError):
        for file in (ORDER, RESULT, LOG):
            (job / file).unlink(missing_ok=True)
        job.rmdir()


def main(folder: str) -> None:
    """The process: compile the region whose order lies in `folder`, and leave the result there."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    job = Path(folder)
    form, signature, device = torch.load(job / ORDER, weights_only=False)  # our own, written a moment ago
    with torch.no_grad():
        weights = [torch.empty_like(one, device=device).zero_() for one in find_weights(form).values()]
        tensors = [_make(leaf, device) for leaf in signature.leaves if isinstance(leaf, TensorFacts)]
        flat = _Flat(form, signature.leaves, pytree.treespec_loads(signature.spec))
        graph = torch.export.export(flat, (weights, tensors), strict=False).graph_module
        compiler = cast("Any", importlib.import_module("torch._inductor"))
        built = compiler.standalone_compile(graph, [*weights, *tensors], dynamic_shapes="from_example_inputs")
        built(*weights, *tensors)  # kernels are made at the first call
    built.save(path=str(job / RESULT), format="binary")  # looked at when this process has ended well


def _make(facts: TensorFacts, device: str) -> torch.Tensor:
    return torch.empty_strided(facts.size, facts.stride, dtype=facts.dtype, device=device).zero_()


class _Flat(torch.nn.Module):
    """A region whose weights are inputs and whose call has tensors alone."""

    def __init__(self, form: torch.nn.Module, leaves: tuple[object, ...], spec: pytree.TreeSpec) -> None:
        super().__init__()
        self._call = (form, tuple(find_weights(form)), leaves, spec)  # in a tuple: its weights are not ours

    def forward(self, weights: list[torch.Tensor], tensors: list[torch.Tensor]) -> tuple[object, ...]:
        """Its outputs, one after the other."""
        form, names, leaves, spec = self._call
        rest = iter(tensors)
        whole = [next(rest) if isinstance(leaf, TensorFacts) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(whole, spec)
        output = torch.func.functional_call(form, dict(zip(names, weights, strict=True)), args, kwargs)
        return tuple(pytree.tree_leaves(output))


def _end_with_parent() -> None:
    """The parent holds our standard input open; its end is ours."""
    with contextlib.suppress(OSError):
        os.read(_STDIN, 1)  # not through Python's buffer, whose lock the end of the interpreter wants
    os._exit(1)
