"""TensorRT-RTX under the adaptive policy, in its two ways.

`LazyMechanics`: one context that compiles in the background by itself and swaps kernels in at a later call. Nothing
says when, so the policy is told from step times and from the size of the cache. `ExplicitMechanics`: generic kernels
for ever in one context, and a second context for each shape that is made in the background and ready by definition.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from pipelines.engine import checking
from pipelines.engine.adaptive import Outcome, Threaded
from pipelines.engine.gpu_memory import Scratch
from pipelines.events import Kernels

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from torch import Tensor

    from pipelines.engine.gpu_memory import Gpu
    from pipelines.engine.keeper import Keeper
    from pipelines.engine.rtx_body import Body
    from pipelines.engine.rtx_chain import ChainContext
    from pipelines.engine.rtx_context import Context
    from pipelines.engine.shapes import ShapeKey
    from pipelines.events import Report
    from pipelines.request import Precision

_OWN = (Kernels.specialised, Kernels.graph)
_ALIKE, _FASTER = 1.05, 0.9  # of step times: three that agree so, below the first by so much, are of new kernels
_LAST = 3
_QUIET = 5.0  # seconds without a new kernel in the cache
_LOOK = 1.0  # seconds between two looks at the cache


class _Mechanics:
    """What both ways have in common. `prepare` before anything else: it is where kernels are compiled."""

    strategy = ""

    def __init__(self, body: Body, scratch: Scratch, keeper: Keeper, precision: Precision, report: Report) -> None:
        self._body = body
        self._bound = body.bound
        self._scratch = scratch
        self._keeper = keeper
        self._precision = precision
        self._report = report
        self._generic: Context | ChainContext | None = None

    def prepare(self) -> None:
        """Make the context of the generic kernels."""
        self._need_generic()

    def is_kept(self, shape: ShapeKey) -> bool:
        """See `Mechanics`."""
        return self._keeper.is_kept(shape)

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Mechanics`."""
        outputs = self._context(shape, kernels).run(inputs)
        self._keeper.trust(self._report)  # the kernels of an earlier launch have run
        return outputs

    def capture(self, shape: ShapeKey) -> bool:
        """See `Mechanics`. TensorRT-RTX captures at the second call of a shape, and replays from the third."""
        return self._body.has_graphs

    def settle(self, shape: ShapeKey) -> None:
        """See `Mechanics`. The last run was synchronised, as the cache wants it."""
        self._keeper.keep(shape, self._bound.kernels.dump())

    def forget(self, shape: ShapeKey) -> None:
        """See `Mechanics`."""
        self._bound.forget(self._bound.order(dict(shape.sizes)))

    def reset(self) -> None:
        """Drop all contexts, as after a change of weights; their kernels stay in the cache."""
        if self._generic is not None:
            self._generic.close()
            self._generic = None

    def _context(self, shape: ShapeKey, kernels: Kernels) -> Context | ChainContext:
        return self._need_generic()

    def _need_generic(self) -> Context | ChainContext:
        if self._generic is None:
            self._generic = self._make_context(self.strategy, self._bound.gpu, self._scratch)
        return self._generic

    def _make_context(self, strategy: str, gpu: Gpu, scratch: Scratch) -> Context | ChainContext:
        return self._body.make_context(strategy, gpu, scratch)


class LazyMechanics(_Mechanics):
    """See the module."""

    strategy = "LAZY"

    def __init__(self, body: Body, scratch: Scratch, keeper: Keeper, precision: Precision, report: Report) -> None:
        super().__init__(body, scratch, keeper, precision, report)
        self._settling: dict[ShapeKey, Settling] = {}
        self._clock: Callable[[], float] = time.monotonic

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Mechanics`."""
        began = self._clock()
        outputs = super().run(shape, kernels, inputs)
        if shape in self._settling:
            self._settling[shape].note(self._clock() - began)
        return outputs

    def specialise(self, shape: ShapeKey) -> Settling:
        """See `Mechanics`. It has begun by itself, with the first call."""
        self._settling[shape] = Settling(lambda: len(self._bound.kernels.dump()), self._clock)
        return self._settling[shape]

    def compare(self, shape: ShapeKey, inputs: Mapping[str, Tensor]) -> str:
        """See `Mechanics`. A context that never specialises computes the same."""
        self._settling.pop(shape, None)
        reference = self._make_context("NONE", self._bound.gpu, self._scratch)
        try:
            expected = reference.run(inputs)
        finally:
            reference.close()
        return checking.explain(self._need_generic().run(inputs), expected, self._precision)

    def forget(self, shape: ShapeKey) -> None:
        """See `Mechanics`."""
        self._settling.pop(shape, None)
        super().forget(shape)


class Settling:
    """Work that TensorRT-RTX does unasked: over when steps have become faster, or nothing new comes into the cache."""

    def __init__(self, cache_size: Callable[[], int], clock: Callable[[], float]) -> None:
        self._cache_size = cache_size
        self._clock = clock
        self._began = clock()
        self._steps: list[float] = []
        self._size = -1
        self._changed = self._looked = self._began

    def note(self, seconds: float) -> None:
        """A step took that long."""
        self._steps.append(seconds)

    def poll(self) -> Outcome | None:
        """See `Work`."""
        now = self._clock()
        return Outcome(seconds=now - self._began) if self._is_faster() or self._is_quiet(now) else None

    def cancel(self) -> None:
        """See `Work`. It cannot be stopped, and does no harm."""

    def _is_faster(self) -> bool:
        last = self._steps[-_LAST:]
        if len(self._steps) <= _LAST or min(last) <= 0:
            return False
        return max(last) <= _ALIKE * min(last) and max(last) < _FASTER * self._steps[0]

    def _is_quiet(self, now: float) -> bool:
        if now - self._looked >= _LOOK and self._steps:
            self._looked = now
            size = self._cache_size()
            if size != self._size:
                self._size, self._changed = size, now
        return self._size >= 0 and now - self._changed >= _QUIET


class ExplicitMechanics(_Mechanics):
    """See the module."""

    strategy = "NONE"

    def __init__(self, body: Body, scratch: Scratch, keeper: Keeper, precision: Precision, report: Report) -> None:
        super().__init__(body, scratch, keeper, precision, report)
        self._own: dict[ShapeKey, Context | ChainContext] = {}

    def specialise(self, shape: ShapeKey) -> Threaded:
        """See `Mechanics`."""
        return Threaded(partial(self._make_own, shape), f"kernels {shape.words}")

    def compare(self, shape: ShapeKey, inputs: Mapping[str, Tensor]) -> str:
        """See `Mechanics`."""
        expected = self._need_generic().run(inputs)
        return checking.explain(self._own[shape].run(inputs), expected, self._precision)

    def forget(self, shape: ShapeKey) -> None:
        """See `Mechanics`."""
        if shape in self._own:
            self._own.pop(shape).close()
        super().forget(shape)

    def reset(self) -> None:
        """See the other way."""
        for context in self._own.values():
            context.close()
        self._own.clear()
        super().reset()

    def _context(self, shape: ShapeKey, kernels: Kernels) -> Context | ChainContext:
        if kernels not in _OWN:
            return self._need_generic()
        if shape not in self._own:  # kept from an earlier launch, or from before a change of weights
            self._own[shape] = self._make_context("EAGER", self._bound.gpu, self._scratch)
        return self._own[shape]

    def _make_own(self, shape: ShapeKey, stop: threading.Event) -> None:
        """On a thread of its own: a context whose first run compiles this shape's kernels, on memory of its own."""
        gpu = self._bound.gpu.fork()
        scratch = Scratch(gpu)
        try:
            context = self._make_context("EAGER", gpu, scratch)
            context.rehearse(self._bound.order(dict(shape.sizes)))
        finally:
            scratch.close()
            gpu.close()
        if stop.is_set():
            context.close()
            return
        context.move(self._bound.gpu, self._scratch)
        self._own[shape] = context
