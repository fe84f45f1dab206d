"""From a plan to a component that runs: the backend's loader, a check against PyTorch, and what to do if either fails.

Importing this loads nothing heavy; a backend's module is loaded with the first component that it runs.
"""

from __future__ import annotations

import importlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from pipelines.engine.selfcheck import SelfCheck
from pipelines.errors import DeviceLost, EngineFailure
from pipelines.events import Notice
from pipelines.request import NARROW, Backend, Precision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

    from pipelines.devices import Machine
    from pipelines.engine.base import Component, ComponentLoader, ComponentSpec, Places, Plan
    from pipelines.events import Report
    from pipelines.request import LoraChoice

ACCELERATED = (Backend.inductor, Backend.tensorrt_rtx)
log = logging.getLogger(__name__)


class _TakesLoras(Protocol):
    """A component that can carry LoRA files."""

    def set_loras(self, choices: Sequence[LoraChoice]) -> None: ...


class Loaders:
    """The backends of one machine. Without `places` nothing is kept from launch to launch."""

    def __init__(self, machine: Machine, places: Places | None = None) -> None:
        self.machine = machine
        self._places = places
        self._known: dict[Backend, ComponentLoader] = {}

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> SafeComponent:
        """Make the component ready to run. Where an accelerated backend cannot, PyTorch does, and the user is told.

        Raises:
            UnusableFile: its weights do not fit the network.
            NoRoom: memory did not suffice.
            EngineFailure: not even PyTorch can run it.
            Cancelled: from `report`.
        """
        return SafeComponent(self, spec, plan, report)

    def load_plain(self, spec: ComponentSpec, plan: Plan, report: Report) -> Component:
        """As `load`, by the backend of the plan and no other."""
        return self._find(plan.backend).load(spec, plan, report)

    def make_check(self, spec: ComponentSpec, plan: Plan) -> SelfCheck | None:
        """What compares the component with PyTorch, where it is accelerated."""
        if plan.backend not in ACCELERATED:
            return None
        return SelfCheck(self.machine, self._places, spec, plan)

    def _find(self, backend: Backend) -> ComponentLoader:
        if backend not in self._known:
            self._known[backend] = self._make(backend)
        return self._known[backend]

    def _make(self, backend: Backend) -> ComponentLoader:
        match backend:
            case Backend.eager:
                return _import("eager").EagerLoader()
            case Backend.fake:
                return _import("fake").FakeLoader(self._places)
            case Backend.tensorrt_rtx if self._places is not None:
                return _import("tensorrt_rtx").TensorRtxLoader(self.machine, self._places)
            case Backend.inductor:
                return _import("inductor").InductorLoader(self.machine, self._places, self._find(Backend.eager))
            case _:
                raise EngineFailure(
                    f"The backend {backend.value} has no place for its engines.", "Use --backend eager."
                )


class SafeComponent:
    """A component that PyTorch takes over where its backend fails or gives something else than PyTorch does."""

    def __init__(self, loaders: Loaders, spec: ComponentSpec, plan: Plan, report: Report) -> None:
        self._loaders = loaders
        self._spec = spec
        self._report = report
        self._loras: tuple[LoraChoice, ...] = ()
        self.plan = plan
        self._check = loaders.make_check(spec, plan)
        try:
            self._component = loaders.load_plain(spec, plan, report)
        except DeviceLost:
            raise
        except EngineFailure as error:
            if plan.backend not in ACCELERATED:
                raise
            self._component = self._load_fallback(error)

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        if self.plan.backend not in ACCELERATED:
            return self._component(tensors)
        try:
            self._check_once(tensors)
            return self._component(tensors)
        except DeviceLost:
            raise
        except EngineFailure as error:
            self._component.close()
            self._component = self._load_fallback(error)
            return self._component(tensors)

    def set_loras(self, choices: Sequence[LoraChoice]) -> None:
        """Carry exactly these LoRAs.

        Raises:
            UnusableFile: one cannot be used; there are none then.
        """
        self._loras = ()
        cast("_TakesLoras", self._component).set_loras(choices)
        self._loras = tuple(choices)

    def close(self) -> None:
        """See `Component`."""
        if self._check is not None:
            self._check.cancel()
        self._component.close()

    def _check_once(self, tensors: Mapping[str, Tensor]) -> None:
        check = self._check
        if check is None:
            return
        if check.is_under_way:
            if check.poll():
                self._check = None
            return
        if self._loras:  # PyTorch would have to carry them as well
            return
        same = self.plan.precision in NARROW  # what its rounded weights do to pictures is for `validate` to judge
        precision = self.plan.precision if same else Precision.fp32
        eager = replace(self.plan, backend=Backend.eager, precision=precision, device="cpu")
        said = check.run(self._component, lambda: self._loaders.load_plain(self._spec, eager, self._report), tensors)
        if not check.is_under_way:
            self._check = None
        if said:
            self._report(Notice(said))

    def _load_fallback(self, error: EngineFailure) -> Component:
        log.warning("the %s falls back to PyTorch: %s", self._spec.name, error)
        self._report(Notice(f"{error.message} PyTorch runs the {self._spec.name} instead."))
        self._check = None
        device = self._loaders.machine.torch_device(self.plan.device)
        precision = Precision.fp32 if device == "cpu" else self.plan.precision
        self.plan = replace(self.plan, backend=Backend.eager, device=device, precision=precision, reason="the fallback")
        component = self._loaders.load_plain(self._spec, self.plan, self._report)
        if self._loras:
            cast("_TakesLoras", component).set_loras(self._loras)
        return component


def _import(name: str) -> Any:
    return importlib.import_module(f"pipelines.engine.{name}")
