"""PyTorch's compiler as mechanics of the adaptive policy: generic is PyTorch itself, own kernels are its blocks'."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import torch

from pipelines.engine import checking
from pipelines.engine.adaptive import Threaded
from pipelines.engine.regions import call_instead, compile_blocks, find_regions, watch_blocks
from pipelines.errors import EngineFailure
from pipelines.events import Kernels

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from torch import Tensor

    from pipelines.engine.base import Plan
    from pipelines.engine.keeper import Keeper
    from pipelines.engine.regions import Example
    from pipelines.engine.shapes import ShapeKey
    from pipelines.events import Report

_OWN = (Kernels.specialised, Kernels.graph)
_WARM_UPS = 2  # calls before a capture, so that nothing is allocated or chosen within it
_MOST_SHAPES = 64  # that the compiler keeps of one piece of code; beyond its usual 8 it would give up without a word
log = logging.getLogger(__name__)


class Network(Protocol):
    """What is compiled."""

    @property
    def module(self) -> torch.nn.Module:
        """The network."""
        ...

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Run it with PyTorch itself."""
        ...


class InductorMechanics:
    """See `adaptive.Mechanics`."""

    def __init__(self, network: Network, plan: Plan, keeper: Keeper, report: Report) -> None:
        self._network = network
        self._plan = plan
        self._keeper = keeper
        self._report = report
        self._blocks = find_regions(network.module)
        self._calls = compile_blocks(self._blocks)
        self._examples: dict[ShapeKey, list[tuple[torch.nn.Module, Example]]] = {}
        self._graphs: dict[ShapeKey, Graph] = {}
        dynamo = cast("Any", torch)._dynamo.config
        dynamo.recompile_limit = max(dynamo.recompile_limit, _MOST_SHAPES)

    def read(self) -> bool:
        """Take in what an earlier launch has compiled; returns whether there was anything."""
        content = self._keeper.load(self._report)
        if content is None:
            return False
        try:
            taken = cast("Any", torch.compiler).load_cache_artifacts(content)
            problem = "" if taken is not None else "the log has its reason"
        except Exception as error:  # noqa: BLE001  # the compiler's edge: whatever it dislikes, it is made anew
            problem = str(error)
        if problem:
            self._keeper.reject(f"PyTorch turns it down: {problem}", self._report)
            return False
        self._keeper.trust(self._report)
        return True

    def is_kept(self, shape: ShapeKey) -> bool:
        """See `Mechanics`. Even from the cache it takes a second or two, so that it is done in the background."""
        return False

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Mechanics`."""
        if kernels is Kernels.graph:
            return self._graphs[shape].run(inputs)
        if kernels in _OWN:
            with call_instead(self._calls):
                return self._network(inputs)
        if kernels is Kernels.generic and shape not in self._examples:
            with watch_blocks(self._blocks) as examples:
                outputs = self._network(inputs)
            self._examples[shape] = examples
            return outputs
        return self._network(inputs)

    def specialise(self, shape: ShapeKey) -> Threaded:
        """See `Mechanics`."""
        return Threaded(partial(self._compile, self._examples.pop(shape, [])), f"kernels {shape.words}")

    def compare(self, shape: ShapeKey, inputs: Mapping[str, Tensor]) -> str:
        """See `Mechanics`."""
        expected = self._network(inputs)
        return checking.explain(self.run(shape, Kernels.specialised, inputs), expected, self._plan.precision)

    def capture(self, shape: ShapeKey) -> bool:
        """See `Mechanics`. CUDA only; the first call of the graph captures it."""
        if self._plan.device == "cpu":
            return False
        self._graphs[shape] = Graph(partial(self.run, shape, Kernels.specialised), self._plan.device)
        return True

    def forget(self, shape: ShapeKey) -> None:
        """See `Mechanics`. The compiler itself keeps what it has made."""
        self._examples.pop(shape, None)
        self._graphs.pop(shape, None)

    def settle(self, shape: ShapeKey) -> None:
        """See `Mechanics`."""
        saved = cast("Any", torch.compiler).save_cache_artifacts()
        if saved is not None:
            self._keeper.keep(shape, saved[0])

    def close(self) -> None:
        """Let go of everything."""
        self._keeper.close()
        self._calls.clear()
        self._blocks.clear()

    def _compile(self, examples: list[tuple[torch.nn.Module, Example]], stop: threading.Event) -> None:
        """On a thread of its own: call each kind of block once, by which it is compiled."""
        if not examples:
            raise EngineFailure("The network called none of its blocks.", "Use --backend eager.")
        with torch.no_grad():
            for block, (args, kwargs) in examples:
                if stop.is_set():
                    return
                self._calls[block](*args, **kwargs)
        if self._plan.device != "cpu":
            torch.cuda.current_stream(self._plan.device).synchronize()


class Graph:
    """A call as one CUDA graph: inputs are copied to fixed places, and all launches are replayed as one.

    Written to PyTorch's documentation of `torch.cuda.CUDAGraph`; it has not been run yet.
    """

    def __init__(self, call: Callable[[Mapping[str, Tensor]], dict[str, Tensor]], device: str) -> None:
        self._call = call
        self._device = torch.device(device)
        self._graph: Any = None
        self._inputs: dict[str, Tensor] = {}
        self._outputs: dict[str, Tensor] = {}

    def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Replay it; capture it first if this is the first call.

        Raises:
            EngineFailure: it cannot be captured.
        """
        graph = self._graph if self._graph is not None else self._capture(inputs)
        for name, tensor in inputs.items():
            self._inputs[name].copy_(tensor)
        graph.replay()
        return {name: tensor.clone() for name, tensor in self._outputs.items()}

    def _capture(self, inputs: Mapping[str, Tensor]) -> Any:
        self._inputs = {name: tensor.to(self._device).clone() for name, tensor in inputs.items()}
        side = torch.cuda.Stream(self._device)
        side.wait_stream(torch.cuda.current_stream(self._device))
        graph: Any = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.stream(side):
                for _ in range(_WARM_UPS):
                    self._call(self._inputs)
            torch.cuda.current_stream(self._device).wait_stream(side)
            with torch.cuda.graph(graph):
                self._outputs = self._call(self._inputs)
        except RuntimeError as error:
            raise EngineFailure(f"The steps cannot be captured as a graph: {error}.", "Report this.") from error
        self._graph = graph
        return graph
