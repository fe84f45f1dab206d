"""Linear layers in fp8 in an exported graph, as ONNX's QuantizeLinear and DequantizeLinear.

The numbers are those of `quantise.Fp8Linear`, and its table says which layers are narrow: a scale for each output of a
weight, and one for each token of what comes in, found as it comes. TensorRT-RTX 1.7 wants the scales of its own nodes
when it builds, so those are 1 and the real ones are multiplied outside. Importing this loads PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

import torch
from torch.nn import functional as F

from pipelines.engine import quantise
from pipelines.request import Precision

if TYPE_CHECKING:
    from torch import Tensor

# What an fp8 weight is in the graph, after the name of the weight that it is made from
PACKED, SCALE = ".packed", ".scale"
_ENDINGS = tuple(f".weight{ending}" for ending in (PACKED, SCALE))


def original(name: str) -> str:
    """The weight of the checkpoint that this weight of a graph is made from: mostly itself."""
    return name.rpartition(".")[0] if name.endswith(_ENDINGS) else name


def make(name: str, weight: Tensor) -> Tensor:
    """The values of a weight of a graph, of those of its `original`: (outputs, inputs) for a narrow one."""
    if name == original(name):
        return weight
    packed, scale = quantise.round_rows(weight)
    return packed if name.endswith(PACKED) else scale


def narrow(network: torch.nn.Module, dtype: torch.dtype) -> int:
    """Put narrow layers in the place of the network's, which is on the meta device; returns how many."""
    names = quantise.find_names(network, Precision.fp8)
    for name in names:
        path, _, leaf = name.rpartition(".")
        owner = network.get_submodule(path)
        setattr(owner, leaf, _Fp8Linear(cast("torch.nn.Linear", getattr(owner, leaf)), dtype))
    return len(names)


class _Fp8Linear(torch.nn.Module):
    """What is traced: its conversions to and from e4m3 are what `mark` makes nodes of. `weight` holds both parts."""

    def __init__(self, wide: torch.nn.Linear, dtype: torch.dtype) -> None:
        super().__init__()
        shape = wide.weight.shape
        values = {
            PACKED: torch.empty(shape, dtype=quantise.E4M3, device="meta"),
            SCALE: torch.empty(shape[0], 1, dtype=torch.float32, device="meta"),
        }
        self.weight = torch.nn.ParameterDict(
            {name.removeprefix("."): torch.nn.Parameter(one, requires_grad=False) for name, one in values.items()}
        )
        self.bias = wide.bias
        self._dtype = dtype

    def forward(self, input: Tensor) -> Tensor:
        """See `torch.nn.Linear`."""
        packed, scale = self.weight["packed"], self.weight["scale"]
        rows, scales = quantise.round_rows(input)
        product = F.linear(rows.to(self._dtype), packed.to(self._dtype)).float() * (scales * scale.t())
        bias = cast("Tensor | None", self.bias)
        return (product if bias is None else product + bias.float()).to(self._dtype)


def mark(model: Any) -> int:
    """Make of each conversion to e4m3 a QuantizeLinear, and of each back a DequantizeLinear; returns how many.

    TensorRT-RTX refuses to convert e4m3 in any other way.
    """
    ir: Any = importlib.import_module("onnx_ir")
    e4m3 = ir.DataType.FLOAT8E4M3FN
    constants = _Constants(ir, model.graph)
    casts = [node for node in model.graph if node.op_type == "Cast"]
    count = 0
    for node in casts:
        (value,), (result,) = node.inputs, node.outputs
        to = ir.DataType(node.attributes["to"].value)
        if to is e4m3:
            inputs = [value, constants.get("one", 1.0, value.dtype), constants.get("zero", 0.0, e4m3)]
            made = ir.Node("", "QuantizeLinear", inputs, num_outputs=1, name=node.name)
        elif value.dtype is e4m3:
            made = ir.Node(
                "", "DequantizeLinear", [value, constants.get("one", 1.0, to)], num_outputs=1, name=node.name
            )
        else:
            continue
        made.metadata_props.update(node.metadata_props)
        (new,) = made.outputs
        name, new.shape, new.type = result.name, result.shape, ir.TensorType(to)
        ir.convenience.replace_nodes_and_values(model.graph, node, [node], [made], [result], [new])
        new.name = name
        count += 1
    return count


class _Constants:
    """Single numbers in a graph, each once."""

    def __init__(self, ir: Any, graph: Any) -> None:
        self._ir = ir
        self._graph = graph
        self._made: dict[str, Any] = {}

    def get(self, kind: str, number: float, dtype: Any) -> Any:
        """The number in that type."""
        import numpy as np

        name = f"{kind}_{dtype.name.lower()}"
        if name not in self._made:
            tensor = self._ir.Tensor(np.float32(number).astype(dtype.numpy()), dtype=dtype, name=name)
            value = self._ir.Value(
                name=name, const_value=tensor, shape=self._ir.Shape(()), type=self._ir.TensorType(dtype)
            )
            self._graph.register_initializer(value)
            self._made[name] = value
        return self._made[name]
