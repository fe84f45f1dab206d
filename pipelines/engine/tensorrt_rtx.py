"""The `tensorrt_rtx` backend: networks as engines that TensorRT for RTX runs, whatever PyTorch was built with.

What it stands on: `store` has the engines, `rtx_engine` and `rtx_context` run them, `rtx_weights` fills them; for those
in pieces it is `rtx_chain` and `rtx_blocks`. `rtx_body` puts either together, `rtx_mechanics` and `adaptive` let them
become faster, `keeper` remembers. Importing this loads PyTorch.
"""

from __future__ import annotations

import logging
import platform
from typing import TYPE_CHECKING

from pipelines.engine import build, export, rtx
from pipelines.engine.base import find_streamed
from pipelines.engine.build import Recipe
from pipelines.engine.cache import TIMINGS
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.gpu_memory import CudaGpu, Scratch
from pipelines.engine.interfaces import Part
from pipelines.engine.keeper import Keeper
from pipelines.engine.merge import Merged, find_source
from pipelines.engine.network import WeightKind
from pipelines.engine.rtx_body import Kit, Wanted, open_chain, open_plan
from pipelines.engine.rtx_engine import Library
from pipelines.engine.rtx_part import Running
from pipelines.engine.store import Entry, Miss, open_store
from pipelines.engine.timings import Timings
from pipelines.errors import EngineFailure, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from torch import Tensor

    from pipelines.devices import Gpu, Machine
    from pipelines.engine.adaptive import Statistics
    from pipelines.engine.base import ComponentSpec, Places, Plan
    from pipelines.engine.rtx_weights import Source
    from pipelines.engine.store import Store
    from pipelines.events import Report
    from pipelines.request import LoraChoice, Precision

LARGEST_CACHE = 100 * 2**20  # bytes; NVIDIA: a larger one may cost more than it saves
_TURING = (7, 5)
log = logging.getLogger(__name__)


class TensorRtxLoader:
    """See `ComponentLoader`. Keep it: what its engines share is made with the first of them.

    `make_kit` is how that is made; tests stand in for the library and the GPU there.
    """

    def __init__(
        self,
        machine: Machine,
        places: Places,
        make_kit: Callable[[int], Kit] | None = None,
    ) -> None:
        self._machine = machine
        self._places = places
        self._make_kit = make_kit or _make_kit
        self._kit: Kit | None = None
        self._timings = Timings(places.kernels / TIMINGS)

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> RtxComponent:
        """See `ComponentLoader`.

        Raises:
            EngineFailure: there is no engine, or it does not run here.
        """
        return RtxComponent(spec, lambda part: self._start(spec, part, plan, report))

    def _start(self, spec: ComponentSpec, part: Part, plan: Plan, report: Report) -> Running:
        gpu = find_gpu(self._machine, plan.device)
        entry, content = self._find_engine(spec, part, plan, gpu)
        if self._kit is None:
            self._kit = self._make_kit(gpu.index)
        details = entry.manifest.details
        architecture = f"{entry.manifest.facts.architecture}-{entry.manifest.sha256[:8]}"
        wanted = Wanted(part.value, f"{architecture} {gpu.name}", plan.precision, details.weights, plan.option)
        facts = make_cache_facts(architecture, plan.precision, gpu, entry.manifest.facts.rtx_version)
        keeper = Keeper(self._places.kernels, facts, part.value, LARGEST_CACHE)
        is_chain = entry.manifest.facts.mode == build.REGIONS
        body = open_chain(self._kit, wanted, content, report) if is_chain else open_plan(self._kit, wanted, content)
        running = Running(self._kit, wanted, body, keeper, report)
        try:
            running.start(find_source(spec, details.weights), self._timings)
        except BaseException:
            running.close()
            raise
        return running

    def _find_engine(self, spec: ComponentSpec, part: Part, plan: Plan, gpu: Gpu) -> tuple[Entry, bytes]:
        store = open_store(self._places.engines)
        network = export.find_network(spec.folder.parent, part)
        in_pieces = find_streamed(plan.option) is not None
        found = find_entry(store, network, plan.precision, gpu, in_pieces=in_pieces)
        reason = ""
        if isinstance(found, Entry):
            content = store.load(found)
            if isinstance(content, bytes):
                return found, content
            reason = content.reason
        else:
            reason = found.reason
        raise EngineFailure(
            f"There is no engine to run the {part.value}: {reason}.",
            f"Build it: firstlight engine build --model {spec.folder.parent} --precision {plan.precision.value}"
            f"{' --weights regions' if in_pieces else ''}.",
        )


class RtxComponent:
    """A network as one engine, a VAE as two. Each is started with its first call, the first of them at once."""

    def __init__(self, spec: ComponentSpec, start: Callable[[Part], Running]) -> None:
        self._name = spec.name
        self._spec = spec
        self._start = start
        self._is_closed = False
        self._changed: tuple[str, ...] = ()  # weights that LoRAs are merged into now
        first = Part.vae_decoder if spec.name == "vae" else Part(spec.name)
        self._running: dict[Part, Running] = {first: start(first)}

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        if self._is_closed:
            raise EngineFailure(f"The {self._name} was closed.", "Report this: it is a fault of Firstlight.")
        part = Part.vae_encoder if "x" in tensors else next(iter(self._running))
        if part not in self._running:
            self._running[part] = self._start(part)
        return self._running[part](tensors)

    def set_loras(self, choices: Sequence[LoraChoice]) -> None:
        """Carry exactly these LoRAs, merged into copies of the originals; other weights are not touched.

        Raises:
            UnusableFile: one cannot be used; there are none then.
            EngineFailure, NoRoom: the weights do not go in.
        """
        merged = Merged(self._spec, choices)
        names = dict.fromkeys((*self._changed, *merged.names))
        self._changed = merged.names
        if not names:
            return
        try:
            self._refill(names, merged)
        except UnusableFile:
            self._refill(names, Merged(self._spec, ()))
            self._changed = ()
            raise

    def _refill(self, names: Iterable[str], source: Source) -> None:
        for running in self._running.values():
            running.refill(names, source)

    def statistics(self) -> dict[str, Statistics]:
        """What happened to each shape, by part."""
        found = {part.value: running.statistics() for part, running in self._running.items()}
        return {name: one for name, one in found.items() if one is not None}

    def close(self) -> None:
        """See `Component`."""
        for running in self._running.values():
            running.close()
        self._running.clear()
        self._is_closed = True


def find_gpu(machine: Machine, device: str) -> Gpu:
    """The GPU that a plan names, such as `cuda:0`.

    Raises:
        EngineFailure: it is not there.
    """
    for gpu in machine.gpus:
        if device == f"cuda:{gpu.index}":
            return gpu
    raise EngineFailure(f"There is no GPU {device}.", "Use --backend eager.")


def find_entry(
    store: Store, network: export.Network, precision: Precision, gpu: Gpu, *, in_pieces: bool = False
) -> Entry | Miss:
    """The engine of a network for a GPU: with refitted weights if there is one, else with weights as inputs, or in
    pieces. Only the last can be streamed, and `in_pieces` asks for it.
    """
    target = "7.5" if gpu.compute_capability == _TURING else build.PORTABLE
    chain = Recipe(network, precision, WeightKind.input, target, regions=True)
    whole = [Recipe(network, precision, kind, target) for kind in (WeightKind.placeholder, WeightKind.input)]
    misses: list[Miss] = []
    for recipe in [chain] if in_pieces else [*whole, chain]:
        found = store.find(build.make_facts(recipe, export.EXPORT_VERSION))
        if isinstance(found, Entry):
            return found
        misses.append(found)
    return misses[0]


def make_cache_facts(engine: str, precision: Precision, gpu: Gpu, version: str) -> CacheFacts:
    """What decides whether kernels that were compiled for an engine fit this machine."""
    return CacheFacts(
        backend="tensorrt_rtx",
        engine=engine,
        precision=precision.value,
        gpu=gpu.name,
        compute_capability=".".join(map(str, gpu.compute_capability)),
        version=version,
        system=platform.system(),
        driver=gpu.driver,
    )


def _make_kit(index: int) -> Kit:
    library = Library(rtx.load())
    gpu = CudaGpu(index)
    return Kit(library, gpu, Scratch(gpu))
