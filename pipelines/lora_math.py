"""What a LoRA of any kind adds to a layer. Importing this loads PyTorch.

Kinds, with their sources: LoRA and its convolutions (kohya-ss/sd-scripts), LoHa and LoKr (KohakuBlueleaf/LyCORIS,
`lycoris/functional`), DoRA (Liu et al. 2024, arXiv:2402.09353), and plain differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor
from torch.nn import functional as F

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.lora_names import Target

Layer = torch.nn.Linear | torch.nn.Conv2d


@dataclass(frozen=True, slots=True)
class LowRank:
    """`up` (rows, rank) times `down` (rank, inputs, …) times `scale`, with `bias` (rows) where it has one."""

    down: Tensor
    up: Tensor
    scale: float
    bias: Tensor | None = None


def find_low_rank(parts: Mapping[str, Tensor], target: Target, layer: Layer) -> LowRank | None:
    """The two factors of a plain LoRA, cut to the target's rows; None for other kinds.

    Raises:
        ValueError: they are not of the layer's size.
    """
    if not {"down", "up"} <= parts.keys() or "mid" in parts or "dora" in parts:
        return None
    down, up = parts["down"], parts["up"]
    scale = _alpha(parts, down.shape[0])
    up = up.flatten(1)[target.start : target.stop]
    down = down.reshape(down.shape[0], *layer.weight.shape[1:])
    if up.shape != (layer.weight.shape[0], down.shape[0]):
        raise ValueError("the sizes differ")
    bias = parts["bias"][target.start : target.stop] if "bias" in parts else None
    return LowRank(down, up, scale, bias)


def find_difference(parts: Mapping[str, Tensor], target: Target, layer: Layer) -> Tensor | None:
    """What is added to the layer's weight, in fp32 and its shape; None where only a bias is there.

    Raises:
        ValueError, RuntimeError: the parts are not of the layer's size, or not of a kind that is known.
    """
    if parts.keys() <= {"diff_b"}:
        return None
    change = _whole(parts)
    shape = layer.weight.shape
    rows = change.reshape(change.shape[0], -1)[target.start : target.stop]
    change = rows.reshape(shape)  # fails where the sizes differ
    if "dora" not in parts:
        return change
    base = layer.weight.detach().float().to(change.device)
    changed = base + change
    magnitude = parts["dora"].float()
    if magnitude.ndim > 1 and magnitude.shape[0] == 1 and shape[0] != 1:
        norm = _row_norms(changed.transpose(0, 1)).reshape(1, -1, *[1] * (len(shape) - 2))
    else:
        magnitude = magnitude.flatten()[target.start : target.stop].reshape(-1, *[1] * (len(shape) - 1))
        norm = _row_norms(changed).reshape(-1, *[1] * (len(shape) - 1))
    return changed * (magnitude.reshape(norm.shape) / norm.clamp_min(torch.finfo(torch.float32).tiny)) - base


def _row_norms(weight: Tensor) -> Tensor:
    return weight.flatten(1).square().sum(dim=1).sqrt()


def _whole(parts: Mapping[str, Tensor]) -> Tensor:
    """The change of all of a file's layer, (rows, …)."""
    parts = {name: tensor.float() for name, tensor in parts.items()}
    if "diff" in parts:
        return parts["diff"]
    if "down" in parts:
        return _lora(parts)
    if "hada_w1_a" in parts:
        return _loha(parts)
    if any(name.startswith("lokr_") for name in parts):
        return _lokr(parts)
    raise ValueError(f"a layer has only {', '.join(sorted(parts))}")


def _lora(parts: Mapping[str, Tensor]) -> Tensor:
    down, up = parts["down"], parts["up"]
    scale = _alpha(parts, down.shape[0])
    if "mid" in parts:
        core = torch.einsum("i j k l, j r, p i -> p r k l", parts["mid"], down.flatten(1), up.flatten(1))
        return core * scale
    return (up.flatten(1) @ down.flatten(1)).reshape(up.shape[0], *down.shape[1:]) * scale


def _loha(parts: Mapping[str, Tensor]) -> Tensor:
    rank = parts["hada_w1_b"].shape[0]
    factors: list[Tensor] = []
    for number in "12":
        a, b, core = parts[f"hada_w{number}_a"], parts[f"hada_w{number}_b"], parts.get(f"hada_t{number}")
        factors.append(a @ b if core is None else torch.einsum("i j k l, j r, i p -> p r k l", core, b, a))
    return factors[0] * factors[1] * _alpha(parts, rank)


def _lokr(parts: Mapping[str, Tensor]) -> Tensor:
    rank: int | None = None
    factors: list[Tensor] = []
    for number in "12":
        whole = parts.get(f"lokr_w{number}")
        if whole is None:
            a, b = parts[f"lokr_w{number}_a"], parts[f"lokr_w{number}_b"]
            rank = b.shape[0]
            core = parts.get(f"lokr_t{number}")
            whole = a @ b if core is None else torch.einsum("i j k l, i p, j r -> p r k l", core, a, b)
        factors.append(whole)
    first, second = factors
    if second.ndim == 4:
        first = first[:, :, None, None]
    # A pair that is not taken apart any further has no rank, and its alpha says nothing.
    return torch.kron(first, second.contiguous()) * (_alpha(parts, rank) if rank is not None else 1.0)


def _alpha(parts: Mapping[str, Tensor], rank: int) -> float:
    alpha = parts.get("alpha")
    if alpha is None or alpha.is_meta:
        return 1.0
    return float(alpha) / rank


def make_addition(
    layer: Layer, parts: Mapping[str, Tensor], target: Target, weight: float
) -> Callable[[Tensor], Tensor]:
    """What, for the layer's input, is to be added to its output.

    Raises:
        ValueError, RuntimeError: see `find_difference`.
    """
    low_rank = find_low_rank(parts, target, layer)
    if low_rank is not None:
        return _add_low_rank(layer, low_rank, weight)
    difference = find_difference(parts, target, layer)
    dense = None if difference is None else _like(difference * weight, layer)
    bias = parts.get("diff_b")
    if bias is not None:
        bias = _like(bias.float()[target.start : target.stop] * weight, layer)
        if bias.shape != layer.weight.shape[:1]:
            raise ValueError("the sizes differ")

    def add(x: Tensor) -> Tensor:
        if dense is None:
            assert bias is not None, "a layer has one or the other"
            return bias if isinstance(layer, torch.nn.Linear) else bias[:, None, None]
        if isinstance(layer, torch.nn.Linear):
            return F.linear(x, dense, bias)
        return _convolve(layer, x, dense, bias)

    return add


def _add_low_rank(layer: Layer, low_rank: LowRank, weight: float) -> Callable[[Tensor], Tensor]:
    """Two small products instead of one large one."""
    down, up = _like(low_rank.down, layer), _like(low_rank.up.float() * low_rank.scale * weight, layer)
    bias = None if low_rank.bias is None else _like(low_rank.bias.float() * weight, layer)

    def add(x: Tensor) -> Tensor:
        if isinstance(layer, torch.nn.Linear):
            return F.linear(F.linear(x, down), up, bias)
        return F.conv2d(_convolve(layer, x, down), up[:, :, None, None], bias)

    return add


def _like(tensor: Tensor, layer: Layer) -> Tensor:
    return tensor.to(layer.weight.device, layer.weight.dtype)


def _convolve(layer: torch.nn.Conv2d, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    padding = cast("tuple[int, int]", layer.padding)
    return F.conv2d(x, weight, bias, layer.stride, padding, layer.dilation, layer.groups)
