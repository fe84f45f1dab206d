"""Calls of a network on CUDA: one launch after the other, or as a graph where the GPU would wait for the host."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Generator

    from torch import Tensor

_WARM_UPS = 2  # calls before a capture, so that nothing is allocated or chosen within it
# Of a call's time that passes before the host has launched it all: where it is more, launches are what the GPU waits
# for, and one graph wins; where it is less, a graph gains nothing and holds memory for all that a call computes
_HOST_SHARE = 0.5
Call = Callable[[Mapping[str, "Tensor"]], dict[str, "Tensor"]]  # a network on named tensors


class Launching:
    """Calls, one launch after the other or as a graph, by a key that says which. On a CPU there are no graphs."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._called: set[object] = set()
        self._pays: dict[object, bool] = {}
        self._graphs: dict[object, Graph] = {}
        self._pool: Any = None  # of memory, which all graphs share: no two ever run at once

    def pays(self, key: object) -> bool:
        """Whether the GPU waits for the host in this call, as its second one has shown."""
        return self._pays.get(key, False)

    def refuse(self, key: object) -> None:
        """No graph for it."""
        self._graphs.pop(key, None)
        self._pays[key] = False

    def call(self, key: object, call: Call, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Call it; the second time, when all is loaded, measure who waits for whom."""
        if self._device == "cpu" or key in self._pays or key not in self._called:
            self._called.add(key)
            return call(inputs)
        torch.cuda.synchronize(self._device)
        began = time.perf_counter()
        outputs = call(inputs)
        launched = time.perf_counter() - began
        torch.cuda.synchronize(self._device)
        self._pays[key] = launched / (time.perf_counter() - began) > _HOST_SHARE
        return outputs

    def replay(self, key: object, call: Call, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Call it as a graph, which is captured by the first of these.

        Raises:
            EngineFailure: it cannot be captured.
        """
        if key not in self._graphs:
            if self._pool is None:
                self._pool = torch.cuda.graph_pool_handle()
            self._graphs[key] = Graph(call, self._device, self._pool)
        return self._graphs[key].run(inputs)

    def forget(self, key: object) -> None:
        """Free what is held for it."""
        self._called.discard(key)
        self._pays.pop(key, None)
        self._graphs.pop(key, None)

    def clear(self) -> None:
        """Forget all."""
        self._graphs.clear()
        self._pays.clear()
        self._called.clear()


class Graph:
    """A call as one CUDA graph: inputs are copied to fixed places, and all launches are replayed as one."""

    def __init__(self, call: Call, device: str, pool: Any) -> None:
        self._call = call
        self._device = torch.device(device)
        self._pool = pool
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
            # Of this thread only: another may be loading what was compiled
            with _fresh_workspaces(), torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                self._outputs = self._call(self._inputs)
        except RuntimeError as error:
            raise EngineFailure(f"The steps cannot be captured as a graph: {error}.", "Report this.") from error
        self._graph = graph
        return graph


@contextlib.contextmanager
def _fresh_workspaces() -> Generator[None]:
    """cuBLAS keeps its scratch memory for each stream: none may outlive a graph's pool, nor be shared with it."""
    clear = cast("Any", torch)._C._cuda_clearCublasWorkspaces
    clear()
    try:
        yield
    finally:
        clear()
