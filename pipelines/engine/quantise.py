"""Linear layers in 8 or 4 bits, made as a network is loaded, one layer at a time. Importing this loads PyTorch.

`fp8`: weights in e4m3 (https://arxiv.org/abs/2209.05433) with a scale for each output channel; activations are brought
to e4m3 with a scale for each token as they come, so that nothing has to be calibrated, and the product is that of
`torch._scaled_mm`. Where the device has no such product, the same numbers are multiplied in fp32.
`int8`: weights with a scale for each output channel. `int4`: weights with a scale and an offset for each group of 32
inputs, two in a byte. Both are made wide again for each product: they save memory and no time.

Only the layers within a network's repeated blocks are narrow: embeddings, the first and the last layer stay wide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.nn import functional as F

from pipelines.engine.regions import find_regions
from pipelines.engine.select import BF16_COMPUTE_CAPABILITY
from pipelines.request import NARROW, Precision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.engine.base import Plan

E4M3 = torch.float8_e4m3fn
E4M3_MAX = 448.0
GROUP = 32  # inputs that share a scale in int4; with 64 the starter model's worst step is off by 0.22, not 0.17
_MULTIPLE = 16  # of both sizes of a weight: what the product in fp8 asks for
_INT8_MAX, _INT4_MAX = 127, 15
_TINY = 1e-12  # of a scale: a row of zeros stays one
# Of all kinds of layers, each narrow alone (in fp8), these two put the starter model's steps off most: where the others
# are int4 they are int8. With them in int4 its worst step is off by 0.23, so by 0.17. Modulation is no such kind:
# all of it adds 0.002 to the 0.07 of a step in fp8.
_INT8_IN_INT4 = ("proj_out", "ff.net.0.proj")
_WIDE = {Precision.fp32: torch.float32, Precision.bf16: torch.bfloat16, Precision.fp16: torch.float16}


def find_dtype(plan: Plan) -> torch.dtype:
    """What a plan's activations are in, and the weights that stay wide."""
    if plan.precision not in NARROW:
        return _WIDE[plan.precision]
    if plan.device == "cpu":
        return torch.float32
    has_bf16 = torch.cuda.get_device_capability(plan.device) >= BF16_COMPUTE_CAPABILITY
    return torch.bfloat16 if has_bf16 else torch.float16


def quantise(network: torch.nn.Module, plan: Plan) -> None:
    """Put narrow layers on the plan's device in the place of the network's, each freed before the next is made."""
    for name in find_names(network, plan.precision):
        path, _, leaf = name.rpartition(".")
        owner = network.get_submodule(path)
        wider = plan.precision is Precision.int4 and name.endswith(_INT8_IN_INT4)
        kind = Int8Linear if wider else _KINDS[plan.precision]
        setattr(owner, leaf, kind(cast("torch.nn.Linear", getattr(owner, leaf)), plan.device))


def find_names(network: torch.nn.Module, precision: Precision) -> list[str]:
    """The layers that are narrow in that precision."""
    inside = {one for block in find_regions(network) for one in block.modules()}
    modules = cast("Iterable[tuple[str, torch.nn.Module]]", network.named_modules())
    multiple = (GROUP, 1) if precision is Precision.int4 else (_MULTIPLE, _MULTIPLE)
    return [
        name
        for name, one in modules
        if one in inside
        and type(one) is torch.nn.Linear
        and not (one.in_features % multiple[0] or one.out_features % multiple[1])
    ]


def write(network: torch.nn.Module, name: str, value: Tensor) -> None:
    """Set the weight that has this name in the wide network, in place; a narrow layer rounds it as when it was made."""
    path, _, leaf = name.rpartition(".")
    owner = network.get_submodule(path)
    if isinstance(owner, NarrowLinear) and leaf == "weight":
        owner.store(value)
        return
    target = cast("Tensor", getattr(owner, leaf))
    with torch.no_grad():
        target.copy_(value.to(target.dtype).reshape(target.shape))


class NarrowLinear(torch.nn.Linear):
    """A linear layer whose weight is kept in few bits; `weight` is it (outputs, inputs), made wide when asked for."""

    packed: Tensor
    scale: Tensor

    def __init__(self, wide: torch.nn.Linear, device: str) -> None:
        super(torch.nn.Linear, self).__init__()  # the wide layer's own would make a wide weight
        self.in_features, self.out_features = wide.in_features, wide.out_features
        self.dtype = wide.weight.dtype
        bias = cast("Tensor | None", wide.bias)
        kept = None if bias is None else torch.nn.Parameter(bias.detach().to(device), requires_grad=False)
        self.register_parameter("bias", kept)
        for name, tensor in self._round(wide.weight.detach().to(device)).items():
            self.register_buffer(name, tensor)

    def store(self, weight: Tensor) -> None:
        """Take these values, (outputs, inputs) in any precision, in place."""
        device = self.packed.device
        rounded = self._round(weight.to(device, self.dtype).reshape(self.out_features, self.in_features))
        for name, tensor in rounded.items():
            cast("Tensor", getattr(self, name)).copy_(tensor)

    @property
    def weight(self) -> Tensor:  # pyright: ignore[reportIncompatibleVariableOverride]  # nobody may set it
        """The weight made wide, (outputs, inputs)."""
        return self._widen().to(self.dtype)

    def forward(self, input: Tensor) -> Tensor:
        """See `torch.nn.Linear`."""
        return F.linear(input, self.weight, cast("Tensor | None", self.bias))

    def _round(self, weight: Tensor) -> dict[str, Tensor]:
        """The buffers that hold a weight."""
        raise NotImplementedError

    def _widen(self) -> Tensor:
        raise NotImplementedError


class Fp8Linear(NarrowLinear):
    """`packed` (outputs, inputs) in e4m3, `scale` (outputs, 1) in fp32."""

    def forward(self, input: Tensor) -> Tensor:
        """See `torch.nn.Linear`."""
        rows, scales = round_rows(input.reshape(-1, self.in_features))
        return multiply(rows, scales, self).reshape(*input.shape[:-1], self.out_features)

    def _round(self, weight: Tensor) -> dict[str, Tensor]:
        packed, scale = round_rows(weight)
        return {"packed": packed, "scale": scale}

    def _widen(self) -> Tensor:
        return self.packed.float() * self.scale


class Int8Linear(NarrowLinear):
    """`packed` (outputs, inputs) in int8, `scale` (outputs, 1) in fp32."""

    def _round(self, weight: Tensor) -> dict[str, Tensor]:
        scale = weight.float().abs().amax(1, keepdim=True).clamp_min(_TINY) / _INT8_MAX
        return {"packed": (weight / scale).round().to(torch.int8), "scale": scale}

    def _widen(self) -> Tensor:
        return self.packed * self.scale


class Int4Linear(NarrowLinear):
    """`packed` (outputs, inputs / 2) in uint8, the even input low; `scale`, `offset` (outputs, groups, 1) in bf16."""

    offset: Tensor

    def _round(self, weight: Tensor) -> dict[str, Tensor]:
        groups = weight.float().reshape(self.out_features, -1, GROUP)
        low, high = groups.aminmax(dim=-1, keepdim=True)
        scale = ((high - low) / _INT4_MAX).clamp_min(_TINY).bfloat16()
        offset = low.bfloat16()
        steps = ((groups - offset.float()) / scale.float()).round().clamp(0, _INT4_MAX).to(torch.uint8)
        pairs = steps.reshape(self.out_features, -1, 2)
        return {"packed": pairs[..., 0] | pairs[..., 1] << 4, "scale": scale, "offset": offset}

    def _widen(self) -> Tensor:
        steps = torch.stack((self.packed & _INT4_MAX, self.packed >> 4), -1)
        groups = steps.reshape(self.out_features, -1, GROUP)
        return (groups * self.scale.float() + self.offset.float()).flatten(1)


def round_rows(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Rows (n, values) in e4m3, and the factor (n, 1) in fp32 that each was divided by. NaN and infinity give NaN."""
    scale = rows.abs().amax(-1, keepdim=True).float().clamp_min(_TINY) / E4M3_MAX
    return (rows.float() / scale).to(E4M3), scale


def multiply(rows: Tensor, scales: Tensor, layer: Fp8Linear) -> Tensor:
    """What the layer makes of rows that `round_rows` has rounded: (n, outputs) in the layer's `dtype`."""
    bias = cast("Tensor | None", layer.bias)
    if rows.is_cuda:
        return cast("Any", torch)._scaled_mm(  # the one name that it has in all versions that we support
            rows,
            layer.packed.t(),
            scale_a=scales,
            scale_b=layer.scale.t(),
            bias=bias,
            out_dtype=layer.dtype,
            use_fast_accum=True,
        )
    product = F.linear(rows.float(), layer.packed.float()) * (scales * layer.scale.t())
    return (product if bias is None else product + bias.float()).to(layer.dtype)


_KINDS: dict[Precision, type[NarrowLinear]] = {
    Precision.fp8: Fp8Linear,
    Precision.int8: Int8Linear,
    Precision.int4: Int4Linear,
}
