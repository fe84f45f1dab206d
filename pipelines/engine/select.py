"""Which backend, precision and device a component gets. Pure: the same machine gives the same plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.engine.base import TURNS, Plan, say_streamed
from pipelines.engine.vram import Mode
from pipelines.errors import EngineFailure, InvalidRequest
from pipelines.request import NARROW, Backend, Precision

if TYPE_CHECKING:
    from pipelines.devices import Gpu, Machine
    from pipelines.engine.vram import MemoryPlan

BF16_COMPUTE_CAPABILITY = (8, 0)  # Ampere; older GPUs emulate it, slowly or wrongly, whatever PyTorch answers
FP8_COMPUTE_CAPABILITY = (8, 9)  # Ada
NOT_ASKED = "nobody looked for its engine"
_DENOISERS = ("transformer", "unet")
_IN_STEPS = (*_DENOISERS, "controlnet")  # called in every step: what compiling pays for
_FP16_SAFE = _IN_STEPS  # T5 overflows in fp16, and so do some VAEs: those stay in fp32 on older GPUs
_ENGINE_PRECISIONS = (Precision.auto, Precision.bf16, Precision.fp16, Precision.fp8)


def choose(
    component: str,
    backend: Backend,
    precision: Precision,
    machine: Machine,
    no_engine: str = NOT_ASKED,
    memory: MemoryPlan | None = None,
) -> Plan:
    """Plan one component.

    `no_engine` says why TensorRT-RTX has none for it; empty where it has one that fits. `memory` is how the engines
    of all networks would share the GPU.

    Raises:
        EngineFailure: a backend or precision asked for by name cannot run here; the message says why.
        InvalidRequest: the two asked for exclude each other.
    """
    if memory is not None and memory.mode is Mode.none:
        no_engine = no_engine or memory.reason
    precision = keep_wide(component, precision)
    match backend:
        case Backend.fake:
            return _plan_fake(precision)
        case Backend.auto | Backend.tensorrt_rtx if memory is not None and component in memory.on_cpu:
            return _plan_on_cpu(component, precision, machine)
        case Backend.tensorrt_rtx:
            _demand_engine(machine, machine.lack(backend.value) or no_engine)
            return _plan_engine(component, precision, machine, memory)
        case Backend.inductor if component in _IN_STEPS:
            return _plan_inductor(component, precision, machine)
        case Backend.inductor:
            _demand_inductor(machine)
            return _plan_eager(component, backend, precision, machine, "compiling pays where steps are many")
        case Backend.auto if not _why_no_engine(precision, machine, no_engine):
            return _plan_engine(component, precision, machine, memory)
        case Backend.auto if component in _IN_STEPS and not machine.lack(Backend.inductor.value):
            return _plan_inductor(component, precision, machine)
        case _:
            return _plan_eager(component, backend, precision, machine, no_engine)


def keep_wide(component: str, precision: Precision) -> Precision:
    """The precision asked for, left open for what runs once a picture where it is narrow."""
    is_narrow = precision in NARROW
    return Precision.auto if is_narrow and component not in _DENOISERS else precision


def find_engine_precision(precision: Precision, gpu: Gpu) -> Precision:
    """The precision of the engines that a GPU runs."""
    if precision is not Precision.auto:
        return precision
    return Precision.bf16 if gpu.compute_capability >= BF16_COMPUTE_CAPABILITY else Precision.fp16


def _why_no_engine(precision: Precision, machine: Machine, no_engine: str) -> str:
    if precision not in _ENGINE_PRECISIONS:
        return f"no engine is made in {precision.value}"
    return machine.lack(Backend.tensorrt_rtx.value) or no_engine


def _demand_engine(machine: Machine, problem: str) -> None:
    if problem or not machine.gpus:
        raise EngineFailure(
            f"The backend tensorrt_rtx cannot run here: {problem or 'there is no NVIDIA GPU'}.",
            "Use --backend auto or eager.",
        )


def _plan_engine(component: str, precision: Precision, machine: Machine, memory: MemoryPlan | None) -> Plan:
    if precision not in _ENGINE_PRECISIONS:
        raise InvalidRequest(f"No engine is made in {precision.value}.", "Use --precision auto, bf16, fp16 or fp8.")
    gpu = machine.gpus[0]
    _refuse_bf16(precision, gpu)
    _refuse_fp8(precision, gpu)
    chosen = find_engine_precision(precision, gpu)
    why = "as asked for" if precision is chosen else _why_16_bits(gpu)
    reason = f"the engine of the {component} is there; TensorRT-RTX on {gpu.name}; {chosen.value} {why}"
    if memory is not None:
        reason += f"; {memory.reason}"
    option = _find_option(component, memory)
    return Plan(Backend.tensorrt_rtx, chosen, f"cuda:{gpu.index}", reason, option)


def _find_option(component: str, memory: MemoryPlan | None) -> str:
    if memory is None or memory.mode not in (Mode.turns, Mode.streamed):
        return ""
    return f"{TURNS} {say_streamed(memory.resident)}" if component == memory.streamed else TURNS


def _plan_on_cpu(component: str, precision: Precision, machine: Machine) -> Plan:
    chosen, why = _precision_on_cpu(precision)
    reason = f"PyTorch on the CPU, as the {component} is too large for the {machine.gpus[0].name}"
    return Plan(Backend.eager, chosen, "cpu", f"{reason}; {chosen.value} {why}")


def _plan_inductor(component: str, precision: Precision, machine: Machine) -> Plan:
    _demand_inductor(machine)
    gpu = machine.compute_gpu()
    if gpu is None:
        chosen, why = _precision_on_cpu(precision)
        return Plan(Backend.inductor, chosen, "cpu", f"PyTorch's compiler on the CPU; {chosen.value} {why}")
    chosen, why = _precision_on_gpu(component, precision, gpu)
    reason = f"PyTorch's compiler, in the background, on {gpu.name}; {chosen.value} {why}"
    return Plan(Backend.inductor, chosen, f"cuda:{gpu.index}", reason)


def _demand_inductor(machine: Machine) -> None:
    problem = machine.lack(Backend.inductor.value)
    if problem:
        raise EngineFailure(f"The backend inductor cannot run here: {problem}.", "Use --backend auto or eager.")


def _plan_eager(component: str, backend: Backend, precision: Precision, machine: Machine, no_engine: str) -> Plan:
    gpu = machine.compute_gpu()
    why = "asked for" if backend is Backend.eager else _why_eager(component, machine, no_engine)
    if gpu is None:
        chosen, why_precision = _precision_on_cpu(precision)
        device = "cpu"
    else:
        chosen, why_precision = _precision_on_gpu(component, precision, gpu)
        device = f"cuda:{gpu.index}"
    reason = f"{why}; {_why_device(machine, gpu)}; {chosen.value} {why_precision}"
    return Plan(Backend.eager, chosen, device, reason)


def _plan_fake(precision: Precision) -> Plan:
    if precision not in (Precision.auto, Precision.fp32):
        raise InvalidRequest("The fake backend has no precision but fp32.", "Leave --precision out.")
    return Plan(Backend.fake, Precision.fp32, "cpu", "asked for: a stand-in that draws no real picture")


def _why_eager(component: str, machine: Machine, no_engine: str) -> str:
    lacking = [lack.backend for lack in machine.lacks if lack.reason]
    if lacking:
        missing = f"{' and '.join(lacking)} cannot run here"
        if component in _IN_STEPS and no_engine and not machine.lack(Backend.tensorrt_rtx.value):
            return f"PyTorch itself, as {no_engine}, and {missing}"
        return f"PyTorch itself, as {missing}"
    if component not in _IN_STEPS and no_engine:
        return "PyTorch itself, as it runs once a picture"
    return f"PyTorch itself, as {no_engine}" if no_engine else "PyTorch itself"


def _why_device(machine: Machine, gpu: Gpu | None) -> str:
    if gpu is not None:
        return f"on {gpu.name}"
    if not machine.gpus:
        return "on the CPU, as there is no NVIDIA GPU"
    return f"on the CPU, as this PyTorch cannot use the {machine.gpus[0].name}"


def _precision_on_cpu(asked: Precision) -> tuple[Precision, str]:
    if asked is Precision.auto:
        return Precision.fp32, "because CPUs are exact and fast in it"
    if asked in NARROW:
        return asked, "as asked for, worked out in fp32, which shows its picture and is not faster"
    return asked, "as asked for"


def _precision_on_gpu(component: str, asked: Precision, gpu: Gpu) -> tuple[Precision, str]:
    _refuse_bf16(asked, gpu)
    _refuse_fp8(asked, gpu)
    if asked is not Precision.auto:
        return asked, "as asked for"
    if gpu.compute_capability >= BF16_COMPUTE_CAPABILITY:
        return Precision.bf16, _why_16_bits(gpu)
    if component in _FP16_SAFE:
        return Precision.fp16, _why_16_bits(gpu)
    return Precision.fp32, f"{_why_16_bits(gpu)}, and fp16 overflows"


def _why_16_bits(gpu: Gpu) -> str:
    has = "has it" if gpu.compute_capability >= BF16_COMPUTE_CAPABILITY else "has no bf16"
    return f"because compute capability {_say_capability(gpu)} {has}"


def _refuse_bf16(asked: Precision, gpu: Gpu) -> None:
    if asked is Precision.bf16 and gpu.compute_capability < BF16_COMPUTE_CAPABILITY:
        raise EngineFailure(
            f"The {gpu.name} has no bf16: its compute capability is {_say_capability(gpu)}, and 8.0 is needed.",
            "Use --precision auto.",
        )


def _refuse_fp8(asked: Precision, gpu: Gpu) -> None:
    if asked is Precision.fp8 and gpu.compute_capability < FP8_COMPUTE_CAPABILITY:
        raise EngineFailure(
            f"The {gpu.name} has no fp8: its compute capability is {_say_capability(gpu)}, and 8.9 is needed.",
            "Use --precision auto, int8 or int4.",
        )


def _say_capability(gpu: Gpu) -> str:
    return ".".join(map(str, gpu.compute_capability))
