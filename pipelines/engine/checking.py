"""Whether two ways of running a network agree: how far apart they are, and how far they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.request import Precision

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

# Of the length of the output: what rounding each layer's result to 11, 8 or 24 bits adds up to in a deep network,
# with room for another order of sums. Wrong weights or a wrong kernel are off by 0.3 and more.
# With narrow weights the reference has the same ones, so what is left is the rounding of activations: to bf16, and to
# the four bits of e4m3 in fp8, which another order of sums may turn the other way.
TOLERANCE = {
    Precision.fp32: 1e-3,
    Precision.fp16: 2e-2,
    Precision.bf16: 5e-2,
    Precision.int8: 5e-2,
    Precision.int4: 5e-2,
    Precision.fp8: 0.2,
}


def measure(candidate: Mapping[str, torch.Tensor], reference: Mapping[str, torch.Tensor]) -> float:
    """The largest distance of an output from its reference, over the reference's length; infinite where not finite."""
    worst = 0.0
    for name, expected in reference.items():
        if name not in candidate or candidate[name].shape != expected.shape:
            return float("inf")
        wanted = expected.double()
        length = float(wanted.square().sum()) ** 0.5
        away = float((candidate[name].to(wanted.device).double() - wanted).square().sum()) ** 0.5
        if not away < float("inf"):  # NaN too
            return float("inf")
        if away:
            worst = max(worst, away / length if length else float("inf"))
    return worst


def explain(candidate: Mapping[str, torch.Tensor], reference: Mapping[str, torch.Tensor], precision: Precision) -> str:
    """How they differ, if they do beyond the tolerance of the precision, else an empty text."""
    away, allowed = measure(candidate, reference), TOLERANCE[precision]
    if away <= allowed:
        return ""
    if away == float("inf"):
        return "they give values that are no numbers"
    return f"they differ by {away:.2g} of the output's length, and {allowed:.2g} is allowed"
