"""Fresh processes: what a start costs with no kernels on disk, and with those of the process before.

`python -m pipelines.proof.starts` is that process: it reads what to do from stdin and answers on stdout, both JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.errors import EngineFailure, FirstlightError
from pipelines.proof.record import Start, to_plain
from pipelines.request import Backend, GenerationRequest, Precision

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.engine.base import Places
    from pipelines.proof.rig import Contender

CACHES = ("cold", "warm")
_PATIENCE = 1800  # seconds; compilers may take minutes


def measure(contender: Contender, request: GenerationRequest, places: Places | None) -> list[Start]:
    """Start twice: with an empty folder for kernels, and with what the first process left in it.

    The files of the model are in the system's cache the second time, so the two differ by more than kernels.

    Raises:
        EngineFailure: the process failed.
    """
    with tempfile.TemporaryDirectory(prefix="firstlight-bench-", ignore_cleanup_errors=True) as folder:
        engines = str(places.engines) if places is not None else folder
        return [_start(contender, request, (engines, folder), cache) for cache in CACHES]


def _start(contender: Contender, request: GenerationRequest, folders: tuple[str, str], cache: str) -> Start:
    order = {
        "contender": to_plain(contender),
        "request": {"model": request.model, "prompt": request.prompt, "seed": request.seed},
        "size": [request.width, request.height],
        "steps": request.num_inference_steps,
        "guidance": request.guidance_scale,
        "engines": folders[0],
        "kernels": folders[1],
    }
    command = [sys.executable, "-m", "pipelines.proof.starts"]
    root = Path(__file__).parents[2]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            cwd=root,
        )
        answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.CalledProcessError as error:
        last = (str(error.stderr).strip().splitlines() or ["no word of why"])[-1]
        raise EngineFailure(f"A fresh process could not draw: {last}", "The log has the details.") from error
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise EngineFailure(f"A fresh process gave no answer: {error}.", "The log has the details.") from error
    return Start(contender.name, cache, *(answer[name] for name in ("libraries", "loading", "first", "second")))


def _serve(order: dict[str, Any], clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """What the fresh process does."""
    began = clock()
    from pipelines import devices
    from pipelines.engine import eager  # PyTorch  # pyright: ignore[reportUnusedImport]  # noqa: F401
    from pipelines.engine.base import Places
    from pipelines.engine.loading import Loaders
    from pipelines.proof.rig import Contender, Rig, Workshop

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
    workshop = Workshop(machine, Loaders(machine, places).load_plain, places)
    libraries = clock()
    rig = Rig(contender, request, workshop, lambda _: None)
    loaded = clock()
    rig.draw(request)
    first = clock()
    rig.draw(replace(request, seed=request.seed + 1))
    second = clock()
    rig.close()
    times = {
        "libraries": libraries - began,
        "loading": loaded - libraries,
        "first": first - loaded,
        "second": second - first,
    }
    return {name: round(seconds, 4) for name, seconds in times.items()}


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
