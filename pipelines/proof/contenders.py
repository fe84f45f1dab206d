"""Who is measured against whom on a machine. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.engine.select import BF16_COMPUTE_CAPABILITY, FP8_COMPUTE_CAPABILITY
from pipelines.errors import InvalidRequest
from pipelines.proof.rig import Contender
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from pipelines.devices import Machine
    from pipelines.proof.suites import Suite

_ACCELERATED = (Backend.tensorrt_rtx, Backend.inductor)


@dataclass(frozen=True, slots=True)
class Way:
    """How `torch.compile` is used. `blocks`: on each repeated block; `slow`: it takes minutes for a size."""

    name: str
    blocks: bool
    dynamic: bool = False
    mode: str | None = None
    slow: bool = False


# By the option of a contender's plans. The compiler works when a size first comes, and the request waits for it
WAYS = {
    "blocks": Way("torch.compile by block", blocks=True),
    "whole": Way("torch.compile whole", blocks=False, slow=True),
    "autotune": Way("torch.compile max-autotune", blocks=False, mode="max-autotune", slow=True),
    "any-size": Way("torch.compile for any size", blocks=True, dynamic=True),
}


def find(
    suite: Suite, machine: Machine, backend: Backend, precision: Precision, *, autotune: bool = False
) -> tuple[Contender, ...]:
    """All of a suite on this machine: the baseline first, what is used if nothing is asked for last.

    Raises:
        InvalidRequest: there is nothing to compare the baseline with.
    """
    first = baseline(machine, exact=suite.precisions and machine.compute_gpu() is None)
    others = candidates(machine, backend, precision, all_precisions=suite.precisions)
    if suite.rivals and backend is Backend.auto and precision is Precision.auto:
        fp8 = [Precision.fp8] if Precision.fp8 in possible(machine) else []
        narrow = [_contender(one.backend, kind) for one in others for kind in fp8]
        others = (*rivals(machine, autotune=autotune), *narrow, *others)
    found = [one for one in others if one != first]
    if not found:
        raise InvalidRequest(
            f"There is nothing to compare {first.name} with on this machine.", "Ask for another --precision."
        )
    return (first, *found)


def baseline(machine: Machine, *, exact: bool) -> Contender:
    """PyTorch itself: in fp32 where it must be `exact`, else in the precision that it would be used in."""
    precision = Precision.fp32 if exact or machine.compute_gpu() is None else _usual(machine)
    return _contender(Backend.eager, precision)


def candidates(
    machine: Machine, backend: Backend, precision: Precision, *, all_precisions: bool
) -> tuple[Contender, ...]:
    """What is compared with the baseline: what was asked for, else all that this machine can do.

    On a CPU that is PyTorch in bf16, which newer ones have instructions for.
    """
    if backend is Backend.auto:
        backends = [one for one in _ACCELERATED if not machine.lack(one.value)] or [Backend.eager]
    else:
        backends = [backend]
    if precision is not Precision.auto:
        precisions = [precision]
    elif all_precisions:
        precisions = possible(machine)[::-1]
    else:
        precisions = [_usual(machine)]
    return tuple(_contender(one, kind) for one in backends for kind in precisions)


def possible(machine: Machine) -> list[Precision]:
    """The precisions below fp32 that this machine's processors have, and this version can run."""
    gpu = machine.compute_gpu()
    if gpu is None:
        return [Precision.bf16]
    found = [Precision.fp16]
    if gpu.compute_capability >= BF16_COMPUTE_CAPABILITY:
        found.insert(0, Precision.bf16)
    if gpu.compute_capability >= FP8_COMPUTE_CAPABILITY:
        found.append(Precision.fp8)
    return [*found, Precision.int8, Precision.int4]


def rivals(machine: Machine, *, autotune: bool) -> tuple[Contender, ...]:
    """PyTorch's compiler as it comes, on a GPU that it works on; its autotuning takes minutes for a size."""
    if machine.compute_gpu() is None or machine.lack(Backend.inductor.value):
        return ()
    return tuple(
        Contender(way.name, Backend.eager, _usual(machine), option)
        for option, way in WAYS.items()
        if autotune or option != "autotune"
    )


def _usual(machine: Machine) -> Precision:
    return possible(machine)[0]


def _contender(backend: Backend, precision: Precision) -> Contender:
    return Contender(f"{backend.value} {precision.value}", backend, precision)
