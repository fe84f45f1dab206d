"""The weights of an engine in pieces: some stay on the GPU, the others pass through two places there, block by block.

A streamed block's weights wait in pinned memory. While one block computes, a second stream copies the next one's into
the other place; events keep the two apart: a copy waits until the block before last has computed, and a block until
its copy has ended. The CPU is never more than two streamed blocks ahead, so that a cancel is heard.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipelines import devices
from pipelines.engine.gpu_memory import ALIGNMENT
from pipelines.engine.rtx_engine import find_dtype
from pipelines.engine.rtx_weights import GROUP, take
from pipelines.errors import NoRoom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import torch

    from pipelines.engine.chain import Step
    from pipelines.engine.gpu_memory import Block, Event, Gpu
    from pipelines.engine.rtx_weights import Source


@dataclass(frozen=True, slots=True)
class Place:
    """A weight `offset` bytes into its block's memory: `count` values of `dtype`."""

    offset: int
    count: int
    dtype: torch.dtype


@dataclass(frozen=True, slots=True)
class Layout:
    """How the weights of one call of an engine lie in `size` bytes, by the engine's names."""

    places: Mapping[str, Place]
    size: int


def lay_out(engine: Any, names: Iterable[str]) -> Layout:
    """One weight after another, each where TensorRT-RTX wants an address."""
    places: dict[str, Place] = {}
    end = 0
    for name in names:
        count, dtype = math.prod(engine.get_tensor_shape(name)), find_dtype(engine.get_tensor_dtype(name))
        places[name] = Place(end, count, dtype)
        end += -(-count * dtype.itemsize // ALIGNMENT) * ALIGNMENT
    return Layout(places, end)


def choose_streamed(blocks: Sequence[tuple[int, int]], resident: int) -> tuple[int, ...]:
    """Which of the blocks (number and bytes) come and go where `resident` bytes of them may stay, in their order.

    Those that stay are spread evenly, so that each gives the copies of its neighbours time.
    """
    total = sum(size for _, size in blocks)
    streamed: list[int] = []
    seen = kept = 0
    for number, size in blocks:
        seen += size
        if kept + size <= resident * seen / total:
            kept += size
        else:
            streamed.append(number)
    return tuple(streamed)


class Blocks:
    """Where the weights of each step are: `Slots`, and what takes turns on the GPU.

    `resident` bytes of the repeated blocks stay on the GPU; None: all of them. With `keeps` a copy of all weights stays
    in pinned memory, so that they can leave the GPU.
    """

    def __init__(
        self, name: str, gpu: Gpu, calls: Sequence[tuple[Step, Layout]], resident: int | None, *, keeps: bool
    ) -> None:
        self._name = name
        self._gpu = gpu
        self.layouts = [layout for _, layout in calls]
        blocks = [(number, layout.size) for number, (step, layout) in enumerate(calls) if step.region]
        self.streamed = () if resident is None else choose_streamed(blocks, resident)
        self._keeps = keeps or bool(self.streamed)
        self._pinned: dict[int, Block] = {}
        self._resident: dict[int, Block] = {}
        self._ring: _Ring | None = None
        self._places: dict[str, list[tuple[int, Place]]] = {}  # by the checkpoint's names
        for number, (step, layout) in enumerate(calls):
            for own, weight in step.weights.items():
                self._places.setdefault(weight, []).append((number, layout.places[own]))

    @property
    def names(self) -> tuple[str, ...]:
        """See `Slots`."""
        return tuple(self._places)

    @property
    def largest(self) -> int:
        """Bytes of the weights of the step that has most."""
        return max(layout.size for layout in self.layouts)

    def enter(self) -> None:
        """Be on the GPU.

        Raises:
            NoRoom: it, or the main memory, has not enough room.
        """
        if self._keeps and not self._pinned:
            self._pin()
        for number, layout in enumerate(self.layouts):
            if number not in self.streamed and number not in self._resident:
                self._resident[number] = self._gpu.allocate(layout.size)
                if self._keeps:
                    self._gpu.copy(self._resident[number].address, self._pinned[number].address, layout.size)
        if self.streamed and self._ring is None:
            self._ring = _Ring(self._gpu, [self._pinned[number] for number in self.streamed])
        self._gpu.synchronise()

    def leave(self) -> None:
        """Be off it."""
        if self._keeps:
            self._free()

    def renew(self) -> None:
        """Weights have changed: `fill` has seen to it."""

    def fill(self, names: Iterable[str], source: Source, on_group: Callable[[int, int], None]) -> None:
        """See `Slots`; to be called while on the GPU."""
        self.reset()
        wanted = list(dict.fromkeys(names))
        size = 0
        for done, name in enumerate(wanted, 1):
            for number, place in self._places[name]:
                self._put(number, place, take(source, name, place.count, place.dtype))
                size += place.count * place.dtype.itemsize
            if size >= GROUP:
                size = 0
                on_group(done, len(wanted))
        on_group(len(wanted), len(wanted))

    def need(self, number: int) -> int:
        """The address of a step's weights; what is enqueued from now on finds them there."""
        if number in self._resident:
            return self._resident[number].address
        assert self._ring is not None
        return self._ring.need()

    def done(self, number: int) -> bool:
        """The step is enqueued; whether it was a streamed one."""
        if number in self._resident or self._ring is None:
            return False
        self._ring.done()
        return True

    def reset(self) -> None:
        """Begin at the first step again, after all that is under way."""
        if self._ring is not None:
            self._ring.reset()

    def close(self) -> None:
        """See `Slots`."""
        self._free()
        for block in self._pinned.values():
            self._gpu.free_pinned(block)
        self._pinned.clear()

    def _pin(self) -> None:
        need, free = sum(layout.size for layout in self.layouts), devices.read_memory()[1]
        if need > free:
            raise NoRoom(
                f"The weights of the {self._name} wait in main memory: that takes {need / 2**30:.1f} GiB, and "
                f"{free / 2**30:.1f} GiB is free.",
                "Close other programs, or use a smaller model.",
            )
        for number, layout in enumerate(self.layouts):
            self._pinned[number] = self._gpu.allocate_pinned(layout.size)

    def _free(self) -> None:
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        for block in self._resident.values():
            self._gpu.free(block)
        self._resident.clear()

    def _put(self, number: int, place: Place, value: torch.Tensor) -> None:
        size = place.count * place.dtype.itemsize
        block = self._pinned[number] if self._keeps else self._gpu.allocate_pinned(size)
        try:
            address = block.address + (place.offset if self._keeps else 0)
            ctypes.memmove(address, value.data_ptr(), size)
            if number in self._resident:
                self._gpu.copy(self._resident[number].address + place.offset, address, size)
                self._gpu.synchronise()
        finally:
            if not self._keeps:
                self._gpu.free_pinned(block)


class _Ring:
    """Two places that the blocks in `pinned` pass through, in their order and over again."""

    def __init__(self, gpu: Gpu, pinned: Sequence[Block]) -> None:
        self._gpu = gpu
        self._pinned = pinned
        self._copier = gpu.fork()
        size = max(block.size for block in pinned)
        self._places: list[Block] = []
        self._full: list[Event] = []
        self._free: list[Event] = []
        self._used = self._copied = 0  # how many blocks have been computed with and copied, as far as enqueued
        try:
            for _ in range(2):
                self._places.append(gpu.allocate(size))
                self._full.append(gpu.make_event())
                self._free.append(gpu.make_event())
        except BaseException:
            self.close()
            raise

    def need(self) -> int:
        place = self._used % 2
        self._free[place].synchronise()  # the block before last has computed: no further ahead
        self._copy_ahead()
        self._gpu.wait(self._full[place])
        return self._places[place].address

    def done(self) -> None:
        self._gpu.record(self._free[self._used % 2])
        self._used += 1
        self._copy_ahead()

    def reset(self) -> None:
        self._copier.synchronise()
        self._gpu.synchronise()
        self._used = self._copied = 0

    def close(self) -> None:
        self.reset()
        for block in self._places:
            self._gpu.free(block)
        for event in (*self._full, *self._free):
            event.close()
        self._copier.close()

    def _copy_ahead(self) -> None:
        """The block that is next, and the one after it: also over the end, for the next call."""
        while self._copied < self._used + 2:
            place, block = self._copied % 2, self._pinned[self._copied % len(self._pinned)]
            self._copier.wait(self._free[place])
            self._copier.copy(self._places[place].address, block.address, block.size)
            self._copier.record(self._full[place])
            self._copied += 1
