"""The real eager backend with one fault in one of its networks, as a wrong engine would have."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import torch

from pipelines.engine.eager import EagerComponent, EagerLoader
from pipelines.request import Precision

if TYPE_CHECKING:
    from pipelines.engine.base import ComponentSpec, Plan
    from pipelines.events import Report


class Fault(Enum):
    none = "none"
    scale = "wrong scale of one layer"
    transposed = "a transposed weight"
    nan = "NaN in one layer"
    black = "a VAE that gives black"


class FaultyLoader:
    """Networks of any precision but fp32, which is the reference, have the fault."""

    def __init__(self, fault: Fault, *, also_fp32: bool = False) -> None:
        self._fault = fault
        self._also_fp32 = also_fp32

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> EagerComponent:
        component = EagerLoader().load(spec, plan, report)
        if plan.precision is not Precision.fp32 or self._also_fp32:
            break_network(component.module, spec.name, self._fault)
        return component


def break_network(module: torch.nn.Module, name: str, fault: Fault) -> None:
    with torch.no_grad():
        match name, fault:
            case "transformer", Fault.scale:
                find_linear(module, "proj_out").weight.mul_(2)
            case "transformer", Fault.transposed:
                weight = find_linear(module, "attn.to_q").weight
                weight.copy_(weight.T.contiguous())
            case "transformer", Fault.nan:
                find_linear(module, "attn.to_q").weight[0, 0] = float("nan")
            case "vae", Fault.black:
                decoder = module.decoder
                assert isinstance(decoder, torch.nn.Module)
                last = decoder.conv_out
                assert isinstance(last, torch.nn.Conv2d)
                assert last.bias is not None
                last.weight.zero_()
                last.bias.fill_(-5)
            case _:
                pass


def find_linear(module: torch.nn.Module, name: str) -> torch.nn.Linear:
    """The last layer of that name."""
    found = [layer for path, layer in module.named_modules() if path.endswith(name)]
    assert isinstance(found[-1], torch.nn.Linear)
    return found[-1]
