"""What tests of the TensorRT-RTX backend share: engines for the double, and a machine with an RTX GPU."""

from __future__ import annotations

import lzma
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pipelines import devices
from pipelines.devices import Gpu, Lack, Machine
from pipelines.engine import build, chain, export, pieces
from pipelines.engine.base import Places, Plan
from pipelines.engine.build import Recipe
from pipelines.engine.chain import Chain
from pipelines.engine.gpu_memory import Scratch
from pipelines.engine.interfaces import Part
from pipelines.engine.manifest import Details
from pipelines.engine.network import WeightKind
from pipelines.engine.rtx_body import Kit
from pipelines.engine.rtx_engine import Library
from pipelines.engine.store import Store
from pipelines.engine.tensorrt_rtx import RtxComponent, TensorRtxLoader
from pipelines.families import FLUX
from pipelines.request import Backend, Precision
from pipelines.weights import find_components
from tests.pipelines.engine.double import HostGpu, Module, Script, make_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Recorder

RTX = Gpu(0, "NVIDIA GeForce RTX 5090", (12, 0), 32 * 2**30, "581.29")
FLUX_PARTS = tuple(part for part in Part if part is not Part.unet)
_EXPORTS: dict[tuple[str, Precision], export.Exported] = {}
_CHAINS: dict[str, bytes] = {}


def make_machine(gpu: Gpu = RTX) -> Machine:
    """This machine, with a GPU that it has not got."""
    return replace(devices.probe(), gpus=(gpu,), lacks=(Lack("inductor", "a test"),))


def export_once(model: Path, part: Part, precision: Precision, folder: Path) -> export.Exported:
    """Exporting takes seconds: once for all tests."""
    network = export.find_network(model, part)
    key = network.architecture, precision
    if key not in _EXPORTS:
        _EXPORTS[key] = export.export(network, precision, folder / f"{part.value}-{precision.value}.onnx")
    return _EXPORTS[key]


def _make_chain(made: export.Exported, network: export.Network) -> bytes:
    """An engine of the double in pieces, cut once for all tests."""
    if made.sha256 not in _CHAINS:
        found = pieces.cut(made.file, network.interface, made.weights)
        plans = tuple(make_plan(one.graph, dict.fromkeys(one.weights, "input")) for one in found.pieces)
        _CHAINS[made.sha256] = chain.pack(Chain(plans, found.steps))
    return _CHAINS[made.sha256]


@dataclass
class Workshop:
    """A store of engines and a loader on the double. `close` sees that nothing is left."""

    model: Path
    places: Places
    graphs: Path
    script: Script = field(default_factory=Script)
    precision: Precision = Precision.fp32
    option: str = ""
    kind: WeightKind = WeightKind.placeholder
    regions: bool = False
    gpu: HostGpu | None = None
    machine: Machine = field(default_factory=make_machine)
    networks: dict[str, tuple[str, str]] = field(default_factory=lambda: FLUX.networks)
    _loader: TensorRtxLoader | None = None

    def build(self, *parts: Part) -> None:
        """Put engines of the double into the store."""
        store = Store(self.places.engines)
        for part in parts:
            made = export_once(self.model, part, self.precision, self.graphs)
            network = export.find_network(self.model, part)
            kind = WeightKind.input if self.regions else self.kind
            recipe = Recipe(network, self.precision, kind, regions=self.regions)
            weights = dict.fromkeys(made.weights, kind.value)
            plan = _make_chain(made, network) if self.regions else make_plan(made.file.read_bytes(), weights)
            details = Details(part.value, "a test", made.seconds, 0.0, 0, made.sha256, weights, {})
            facts = build.make_facts(recipe, export.EXPORT_VERSION)
            store.add(facts, details, lzma.compress(plan, preset=0), len(plan))

    @property
    def loader(self) -> TensorRtxLoader:
        """One for all loads, as a session has it."""
        if self._loader is None:
            self._loader = TensorRtxLoader(self.machine, self.places, self.make_kit)
        return self._loader

    def make_kit(self, index: int) -> Kit:
        self.gpu = HostGpu(self.script)
        return Kit(Library(Module(self.script)), self.gpu, Scratch(self.gpu))

    def load(self, name: str, report: Recorder) -> RtxComponent:
        spec = next(one for one in find_components(self.model, self.networks) if one.name == name)
        plan = Plan(Backend.tensorrt_rtx, self.precision, "cuda:0", "a test", self.option)
        return self.loader.load(spec, plan, report)

    def restart(self) -> None:
        """As a new launch does: nothing is left in memory."""
        self._loader = None
        self.script.calls.clear()
