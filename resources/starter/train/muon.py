"""The Muon optimiser, all matrices of one shape in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


class Muon(torch.optim.Optimizer):
    """Momentum whose matrix is made near-orthogonal before it is applied (Jordan et al. 2024), Nesterov form.

    `torch.optim.Muon` goes matrix by matrix: 28 of 84 ms a step for these small networks (measured on an
    H200). The update is scaled to AdamW's size, 0.2 root mean square (Liu et al. 2025): rates compare.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        lr: float,
        *,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        """Take 2-D parameters only."""
        shapes: dict[torch.Size, list[torch.nn.Parameter]] = {}
        for parameter in parameters:
            shapes.setdefault(parameter.shape, []).append(parameter)
        groups = [{"params": group} for group in shapes.values()]
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Apply one update from the parameters' gradients."""
        for group in self.param_groups:
            parameters: list[torch.nn.Parameter] = group["params"]
            gradients = torch.stack([p.grad for p in parameters if p.grad is not None])
            kept = self.state[parameters[0]]
            if "momentum" not in kept:
                kept["momentum"] = torch.zeros_like(gradients)
            momentum: torch.Tensor = kept["momentum"].lerp_(gradients, 1 - group["momentum"])
            update = orthogonalize(gradients.lerp(momentum, group["momentum"]))
            scale = 0.2 * max(update.shape[-2:]) ** 0.5
            torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_add_(parameters, list(update.unbind(0)), alpha=-group["lr"] * scale)


def orthogonalize(batch: torch.Tensor) -> torch.Tensor:
    """Newton-Schulz iteration in bf16: each matrix of N×A×B towards UVᵀ of its UΣVᵀ. Returns the input's dtype."""
    a, b, c = _COEFFICIENTS
    x = batch.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.mT if tall else x).to(batch.dtype)
