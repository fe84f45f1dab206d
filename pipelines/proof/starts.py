"""Fresh processes: what a start costs with no kernels on disk, and with those of the process before; and the sequence.

`python -m pipelines.proof.starts` is that process: it reads what to do from stdin and answers on stdout, both JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.errors import EngineFailure, FirstlightError
from pipelines.proof.record import SequenceStep, Start, to_plain
from pipelines.request import Backend, GenerationRequest, Precision

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.engine.base import Places
    from pipelines.proof.rig import Contender, Rig

CACHES = ("cold", "warm")
_PATIENCE = 1800  # seconds; compilers may take minutes
_COMPILER = "TORCHINDUCTOR_CACHE_DIR"  # where PyTorch's compiler keeps what it has made


@dataclass(frozen=True, slots=True)
class _Folders:
    """Of a fresh process: engines that are there, and kernels that it makes."""

    engines: str
    kernels: str


def measure(contender: Contender, request: GenerationRequest, places: Places | None) -> list[Start]:
    """Start twice: with an empty folder for kernels, and with what the first process left in it.

    The files of the model are in the system's cache the second time, so the two differ by more than kernels.

    Raises:
        EngineFailure: the process failed.
    """
    with tempfile.TemporaryDirectory(prefix="firstlight-bench-", ignore_cleanup_errors=True) as folder:
        folders = _Folders(str(places.engines) if places is not None else folder, folder)
        answers = [_ask(contender, request, folders, 0) for _ in CACHES]
    times = ("libraries", "loading", "first", "second")
    return [
        Start(contender.name, cache, *(answer[name] for name in times))
        for cache, answer in zip(CACHES, answers, strict=True)
    ]


def measure_sequence(
    contender: Contender, request: GenerationRequest, multiple: int, places: Places | None
) -> list[SequenceStep]:
    """The twelve requests of `sequence` in a process of its own, with no kernels on disk: nothing is warm by others.

    Raises:
        EngineFailure: the process failed.
    """
    with tempfile.TemporaryDirectory(prefix="firstlight-bench-", ignore_cleanup_errors=True) as folder:
        folders = _Folders(str(places.engines) if places is not None else folder, folder)
        answer = _ask(contender, request, folders, multiple)
    return [SequenceStep(**step) for step in answer["sequence"]]


def _ask(contender: Contender, request: GenerationRequest, folders: _Folders, multiple: int) -> dict[str, Any]:
    """Let a fresh process draw two pictures, or the sequence where sizes have a `multiple`."""
    order = {
        "contender": to_plain(contender),
        "request": {"model": request.model, "prompt": request.prompt, "seed": request.seed},
        "size": [request.width, request.height],
        "steps": request.num_inference_steps,
        "guidance": request.guidance_scale,
        "multiple": multiple,
        **to_plain(folders),
    }
    environment = {name: value for name, value in os.environ.items() if name != _COMPILER}
    if contender.option:  # ours finds its own place
        environment[_COMPILER] = str(Path(folders.kernels) / "compiler")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pipelines.proof.starts"],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            cwd=Path(__file__).parents[2],
            env=environment,
        )
        answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.CalledProcessError as error:
        last = (str(error.stderr).strip().splitlines() or ["no word of why"])[-1]
        raise EngineFailure(f"A fresh process could not draw: {last}", "The log has the details.") from error
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise EngineFailure(f"A fresh process gave no answer: {error}.", "The log has the details.") from error
    return answer


def _serve(order: dict[str, Any], clock: Callable[[], float] = time.perf_counter) -> dict[str, Any]:
    """What the fresh process does."""
    began = clock()
    from pipelines import devices
    from pipelines.engine.base import Places
    from pipelines.engine.loading import Loaders
    from pipelines.proof.rig import Contender, Rig, Workshop
    from pipelines.proof.rivals import Rivals  # loads PyTorch

    stated = order["contender"]
    contender = Contender(stated["name"], Backend(stated["backend"]), Precision(stated["precision"]), stated["option"])
    request = GenerationRequest(
        **order["request"],
        width=order["size"][0],
        height=order["size"][1],
        num_inference_steps=order["steps"],
        guidance_scale=order["guidance"],
    )
    machine = devices.probe()
    places = Places(Path(order["engines"]), Path(order["kernels"]))
    workshop = Workshop(machine, Rivals(Loaders(machine, places).load_plain), places)
    libraries = clock()
    rig = Rig(contender, request, workshop, lambda _: None)
    times = {"libraries": libraries - began, "loading": clock() - libraries}
    try:
        return _draw_sequence(rig, request, order["multiple"]) if order["multiple"] else _draw_two(rig, request, times)
    finally:
        rig.close()


def _draw_two(rig: Rig, request: GenerationRequest, times: dict[str, float]) -> dict[str, Any]:
    for name in ("first", "second"):
        began = time.perf_counter()
        rig.draw(request)
        times[name] = time.perf_counter() - began
        request = replace(request, seed=request.seed + 1)
    return {name: round(seconds, 4) for name, seconds in times.items()}


def _draw_sequence(rig: Rig, request: GenerationRequest, multiple: int) -> dict[str, Any]:
    from pipelines.proof import sequence

    return {"sequence": to_plain(sequence.measure(rig, request, multiple))}


def main() -> int:
    """Serve one order."""
    try:
        answer = _serve(json.load(sys.stdin))
    except FirstlightError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
