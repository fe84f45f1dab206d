"""An accelerated component against PyTorch, once for each kind of engine, GPU and driver: on the same inputs.

PyTorch may only have the CPU for it, so the comparison is made at the smallest size. What does not agree is not used.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING

from pipelines import devices
from pipelines.engine import checking, numbers
from pipelines.engine.adaptive import Threaded
from pipelines.engine.base import find_streamed
from pipelines.errors import Cancelled, EngineFailure, FirstlightError, NoRoom
from pipelines.request import NARROW

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

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
        self._work: Threaded | None = None
        self._found: tuple[dict[str, Tensor], dict[str, Tensor]] | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether a comparison goes on in the background; `poll` says when it has ended."""
        return self._work is not None

    def run(self, candidate: Component, load_reference: Callable[[], Component], tensors: Mapping[str, Tensor]) -> str:
        """Compare at the smallest size of these inputs, unless that was done; returns words for the user, if any.

        A network that is too large for the memory is compared in the background, block by block.

        Raises:
            EngineFailure: they do not agree.
        """
        if numbers.read(self._file).get(self._key) is not None:
            return ""
        inputs = shrink(tensors)
        need, free = self._spec.parameters * _FP32 * _ROOM, devices.read_memory()[1]
        if need > free:
            return (
                self._say_room(need, free) if self._plan.precision in NARROW else self._begin(candidate, inputs, free)
            )
        try:
            reference = load_reference()
        except NoRoom as error:
            return f"The {self._spec.name} was not compared with PyTorch: {error.message}"
        try:
            expected = reference(_on_cpu(inputs))
        finally:
            reference.close()
        self._judge(_on_cpu(candidate(inputs)), expected)
        return ""

    def poll(self) -> bool:
        """Whether a comparison in the background has ended.

        Raises:
            EngineFailure: it has, and they do not agree.
        """
        outcome = self._work.poll() if self._work is not None else None
        if outcome is None:
            return False
        self._work = None
        if outcome.failure:
            log.warning("the %s was not compared with PyTorch: %s", self._spec.name, outcome.failure)
        elif self._found is not None:
            self._judge(*self._found)
        return True

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        if self._work is not None:
            self._work.cancel()
            self._work = None

    def _begin(self, candidate: Component, inputs: Mapping[str, Tensor], free: int) -> str:
        """Let PyTorch run the network block by block in the background; says why not where it cannot."""
        from pipelines.engine.blockwise import Blockwise

        try:
            reference = Blockwise(self._spec)
        except FirstlightError as error:
            return f"The {self._spec.name} was not compared with PyTorch: {error.message}"
        need = reference.need * _ROOM
        if need > free:
            return self._say_room(need, free)
        given, wanted = _on_cpu(candidate(inputs)), _on_cpu(inputs)

        def compare(stop: threading.Event) -> None:
            self._found = given, reference.run(wanted, lambda: _heed(stop))

        self._work = Threaded(compare, f"kernels of the {self._spec.name} against PyTorch")
        return ""

    def _say_room(self, need: float, free: int) -> str:
        return (
            f"The {self._spec.name} was not compared with PyTorch: that takes {need / 2**30:.1f} GiB of memory, "
            f"and {free / 2**30:.1f} GiB is free."
        )

    def _judge(self, outputs: Mapping[str, Tensor], reference: Mapping[str, Tensor]) -> None:
        """Keep how far apart they are, or refuse."""
        given = {name: tensor for name, tensor in outputs.items() if name in reference}
        expected = {name: reference[name] for name in given}
        problem = checking.explain(given, expected, self._plan.precision)
        if problem:
            raise EngineFailure(
                f"The {self._spec.name} on {self._plan.backend.value} does not give what PyTorch gives: {problem}.",
                "Report this with 'firstlight doctor'.",
            )
        away = checking.measure(given, expected)
        log.info("%s is %.2g away from PyTorch", self._spec.name, away)
        numbers.write(self._file, {**numbers.read(self._file), self._key: away})


def _heed(stop: threading.Event) -> None:
    if stop.is_set():
        raise Cancelled


def _on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.cpu() for name, tensor in tensors.items()}


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
        "in pieces" if find_streamed(plan.option) is not None else "whole",
        spec.class_name,
        hashlib.sha256(config).hexdigest(),
        gpu.name if gpu else machine.cpu,
        gpu.driver if gpu else "",
        str(machine.versions.torch),
        str(machine.versions.tensorrt_rtx),
    ]
    return f"{spec.name}-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]}"
