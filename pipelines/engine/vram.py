"""How networks share the memory of a GPU: decided before anything is loaded, and said in words. Standard library only.

Weights are counted exactly. What a network holds while it works is estimated as `memory` does for PyTorch: engines
take less, so that this errs on the safe side; `firstlight validate` on an RTX card will say by how much.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

GIB = 2**30
OVERHEAD = int(0.7 * GIB)  # bytes: CUDA's context, TensorRT-RTX's library, and kernels
DESKTOP = int(0.6 * GIB)  # what the desktop and its programs hold on a GPU with a screen, where it is not known


class Mode(Enum):
    """Where weights are while they are not in use."""

    resident = "resident"  # all networks stay on the GPU
    turns = "turns"  # one network at a time; the others' weights wait in main memory
    streamed = "streamed"  # as turns, and the largest network comes block by block, through two places on the GPU
    none = "none"  # it does not fit


@dataclass(frozen=True, slots=True)
class Weights:
    """A network's weights in bytes; `block` is its largest repeated block, `blocks` are all of them together."""

    name: str
    size: int
    block: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """`need` is in bytes; `reason` is a half-sentence.

    `resident` bytes of the blocks of the network `streamed` stay on the GPU; the networks `on_cpu`, which run once a
    picture, are too large for it.
    """

    mode: Mode
    need: int
    reason: str
    resident: int = 0
    on_cpu: tuple[str, ...] = ()
    streamed: str = ""


def plan_memory(networks: tuple[Weights, ...], work: int, available: int) -> MemoryPlan:
    """How networks, of which the hungriest holds `work` bytes while it works, fit into `available` bytes."""
    room = available - OVERHEAD - work
    total, largest = sum(one.size for one in networks), max(networks, key=lambda one: one.size)
    fixed = OVERHEAD + work
    if total <= room:
        return MemoryPlan(Mode.resident, total + fixed, "all networks stay on the GPU")
    if largest.size <= room:
        reason = f"{_gib(total)} of weights do not fit at once, so the networks take turns"
        return MemoryPlan(Mode.turns, largest.size + fixed, reason)
    if largest.block and largest.size - largest.blocks + 2 * largest.block <= room:
        return _plan_stream(networks, largest, room, fixed)
    reason = f"the {largest.name} of {_gib(largest.size)} does not fit into {_gib(available)}"
    return MemoryPlan(Mode.none, largest.size + fixed, reason)


def _plan_stream(networks: tuple[Weights, ...], largest: Weights, room: int, fixed: int) -> MemoryPlan:
    """The largest network block by block; others that are too large even alone stay off the GPU."""
    held = largest.size - largest.blocks + 2 * largest.block  # what is no block, and two places for blocks
    kept = min(largest.blocks, room - held)
    others = [one for one in networks if one is not largest]
    on_cpu = tuple(one.name for one in others if one.size > room)
    fitting = max((one.size for one in others if one.size <= room), default=0)
    reason = f"the {largest.name} of {_gib(largest.size)} comes block by block, and {_gib(kept)} of them stay"
    if on_cpu:
        reason += f"; too large for it: {', '.join(on_cpu)}"
    return MemoryPlan(Mode.streamed, max(fitting, held + kept) + fixed, reason, kept, on_cpu, largest.name)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
