"""An accelerated component against PyTorch, once for each kind of engine, GPU and driver: on the same inputs.

PyTorch may only have the CPU for it, so the comparison is made at the smallest size. What does not agree is not used.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from typing import TYPE_CHECKING, cast

from pipelines import devices
from pipelines.engine import checking
from pipelines.errors import EngineFailure, NoRoom

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from pipelines.devices import Machine
    from pipelines.engine.base import Component, ComponentSpec, Places, Plan

FILE = "checks.json"  # beside the kernels: what was compared on this machine, and how far apart it was
_FP32 = 4  # bytes
_ROOM = 1.3  # of the weights: what loading and running the smallest size take besides
_SIDE = {"z": 8, "sample": 16, "x": 64}  # the smallest sizes of latents and pictures that engines take
_PATCHES = 16  # and of FLUX, 64 x 64 pixels
log = logging.getLogger(__name__)


class SelfCheck:
    """The comparison of one component. Its result is kept; a good one is not asked for again."""

    def __init__(self, machine: Machine, places: Places | None, spec: ComponentSpec, plan: Plan) -> None:
        self._file = places.kernels / FILE if places is not None else None
        self._spec = spec
        self._plan = plan
        self._key = _make_key(machine, spec, plan)

    def run(self, candidate: Component, load_reference: Callable[[], Component], tensors: Mapping[str, Tensor]) -> str:
        """Compare at the smallest size of these inputs, unless that was done; returns words for the user, if any.

        Raises:
            EngineFailure: they do not agree.
        """
        if self._read().get(self._key) is not None:
            return ""
        need, free = self._spec.parameters * _FP32 * _ROOM, devices.read_memory()[1]
        if need > free:
            return (
                f"The {self._spec.name} was not compared with PyTorch: that takes {need / 2**30:.1f} GiB of memory, "
                f"and {free / 2**30:.1f} GiB is free."
            )
        inputs = shrink(tensors)
        try:
            reference = load_reference()
        except NoRoom as error:
            return f"The {self._spec.name} was not compared with PyTorch: {error.message}"
        try:
            expected = reference({name: tensor.cpu() for name, tensor in inputs.items()})
        finally:
            reference.close()
        given = {name: tensor.cpu() for name, tensor in candidate(inputs).items() if name in expected}
        problem = checking.explain(given, {name: expected[name] for name in given}, self._plan.precision)
        if problem:
            raise EngineFailure(
                f"The {self._spec.name} on {self._plan.backend.value} does not give what PyTorch gives: {problem}.",
                "Report this with 'firstlight doctor'.",
            )
        self._keep(checking.measure(given, {name: expected[name] for name in given}))
        return ""

    def _read(self) -> dict[str, float]:
        if self._file is None:
            return {}
        try:
            value: object = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(value, dict):
            return {}
        pairs = cast("dict[str, object]", value).items()
        return {key: float(away) for key, away in pairs if isinstance(away, (int, float))}

    def _keep(self, away: float) -> None:
        log.info("%s is %.2g away from PyTorch", self._spec.name, away)
        if self._file is None:
            return
        temporary = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({**self._read(), self._key: away}), encoding="utf-8")
            _replace(temporary, self._file)
        except OSError as error:
            log.warning("the comparison is not kept: %s", error)


def shrink(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same inputs at the smallest size: a corner of latents or a picture, FLUX's first patches."""
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name in _SIDE:
            side = _SIDE[name]
            found[name] = tensor[..., :side, :side].contiguous()
        elif name == "hidden_states":
            found[name] = tensor[:, :_PATCHES].contiguous()
        elif name == "img_ids":
            found[name] = tensor[:_PATCHES].contiguous()
        else:
            found[name] = tensor
    return found


def _make_key(machine: Machine, spec: ComponentSpec, plan: Plan) -> str:
    """By architecture and not by checkpoint, as engines are; and by all that compiles or runs them."""
    gpu = next((gpu for gpu in machine.gpus if plan.device == f"cuda:{gpu.index}"), None)
    try:
        config = (spec.folder / "config.json").read_bytes()
    except OSError:
        config = b""
    facts = [
        plan.backend.value,
        plan.precision.value,
        spec.class_name,
        hashlib.sha256(config).hexdigest(),
        gpu.name if gpu else machine.cpu,
        gpu.driver if gpu else "",
        str(machine.versions.torch),
        str(machine.versions.tensorrt_rtx),
    ]
    return f"{spec.name}-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]}"


def _replace(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except OSError:
        source.unlink(missing_ok=True)
        raise
