"""Where the tensors that go from step to step of a chain lie: in one piece of memory, each as long as it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.engine.gpu_memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pipelines.engine.chain import Step

Size = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """One call of a chain at one size.

    `sizes` has those of all tensors by name, `offsets` the places of those between steps in `arena` bytes; `work` is
    what the hungriest engine needs besides, in bytes.
    """

    sizes: Mapping[str, Size]
    offsets: Mapping[str, int]
    arena: int
    work: int


def place(steps: Sequence[Step], wanted: Mapping[str, int], ends: Collection[str]) -> tuple[dict[str, int], int]:
    """The offset of each tensor of `wanted` (name and bytes) but those at the `ends`, and how much all take together.

    A piece of memory is used again when the last step that reads its tensor has run.
    """
    last = {
        name: number for number, step in enumerate(steps) for name in (*step.outputs.values(), *step.inputs.values())
    }
    idle: list[tuple[int, int]] = []  # bytes and offset of pieces that nobody needs any more
    used: dict[str, tuple[int, int]] = {}
    offsets: dict[str, int] = {}
    end = 0
    for number, step in enumerate(steps):
        for name in step.outputs.values():
            if name in ends:
                continue
            size = max(ALIGNMENT, -(-wanted[name] // ALIGNMENT) * ALIGNMENT)
            fitting = [one for one in idle if one[0] >= size]
            if fitting:
                used[name] = min(fitting)
                idle.remove(used[name])
            else:
                used[name] = size, end
                end += size
            offsets[name] = used[name][1]
        for name in [one for one in used if last[one] == number]:
            idle.append(used.pop(name))
    return offsets, end
