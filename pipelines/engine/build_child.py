"""The process that builds one engine: exports, parses, decides about the weights, builds, packs, and ends."""

from __future__ import annotations

import contextlib
import importlib
import lzma
import os
import re
import signal
import sys
import threading
import time
from importlib import metadata
from typing import TYPE_CHECKING, Any

from pipelines.engine import chain, pieces, rtx
from pipelines.engine.build import BUILD_LOG, PORTABLE, Broken, Built, Started, Step, describe
from pipelines.engine.chain import Chain
from pipelines.engine.interfaces import Axis
from pipelines.engine.manifest import Details
from pipelines.engine.network import Rewriter, Uniform, WeightKind
from pipelines.errors import EngineFailure, FirstlightError, NoRoom

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path

    from torch import Tensor

    from pipelines.engine.build import Recipe
    from pipelines.engine.interfaces import Input, Interface
    from pipelines.engine.pieces import Size, Sizes

_MOST_WORDS = 300  # of TensorRT's message in ours


def main(connection: Connection, recipe: Recipe, work: Path) -> None:
    """Build in the folder `work` and answer with `Built` or `Broken`; `Started` goes before each step."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole terminal; the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with (work / BUILD_LOG).open("w", encoding="utf-8") as stream:
        for descriptor in (1, 2):  # native code writes there too, and stdout is the answer of the command line
            os.dup2(stream.fileno(), descriptor)
    _share_nothing()
    try:
        answer: Built | Broken = _build(connection, recipe, work)
    except FirstlightError as error:
        answer = Broken(error.kind, error.message, error.action)
    except MemoryError:
        answer = Broken(NoRoom.kind, f"Memory ran out building the {recipe.network.part.value}.", "Close programs.")
    with contextlib.suppress(OSError):  # the parent has left
        connection.send(answer)
    connection.close()


def _share_nothing() -> None:
    """Give tqdm, which the libraries load, a plain lock: its own is reported as leaked when we are killed."""
    tqdm: Any = importlib.import_module("tqdm")
    tqdm.tqdm.set_lock(threading.RLock())


def _end_with_parent() -> None:
    """A build knows no stop: when the parent is gone, so are we."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _build(connection: Connection, recipe: Recipe, work: Path) -> Built:
    connection.send(Started(Step.exporting))
    from pipelines.engine import export

    graph = work / "graph.onnx"
    exported = export.export(recipe.network, recipe.precision, graph)
    connection.send(Started(Step.building))
    began = time.monotonic()
    make = build_chain if recipe.regions else build_plan
    plan, kinds = make(recipe, graph, tuple(exported.weights))
    seconds = time.monotonic() - began
    connection.send(Started(Step.packing))
    (work / "plan.xz").write_bytes(lzma.compress(plan))
    details = Details(
        part=recipe.network.part.value,
        reason=describe(recipe),
        export_seconds=exported.seconds,
        build_seconds=seconds,
        peak_memory=_peak_memory(),
        graph_sha256=exported.sha256,
        weights={name: kind.value for name, kind in kinds.items()},
        versions={name: metadata.version(name) for name in (recipe.network.library, "torch", "onnxscript")},
    )
    return Built(len(plan), details)


def build_plan(recipe: Recipe, graph: Path, weights: tuple[str, ...]) -> tuple[bytes, Mapping[str, WeightKind]]:
    """Build the plan of a graph whose inputs `weights` are parameters; returns it and what they became.

    Raises:
        EngineFailure: TensorRT-RTX refuses; the operator is named where it can be found out.
    """
    return _Builder(recipe).build(graph, weights, _profile(recipe.network.interface))


def build_chain(recipe: Recipe, graph: Path, weights: tuple[str, ...]) -> tuple[bytes, Mapping[str, WeightKind]]:
    """As `build_plan`, in pieces: the packed chain of their plans."""
    found = pieces.cut(graph, recipe.network.interface, weights)
    builder = _Builder(recipe)
    plans: list[bytes] = []
    for number, piece in enumerate(found.pieces):
        file = graph.with_name(f"piece-{number}.onnx")
        file.write_bytes(piece.graph)
        plans.append(builder.build(file, piece.weights, piece.sizes)[0])
    kinds = {name: WeightKind.input for step in found.steps for name in step.weights.values()}
    return chain.pack(Chain(tuple(plans), found.steps)), kinds


class _Builder:
    """TensorRT-RTX's, with its messages."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._trt = rtx.load()
        self._logger, self._messages = rtx.make_logger(self._trt)
        self._builder = self._trt.Builder(self._logger)

    def build(
        self, graph: Path, weights: tuple[str, ...], profile: Mapping[str, Sizes]
    ) -> tuple[bytes, Mapping[str, WeightKind]]:
        """See `build_plan`; `profile` has the sizes of inputs that change."""
        trt, recipe = self._trt, self._recipe
        if self._builder is None:
            raise _failure(recipe, graph, self._messages)
        network = self._builder.create_network(0)
        parser = trt.OnnxParser(network, self._logger)
        if not parser.parse_from_file(str(graph)):
            raise _parse_failure(recipe, parser)
        rewriter = Rewriter(trt, network, Uniform(recipe.kind), _values(recipe))
        rewriter.apply(weights)
        rewriter.loosen_attention()
        config = _configure(trt, self._builder, recipe, profile)
        plan = self._builder.build_serialized_network(network, config)
        if plan is None:
            raise _failure(recipe, graph, self._messages)
        return bytes(plan), rewriter.kinds


def _configure(trt: Any, builder: Any, recipe: Recipe, sizes: Mapping[str, Sizes]) -> Any:
    config = builder.create_builder_config()
    if recipe.kind is WeightKind.placeholder:
        config.set_flag(trt.BuilderFlag.STRIP_PLAN)
        config.set_flag(trt.BuilderFlag.REFIT_INDIVIDUAL)
    if recipe.target != PORTABLE:  # unset is the one that runs on all RTX GPUs from 8.6 on
        config.num_compute_capabilities = 1
        config.set_compute_capability(getattr(trt.ComputeCapability, f"SM{recipe.target.replace('.', '')}"), 0)
    profile = builder.create_optimization_profile()
    for name, (least, usual, most) in sizes.items():
        if least != most:
            profile.set_shape(name, least, usual, most)
    if config.add_optimization_profile(profile) < 0:
        raise EngineFailure(f"The sizes of the {recipe.network.part.value} are refused.", "The log has the details.")
    return config


def _profile(interface: Interface) -> dict[str, Sizes]:
    """The sizes of the network's own inputs."""

    def bound(one: Input, which: str) -> Size:
        return tuple(int(getattr(size, which)) if isinstance(size, Axis) else size for size in one.shape)

    return {one.name: (bound(one, "minimum"), bound(one, "usual"), bound(one, "maximum")) for one in interface.inputs}


def _values(recipe: Recipe) -> Callable[[str], Tensor] | None:
    """Reads the weights that become constants, in the precision of the engine."""
    if recipe.kind is not WeightKind.constant:
        return None
    from safetensors import safe_open

    from pipelines.engine.export import DTYPES

    files: list[Any] = [safe_open(str(file), framework="pt") for file in recipe.files]
    places = {name: file for file in files for name in file.keys()}  # noqa: SIM118  # no dictionary
    dtype = DTYPES[recipe.precision]

    def read(name: str) -> Tensor:
        if name not in places:
            raise EngineFailure(f"The weight {name} is not in the files of the model.", "Get the model again.")
        value: Tensor = places[name].get_tensor(name)
        return value.to(dtype)

    return read


def _parse_failure(recipe: Recipe, parser: Any) -> EngineFailure:
    error = parser.get_error(0)
    text = f"operator {error.node_operator()} ({error.node_name()}): {_shorten(error.desc())}"
    return _refusal(recipe, text)


def _failure(recipe: Recipe, graph: Path, messages: list[str]) -> EngineFailure:
    text = " ".join(messages) or "TensorRT-RTX gave no reason"
    operator = find_operator(graph, text)
    return _refusal(recipe, f"{f'operator {operator}: ' if operator else ''}{_shorten(text)}")


def find_operator(graph: Path, text: str) -> str:
    """The operator that a message is about: the node of the graph that it names, or a type of node. "" if neither."""
    onnx: Any = importlib.import_module("onnx")
    nodes = list(onnx.load(str(graph)).graph.node)
    words = set(re.findall(r"\w+", text))
    for node in nodes:
        if node.name in words:
            return f"{node.op_type} ({node.name})"
    return next((kind for kind in sorted({node.op_type for node in nodes}) if kind in words), "")


def _refusal(recipe: Recipe, text: str) -> EngineFailure:
    return EngineFailure(
        f"The engine of the {recipe.network.part.value} cannot be built: {text}.", "Use --backend eager, and report it."
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _MOST_WORDS else f"{line[:_MOST_WORDS]} ..."


def _peak_memory() -> int:
    """The most bytes that this process has held."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
