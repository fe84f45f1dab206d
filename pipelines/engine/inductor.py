"""The `inductor` backend: PyTorch's compiler under the adaptive policy. It needs a PyTorch that has the device.

A transformer's repeated blocks are compiled, each kind of them once for a shape, in processes of their own while
PyTorch itself goes on drawing; the rest of it, a small part of the time, stays as it is. A UNet is compiled whole. What
was compiled is kept, and the next launch begins with it. Importing this loads PyTorch.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import platform
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import torch

from pipelines.engine import compiling, quantise
from pipelines.engine.adaptive import Adaptive
from pipelines.engine.cache import TIMINGS
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.forms import FORMS_VERSION
from pipelines.engine.inductor_mechanics import InductorMechanics
from pipelines.engine.inductor_regions import find_compiled
from pipelines.engine.keeper import Keeper
from pipelines.engine.merge import Merged
from pipelines.engine.shapes import Shapes
from pipelines.engine.timings import Timings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

    from pipelines.devices import Machine
    from pipelines.engine.adaptive import Statistics
    from pipelines.engine.base import Component, ComponentLoader, ComponentSpec, Places, Plan
    from pipelines.events import Report
    from pipelines.request import LoraChoice

_WORKPLACE = "TORCHINDUCTOR_CACHE_DIR"  # where the compiler works; PyTorch's own variable
log = logging.getLogger(__name__)


class HasModule(Protocol):
    """A component of the backend that this one builds on."""

    @property
    def module(self) -> torch.nn.Module:
        """The network."""
        ...

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        ...

    def close(self) -> None:
        """See `Component`."""
        ...


class InductorLoader:
    """See `ComponentLoader`. `plain` loads networks for PyTorch itself."""

    def __init__(self, machine: Machine, places: Places | None, plain: ComponentLoader) -> None:
        self._machine = machine
        self._kernels = places.kernels if places is not None else None
        self._plain = plain
        self._workplace = _prepare_workplace(self._kernels)

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> Component:
        """See `ComponentLoader`. What is not compiled runs on PyTorch itself."""
        preparation = compiling.Preparation()
        component = cast("HasModule", self._plain.load(spec, plan, report))
        if not find_compiled(component.module):
            return component
        preparation.wait()
        facts = make_cache_facts(spec, plan, self._machine, component.module)
        keeper = Keeper(self._kernels, facts, spec.name)
        timings = Timings(self._kernels / TIMINGS if self._kernels is not None else None)
        return InductorComponent(
            component, spec, plan, InductorTools(keeper, timings, report, facts.engine, self._workplace)
        )


class InductorTools:
    """What a component works with besides its network."""

    def __init__(self, keeper: Keeper, timings: Timings, report: Report, engine: str, workplace: Path) -> None:
        self.keeper = keeper
        self.timings = timings
        self.report = report
        self.engine = engine
        self.workplace = workplace


class InductorComponent:
    """A network whose repeated blocks are compiled for the shapes that are used."""

    def __init__(self, plain: HasModule, spec: ComponentSpec, plan: Plan, tools: InductorTools) -> None:
        self._plain = plain
        self._spec = spec
        self._changed: tuple[str, ...] = ()
        self._mechanics = InductorMechanics(plain, plan, tools.keeper, tools.report, tools.workplace)
        self._mechanics.read()
        key = f"{spec.name} inductor {plan.device} {tools.engine}"
        self._adaptive = Adaptive(key, self._mechanics, tools.report, tools.timings)
        self._shapes = Shapes()

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        return self._adaptive(self._shapes.find(tensors), tensors)

    def set_loras(self, choices: Sequence[LoraChoice]) -> None:
        """Carry exactly these LoRAs, merged into the weights from the originals; compiled blocks read them anew.

        Raises:
            UnusableFile: one cannot be used; there are none then.
        """
        merged = Merged(self._spec, choices)
        touched, self._changed = (*self._changed, *merged.names), merged.names
        try:
            self._write(touched, merged)
        except BaseException:
            self._changed = ()
            self._write(touched, Merged(self._spec, ()))
            raise

    def statistics(self) -> Statistics:
        """What happened to each shape."""
        return self._adaptive.statistics()

    def close(self) -> None:
        """See `Component`."""
        self._adaptive.close()
        self._mechanics.close()
        self._plain.close()

    def _write(self, names: Sequence[str], source: Merged) -> None:
        for name in dict.fromkeys(names):
            quantise.write(self._plain.module, name, source(name))


def make_cache_facts(spec: ComponentSpec, plan: Plan, machine: Machine, module: torch.nn.Module) -> CacheFacts:
    """What decides whether what was compiled fits. `engine` has the sizes and types of all weights, as a digest."""
    gpu = machine.find_gpu(plan.device)
    kinds = "-".join(sorted({type(block).__name__.lower() for block in find_compiled(module)}))
    weights = [(name, tuple(one.shape), str(one.dtype)) for name, one in module.state_dict().items()]
    digest = hashlib.sha256(repr((FORMS_VERSION, weights)).encode()).hexdigest()[:8]
    return CacheFacts(
        backend="inductor",
        engine=f"{kinds[:52]}-{digest}",
        precision=plan.precision.value,
        gpu=gpu.name if gpu is not None else machine.cpu,
        compute_capability=".".join(map(str, gpu.compute_capability)) if gpu is not None else "",
        version=torch.__version__,
        system=platform.system(),
        driver=gpu.driver if gpu is not None else "",
    )


def _prepare_workplace(kernels: Path | None) -> Path:
    """The folder in which the compiler works. It goes with this process: only what we have checked is used again.

    Without this it would share a folder under a guessable name in the system's folder for temporary files.
    """
    if _WORKPLACE in os.environ:
        folder = os.environ[_WORKPLACE]
        Path(folder).mkdir(parents=True, exist_ok=True)
        return Path(folder)
    try:
        if kernels is not None:
            kernels.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=".inductor-", dir=kernels)
    except OSError as error:
        log.warning("the compiler works in the system's folder for temporary files: %s", error)
        folder = tempfile.mkdtemp(prefix=".inductor-")
    os.environ[_WORKPLACE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
