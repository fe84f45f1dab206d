"""A parsed network made into one that can be built: what each weight becomes, and what ONNX cannot say.

The graph that is parsed has its weights as inputs (see `export.py`). Here each of them becomes, as a rule decides, a
constant, a placeholder that is refitted on the user's machine, or stays an input. Only the
calls that create a layer take weights without values, so a convolution, which holds its kernel inside, is made anew.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from torch import Tensor

_FUSED_HEADS = range(16, 257)  # head sizes that TensorRT-RTX 1.7's fused attention has; measured, 16-bit only
_QUERY_KEY_VALUE = 3  # inputs of attention; a mask is the fourth
_WIDEST = 4  # bytes of a value: fp32


class WeightKind(Enum):
    """What a weight is in the engine."""

    constant = "constant"
    placeholder = "placeholder"
    input = "input"


class WeightRule(Protocol):
    """Decides what a weight becomes."""

    def __call__(self, name: str, shape: tuple[int, ...]) -> WeightKind:
        """`name` is that of the state dict."""
        ...


class Values(Protocol):
    """Where the values of constants come from."""

    def __call__(self, name: str, /) -> Tensor:
        """The weight of that name in the checkpoint."""
        ...


@dataclass(frozen=True, slots=True)
class Uniform:
    """The rule that all weights become the same."""

    kind: WeightKind

    def __call__(self, name: str, shape: tuple[int, ...]) -> WeightKind:
        """See `WeightRule`."""
        return self.kind


class Rewriter:
    """Changes the parsed `network` (an INetworkDefinition). Keep it until the engine is built: it holds the values."""

    def __init__(self, trt: Any, network: Any, rule: WeightRule, values: Values | None = None) -> None:
        self._trt = trt
        self._network = network
        self._rule = rule
        self._values = values
        self._kept: list[Tensor] = []
        self._zeros: Tensor | None = None
        self.kinds: dict[str, WeightKind] = {}

    def apply(self, names: Iterable[str]) -> None:
        """Make of the weights `names` what the rule says.

        Raises:
            EngineFailure: TensorRT-RTX refuses, or a value is missing.
        """
        wanted = set(names)
        inputs = {one.name: one for one in map(self._network.get_input, range(self._network.num_inputs))}
        missing = wanted - set(inputs)
        if missing:
            raise EngineFailure(f"The parsed network lacks the weight {min(missing)}.", "Use --backend eager.")
        weights = {name: inputs[name] for name in inputs if name in wanted}
        self.kinds = {name: self._rule(name, tuple(tensor.shape)) for name, tensor in weights.items()}
        users = self._find_users()
        inside = self._replace_convolutions(weights, users)
        for name, tensor in weights.items():
            if self.kinds[name] is not WeightKind.input:
                self._replace_input(name, tensor, [user for user in users[name] if user not in inside])

    def loosen_attention(self) -> int:
        """Let attention be taken apart where no fused kernel exists; returns for how many it was.

        The parser leaves that off, and the build of such a head size, precision or mask fails then.
        """
        count = 0
        for layer in self._layers():
            if layer.type == self._trt.LayerType.ATTENTION_INPUT:
                query = layer.get_input(0)
                masked = layer.num_inputs > _QUERY_KEY_VALUE
                if masked or query.dtype == self._trt.DataType.FLOAT or query.shape[-1] not in _FUSED_HEADS:
                    layer.__class__ = self._trt.IAttentionInputLayer
                    layer.attention.decomposable = True
                    count += 1
        return count

    def _layers(self) -> list[Any]:
        return [self._network.get_layer(index) for index in range(self._network.num_layers)]

    def _find_users(self) -> dict[str, list[tuple[int, int]]]:
        """Which input of which layer, by numbers, takes the tensor of a name."""
        users: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, layer in enumerate(self._layers()):
            for place in range(layer.num_inputs):
                tensor = layer.get_input(place)
                if tensor is not None:
                    users[tensor.name].append((number, place))
        return users

    def _weights(self, name: str, tensor: Any) -> Any:
        """The value of a weight for the call that creates its layer: none for a placeholder."""
        count = math.prod(tensor.shape)
        if self.kinds[name] is WeightKind.placeholder:
            return self._trt.Weights(tensor.dtype, 0, count)
        if self._values is None:
            raise EngineFailure(f"The value of the weight {name} is not at hand.", "Build with placeholders.")
        value = self._values(name).contiguous()
        if value.numel() != count:
            raise EngineFailure(f"The weight {name} has another shape in the file.", "Get the model again.")
        self._kept.append(value)
        return self._trt.Weights(tensor.dtype, value.data_ptr(), count)

    def _name(self, weights: Any, name: str) -> None:
        if not self._network.set_weights_name(weights, name):
            raise EngineFailure(f"TensorRT-RTX takes no weight of the name {name}.", "Use --backend eager.")

    def _replace_input(self, name: str, tensor: Any, users: list[tuple[int, int]]) -> None:
        if users:
            layer = self._network.add_constant(tuple(tensor.shape), self._weights(name, tensor))
            layer.name = f"weight {name}"
            self._name(layer.weights, name)
            for number, place in users:
                self._network.get_layer(number).set_input(place, layer.get_output(0))
        self._network.remove_tensor(tensor)

    def _replace_convolutions(
        self, weights: Mapping[str, Any], users: Mapping[str, list[tuple[int, int]]]
    ) -> set[tuple[int, int]]:
        """Make those anew whose kernel is to be inside; returns the inputs of layers that this has dealt with."""
        done: set[tuple[int, int]] = set()
        for number, layer in enumerate(self._layers()):
            if layer.type != self._trt.LayerType.CONVOLUTION or layer.num_inputs < 2:
                continue
            names = [layer.get_input(place).name for place in range(1, layer.num_inputs)]
            if all(self.kinds.get(name, WeightKind.input) is not WeightKind.input for name in names):
                layer.__class__ = self._trt.IConvolutionLayer
                self._replace_convolution(layer, [(name, weights[name]) for name in names], users)
                done |= {(number, place) for place in range(1, layer.num_inputs)}
        return done

    def _make_idle_constant(self, tensor: Any) -> Any:
        """Something of the tensor's shape for a layer that vanishes: zeros, in memory that all share."""
        import torch

        count = math.prod(tensor.shape)
        if self._zeros is None or self._zeros.numel() < count * _WIDEST:
            self._zeros = torch.zeros(count * _WIDEST, dtype=torch.uint8)
            self._kept.append(self._zeros)
        weights = self._trt.Weights(tensor.dtype, self._zeros.data_ptr(), count)
        return self._network.add_constant(tuple(tensor.shape), weights)

    def _replace_convolution(
        self, old: Any, parts: list[tuple[str, Any]], users: Mapping[str, list[tuple[int, int]]]
    ) -> None:
        (kernel_name, kernel), *bias = parts
        new = self._network.add_convolution_nd(
            old.get_input(0),
            old.num_output_maps,
            old.kernel_size_nd,
            self._weights(kernel_name, kernel),
            self._weights(*bias[0]) if bias else self._trt.Weights(kernel.dtype),
        )
        for attribute in ("stride_nd", "dilation_nd", "num_groups", "pre_padding", "post_padding", "padding_mode"):
            setattr(new, attribute, getattr(old, attribute))
        self._name(new.kernel, kernel_name)
        if bias:
            self._name(new.bias, bias[0][0])
        name, before, after = old.name, old.get_output(0), new.get_output(0)
        old.name, new.name = f"{name} (replaced)", name
        for place, (_, tensor) in enumerate(parts, 1):  # nobody uses the old layer, yet it holds the graph's inputs
            old.set_input(place, self._make_idle_constant(tensor).get_output(0))
        for number, place in users.get(before.name, ()):
            self._network.get_layer(number).set_input(place, after)
        if before.is_network_output:
            self._network.unmark_output(before)
            self._network.mark_output(after)
        output = before.name
        before.name = f"{output} (replaced)"
        after.name = output
