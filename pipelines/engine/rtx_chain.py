"""A network in pieces at run time: one context for each engine, bound anew at each step, with weights as they come.

No step is captured as a graph, since its addresses change from block to block; launches of one block overlap with the
computing of the one before.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from pipelines.engine.gpu_memory import Block
from pipelines.engine.rtx_context import call, demand, enqueue, make_context, set_sizes
from pipelines.engine.rtx_engine import Bound, find_dtype
from pipelines.engine.rtx_flow import Flow, Size, place
from pipelines.events import StepGoesOn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

    from pipelines.engine.chain import Step
    from pipelines.engine.gpu_memory import Gpu, Scratch
    from pipelines.engine.rtx_blocks import Blocks
    from pipelines.engine.rtx_context import Outputs
    from pipelines.engine.rtx_engine import Buffers, Library, Sizes
    from pipelines.events import Report

_PULSE = 0.25  # seconds between two words to the user


class BoundChain(Bound):
    """The `engines` of a chain, its `steps`, and their weights."""

    def __init__(
        self, library: Library, engines: Sequence[Any], name: str, gpu: Gpu, steps: Sequence[Step], blocks: Blocks
    ) -> None:
        self.engines = list(engines)
        self.steps = steps
        self.blocks = blocks
        types: dict[str, Any] = {}
        for step in steps:
            for own, value in (*step.inputs.items(), *step.outputs.items()):
                types[value] = engines[step.engine].get_tensor_dtype(own)
        made = {value for step in steps for value in step.outputs.values()}
        read = {value for step in steps for value in step.inputs.values()}
        inputs = {value: dtype for value, dtype in types.items() if value not in made}
        outputs = {value: dtype for value, dtype in types.items() if value not in read}
        self.ends = {*inputs, *outputs}
        self.value_bytes = {value: find_dtype(dtype).itemsize for value, dtype in types.items()}
        super().__init__(library, engines[0], name, gpu, (inputs, outputs))

    def close(self) -> None:
        """See `Bound`."""
        super().close()
        self.engines.clear()


class ChainContext:
    """One way of running the chain; see `Context`. `report` hears that a long step goes on, and can cancel it."""

    def __init__(self, bound: BoundChain, report: Report, strategy: str, gpu: Gpu, scratch: Scratch) -> None:
        self._bound = bound
        self._report = report
        self._gpu = gpu
        self._scratch = scratch
        made = [make_context(bound, engine, strategy, has_graphs=False) for engine in bound.engines]
        self._calls = [_Call(bound, context, config) for context, config in made]
        self._flow: tuple[Sizes, Flow] | None = None
        self._memory = Block(0, 0)

    def run(self, inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """See `Context`.

        Raises:
            EngineFailure, NoRoom: it cannot be done.
            Cancelled: from the report, between two blocks.
        """
        return call(self._bound, inputs, self._use, self._compute)

    def rehearse(self, sizes: Sizes) -> None:
        """Compute each engine once at each size on memory of its own, so that its kernels are compiled."""
        buffers = self._bound.make_buffers(sizes, self._gpu)
        weights = self._gpu.allocate(self._bound.blocks.largest)  # values do not matter
        try:
            self._use(sizes, buffers)
            done: set[tuple[object, ...]] = set()
            for number, step in enumerate(self._bound.steps):
                key = step.engine, *(self._known.sizes[value] for value in step.inputs.values())
                if key not in done:
                    done.add(key)
                    self._enqueue(number, buffers, weights.address, "specialised")
        finally:
            self._gpu.synchronise()
            self._gpu.free(weights)
            buffers.close()

    def move(self, gpu: Gpu, scratch: Scratch) -> None:
        """See `Context`."""
        self._gpu, self._scratch = gpu, scratch

    def close(self) -> None:
        """See `Context`."""
        self._calls.clear()

    @property
    def _known(self) -> Flow:
        assert self._flow is not None
        return self._flow[1]

    def _use(self, sizes: Sizes, buffers: Buffers) -> Outputs:
        """Find the sizes of everything, unless they are the last call's."""
        if self._flow is None or self._flow[0] != sizes:
            self._flow = None
            self._flow = sizes, self._measure(sizes)
        self._memory = self._scratch.reserve(self._known.arena + self._known.work)  # before anything is under way
        return self._bound.need_outputs(self._known.sizes, buffers, self._gpu)

    def _measure(self, sizes: Sizes) -> Flow:
        bound = self._bound
        known = dict(sizes.inputs)
        work = 0
        for step in bound.steps:
            one = self._calls[step.engine]
            one.set_sizes({own: known[value] for own, value in step.inputs.items()})
            known |= {value: one.get_size(own) for own, value in step.outputs.items()}
            work = max(work, one.work)
        wanted = {value: math.prod(size) * bound.value_bytes[value] for value, size in known.items()}
        offsets, arena = place(bound.steps, wanted, bound.ends)
        return Flow(known, offsets, arena, work)

    def _compute(self, buffers: Buffers) -> None:
        blocks = self._bound.blocks
        told = time.monotonic()
        try:
            for number in range(len(self._bound.steps)):
                self._enqueue(number, buffers, blocks.need(number), "run")
                if blocks.done(number) and time.monotonic() - told >= _PULSE:
                    told = time.monotonic()
                    self._report(StepGoesOn(self._bound.name, number + 1, len(self._bound.steps)))
            self._gpu.synchronise()
        except BaseException:
            blocks.reset()  # the next call begins at the first block
            self._gpu.synchronise()
            raise

    def _enqueue(self, number: int, buffers: Buffers, weights: int, verb: str) -> None:
        """One step, with its weights from that address on."""
        step, flow = self._bound.steps[number], self._known
        one = self._calls[step.engine]
        one.set_sizes({own: flow.sizes[value] for own, value in step.inputs.items()})
        start = self._memory.address
        values = buffers.addresses | {value: start + offset for value, offset in flow.offsets.items()}
        addresses = {own: values[value] for own, value in (*step.inputs.items(), *step.outputs.items())}
        places = self._bound.blocks.layouts[number].places
        addresses |= {own: weights + place.offset for own, place in places.items()}
        one.enqueue(addresses, (start + flow.arena, flow.work), self._gpu.stream, verb)


class _Call:
    """The context of one engine, and what it was last told."""

    def __init__(self, bound: BoundChain, context: Any, config: Any) -> None:
        self._bound = bound
        self._context = context
        self._config = config  # must outlive the context
        self._sizes: dict[str, Size] = {}
        self._memory = (0, 0)
        self.work = 0

    def set_sizes(self, sizes: dict[str, Size]) -> None:
        """How large its inputs are; how much memory it takes is asked again at every change."""
        if sizes == self._sizes:
            return
        self._sizes, self._memory = {}, (0, 0)
        set_sizes(self._bound, self._context, sizes.items())
        self.work = self._context.update_device_memory_size_for_shapes()
        self._sizes = sizes

    def get_size(self, output: str) -> Size:
        """Of an output, for the inputs' sizes."""
        return tuple(self._context.get_tensor_shape(output))

    def enqueue(self, addresses: Mapping[str, int], memory: tuple[int, int], stream: int, verb: str) -> None:
        """Compute when the stream comes to it; `memory` is address and size."""
        if memory != self._memory:
            self._context.set_device_memory(*memory)
            self._memory = memory
        for name, address in addresses.items():
            demand(self._bound, self._context.set_tensor_address(name, address), f"takes no address of {name}")
        enqueue(self._bound, self._context, stream, verb)
