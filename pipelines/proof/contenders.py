"""Who is measured against whom on a machine. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.engine.select import BF16_COMPUTE_CAPABILITY
from pipelines.proof.rig import Contender
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from pipelines.devices import Machine

_ACCELERATED = (Backend.tensorrt_rtx, Backend.inductor)
_FP8_COMPUTE_CAPABILITY = (8, 9)


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
        precisions = possible(machine)
    else:
        precisions = [_usual(machine)]
    return tuple(_contender(one, kind) for one in backends for kind in precisions)


def possible(machine: Machine) -> list[Precision]:
    """The precisions below fp32 that this machine's processors have, and this version can run."""
    gpu = machine.compute_gpu()
    known = {one.value: one for one in Precision}
    found = ["bf16"] if gpu is None else ["bf16"] * (gpu.compute_capability >= BF16_COMPUTE_CAPABILITY) + ["fp16"]
    if gpu is not None and gpu.compute_capability >= _FP8_COMPUTE_CAPABILITY:
        found.append("fp8")
    return [known[name] for name in found if name in known]


def _usual(machine: Machine) -> Precision:
    return possible(machine)[0]


def _contender(backend: Backend, precision: Precision) -> Contender:
    return Contender(f"{backend.value} {precision.value}", backend, precision)
