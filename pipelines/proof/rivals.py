"""PyTorch's compiler as it comes, to measure ours against: by block, whole, with autotuning, and for any size at once.

All that PyTorch itself runs in one precision is loaded once, whoever measures it: the weights are shared, so that more
contenders go into one GPU. Importing this loads PyTorch.
"""

from __future__ import annotations

import copy
import itertools
import weakref
from typing import TYPE_CHECKING, Any, cast

from pipelines.engine.eager import EagerComponent
from pipelines.engine.quantise import find_dtype
from pipelines.engine.regions import find_regions
from pipelines.proof.contenders import WAYS
from pipelines.request import Backend

if TYPE_CHECKING:
    import torch

    from pipelines.engine.base import Component, ComponentSpec, Plan
    from pipelines.events import Report
    from pipelines.proof.rig import Load


class Rivals:
    """Loads components as `load` does; those of PyTorch itself are shared, and compiled as their plan's option says."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._loaded: weakref.WeakValueDictionary[tuple[object, ...], torch.nn.Module] = weakref.WeakValueDictionary()

    def __call__(self, spec: ComponentSpec, plan: Plan, report: Report) -> Component:
        """See `Load`."""
        if plan.backend is not Backend.eager:
            return self._load(spec, plan, report)
        key = (spec, plan.precision, plan.device)
        source = self._loaded.get(key)
        if source is None:
            source = cast("EagerComponent", self._load(spec, plan, report)).module
            self._loaded[key] = source
        return _Sharer(spec.name, source, plan)


class _Sharer(EagerComponent):
    """A network that has another's weights and its own layers, which may be compiled or carry LoRAs."""

    def __init__(self, name: str, source: torch.nn.Module, plan: Plan) -> None:
        tensors = itertools.chain(source.parameters(), source.buffers())
        module = copy.deepcopy(source, {id(tensor): tensor for tensor in tensors})
        super().__init__(name, module, find_dtype(plan), plan.device)
        self._source: torch.nn.Module | None = source  # lives as long as one that shares it
        way = WAYS.get(plan.option)
        if way is not None and find_regions(module):
            for one in find_regions(module) if way.blocks else [module]:
                cast("Any", one).compile(dynamic=way.dynamic, mode=way.mode)

    def close(self) -> None:
        """See `Component`."""
        self._source = None
        super().close()
