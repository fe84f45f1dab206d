"""One engine with its weights in it, ready to be called under the adaptive policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.engine import narrow_graph, patience
from pipelines.engine.adaptive import Adaptive
from pipelines.engine.base import EXPLICIT, TURNS
from pipelines.engine.rtx_mechanics import ExplicitMechanics, LazyMechanics
from pipelines.engine.shapes import Shapes
from pipelines.engine.timings import extend
from pipelines.events import Kernels, KernelsChanged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from torch import Tensor

    from pipelines.engine.adaptive import Statistics
    from pipelines.engine.keeper import Keeper
    from pipelines.engine.rtx_body import Body, Kit, Wanted
    from pipelines.engine.rtx_weights import Source
    from pipelines.engine.timings import Timings
    from pipelines.events import Report

ALL_SIZES = "all sizes"  # what generic kernels are for, in words


class Running:
    """See the module. Call `start` first."""

    def __init__(self, kit: Kit, wanted: Wanted, body: Body, keeper: Keeper, report: Report) -> None:
        self._kit = kit
        self._wanted = wanted
        self._body = body
        self._keeper = keeper
        self._report = report
        self._takes_turns = TURNS in wanted.option.split()
        kind = ExplicitMechanics if EXPLICIT in wanted.option.split() else LazyMechanics
        self._mechanics = kind(body, kit.scratch, keeper, wanted.precision, report)
        self._shapes = Shapes()
        self._adaptive: Adaptive[Mapping[str, Tensor], dict[str, Tensor]] | None = None

    def start(self, source: Source, timings: Timings) -> None:
        """Put the weights in, find kernels of an earlier launch, and compile what runs any size.

        Raises:
            UnusableFile: the weights do not fit.
            EngineFailure, NoRoom: TensorRT-RTX refuses.
            Cancelled: from the report.
        """
        names = tuple(self._wanted.weights)
        self.refill(names, source)
        content = self._keeper.load(self._report)
        if content is not None and (refusal := self._body.bound.kernels.load(content)):
            self._keeper.reject(refusal, self._report)
            content = None
        key = f"{self._wanted.name}-start {'warm' if content else 'cold'} {self._wanted.key}"
        estimate = timings.estimate(key)

        def say(elapsed: float) -> None:
            expected = extend(estimate, elapsed)
            reason = "compiling kernels for all sizes"
            self._report(KernelsChanged(self._wanted.name, ALL_SIZES, Kernels.generic, elapsed, expected, reason))

        say(0.0)
        seconds = patience.wait(self._prepare, say, lambda _: self._mechanics.reset())
        timings.record(key, seconds)
        self._adaptive = Adaptive(f"{self._wanted.name} {self._wanted.key}", self._mechanics, self._report, timings)

    def refill(self, names: Iterable[str], source: Source) -> None:
        """Put weights in. Contexts are made anew afterwards: nothing says that graphs survive it."""
        self._take_turn()
        wanted = set(map(narrow_graph.original, names))
        for slots in self._body.slots:
            chosen = [name for name in slots.names if narrow_graph.original(name) in wanted]
            slots.fill(chosen, source, self._on_group)
        if self._body.parked is not None:
            self._body.parked.renew()
        if self._adaptive is not None:
            self._adaptive.close()
        self._mechanics.reset()

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Run it; see `Component`."""
        if self._adaptive is None:
            raise RuntimeError("start comes first")
        self._take_turn()
        return self._adaptive(self._shapes.find(tensors), tensors)

    def statistics(self) -> Statistics | None:
        """What happened to each shape."""
        return self._adaptive.statistics() if self._adaptive is not None else None

    def close(self) -> None:
        """Keep the kernels, and free everything: contexts first, then what they stand on."""
        if self._adaptive is not None:
            self._adaptive.close()
        self._mechanics.reset()
        self._keeper.close()
        if self._body.parked is not None:
            self._kit.turns.drop(self._body.parked)
        self._body.close()

    def _prepare(self) -> float:
        import time

        self._kit.gpu.enter()
        began = time.monotonic()
        self._mechanics.prepare()
        return time.monotonic() - began

    def _take_turn(self) -> None:
        if self._body.parked is None:
            return
        if self._takes_turns:
            self._kit.turns.take(self._body.parked)
        else:
            self._body.parked.enter()

    def _on_group(self, done: int, total: int) -> None:
        reason = f"{done} of {total} weights are in"
        self._report(KernelsChanged(self._wanted.name, ALL_SIZES, Kernels.generic, reason=reason))
