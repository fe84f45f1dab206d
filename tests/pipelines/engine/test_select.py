"""Which backend, precision and device a component gets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from pipelines.devices import Gpu, Lack, Machine, Versions
from pipelines.engine.base import TURNS, say_streamed
from pipelines.engine.select import choose
from pipelines.engine.vram import MemoryPlan, Mode
from pipelines.errors import EngineFailure, InvalidRequest
from pipelines.families import FLUX
from pipelines.request import NARROW, Backend, Precision

LACKS = (Lack("tensorrt_rtx", "it is missing"), Lack("inductor", "it is missing too"))
TURING = Gpu(0, "RTX 2080", (7, 5), 8 * 2**30, "581.29")
BLACKWELL = Gpu(0, "RTX 5090", (12, 0), 32 * 2**30, "581.29")


def machine(*gpus: Gpu, cuda: str | None = "13.0") -> Machine:
    versions = Versions("2.13.0", cuda, "0.42.1", "5.24.0", None)
    return Machine("Linux 6", "CPU", 2, 2**34, 2**33, gpus, versions, LACKS)


def test_a_cpu_runs_eager_in_fp32_and_says_why() -> None:
    plan = choose("transformer", Backend.auto, Precision.auto, machine())
    assert (plan.backend, plan.precision, plan.device) == (Backend.eager, Precision.fp32, "cpu")
    for words in ("tensorrt_rtx and inductor cannot run here", "no NVIDIA GPU", "fp32"):
        assert words in plan.reason


def test_a_gpu_that_this_pytorch_cannot_use_is_named() -> None:
    plan = choose("transformer", Backend.auto, Precision.auto, machine(BLACKWELL, cuda=None))
    assert plan.device == "cpu"
    assert "RTX 5090" in plan.reason


def test_a_modern_gpu_gets_bf16() -> None:
    for component in FLUX.networks:
        plan = choose(component, Backend.auto, Precision.auto, machine(BLACKWELL))
        assert (plan.precision, plan.device) == (Precision.bf16, "cuda:0")


def test_an_old_gpu_gets_fp16_only_where_that_does_not_overflow() -> None:
    # Tong-MAI/Z-Image#15: bf16 on RTX 20xx gives black pictures, and PyTorch says that it has it
    plans = {name: choose(name, Backend.auto, Precision.auto, machine(TURING)).precision for name in FLUX.networks}
    assert plans["transformer"] is Precision.fp16
    assert {plans[name] for name in plans if name != "transformer"} == {Precision.fp32}


def test_bf16_on_an_old_gpu_is_refused() -> None:
    with pytest.raises(EngineFailure, match=r"7\.5, and 8\.0 is needed"):
        choose("vae", Backend.eager, Precision.bf16, machine(TURING))


@pytest.mark.parametrize("backend", [Backend.inductor, Backend.tensorrt_rtx])
def test_a_backend_that_cannot_run_is_refused_with_its_reason(backend: Backend) -> None:
    with pytest.raises(EngineFailure, match=f"{backend.value} cannot run here: it is missing"):
        choose("vae", backend, Precision.auto, machine(BLACKWELL))


def test_the_fake_backend_has_one_precision() -> None:
    assert choose("vae", Backend.fake, Precision.auto, machine()).backend is Backend.fake
    with pytest.raises(InvalidRequest):
        choose("vae", Backend.fake, Precision.bf16, machine())


def test_fp8_is_for_gpus_that_have_it_and_int8_for_all() -> None:
    ampere = Gpu(0, "RTX 3090", (8, 6), 24 * 2**30, "581.29")
    with pytest.raises(EngineFailure, match=r"RTX 3090 has no fp8: .* 8\.6, and 8\.9 is needed"):
        choose("transformer", Backend.auto, Precision.fp8, machine(ampere))
    assert choose("transformer", Backend.auto, Precision.fp8, machine(BLACKWELL)).precision is Precision.fp8
    for precision in (Precision.int8, Precision.int4):
        assert choose("transformer", Backend.auto, precision, machine(ampere)).precision is precision


def test_only_the_denoiser_is_narrow() -> None:
    for precision in NARROW:
        assert choose("vae", Backend.auto, precision, machine(BLACKWELL)).precision is Precision.bf16
        assert choose("text_encoder_2", Backend.auto, precision, machine()).precision is Precision.fp32
    on_cpu = choose("unet", Backend.auto, Precision.fp8, machine())
    assert (on_cpu.precision, on_cpu.device) == (Precision.fp8, "cpu")
    assert "worked out in fp32" in on_cpu.reason


@pytest.mark.parametrize(
    ("component", "precision", "gpus"),
    list(itertools.product(FLUX.networks, [Precision.fp32, Precision.fp16], [(), (TURING,), (BLACKWELL,)])),
)
def test_what_is_asked_for_is_given(component: str, precision: Precision, gpus: tuple[Gpu, ...]) -> None:
    plan = choose(component, Backend.auto, precision, machine(*gpus))
    assert plan.precision is precision
    assert "as asked for" in plan.reason


def ready(*gpus: Gpu, cuda: str | None = "13.0", lacks: tuple[Lack, ...] = ()) -> Machine:
    return replace(machine(*gpus, cuda=cuda), lacks=lacks)


class TestEngines:
    """A machine that TensorRT-RTX runs on."""

    def test_a_network_whose_engine_is_there_runs_as_one(self) -> None:
        plan = choose("vae", Backend.auto, Precision.auto, ready(BLACKWELL, cuda=None), "")
        assert (plan.backend, plan.precision, plan.device) == (Backend.tensorrt_rtx, Precision.bf16, "cuda:0")
        assert plan.reason == (
            "the engine of the vae is there; TensorRT-RTX on RTX 5090; bf16 because compute capability 12.0 has it"
        )

    def test_turing_gets_its_own_precision(self) -> None:
        assert choose("vae", Backend.auto, Precision.auto, ready(TURING), "").precision is Precision.fp16
        with pytest.raises(EngineFailure, match="no bf16"):
            choose("vae", Backend.tensorrt_rtx, Precision.bf16, ready(TURING), "")

    def test_one_without_an_engine_is_compiled_by_pytorch_where_that_pays(self) -> None:
        made = ready(BLACKWELL)
        plans = {name: choose(name, Backend.auto, Precision.auto, made, "none was built") for name in FLUX.networks}
        assert plans["transformer"].backend is Backend.inductor
        assert plans["vae"].backend is Backend.eager
        assert "once a picture" in plans["vae"].reason

    def test_one_without_an_engine_says_so_where_pytorch_has_no_compiler(self) -> None:
        lacks = (Lack("inductor", "this PyTorch has no CUDA"),)
        plan = choose("transformer", Backend.auto, Precision.auto, ready(BLACKWELL, cuda=None, lacks=lacks), "none")
        assert plan.backend is Backend.eager

    def test_asking_for_it_without_an_engine_is_refused_with_the_reason(self) -> None:
        with pytest.raises(EngineFailure, match="cannot run here: no engine of it was built"):
            choose("vae", Backend.tensorrt_rtx, Precision.auto, ready(BLACKWELL), "no engine of it was built")

    def test_fp32_is_no_engine(self) -> None:
        assert choose("vae", Backend.auto, Precision.fp32, ready(BLACKWELL), "").backend is not Backend.tensorrt_rtx
        with pytest.raises(InvalidRequest, match="fp32"):
            choose("vae", Backend.tensorrt_rtx, Precision.fp32, ready(BLACKWELL), "")

    def test_inductor_can_be_asked_for(self) -> None:
        plan = choose("unet", Backend.inductor, Precision.auto, ready(BLACKWELL), "")
        assert (plan.backend, plan.device) == (Backend.inductor, "cuda:0")
        assert choose("vae", Backend.inductor, Precision.auto, ready(BLACKWELL)).backend is Backend.eager

    def test_networks_that_take_turns_say_so(self) -> None:
        memory = MemoryPlan(Mode.turns, 1, "they take turns")
        plan = choose("vae", Backend.auto, Precision.auto, ready(BLACKWELL), "", memory)
        assert (plan.option, plan.reason.endswith("; they take turns")) == (TURNS, True)

    def test_what_does_not_fit_runs_on_pytorch_with_the_reason(self) -> None:
        lacks = (Lack("inductor", ""),)
        memory = MemoryPlan(Mode.none, 1, "it is too large")
        plan = choose("unet", Backend.auto, Precision.fp16, ready(BLACKWELL, cuda=None, lacks=lacks), "", memory)
        assert plan.backend is not Backend.tensorrt_rtx
        with pytest.raises(EngineFailure, match="it is too large"):
            choose("unet", Backend.tensorrt_rtx, Precision.fp16, ready(BLACKWELL), "", memory)

    @pytest.mark.parametrize("backend", [Backend.auto, Backend.tensorrt_rtx])
    def test_where_one_is_streamed_the_others_take_turns_or_run_on_the_cpu(self, backend: Backend) -> None:
        memory = MemoryPlan(Mode.streamed, 1, "it streams", 7, ("text_encoder_2",), "transformer")
        plans = {name: choose(name, backend, Precision.auto, ready(BLACKWELL), "", memory) for name in FLUX.networks}
        assert plans["transformer"].option == f"{TURNS} {say_streamed(7)}"
        assert plans["transformer"].reason.endswith("; it streams")
        assert plans["vae"].option == plans["text_encoder"].option == TURNS
        text = plans["text_encoder_2"]
        assert (text.backend, text.device, text.precision) == (Backend.eager, "cpu", Precision.fp32)
        assert "too large for the RTX 5090" in text.reason

    def test_what_is_to_be_streamed_and_is_not_in_pieces_runs_on_pytorch(self) -> None:
        memory = MemoryPlan(Mode.streamed, 1, "it streams", 7, (), "transformer")
        plan = choose("transformer", Backend.auto, Precision.auto, ready(BLACKWELL), "no such engine", memory)
        assert plan.backend is Backend.inductor


def test_an_engine_in_fp8_is_for_the_denoiser_of_a_gpu_that_has_it() -> None:
    plans = {
        name: choose(name, Backend.tensorrt_rtx, Precision.fp8, ready(BLACKWELL), no_engine="")
        for name in ("unet", "vae", "text_encoder")
    }
    assert {name: plan.precision for name, plan in plans.items() if plan.backend is Backend.tensorrt_rtx} == {
        "unet": Precision.fp8, "vae": Precision.bf16, "text_encoder": Precision.bf16,
    }  # fmt: skip
    ampere = replace(BLACKWELL, name="RTX 3090", compute_capability=(8, 6))
    with pytest.raises(EngineFailure, match=r"8\.6, and 8\.9 is needed"):
        choose("unet", Backend.tensorrt_rtx, Precision.fp8, ready(ampere), no_engine="")
    with pytest.raises(InvalidRequest, match="No engine is made in int8"):
        choose("unet", Backend.tensorrt_rtx, Precision.int8, ready(BLACKWELL), no_engine="")
