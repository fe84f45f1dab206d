"""A network's definition as ONNX, from its configuration alone: diffusers' own modules, without a single weight.

The module is made on PyTorch's meta device, traced by torch.export and converted (opset 23, which has attention and
RMS norm). Its parameters become inputs of the graph under their state-dict names before anything is simplified: so no
name is lost, equal values cannot be merged, and no file of weights is needed. `network.py` then decides what each of
them is in the engine. Importing this loads PyTorch.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import logging
import re
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines.catalog import read_json
from pipelines.engine import interfaces, narrow_graph
from pipelines.engine.interfaces import Axis, Interface, Kind, Part
from pipelines.engine.pieces import REGION
from pipelines.engine.regions import find_regions
from pipelines.errors import EngineFailure, InvalidRequest, UnusableFile
from pipelines.quiet import quieten
from pipelines.request import Precision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

EXPORT_VERSION = 2  # goes up whenever the graphs that this module makes change
OPSET = 23
# fp32 is for comparing a graph with PyTorch; engines are of 16 bits, and those in fp8 are where they are not narrow
DTYPES = {
    Precision.fp32: torch.float32,
    Precision.bf16: torch.bfloat16,
    Precision.fp16: torch.float16,
    Precision.fp8: torch.bfloat16,
}
_ADDED = ("text_embeds", "time_ids")  # what diffusers' UNets take in a dictionary
_NO_MULTIPLE = 40  # no side is a multiple of 2 to this power
_SCOPES = "pkg.torch.onnx.name_scopes"  # what the exporter notes on a node: the modules that it is in, outermost first
_ROOT = "network."  # where the network hangs in the module that is traced
# Of a configuration: what changes nothing in the graph. A fine-tune may differ here and still uses the same engine.
# (`upcast_attention` is for attention without PyTorch's own function, which is what diffusers uses.)
_IDLE = {
    "architectures", "bos_token_id", "decoder_start_token_id", "dtype", "force_upcast", "id2label",
    "initializer_factor", "initializer_range", "label2id", "latents_mean", "latents_std", "model_type",
    "pad_token_id", "problem_type", "sample_size", "scaling_factor", "shift_factor", "task_specific_params",
    "torch_dtype", "transformers_version", "upcast_attention", "use_cache", "output_past",
}  # fmt: skip
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Network:
    """What becomes one engine: `config` is the full one, with the library's defaults. Checkpoints do not matter."""

    part: Part
    library: str
    class_name: str
    config: Mapping[str, object]
    interface: Interface

    @property
    def architecture(self) -> str:
        """A name for all networks of this very shape, fit for a folder."""
        facts = {key: value for key, value in self.config.items() if key not in _IDLE and not key.startswith("_")}
        text = json.dumps([self.class_name, self.part.value, facts], sort_keys=True, default=str)
        kind = re.sub(r"[^a-z0-9]+", "", self.class_name.lower())
        half = f"-{self.part.value.removeprefix('vae_')}" if self.part.component == "vae" else ""
        return f"{kind}{half}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class WeightShape:
    """A parameter or buffer of the state dict. `dtype` is PyTorch's name, such as `bfloat16`."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Exported:
    """A graph on disk: `weights` are those of its inputs that the checkpoint fills."""

    file: Path
    weights: Mapping[str, WeightShape]
    sha256: str
    seconds: float


def find_parts(folder: Path) -> tuple[Part, ...]:
    """What the model in the diffusers folder consists of.

    Raises:
        UnusableFile: its model_index.json is missing or damaged.
    """
    named = read_json(folder / "model_index.json")
    return tuple(part for part in Part if _has_class(named.get(part.component)))


def find_network(folder: Path, part: Part) -> Network:
    """Read what `part` of the model in the diffusers folder is, from its JSON files; weights need not be there.

    Raises:
        UnusableFile: a file is missing or damaged.
        InvalidRequest: the model has no such part, or no engine is made of it.
    """
    named = read_json(folder / "model_index.json").get(part.component)
    if not _has_class(named):
        raise InvalidRequest(f"The model in {str(folder)!r} has no {part.component}.", "Leave this part out.")
    library, class_name = cast("list[str]", named)
    config_file = folder / part.component / "config.json"
    config = read_json(config_file)
    interfaces.check_class(class_name, part)
    try:
        full = _fill_defaults(library, class_name, config)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise UnusableFile(
            f"The configuration {str(config_file)!r} makes no {class_name}: {_first_line(error)}.",
            "Get the model again.",
        ) from error
    return Network(part, library, class_name, full, interfaces.find_interface(class_name, part, full))


def _has_class(named: object) -> bool:
    """Whether it is a library and a class; both are null for what a model goes without."""
    words = cast("list[object]", named) if isinstance(named, list) else []
    return len(words) == 2 and all(isinstance(word, str) for word in words)


def export(network: Network, precision: Precision, file: Path) -> Exported:
    """Write the graph of the network to `file`. Takes seconds to minutes, and no memory for weights.

    Raises:
        EngineFailure: the network cannot be exported; the message names the operator where PyTorch does.
    """
    began = time.monotonic()
    module = _make_module(network, DTYPES[precision])
    is_narrow = precision is Precision.fp8 and narrow_graph.narrow(module, DTYPES[precision]) > 0
    buffers = _fill_buffers(module)
    shapes = {
        name: WeightShape(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
        for name, tensor in module.state_dict(keep_vars=True).items()
    }
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # the exporter's own deprecations
            graph = _to_onnx(_Traced(module, network.interface), network, DTYPES[precision])
            used = _weights_to_inputs(graph, _find_saved_names(module), buffers)
            _simplify(graph)
        if is_narrow:
            narrow_graph.mark(graph)
        _mark_regions(graph, module)
        _name_ends(graph, network.interface)
        _save(graph, file)
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError, AssertionError) as error:
        log.exception("the %s cannot be exported", network.part.value)
        raise _export_failure(network.part, error) from error
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Exported(file, {name: shapes[name] for name in used}, digest, time.monotonic() - began)


class _Traced(torch.nn.Module):
    """The network with its way of being called fixed: tensors by position in, a tuple of tensors out."""

    def __init__(self, network: torch.nn.Module, interface: Interface) -> None:
        super().__init__()
        self.network = network
        self._method = interface.method
        self._names = tuple(one.name for one in interface.inputs)
        self._outputs = interface.outputs

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Call it."""
        method: Any = getattr(self.network, self._method)
        inputs: dict[str, object] = dict(zip(self._names, tensors, strict=True))
        added = {name: inputs.pop(name) for name in _ADDED if name in inputs}
        if interfaces.PENULTIMATE in self._outputs:
            named = method(**inputs, output_hidden_states=True, return_dict=True)
            hidden = named["hidden_states"][-2]
            return tuple(hidden if name == interfaces.PENULTIMATE else named[name] for name in self._outputs)
        outputs = method(**inputs, **({"added_cond_kwargs": added} if added else {}), return_dict=False)
        if self._method == "encode":
            return (outputs[0].parameters,)  # of the distribution
        return tuple(outputs[: len(self._outputs)])


def _fill_defaults(library: str, class_name: str, config: Mapping[str, object]) -> dict[str, object]:
    made = _construct(library, class_name, config)
    full = made.config.to_dict() if library == "transformers" else dict(made.config)
    return {str(key): value for key, value in full.items()}


def _construct(library: str, class_name: str, config: Mapping[str, object]) -> Any:
    """The network on the meta device: shapes without values."""
    quieten()
    kind: Any = getattr(importlib.import_module(library), class_name)
    values = {key: value for key, value in config.items() if not key.startswith("_")}
    with torch.device("meta"):
        if library == "transformers":
            return kind(kind.config_class.from_dict(values, attn_implementation="sdpa"))
        return kind.from_config(values)


def _make_module(network: Network, dtype: torch.dtype) -> torch.nn.Module:
    """The network in `dtype`, with the layers in fp32 that its library keeps so in fp16 (T5's `wo`)."""
    module: torch.nn.Module = _construct(network.library, network.class_name, network.config)
    kept = cast("list[str] | None", getattr(module, "_keep_in_fp32_modules", None)) or []
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        stays = dtype == torch.float16 and bool(set(kept) & set(name.split(".")))
        if tensor.is_floating_point() and not stays:
            tensor.data = tensor.data.to(dtype)
    unet: Any = module
    if hasattr(module, "num_upsamplers"):
        # diffusers' UNets upsample by 2, or to the size of the other branch where a side is no multiple of
        # 2**num_upsamplers. Both are the same for multiples; with this, the way that is right for all sizes is traced.
        unet.num_upsamplers = _NO_MULTIPLE
    return module.eval().requires_grad_(requires_grad=False)


def _fill_buffers(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The values of buffers that no checkpoint has, such as CLIP's positions: the library's own initialiser sets them.

    Raises:
        EngineFailure: it does not.
    """
    saved = set(module.state_dict())
    values: dict[str, torch.Tensor] = {}
    for name, buffer in list(module.named_buffers()):
        if name in saved:
            continue
        owner_name, _, own_name = name.rpartition(".")
        owner = module.get_submodule(owner_name)
        value = torch.full(buffer.shape, -1, dtype=buffer.dtype, device="cpu")
        setattr(owner, own_name, value)
        initialise = cast("Any", getattr(module, "_init_weights", None))
        if initialise is not None:
            initialise(owner)
        if bool((value == -1).all()):
            raise EngineFailure(f"The values of the buffer {name} are not known.", "Use --backend eager.")
        values[name] = value
        setattr(owner, own_name, buffer)
    return values


def _example_size(axis: Axis) -> int:
    """A small size to trace with; 2 and more, since torch.export bakes sizes of 0 and 1 in."""
    return max(2 if axis.name == "batch" else 24, axis.minimum) // axis.step * axis.step + (
        axis.step if axis.name.endswith("width") else 0  # so that nothing takes height and width for equal
    )


def _to_onnx(traced: _Traced, network: Network, dtype: torch.dtype) -> Any:
    """Trace and convert; returns an onnx_ir model whose weights are still on the meta device."""
    kinds = {Kind.run: dtype, Kind.fp32: torch.float32, Kind.int64: torch.int64}
    inputs = network.interface.inputs
    axes = {size.name: size for one in inputs for size in one.shape if isinstance(size, Axis)}
    dims = {name: _dimension(axis) for name, axis in axes.items()}
    examples = tuple(
        torch.empty(
            [_example_size(size) if isinstance(size, Axis) else size for size in one.shape],
            dtype=kinds[one.kind],
            device="meta",
        )
        for one in inputs
    )
    shapes = tuple(
        {place: dims[size.name] for place, size in enumerate(one.shape) if isinstance(size, Axis)} for one in inputs
    )
    program = cast("Any", torch.export.export(traced, examples, dynamic_shapes=(shapes,)))
    exporter: Any = torch.onnx
    converted = exporter.export(
        program, opset_version=OPSET, dynamo=True, optimize=False, external_data=False, verbose=False
    )
    return converted.model


def _dimension(axis: Axis) -> Any:
    count = cast("Any", torch.export.Dim)(axis.name, min=axis.minimum // axis.step, max=axis.maximum // axis.step)
    return count * axis.step if axis.step > 1 else count


def _find_saved_names(module: torch.nn.Module) -> dict[str, str]:
    """State-dict names to those in a checkpoint: of tied weights, such as T5's embeddings, only one is saved."""
    first: dict[int, str] = {}
    names = {name: first.setdefault(id(tensor), name) for name, tensor in module.state_dict(keep_vars=True).items()}
    tied = getattr(module, "_tied_weights_keys", None)  # transformers: the copy to the one that is saved
    if isinstance(tied, dict):
        pairs = cast("dict[str, str]", tied).items()
        names |= {copy: saved for copy, saved in pairs if copy in names and saved in names}
    return names


def _weights_to_inputs(
    graph: Any, saved_names: Mapping[str, str], buffers: Mapping[str, torch.Tensor]
) -> tuple[str, ...]:
    """Turn parameters into inputs under their names in a checkpoint; give buffers their values. Returns the names."""
    ir = cast("Any", importlib.import_module("onnx_ir"))
    used: list[str] = []
    for traced_name, value in list(graph.graph.initializers.items()):
        name = traced_name.removeprefix(_ROOT)
        if name in buffers:
            value.const_value = ir.tensor(buffers[name].numpy(), name=traced_name)
        elif traced_name.startswith(_ROOT) and name in saved_names:
            del graph.graph.initializers[traced_name]
            value.const_value = None
            if value.uses():
                value.name = saved_names[name]
                graph.graph.inputs.append(value)
                used.append(saved_names[name])
    return tuple(used)


def _simplify(graph: Any) -> None:
    """Fold what is constant: TensorRT-RTX's parser refuses the sequences of an unsimplified graph."""
    optimizer = cast("Any", importlib.import_module("onnxscript.optimizer"))
    optimizer.optimize_ir(graph)


def _mark_regions(graph: Any, module: torch.nn.Module) -> None:
    """Leave on each node of a repeated block the block's path: `pieces` cuts there."""
    blocks = {id(one) for one in find_regions(module)}
    named = cast("Iterable[tuple[str, torch.nn.Module]]", module.named_modules())
    paths = {f"{_ROOT}{path}": path for path, one in named if id(one) in blocks}
    for node in graph.graph:
        scopes = node.metadata_props.get(_SCOPES)
        if scopes is not None:
            region = next((paths[scope] for scope in ast.literal_eval(scopes) if scope in paths), "")
        else:  # what the simplifier put there for others: where its input comes from
            producer = node.inputs[0].producer() if node.inputs and node.inputs[0] is not None else None
            region = "" if producer is None else producer.meta.get(REGION, "")
        node.meta[REGION] = region


def _name_ends(graph: Any, interface: Interface) -> None:
    """Give inputs and outputs the names of the network's own `forward`."""
    for value, one in zip(graph.graph.inputs, interface.inputs, strict=False):  # the weights follow
        value.name = one.name
    for value, name in zip(graph.graph.outputs, interface.outputs, strict=True):
        value.name = name


def _save(graph: Any, file: Path) -> None:
    for node in graph.graph.all_nodes():
        node.metadata_props.clear()  # stack traces, with paths of this machine
        node.doc_string = None
        if region := node.meta.get(REGION):
            node.metadata_props[REGION] = region
    for value in [*graph.graph.inputs, *graph.graph.outputs]:
        value.metadata_props.clear()
    graph.metadata_props.clear()
    cast("Any", importlib.import_module("onnx_ir")).save(graph, str(file))


def _export_failure(part: Part, error: Exception) -> EngineFailure:
    text = str(error)
    operator = re.search(r"OpOverload\(op='([^']+)'|(\baten[.:]+\w+(?:\.\w+)?)", text)
    name = next((group for group in operator.groups() if group), "") if operator else ""
    which = f"operator {name}" if name else _first_line(error)
    return EngineFailure(
        f"The {part.value} cannot be turned into an engine: {which}.", "Use --backend eager; the log has the details."
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
