"""Networks in pieces, with weights that stay on the GPU or come block by block, on the double of TensorRT-RTX."""

from __future__ import annotations

import ctypes
import random
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

from pipelines.engine import rtx_flow
from pipelines.engine.base import EXPLICIT, TURNS, Places, Plan, find_streamed, say_streamed
from pipelines.engine.chain import Step
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import Part
from pipelines.engine.rtx_blocks import Blocks, choose_streamed
from pipelines.errors import Cancelled, EngineFailure, NoRoom
from pipelines.events import Kernels, KernelsChanged, StepGoesOn
from pipelines.families import FLUX
from pipelines.request import Backend, LoraChoice, Precision
from pipelines.weights import find_components
from tests.conftest import Recorder
from tests.pipelines.engine.rtx_workshop import Workshop
from tests.pipelines.engine.stack import DOUBLE, SINGLE, make_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from pipelines.engine.export import Exported
    from pipelines.engine.tensorrt_rtx import RtxComponent

pytestmark = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript", "tensorrt_rtx")),
    reason="needs onnxruntime and TensorRT-RTX: pip install 'firstlight[dev,rtx]'",
)
NETWORKS = {"transformer": FLUX.networks["transformer"]}
GENERIC, SPECIALISING, SPECIALISED, _ = Kernels
ALL = say_streamed(0)  # nothing stays
SOME = say_streamed(100_000)  # one double block, or two single ones
SIZES = ((16, 16), (24, 16), (16, 40), (60, 7), (32, 32))


@pytest.fixture
def workshop(stack: Path, stack_graph: Exported, tmp_path: Path) -> Workshop:
    places = Places(tmp_path / "engines", tmp_path / "kernels")
    made = Workshop(stack, places, stack_graph.file.parent, option=ALL, regions=True, networks=NETWORKS)
    made.build(Part.transformer)
    return made


@pytest.fixture(scope="module")
def eager(stack: Path) -> Any:
    (spec,) = find_components(stack, NETWORKS)
    return EagerLoader().load(spec, Plan(Backend.eager, Precision.fp32, "cpu", "a test"), Recorder())


def check(component: RtxComponent, eager: Any, inputs: dict[str, Tensor]) -> None:
    torch.testing.assert_close(component(inputs)["sample"], eager(inputs)["sample"], atol=1e-4, rtol=1e-3)


def find_blocks(component: RtxComponent) -> Blocks:
    (running,) = component._running.values()
    (blocks,) = running._body.slots
    assert isinstance(blocks, Blocks)
    return blocks


@pytest.mark.parametrize("option", ["", SOME, ALL, f"{TURNS} {SOME}"])
def test_it_computes_what_pytorch_does_wherever_weights_are(
    workshop: Workshop, events: Recorder, eager: Any, option: str
) -> None:
    workshop.option = option
    component = workshop.load("transformer", events)
    streamed = len(find_blocks(component).streamed)
    assert streamed == {"": 0, ALL: DOUBLE + SINGLE}.get(option, streamed)
    if option.endswith(SOME):
        assert 0 < streamed < DOUBLE + SINGLE
    for call in ((16, 16, 1), (24, 40, 2), (16, 16, 1)):
        check(component, eager, make_inputs(*call))
    component.close()
    assert workshop.gpu is not None
    workshop.loader._kit.scratch.close()  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    assert (workshop.gpu.used, workshop.gpu.blocks) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_in_whatever_order_the_gpu_works_no_place_is_overwritten_while_in_use(
    workshop: Workshop, events: Recorder, eager: Any, seed: int
) -> None:
    component = workshop.load("transformer", events)
    workshop.script.late = random.Random(seed)
    for call in ((16, 16, 1), (24, 40, 1), (16, 16, 1)):
        check(component, eager, make_inputs(*call))
    component.close()


@pytest.mark.parametrize("method", ["wait", "record"])
def test_the_test_above_sees_a_race(
    workshop: Workshop, events: Recorder, eager: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without either half of the events the copies come too early in some draw."""
    component = workshop.load("transformer", events)
    monkeypatch.setattr(f"tests.pipelines.engine.double.HostGpu.{method}", lambda self, event: None)
    monkeypatch.setattr("tests.pipelines.engine.double.HostEvent.synchronise", lambda self: None)
    expected = eager(make_inputs())["sample"]
    for seed in range(20):
        workshop.script.late = random.Random(seed)
        if not torch.allclose(component(make_inputs())["sample"], expected, atol=1e-2):
            return
    raise AssertionError("no draw of twenty shows it")


@pytest.mark.parametrize("seed", range(4))
def test_copies_are_at_most_one_block_ahead_of_the_one_that_computes(
    workshop: Workshop, events: Recorder, seed: int
) -> None:
    component = workshop.load("transformer", events)
    component(make_inputs())
    ring = find_blocks(component)._ring
    assert ring is not None
    targets = {f"copy to {place.address}" for place in ring._places}
    workshop.script.late = random.Random(seed)
    workshop.script.trace.clear()
    component(make_inputs())
    copied, launched = 2, -1  # the last call has fetched two; what comes before the blocks is launched, too
    for what in workshop.script.trace:
        if what in targets:
            copied += 1
        elif what == "launch":
            launched += 1
            if 0 < launched <= DOUBLE + SINGLE:
                assert launched <= copied <= launched + 1
    assert launched == DOUBLE + SINGLE + 1


def test_the_cpu_is_at_most_two_streamed_blocks_ahead(workshop: Workshop, events: Recorder) -> None:
    """Else a cancel between blocks would be heard when everything is enqueued."""
    component = workshop.load("transformer", events)
    component(make_inputs())
    enqueued = 0
    workshop.script.late = random.Random(0)
    before = workshop.script.calls.count("execute_async_v3")
    blocks = find_blocks(component)
    need = blocks.need

    def watch(number: int) -> int:
        nonlocal enqueued
        address = need(number)
        ahead = workshop.script.calls.count("execute_async_v3") - before - workshop.script.trace.count("launch")
        enqueued = max(enqueued, ahead)
        return address

    workshop.script.trace.clear()
    blocks.need = watch  # pyright: ignore[reportAttributeAccessIssue]
    component(make_inputs())
    assert enqueued <= 3  # two, and what comes before the first block


def test_resident_blocks_are_spread_and_keep_to_the_budget() -> None:
    blocks = [(number, 10) for number in range(1, 11)]
    assert choose_streamed(blocks, 0) == tuple(range(1, 11))
    assert choose_streamed(blocks, 100) == ()
    assert choose_streamed(blocks, 1000) == ()
    assert choose_streamed(blocks, 50) == (1, 3, 5, 7, 9)
    assert len(choose_streamed(blocks, 35)) == 7
    for resident in range(0, 120, 7):
        uneven = [(number, 3 + number % 4) for number in range(12)]
        kept = {number for number, _ in uneven} - set(choose_streamed(uneven, resident))
        assert sum(size for number, size in uneven if number in kept) <= resident


def test_tensors_share_memory_only_when_nobody_needs_the_first_any_more() -> None:
    steps = [
        Step(0, "", {"i": "x"}, {"o": "a", "p": "skip"}, {}),
        Step(1, "b.0", {"i": "a"}, {"o": "b"}, {}),
        Step(1, "b.1", {"i": "b"}, {"o": "c"}, {}),
        Step(2, "", {"i": "c", "j": "skip"}, {"o": "y"}, {}),
    ]
    sizes: dict[str, int] = dict.fromkeys(("x", "a", "b", "c", "skip", "y"), 1000)
    offsets, total = rtx_flow.place(steps, sizes, {"x", "y"})
    assert set(offsets) == {"a", "b", "c", "skip"}
    assert offsets["c"] == offsets["a"]
    assert len({offsets["a"], offsets["b"], offsets["skip"]}) == 3
    assert total == 3 * 1024


@pytest.mark.parametrize("option", [ALL, f"{EXPLICIT} {ALL}", f"{EXPLICIT} {SOME}"])
def test_five_sizes_live_their_lives_and_a_second_launch_starts_specialised(
    workshop: Workshop, events: Recorder, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to their own kernels: a graph cannot be, since the addresses of weights change from block to block."""
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._QUIET", 0.05)
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._LOOK", 0.01)
    workshop.option = option
    for launch in (1, 2):
        component = workshop.load("transformer", events)
        for patches, text in SIZES:
            inputs = make_inputs(patches, text)
            events.events.clear()
            expected = given = component(inputs)["sample"]
            for _ in range(400):
                given = component(inputs)["sample"]
                if events.of(KernelsChanged)[-1].kernels is SPECIALISED:
                    break
            told = [event.kernels for event in events.of(KernelsChanged)]
            states = [one for place, one in enumerate(told) if told[place - 1 : place] != [one]]
            assert states == ([GENERIC, SPECIALISING, SPECIALISED] if launch == 1 else [SPECIALISED])
            torch.testing.assert_close(given, expected)
        for _ in range(5):
            component(make_inputs(*SIZES[-1]))
        assert events.of(KernelsChanged)[-1].kernels is SPECIALISED  # and stays there
        component.close()
        workshop.restart()


@pytest.mark.parametrize("option", [ALL, SOME])
def test_a_cancel_between_two_blocks_leaves_a_component_that_goes_on(
    workshop: Workshop, events: Recorder, eager: Any, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.engine.rtx_chain._PULSE", 0.0)
    workshop.option = option
    component = workshop.load("transformer", events)
    component(make_inputs())
    total = len(events.of(StepGoesOn))
    assert total == len(find_blocks(component).streamed)
    for place in range(total):
        left = place

        def cancel(event: object) -> None:
            nonlocal left
            if isinstance(event, StepGoesOn):
                if not left:
                    raise Cancelled
                left -= 1

        workshop.script.late = random.Random(place)
        events.on_event = cancel
        with pytest.raises(Cancelled):
            component(make_inputs())
        events.on_event = None
        check(component, eager, make_inputs())
    component.close()


@pytest.mark.parametrize("state", [GENERIC, SPECIALISING, SPECIALISED])
def test_a_cancel_in_any_state_leaves_a_component_that_goes_on(
    workshop: Workshop, events: Recorder, eager: Any, state: Kernels
) -> None:
    workshop.option = f"{EXPLICIT} {ALL}"
    component = workshop.load("transformer", events)

    def cancel(event: object) -> None:
        if isinstance(event, KernelsChanged) and event.kernels is state and "x" in event.shape:
            events.on_event = None
            raise Cancelled

    events.on_event = cancel
    inputs = make_inputs()

    def live() -> None:
        for _ in range(400):
            component(inputs)

    with pytest.raises(Cancelled):
        live()
    check(component, eager, inputs)
    component.close()


def write_loras(folder: Path) -> list[LoraChoice]:
    generator = torch.Generator().manual_seed(1)
    choices: list[LoraChoice] = []
    for name in ("transformer_blocks.1.attn.to_q", "single_transformer_blocks.0.attn.to_v", "x_embedder"):
        width = 64 if name == "x_embedder" else 32
        tensors = {
            f"transformer.{name}.lora_A.weight": torch.randn(4, width, generator=generator),
            f"transformer.{name}.lora_B.weight": torch.randn(32, 4, generator=generator),
        }
        save_file(tensors, folder / f"{name}.safetensors")
        choices.append(LoraChoice(folder / f"{name}.safetensors", 0.5))
    return choices


@pytest.mark.parametrize("option", [SOME, ALL])
def test_fifty_loras_are_written_in_place_and_then_none_are_the_base_bit_for_bit(
    workshop: Workshop, events: Recorder, eager: Any, tmp_path: Path, option: str
) -> None:
    workshop.option = option
    component = workshop.load("transformer", events)
    before, base = held_weights(component), component(make_inputs())["sample"]
    choices = write_loras(tmp_path)
    for number in range(50):
        component.set_loras(choices[: number % 3 + 1])
        if number % 17 == 0:
            assert held_weights(component) != before
            eager.set_loras(choices[: number % 3 + 1])
            check(component, eager, make_inputs())
    eager.set_loras([])
    component.set_loras([])
    assert held_weights(component) == before
    assert torch.equal(component(make_inputs())["sample"], base)
    component.close()


def held_weights(component: RtxComponent) -> list[bytes]:
    """What is on the GPU and in pinned memory, bit for bit."""
    blocks = find_blocks(component)
    held = [*blocks._resident.values(), *blocks._pinned.values()]
    return [ctypes.string_at(block.address, block.size) for block in held]


def test_a_lora_swap_after_the_next_block_was_fetched_ahead_is_not_missed(
    workshop: Workshop, events: Recorder, eager: Any, tmp_path: Path
) -> None:
    component = workshop.load("transformer", events)
    workshop.script.late = random.Random(3)
    (first, *_) = write_loras(tmp_path)
    for choices in ([first], [], [replace(first, weight=-1.0)]):
        component(make_inputs())  # ends with the first two blocks of the next call on their way
        component.set_loras(choices)
        eager.set_loras(choices)
        check(component, eager, make_inputs())
    eager.set_loras([])


def test_it_takes_turns_with_others_and_then_holds_no_memory_of_the_gpu(
    workshop: Workshop, events: Recorder, eager: Any
) -> None:
    workshop.option = f"{TURNS} {SOME}"
    component = workshop.load("transformer", events)
    check(component, eager, make_inputs())
    blocks, gpu = find_blocks(component), workshop.gpu
    assert gpu is not None
    present = gpu.used
    blocks.leave()
    assert present - gpu.used >= sum(layout.size for layout in blocks.layouts) // 3
    blocks.enter()
    assert gpu.used == present
    check(component, eager, make_inputs())


def test_main_memory_that_does_not_hold_what_waits_there_is_told(
    workshop: Workshop, events: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.devices.read_memory", lambda: (2**34, 1000))
    with pytest.raises(NoRoom, match=r"transformer wait in main memory: .* GiB, and 0\.0 GiB is free"):
        workshop.load("transformer", events)
    assert workshop.gpu is not None
    assert workshop.gpu.blocks == 0
    workshop.option = ""
    workshop.load("transformer", events)  # all on the GPU: nothing waits


def test_memory_that_does_not_suffice_is_told_and_nothing_is_left(workshop: Workshop, events: Recorder) -> None:
    workshop.option = ""
    workshop.script.memory = 100_000
    with pytest.raises(NoRoom, match="memory of the GPU"):
        workshop.load("transformer", events)
    assert workshop.gpu is not None
    assert workshop.gpu.blocks == 0


def test_streaming_holds_two_blocks_and_what_is_none(workshop: Workshop, events: Recorder) -> None:
    blocks = find_blocks(workshop.load("transformer", events))
    assert workshop.gpu is not None
    rest = sum(layout.size for number, layout in enumerate(blocks.layouts) if number not in blocks.streamed)
    largest = max(blocks.layouts[number].size for number in blocks.streamed)
    assert workshop.gpu.used == rest + 2 * largest


@pytest.mark.parametrize(
    "call",
    ["create_execution_context", "set_input_shape", "set_tensor_address", "execute_async_v3", "set_runtime_cache"],
)
def test_every_refusal_of_the_library_is_an_error_of_ours(workshop: Workshop, events: Recorder, call: str) -> None:
    workshop.script.refuse = {call}
    with pytest.raises(EngineFailure) as failure:
        workshop.load("transformer", events)(make_inputs())
    assert failure.value.action
    workshop.script.refuse = set()
    workshop.restart()
    workshop.load("transformer", events)(make_inputs())


def test_without_an_engine_in_pieces_it_says_how_to_build_one(
    workshop: Workshop, events: Recorder, tmp_path: Path
) -> None:
    workshop.places = replace(workshop.places, engines=tmp_path / "others")
    workshop.regions = False
    workshop.build(Part.transformer)
    with pytest.raises(EngineFailure, match="another way of holding weights") as failure:
        workshop.load("transformer", events)
    assert "--weights regions" in failure.value.action


def test_the_word_for_it_in_a_plan() -> None:
    assert find_streamed(f"{TURNS} {say_streamed(12345)}") == 12345
    assert find_streamed(TURNS) is None
