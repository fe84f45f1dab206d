"""One way to run a model, loaded with stopwatches on all its networks: what is measured and judged.

It draws as `Session` does, on the same plans, loaders and pipelines, and saves nothing.
"""

from __future__ import annotations

import gc
import importlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from pipelines import planning
from pipelines.errors import InvalidRequest
from pipelines.events import Kernels, KernelsChanged
from pipelines.families import Files
from pipelines.proof.probe import Probe
from pipelines.quiet import quieten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL import Image

    from pipelines.devices import Machine
    from pipelines.engine.base import Component, ComponentSpec, Places, Plan
    from pipelines.events import Event, Report
    from pipelines.families.model import Conditioning, Model
    from pipelines.planning import Job
    from pipelines.request import Backend, GenerationRequest, LoraChoice, Precision


_PATIENCE = 600  # seconds that kernels may take in the background


class Load(Protocol):
    """Makes a component ready by the backend of its plan, such as `Loaders.load_plain`."""

    def __call__(self, spec: ComponentSpec, plan: Plan, report: Report, /) -> Component:
        """See `ComponentLoader.load`."""
        ...


class _TakesLoras(Protocol):
    def set_loras(self, choices: Sequence[LoraChoice]) -> None: ...


@dataclass(frozen=True, slots=True)
class Workshop:
    """What rigs are made with."""

    machine: Machine
    load: Load
    places: Places | None = None


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to run a model that is measured against others. `option` is that of its plans."""

    name: str
    backend: Backend
    precision: Precision
    option: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture and the seconds that its three stages took, the GPU's work included."""

    picture: Image.Image
    encode: float
    denoise: float
    decode: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.encode + self.denoise + self.decode


class Rig:
    """A contender with its networks loaded; `loading` has the seconds that each took.

    `kernels` has, by component, the last that was said of its kernels.

    Raises:
        FirstlightError: it cannot run here.
    """

    def __init__(
        self,
        contender: Contender,
        request: GenerationRequest,
        workshop: Workshop,
        report: Report,
    ) -> None:
        self.contender = contender
        self._workshop = workshop
        self._tell = report
        self.kernels: dict[str, KernelsChanged] = {}
        job = self._plan(request)
        quieten()
        self.plans = job.plans
        self.specs = job.specs
        self.denoiser = job.family.denoiser
        self.device = workshop.machine.torch_device(job.plans[self.denoiser].device)
        self.probes: dict[str, Probe] = {}
        self._components: dict[str, Component] = {}
        self.loading: dict[str, float] = {}
        try:
            for spec in job.specs:
                began = time.perf_counter()
                self._components[spec.name] = workshop.load(spec, job.plans[spec.name], self._report)
                self.probes[spec.name] = Probe(self._components[spec.name], self.device)
                self.wait()
                self.loading[spec.name] = time.perf_counter() - began
            self._model = make_model(job, dict(self.probes), self.device)
        except BaseException:
            self.close()
            raise

    def draw(self, request: GenerationRequest) -> Drawn:
        """Draw the first picture of a request, whose backend and precision are the contender's."""
        from pipelines.families.model import Pass  # which loads PyTorch

        job = self._plan(request)
        conditioning, encode = self._time(lambda: self._model.encode(job.request))
        work = Pass(request.seed, job.size)
        latents, denoise = self._time(lambda: self._model.denoise(job.request, conditioning, work, self._report))
        picture, decode = self._time(lambda: self._model.decode(latents, job.size))
        return Drawn(picture, encode, denoise, decode)

    def settle(self, request: GenerationRequest) -> None:
        """Draw until the kernels of this size, where they are made in the background, are in use or have failed."""
        end = time.monotonic() + _PATIENCE
        while self._is_waiting() and time.monotonic() < end:
            self.draw(request)

    def encode(self, request: GenerationRequest) -> Conditioning:
        """The prompt alone."""
        return self._model.encode(request)

    def component(self, name: str) -> Component:
        """The network itself."""
        return self._components[name]

    def set_loras(self, choices: tuple[LoraChoice, ...]) -> None:
        """Let the denoiser carry exactly these.

        Raises:
            UnusableFile: one cannot be used.
            InvalidRequest: this backend takes none.
        """
        component = self._components[self.denoiser]
        if not hasattr(component, "set_loras"):
            if choices:
                raise InvalidRequest(f"{self.contender.name} takes no LoRAs.")
            return
        cast("_TakesLoras", component).set_loras(choices)

    def wrap(self, wrapper: Callable[[Component, str], Component]) -> None:
        """Put something round each network, within its stopwatch."""
        for name, probe in self.probes.items():
            probe.wrap(wrapper, name)

    def clear(self) -> None:
        """Forget all times so far."""
        for probe in self.probes.values():
            probe.clear()

    def close(self) -> None:
        """Free the networks."""
        for probe in self.probes.values():
            probe.close()
        self.probes, self._components = {}, {}
        gc.collect()

    def _is_waiting(self) -> bool:
        last = self.kernels.get(self.denoiser)
        if last is None or last.kernels in (Kernels.specialised, Kernels.graph):
            return False
        return last.kernels is Kernels.specialising or not last.reason

    def _report(self, event: Event, /) -> None:
        if isinstance(event, KernelsChanged):
            self.kernels[event.component] = event
        self._tell(event)

    def _plan(self, request: GenerationRequest) -> Job:
        wanted = replace(request, backend=self.contender.backend, precision=self.contender.precision)
        job = planning.plan(wanted, self._workshop.machine, self._workshop.places)
        option = self.contender.option
        if not option:
            return job
        return replace(job, plans={name: replace(plan, option=option) for name, plan in job.plans.items()})

    def _time(self, work: Callable[[], Any]) -> tuple[Any, float]:
        self.wait()
        began = time.perf_counter()
        result = work()
        self.wait()
        return result, time.perf_counter() - began

    def wait(self) -> None:
        """Let the GPU finish."""
        if self.device.startswith("cuda"):
            torch: Any = importlib.import_module("torch")
            torch.cuda.synchronize(self.device)


def make_model(job: Job, components: dict[str, Component], device: str) -> Model:
    """The family's model on these components."""
    make = cast("Callable[..., Model]", getattr(importlib.import_module(job.family.module), job.family.class_name))
    return make(job.entry, Files(job.folder, job.tokenizers), components, device)
