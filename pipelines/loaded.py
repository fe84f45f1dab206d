"""The models in memory: loaded whole or not at all, kept for the next request, and freed."""

from __future__ import annotations

import gc
import importlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, cast

from pipelines import controls, lora, memory
from pipelines.events import Progress, Stage
from pipelines.families import Files
from pipelines.quiet import quieten

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pipelines.catalog import Entry
    from pipelines.controls import PlannedControl
    from pipelines.devices import Machine
    from pipelines.engine.base import Component, ComponentSpec, Plan
    from pipelines.engine.loading import Loaders, SafeComponent
    from pipelines.events import Report
    from pipelines.families.control import Control
    from pipelines.families.model import Model
    from pipelines.framing import Canvas
    from pipelines.planning import Job
    from pipelines.request import LoraChoice


class _MakeModel(Protocol):
    def __call__(
        self, entry: Entry, files: Files, components: Mapping[str, Component], device: str, *, previews: bool
    ) -> Model: ...


@dataclass(slots=True)
class Loaded:
    """A model in memory.

    `loras` are those on it now, with their files' time and size; None where that is not known, since setting them
    failed. `changed` are the components that carry them. `controls` are the ControlNets beside it, with their plans.
    """

    specs: tuple[ComponentSpec, ...]
    plans: dict[str, Plan]
    components: dict[str, SafeComponent]
    denoiser: str
    model: Model
    loras: tuple[tuple[LoraChoice, int, int], ...] | None = ()
    changed: tuple[str, ...] = ()
    controls: dict[ComponentSpec, tuple[Plan, SafeComponent]] = field(
        default_factory=dict["ComponentSpec", "tuple[Plan, SafeComponent]"]
    )

    def is_for(self, job: Job) -> bool:
        """Whether the job can be drawn with it; its ControlNets and LoRAs aside, and the reasons of the plans."""
        return (self.specs, _without_reasons(self.plans)) == (job.specs, _without_reasons(job.plans))

    def set_loras(self, choices: tuple[LoraChoice, ...]) -> None:
        """Make the model carry exactly these LoRAs, read anew where a file changed.

        Raises:
            UnusableFile: one cannot be used.
        """
        stats = [choice.path.stat() for choice in choices]
        wanted = tuple((choice, stat.st_mtime_ns, stat.st_size) for choice, stat in zip(choices, stats, strict=True))
        if self.loras == wanted:
            return
        touched = lora.check_fit(choices, self.specs) if choices else ()
        self.loras = None
        for name in self.changed:
            if name not in touched:
                self.components[name].set_loras(())
        self.changed = touched
        for name in touched:
            self.components[name].set_loras(choices)
        self.loras = wanted

    def hold_controls(self, job: Job, canvas: Canvas | None) -> tuple[Control, ...]:
        """The job's ControlNets with their pictures, as one pass wants them; `canvas` is what is drawn on."""
        if not job.controls:
            return ()
        from pipelines.families import control  # which loads PyTorch

        return tuple(
            control.hold(
                one.choice,
                self.controls[one.spec][1],
                one.spec.folder,
                controls.prepare(one.picture, one.choice.preprocessor, canvas, job.size),
                str(self.model.device),
            )
            for one in job.controls
        )

    def close(self) -> None:
        """Free it."""
        for component in (*self.components.values(), *(component for _, component in self.controls.values())):
            component.close()


def _without_reasons(plans: Mapping[str, Plan]) -> dict[str, Plan]:
    return {name: replace(plan, reason="") for name, plan in plans.items()}


class Shelf:
    """The models of one machine that are in memory. With `previews` they show what comes into being."""

    def __init__(self, machine: Machine, loaders: Loaders, relay: Report, *, previews: bool) -> None:
        self._machine = machine
        self._loaders = loaders
        self._relay = relay
        self._previews = previews
        self._models: list[Loaded] = []

    def find(self, job: Job) -> Loaded | None:
        """The model of the job, where it is in memory."""
        return next((one for one in self._models if one.is_for(job)), None)

    def load(self, job: Job, report: Report) -> Loaded:
        """The model of the job with its ControlNets, loaded where it is missing.

        Raises:
            UnusableFile, NoRoom, EngineFailure: see `Loaders.load`; the model is as it was before.
            Cancelled: from the report.
        """
        loaded = self.find(job)
        if loaded is None:
            loaded = self._load(job, report)
            self._models.append(loaded)
        self._load_controls(loaded, job.controls, report)
        return loaded

    def weigh(self, job: Job) -> int:
        """Bytes of the job's model that are in memory."""
        loaded = self.find(job)
        if loaded is None:
            return 0
        own = sum(memory.weigh(spec, job.plans[spec.name]) for spec in job.specs)
        return own + sum(memory.weigh(spec, plan) for spec, (plan, _) in loaded.controls.items())

    def weigh_controls(self, job: Job) -> int:
        """Bytes of the job's ControlNets that are still to be loaded."""
        loaded = self.find(job)
        held = loaded.controls if loaded is not None else {}
        missing = {one.spec: one.plan for one in job.controls if one.spec not in held}
        return sum(memory.weigh(spec, plan) for spec, plan in missing.items())

    def keep(self, jobs: Collection[Job]) -> None:
        """Free all models but those of the jobs."""
        gone = [one for one in self._models if not any(one.is_for(job) for job in jobs)]
        for one in gone:
            self._models.remove(one)
            one.close()
        if gone:
            gc.collect()  # PyTorch's modules are full of cycles

    def _load(self, job: Job, report: Report) -> Loaded:
        total = len(job.specs) + 1
        report(Progress(Stage.loading, 0, total, "PyTorch"))
        quieten()
        # The class of the family's module, which loads PyTorch
        make_model = cast("_MakeModel", getattr(importlib.import_module(job.family.module), job.family.class_name))
        components: dict[str, SafeComponent] = {}
        try:
            for done, spec in enumerate(job.specs, start=1):
                report(Progress(Stage.loading, done, total, spec.name))
                components[spec.name] = self._loaders.load(spec, job.plans[spec.name], self._relay)
            device = self._machine.torch_device(job.plans[job.family.denoiser].device)
            files = Files(job.folder, job.tokenizers)
            model = make_model(job.entry, files, components, device, previews=self._previews)
            report(Progress(Stage.loading, total, total))
        except BaseException:
            for component in components.values():
                component.close()
            raise
        return Loaded(job.specs, job.plans, components, job.family.denoiser, model)

    def _load_controls(self, loaded: Loaded, wanted: tuple[PlannedControl, ...], report: Report) -> None:
        """Let exactly the wanted ControlNets be beside the model."""
        plans = {control.spec: control.plan for control in wanted}
        for spec, (plan, component) in list(loaded.controls.items()):
            if plans.get(spec) != plan:
                del loaded.controls[spec]
                component.close()
        missing = [spec for spec in plans if spec not in loaded.controls]
        for done, spec in enumerate(missing):
            report(Progress(Stage.loading, done, len(missing), spec.name))
            loaded.controls[spec] = plans[spec], self._loaders.load(spec, plans[spec], self._relay)
