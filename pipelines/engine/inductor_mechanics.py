"""PyTorch's compiler as mechanics of the adaptive policy: generic is PyTorch itself, own kernels are its regions'."""

from __future__ import annotations

import hashlib
import logging
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import torch

from pipelines.engine import checking, compiling
from pipelines.engine.adaptive import Threaded
from pipelines.engine.inductor_regions import Regions
from pipelines.engine.launching import Launching
from pipelines.errors import EngineFailure
from pipelines.events import Kernels

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from pipelines.engine.base import Plan
    from pipelines.engine.compiling import Build
    from pipelines.engine.inductor_regions import Kind
    from pipelines.engine.keeper import Keeper
    from pipelines.engine.launching import Call
    from pipelines.engine.shapes import ShapeKey
    from pipelines.events import Report

_OWN = (Kernels.specialised, Kernels.graph)
_STOP_SECONDS = 10.0  # that background work is given to end when the network goes
log = logging.getLogger(__name__)

Calls = dict[str, "Callable[..., Any]"]  # ways of calling regions, by their names


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
    """See `adaptive.Mechanics`. `folder` is where the compiler works."""

    def __init__(self, network: Network, plan: Plan, keeper: Keeper, report: Report, folder: Path) -> None:
        self._network = network
        self._plan = plan
        self._keeper = keeper
        self._report = report
        self._folder = folder
        if plan.device != "cpu":
            # Convolutions of 16 bits want the channels last; sizes, names and values stay
            network.module.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
        self._regions = Regions(network.module)
        self._seen: dict[ShapeKey, list[Kind]] = {}
        self._builds: dict[str, list[Build]] = {}  # by `_digest` of the shape
        self._calls: dict[ShapeKey, Calls] = {}
        self._launching = Launching(plan.device)
        self._work: list[Threaded] = []

    def read(self) -> None:
        """Take in what an earlier launch has compiled."""
        content = self._keeper.load(self._report)
        if content is None:
            return
        try:
            self._builds = compiling.unpack(content)
        except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            self._keeper.reject(f"PyTorch turns it down: {error}", self._report)

    def is_kept(self, shape: ShapeKey) -> bool:
        """See `Mechanics`."""
        builds = self._builds.get(_digest(shape))
        if not self._keeper.is_kept(shape) or not builds:
            return False
        try:
            self._load(shape, builds)
        except EngineFailure as error:
            self._builds = {}
            self._keeper.reject(error.message, self._report)
            return False
        self._keeper.trust(self._report)
        return True

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Mechanics`. Where generic kernels keep the GPU waiting, they too become one graph."""
        if kernels in _OWN:
            if kernels is Kernels.graph:
                return self._launching.replay((shape, True), self._own(shape), inputs)
            return self._launching.call((shape, True), self._own(shape), inputs)
        if kernels is Kernels.generic and shape not in self._seen:
            with self._regions.watch() as kinds:
                outputs = self._network(inputs)
            self._seen[shape] = kinds
            return outputs
        if self._launching.pays((shape, False)):
            try:
                return self._launching.replay((shape, False), self._network, inputs)
            except EngineFailure as error:
                log.warning("generic kernels have no graph: %s", error.message)
                self._launching.refuse((shape, False))
        return self._launching.call((shape, False), self._network, inputs)

    def specialise(self, shape: ShapeKey) -> Threaded:
        """See `Mechanics`."""
        work = Threaded(partial(self._compile, shape, self._seen.pop(shape, [])), f"kernels {shape.words}")
        self._work = [one for one in self._work if one.poll() is None] + [work]
        return work

    def compare(self, shape: ShapeKey, inputs: Mapping[str, Tensor]) -> str:
        """See `Mechanics`."""
        expected = self._network(inputs)
        return checking.explain(self._own(shape)(inputs), expected, self._plan.precision)

    def capture(self, shape: ShapeKey) -> bool:
        """See `Mechanics`. CUDA only; the first call of the graph captures it."""
        self._launching.forget((shape, False))
        return self._launching.pays((shape, True))

    def forget(self, shape: ShapeKey) -> None:
        """See `Mechanics`. What is kept for the next launch stays."""
        self._seen.pop(shape, None)
        self._calls.pop(shape, None)
        for own in (False, True):
            self._launching.forget((shape, own))

    def settle(self, shape: ShapeKey) -> None:
        """See `Mechanics`."""
        self._keeper.keep(shape, compiling.pack(self._builds))

    def close(self) -> None:
        """Let go of everything; compilers that still work are ended."""
        for work in self._work:
            work.cancel()
        for work in self._work:
            work.join(_STOP_SECONDS)
        self._keeper.close()
        self._launching.clear()
        self._calls.clear()
        self._regions.clear()

    def _compile(self, shape: ShapeKey, kinds: list[Kind], stop: threading.Event) -> None:
        """On a thread of its own, which waits for the processes that compile."""
        if not kinds:
            raise EngineFailure("The network called none of its blocks.", "Use --backend eager.")
        builds = compiling.compile_kinds(kinds, self._plan.device, self._folder, stop)
        self._load(shape, builds)
        self._builds[_digest(shape)] = builds

    def _load(self, shape: ShapeKey, builds: list[Build]) -> None:
        calls: Calls = {}
        for number, build in enumerate(builds):
            loaded = compiling.load(build.content, self._folder, f"{_digest(shape)}-{number}")
            calls |= self._regions.bind(loaded, build.out_spec, list(build.names))
        self._calls[shape] = calls

    def _own(self, shape: ShapeKey) -> Call:
        def call(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
            with self._regions.call_instead(self._calls[shape]):
                return self._network(inputs)

        return call


def _digest(shape: ShapeKey) -> str:
    return hashlib.sha256(str(shape.sizes).encode()).hexdigest()[:16]
