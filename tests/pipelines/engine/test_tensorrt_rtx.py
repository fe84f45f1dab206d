"""The TensorRT-RTX backend from store to picture, on a double of the library that computes the exported graphs."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

from pipelines.engine.base import EXPLICIT, TURNS, Places, Plan
from pipelines.engine.cache import ASIDE
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import Part
from pipelines.engine.network import WeightKind
from pipelines.engine.rtx_engine import BoundEngine
from pipelines.engine.rtx_weights import InputSlots
from pipelines.errors import Cancelled, EngineFailure, FirstlightError, NoRoom
from pipelines.events import CacheRead, Kernels, KernelsChanged
from pipelines.families import FLUX
from pipelines.request import Backend, LoraChoice, Precision
from pipelines.weights import find_components
from tests.conftest import Recorder
from tests.pipelines.engine.double import EngineInvalidityDiagnostics
from tests.pipelines.engine.rtx_workshop import RTX, Workshop, make_machine

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from pipelines.engine.rtx_part import Running
    from pipelines.engine.tensorrt_rtx import RtxComponent

pytestmark = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript", "tensorrt_rtx")),
    reason="needs onnxruntime and TensorRT-RTX: pip install 'firstlight[dev,rtx]'",
)
GENERIC, SPECIALISING, SPECIALISED, GRAPH = Kernels
SIZES = ((8, 8), (16, 8), (8, 24), (16, 16), (12, 20))


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture
def workshop(tiny_model: Path, tmp_path: Path, graphs: Path) -> Workshop:
    return Workshop(tiny_model, Places(tmp_path / "engines", tmp_path / "kernels"), graphs, option=EXPLICIT)


def latents(height: int, width: int, batch: int = 1) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(height * 100 + width)
    return {"z": torch.randn(batch, 16, height, width, generator=generator)}


def expect(model: Path, name: str, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What PyTorch gives."""
    spec = next(one for one in find_components(model, FLUX.networks) if one.name == name)
    plan = Plan(Backend.eager, Precision.fp32, "cpu", "a test")
    return EagerLoader().load(spec, plan, Recorder())(inputs)


def states(events: Recorder, words: str) -> list[Kernels]:
    changed = [event.kernels for event in events.of(KernelsChanged) if event.shape == words]
    return [one for place, one in enumerate(changed) if changed[place - 1 : place] != [one]]


def live(component: RtxComponent, events: Recorder, inputs: dict[str, Tensor], until: Kernels = GRAPH) -> None:
    """Call it until the shape's kernels are in that state, as the steps of a picture do."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        component(inputs)
        if events.of(KernelsChanged)[-1].kernels is until:
            return
        time.sleep(0.01)
    raise AssertionError(f"never {until}")


def test_the_transformer_computes_what_pytorch_does(workshop: Workshop, events: Recorder, tiny_model: Path) -> None:
    workshop.build(Part.transformer)
    component = workshop.load("transformer", events)
    generator = torch.Generator().manual_seed(0)
    for batch, patches, text in ((1, 16, 16), (2, 24, 40)):
        inputs = {
            "hidden_states": torch.randn(batch, patches, 64, generator=generator),
            "timestep": torch.full((batch,), 0.5),
            "guidance": torch.full((batch,), 3.5),
            "pooled_projections": torch.randn(batch, 32, generator=generator),
            "encoder_hidden_states": torch.randn(batch, text, 32, generator=generator),
            "txt_ids": torch.zeros(text, 3),
            "img_ids": torch.arange(patches).unsqueeze(1).repeat(1, 3) % 4,
        }
        given = component(inputs)["sample"]
        assert given.dtype == torch.float32
        torch.testing.assert_close(given, expect(tiny_model, "transformer", inputs)["sample"], atol=1e-4, rtol=1e-3)
    component.close()


@pytest.mark.parametrize("name", ["text_encoder", "text_encoder_2"])
def test_the_text_encoders_compute_what_pytorch_does(
    workshop: Workshop, events: Recorder, tiny_model: Path, name: str
) -> None:
    workshop.build(Part(name))
    component = workshop.load(name, events)
    ids = torch.randint(0, 1000, (2, 77), generator=torch.Generator().manual_seed(0))
    given, wanted = component({"input_ids": ids}), expect(tiny_model, name, {"input_ids": ids})
    for output in given:
        torch.testing.assert_close(given[output], wanted[output], atol=1e-4, rtol=1e-3)
    component.close()


def test_a_vae_is_two_engines_and_the_encoder_starts_when_it_is_needed(
    workshop: Workshop, events: Recorder, tiny_model: Path
) -> None:
    workshop.build(Part.vae_decoder, Part.vae_encoder)
    component = workshop.load("vae", events)
    assert {event.component for event in events.of(KernelsChanged)} == {"vae_decoder"}
    for inputs in ({"x": torch.randn(1, 3, 64, 64)}, latents(8, 8)):
        (given,), (wanted,) = component(inputs).values(), expect(tiny_model, "vae", inputs).values()
        torch.testing.assert_close(given, wanted, atol=1e-4, rtol=1e-3)
    assert set(component.statistics()) == {"vae_decoder", "vae_encoder"}
    component.close()


@pytest.mark.parametrize("option", ["", EXPLICIT])
def test_five_sizes_live_their_lives_and_a_second_launch_starts_specialised(
    workshop: Workshop, events: Recorder, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._QUIET", 0.05)
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._LOOK", 0.01)
    workshop.option = option
    workshop.build(Part.vae_decoder)
    for launch in (1, 2):
        component = workshop.load("vae", events)
        for height, width in SIZES:
            live(component, events, latents(height, width))
            expected = [GENERIC, SPECIALISING, SPECIALISED, GRAPH] if launch == 1 else [SPECIALISED, GRAPH]
            assert states(events, f"{8 * width}x{8 * height}") == expected
        hits = [event.hit for event in events.of(CacheRead)]
        assert hits == ([False] if launch == 1 else [True])
        component.close()
        workshop.restart()
        events.events.clear()


def test_own_kernels_give_the_same_picture(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    component = workshop.load("vae", events)
    generic = component(latents(8, 8))["sample"]
    live(component, events, latents(8, 8))
    torch.testing.assert_close(component(latents(8, 8))["sample"], generic)


def test_the_engine_works_in_its_own_precision(workshop: Workshop, events: Recorder, tiny_model: Path) -> None:
    workshop.precision = Precision.fp16
    workshop.build(Part.vae_decoder)
    given = workshop.load("vae", events)(latents(8, 8))["sample"]
    wanted = expect(tiny_model, "vae", latents(8, 8))["sample"]
    assert given.dtype == torch.float32
    assert 0 < float((given - wanted).abs().max()) < 0.02


def flux_inputs(seed: int = 0) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        "hidden_states": torch.randn(1, 16, 64, generator=generator),
        "timestep": torch.tensor([0.5]),
        "guidance": torch.tensor([3.5]),
        "pooled_projections": torch.randn(1, 32, generator=generator),
        "encoder_hidden_states": torch.randn(1, 16, 32, generator=generator),
        "txt_ids": torch.zeros(16, 3),
        "img_ids": torch.zeros(16, 3),
    }


def write_loras(folder: Path) -> list[LoraChoice]:
    """Of several kinds and spellings: low rank, a whole difference with a bias, and DoRA."""
    generator = torch.Generator().manual_seed(1)

    def make(*size: int) -> Tensor:
        return torch.randn(*size, generator=generator) / 4

    query, single = "transformer.transformer_blocks.0.attn.to_q", "transformer.single_transformer_blocks.0.attn.to_v"
    fused = "lora_unet_double_blocks_0_img_attn_qkv"  # query, key and value in one
    files: dict[str, dict[str, Tensor]] = {
        "low rank": {
            f"{query}.lora_A.weight": make(4, 32),
            f"{query}.lora_B.weight": make(32, 4),
            f"{single}.lora_A.weight": make(4, 32),
            f"{single}.lora_B.weight": make(32, 4),
        },
        "fused": {
            f"{fused}.lora_down.weight": make(4, 32),
            f"{fused}.lora_up.weight": make(96, 4),
            f"{fused}.alpha": torch.tensor(2.0),
        },
        "difference": {f"{query}.diff": make(32, 32), f"{query}.diff_b": make(32)},
        "dora": {
            f"{query}.lora_A.weight": make(4, 32),
            f"{query}.lora_B.weight": make(32, 4),
            f"{query}.lora_magnitude_vector": make(32).abs() + 1,
        },
    }
    for name, tensors in files.items():
        save_file(tensors, folder / f"{name}.safetensors")
    return [LoraChoice(folder / f"{name}.safetensors", 0.8) for name in files]


def test_loras_are_merged_as_pytorch_adds_them(
    workshop: Workshop, events: Recorder, tiny_model: Path, tmp_path: Path
) -> None:
    workshop.build(Part.transformer)
    component = workshop.load("transformer", events)
    spec = next(one for one in find_components(tiny_model, FLUX.networks) if one.name == "transformer")
    plain = EagerLoader().load(spec, Plan(Backend.eager, Precision.fp32, "cpu", "a test"), events)
    choices = write_loras(tmp_path)
    base = plain(flux_inputs())["sample"]
    for chosen in (choices[:1], choices[1:2], choices[2:3], choices[3:], choices[:3]):
        plain.set_loras(chosen)
        component.set_loras(chosen)
        expected, given = plain(flux_inputs())["sample"], component(flux_inputs())["sample"]
        assert not torch.allclose(expected, base, atol=1e-3)
        torch.testing.assert_close(given, expected, atol=1e-4, rtol=1e-3)
    component.close()


@pytest.mark.parametrize("kind", [WeightKind.placeholder, WeightKind.input])
def test_fifty_loras_and_then_none_are_the_base_bit_for_bit(
    workshop: Workshop, events: Recorder, kind: WeightKind, tmp_path: Path
) -> None:
    workshop.kind = kind
    workshop.build(Part.transformer)
    component = workshop.load("transformer", events)
    (running,) = component._running.values()
    before = held_weights(running)
    base = component(flux_inputs())["sample"]
    choices = write_loras(tmp_path)
    for number in range(50):
        component.set_loras([choices[number % 4], choices[number % 3]] if number % 2 else [choices[number % 4]])
        if number % 10 == 0:
            assert not torch.equal(component(flux_inputs())["sample"], base)
            assert held_weights(running) != before
    component.set_loras([])
    assert held_weights(running) == before
    assert torch.equal(component(flux_inputs())["sample"], base)
    component.close()


def held_weights(running: Running) -> dict[str, bytes]:
    """What the engine holds, bit for bit."""
    bound = running._body.bound
    assert isinstance(bound, BoundEngine)
    engine: Any = bound.engine
    held = {name: value.tobytes() for name, value in engine.values.items()}
    for slots in running._body.slots:
        if isinstance(slots, InputSlots):
            for name, (buffer, _, _) in slots._buffers.items():
                held[name] = ctypes.string_at(buffer.block.address, buffer.block.size)
    return held


def test_a_missing_engine_says_how_to_build_it(workshop: Workshop, events: Recorder) -> None:
    with pytest.raises(EngineFailure, match=r"no engine to run the transformer: no engine of flux.*engine build"):
        workshop.load("transformer", events)
    workshop.build(Part.transformer)
    workshop.precision = Precision.fp16
    with pytest.raises(EngineFailure, match="another precision"):
        workshop.load("transformer", events)


@pytest.mark.parametrize(
    ("diagnostics", "said"),
    [
        (0, "there is no CUDA"),
        (EngineInvalidityDiagnostics.UNSUPPORTED_CC, "of a kind that it was not built for"),
        (EngineInvalidityDiagnostics.OLD_CUDA_DRIVER, "driver of the GPU is too old"),
        (EngineInvalidityDiagnostics.VERSION_MISMATCH | 32, "another version .* and it is damaged"),
    ],
)
def test_an_engine_that_does_not_run_here_says_why(
    workshop: Workshop, events: Recorder, diagnostics: int, said: str
) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.diagnostics = diagnostics
    with pytest.raises(EngineFailure, match=said):
        workshop.load("vae", events)


@pytest.mark.parametrize(
    "call",
    [
        "Runtime",
        "deserialize_cuda_engine",
        "create_runtime_config",
        "create_runtime_cache",
        "set_runtime_cache",
        "create_execution_context",
        "Refitter",
        "set_named_weights",
        "refit_cuda_engine_async",
        "set_input_shape",
        "set_tensor_address",
        "execute_async_v3",
    ],
)
@pytest.mark.parametrize("option", ["", EXPLICIT])
def test_every_refusal_of_the_library_is_an_error_of_ours(
    workshop: Workshop, events: Recorder, call: str, option: str
) -> None:
    workshop.option = option
    workshop.build(Part.vae_decoder)
    workshop.script.refuse = {call}
    with pytest.raises(EngineFailure) as failure:
        workshop.load("vae", events)(latents(8, 8))
    assert failure.value.action
    workshop.script.refuse = set()
    workshop.restart()
    workshop.load("vae", events)(latents(8, 8)).clear()


def test_what_the_recorder_was_told_is_in_the_error(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.refuse = {"execute_async_v3"}
    with pytest.raises(EngineFailure, match="vae_decoder cannot be run: a kernel fails"):
        workshop.load("vae", events)(latents(8, 8))


@pytest.mark.parametrize("call", ["release_refit_resources", "serialize"])
def test_what_is_only_a_nicety_may_fail(workshop: Workshop, events: Recorder, call: str) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.refuse = {call}
    live(workshop.load("vae", events), events, latents(8, 8))


@pytest.mark.parametrize(
    ("fault", "said"),
    [("compile", "cannot be specialised"), ("execute specialised", "a specialised kernel fails")],
)
def test_kernels_that_fail_leave_generic_ones_and_say_so(
    workshop: Workshop, events: Recorder, fault: str, said: str
) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.refuse = {fault}
    component = workshop.load("vae", events)
    expected = component(latents(8, 8))["sample"]
    live(component, events, latents(8, 8), until=GENERIC)
    assert said in events.of(KernelsChanged)[-1].reason
    assert torch.equal(component(latents(8, 8))["sample"], expected)


def test_kernels_that_compute_something_else_are_turned_down(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    component = workshop.load("vae", events)
    expected = component(latents(8, 8))["sample"]
    workshop.script.wrong = 0.5
    live(component, events, latents(8, 8), until=GENERIC)
    assert "turned down: they differ by" in events.of(KernelsChanged)[-1].reason
    assert torch.equal(component(latents(8, 8))["sample"], expected)


def test_no_memory_for_a_size_is_told_and_others_go_on(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    component = workshop.load("vae", events)
    component(latents(8, 8))
    assert workshop.gpu is not None
    workshop.script.memory = workshop.gpu.used + 1000
    with pytest.raises(NoRoom, match="memory of the GPU"):
        component(latents(64, 64))
    component(latents(8, 8))


@pytest.mark.parametrize("option", ["", EXPLICIT])
def test_closing_gives_all_memory_back(workshop: Workshop, events: Recorder, option: str) -> None:
    workshop.option = option
    workshop.build(Part.vae_decoder, Part.vae_encoder)
    component = workshop.load("vae", events)
    gpu = workshop.gpu
    assert gpu is not None
    for _ in range(3):
        for height, width in SIZES:
            component(latents(height, width))
    component({"x": torch.randn(1, 3, 64, 64)})
    component.close()
    workshop.loader._kit.scratch.close()  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    assert (gpu.used, gpu.blocks) == (0, 0)
    with pytest.raises(EngineFailure, match="closed"):
        component(latents(8, 8))


def test_memory_is_bounded_over_a_hundred_sizes(workshop: Workshop, events: Recorder) -> None:
    workshop.option = ""
    workshop.build(Part.vae_decoder)
    component = workshop.load("vae", events)
    gpu = workshop.gpu
    assert gpu is not None
    used: list[int] = []
    for number in range(100):
        component(latents(8 + number % 25, 8))
        used.append(gpu.used)
    assert max(used[25:50]) == max(used[75:])
    assert gpu.blocks < 60


@pytest.mark.parametrize("state", [GENERIC, SPECIALISING, SPECIALISED, GRAPH])
def test_a_cancel_in_any_state_leaves_a_component_that_goes_on(
    workshop: Workshop, events: Recorder, state: Kernels
) -> None:
    workshop.build(Part.vae_decoder)
    component = workshop.load("vae", events)
    expected = component(latents(16, 16))["sample"]

    def cancel(event: object) -> None:
        if isinstance(event, KernelsChanged) and (event.kernels, event.shape) == (state, "64x64"):
            events.on_event = None
            raise Cancelled

    events.on_event = cancel
    with pytest.raises(Cancelled):
        live(component, events, latents(8, 8))
    live(component, events, latents(8, 8))
    assert torch.equal(component(latents(16, 16))["sample"], expected)


def test_a_cancel_while_kernels_are_compiled_is_heard_at_once(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.cold = 3.0

    def cancel(event: object) -> None:
        if isinstance(event, KernelsChanged) and event.elapsed > 0.1:
            raise Cancelled

    events.on_event = cancel
    began = time.monotonic()
    with pytest.raises(Cancelled):
        workshop.load("vae", events)
    assert time.monotonic() - began < 2.5
    events.on_event = None
    for thread in threading.enumerate():
        if thread.name == "patience":
            thread.join(5)
    workshop.load("vae", events)(latents(8, 8))


def test_compiling_is_told_with_its_time_and_the_next_time_with_an_estimate(
    workshop: Workshop, events: Recorder
) -> None:
    workshop.build(Part.vae_decoder)
    workshop.script.cold, workshop.script.warm = 0.6, 0.3
    for estimated in (False, True):
        workshop.load("vae", events).close()
        told = [event for event in events.of(KernelsChanged) if event.reason.startswith("compiling")]
        assert max(event.elapsed for event in told) > 0.2
        assert all((event.estimate is not None) == estimated for event in told)
        assert all(event.estimate is None or event.elapsed <= 0.951 * event.estimate for event in told)
        events.events.clear()
        workshop.restart()


def test_networks_take_turns_where_only_one_fits(workshop: Workshop, events: Recorder, tiny_model: Path) -> None:
    workshop.option = TURNS
    workshop.build(Part.vae_decoder, Part.text_encoder_2)
    vae, encoder = workshop.load("vae", events), workshop.load("text_encoder_2", events)
    ids = {"input_ids": torch.arange(16).unsqueeze(0)}
    for _ in range(3):
        wanted = expect(tiny_model, "vae", latents(8, 8))["sample"]
        torch.testing.assert_close(vae(latents(8, 8))["sample"], wanted, atol=1e-4, rtol=1e-3)
        wanted = expect(tiny_model, "text_encoder_2", ids)["last_hidden_state"]
        torch.testing.assert_close(encoder(ids)["last_hidden_state"], wanted, atol=1e-4, rtol=1e-3)
    assert workshop.script.calls.count("unload") == 7  # one while loading
    for component in (vae, encoder):
        component.close()


class TestRuntimeCache:
    """Told, set aside, rebuilt, never a crash loop: whatever happened to the file of kernels."""

    @pytest.fixture(autouse=True)
    def first_launch(self, workshop: Workshop, events: Recorder) -> None:
        workshop.build(Part.vae_decoder)
        component = workshop.load("vae", events)
        live(component, events, latents(8, 8))
        component.close()
        workshop.restart()
        events.events.clear()

    def start_again(self, workshop: Workshop, events: Recorder) -> CacheRead:
        """A launch that draws; what it says of the cache."""
        events.events.clear()
        workshop.restart()
        component = workshop.load("vae", events)
        live(component, events, latents(8, 8))
        component.close()
        (told,) = events.of(CacheRead)
        return told

    @pytest.mark.parametrize("damage", ["truncated", "random", "empty"])
    def test_damage(self, workshop: Workshop, events: Recorder, damage: str) -> None:
        (file,) = workshop.places.kernels.glob("*.cache")
        content = file.read_bytes()
        file.write_bytes({"truncated": content[:-5], "random": os.urandom(len(content)), "empty": b""}[damage])
        told = self.start_again(workshop, events)
        assert not told.hit
        assert "set aside" in told.reason
        assert states(events, "64x64") == [GENERIC, SPECIALISING, SPECIALISED, GRAPH]
        assert len(list((workshop.places.kernels / ASIDE).iterdir())) == 2
        assert self.start_again(workshop, events).hit

    @pytest.mark.parametrize("change", ["gpu", "version"])
    def test_one_that_the_library_turns_down(self, workshop: Workshop, events: Recorder, change: str) -> None:
        if change == "gpu":
            workshop.script.gpu = "another GPU under the same name"
        else:
            workshop.script.refuse = {"deserialize"}
        told = self.start_again(workshop, events)
        assert told == CacheRead(
            "vae_decoder",
            hit=False,
            reason="it was set aside: TensorRT-RTX turns it down: the cache is of another GPU or version, or damaged",
        )
        workshop.script.refuse = set()
        assert self.start_again(workshop, events).hit

    @pytest.mark.parametrize(
        ("gpu", "said"),
        [
            (replace(RTX, name="NVIDIA GeForce RTX 4090", compute_capability=(8, 9)), "another GPU"),
            (replace(RTX, driver="580.10"), "another driver"),
        ],
    )
    def test_another_gpu_or_an_older_driver(self, workshop: Workshop, events: Recorder, gpu: object, said: str) -> None:
        workshop.machine = make_machine(gpu)  # pyright: ignore[reportArgumentType]
        told = self.start_again(workshop, events)
        assert not told.hit
        assert said in told.reason
        assert len(list(workshop.places.kernels.glob("*.cache"))) == 2  # the other machine's is left

    def test_a_newer_driver(self, workshop: Workshop, events: Recorder) -> None:
        workshop.machine = make_machine(replace(RTX, driver="581.80"))
        assert self.start_again(workshop, events).hit

    def test_a_folder_that_cannot_be_written(self, workshop: Workshop, events: Recorder, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        workshop.places = replace(workshop.places, kernels=tmp_path / "file" / "kernels")
        assert not self.start_again(workshop, events).hit

    def test_a_crash_while_it_is_loaded(self, workshop: Workshop, events: Recorder) -> None:
        (file,) = workshop.places.kernels.glob("*.cache")
        file.with_suffix(".loading").write_text("4711\n")  # as a process leaves it that was ended while loading
        told = self.start_again(workshop, events)
        assert "broke off while it was loaded" in told.reason
        assert self.start_again(workshop, events).hit

    def test_the_mark_is_there_until_the_kernels_have_run(self, workshop: Workshop, events: Recorder) -> None:
        component = workshop.load("vae", events)
        assert len(list(workshop.places.kernels.glob("*.loading"))) == 1
        component(latents(8, 8))
        assert list(workshop.places.kernels.glob("*.loading")) == []

    def test_a_cancel_while_loading_is_no_crash(self, workshop: Workshop, events: Recorder) -> None:
        def cancel(event: object) -> None:
            if isinstance(event, KernelsChanged) and event.reason.startswith("compiling"):
                events.on_event = None
                raise Cancelled

        events.on_event = cancel
        with pytest.raises(Cancelled):
            workshop.load("vae", events)
        assert self.start_again(workshop, events).hit


def test_failures_leave_no_memory_behind(workshop: Workshop, events: Recorder) -> None:
    workshop.build(Part.vae_decoder)
    for call in ("create_execution_context", "refit_cuda_engine_async"):
        workshop.script.refuse = {call}
        with pytest.raises(FirstlightError):
            workshop.load("vae", events)
        assert workshop.gpu is not None
        assert workshop.gpu.blocks == 0
