"""A session on engines: chosen, checked against PyTorch, and given up where they fail; the picture is drawn anyway."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from pipelines import images
from pipelines.engine.base import Places, Plan
from pipelines.engine.blockwise import Blockwise
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import UNET_HEIGHT, UNET_WIDTH, Part
from pipelines.engine.selfcheck import FILE, SelfCheck, shrink
from pipelines.engine.vram import MemoryPlan, Mode
from pipelines.errors import EngineFailure
from pipelines.events import CacheRead, Kernels, KernelsChanged, Notice, PlanChosen
from pipelines.families import FLUX
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.session import Session
from pipelines.weights import find_components
from tests.pipelines.engine import stack
from tests.pipelines.engine.rtx_workshop import FLUX_PARTS, RTX, Workshop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Recorder

pytestmark = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript", "tensorrt_rtx")),
    reason="needs onnxruntime and TensorRT-RTX: pip install 'firstlight[dev,rtx]'",
)


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture
def workshop(tiny_model: Path, tmp_path: Path, graphs: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    made = Workshop(tiny_model, Places(tmp_path / "engines", tmp_path / "kernels"), graphs, precision=Precision.fp16)
    monkeypatch.setattr("pipelines.engine.tensorrt_rtx._make_kit", made.make_kit)
    return made


class Studio:
    """Draws with a fresh session each time, as a launch does."""

    def __init__(self, workshop: Workshop, out: Path, events: Recorder) -> None:
        self.workshop = workshop
        self.out = out
        self.events = events
        self.request = GenerationRequest(
            "a red apple", str(workshop.model), 64, 64, 6, 3.5, 7, precision=Precision.fp16
        )

    def draw(self, backend: Backend = Backend.auto, seed: int = 7) -> tuple[np.ndarray, dict[str, object]]:
        """The picture, and what it says of its making."""
        self.events.events.clear()
        request = replace(self.request, backend=backend, seed=seed)
        with Session(self.workshop.machine, places=self.workshop.places) as session:
            (saved,) = session.generate(request, images.Target.from_out(self.out / "o.png"), self.events)
        with Image.open(saved.path) as image:
            return np.asarray(image.convert("RGB")).astype(int), json.loads(image.info["firstlight"])

    def notices(self) -> str:
        return " ".join(event.message for event in self.events.of(Notice))


@pytest.fixture
def studio(workshop: Workshop, tmp_path: Path, events: Recorder) -> Studio:
    return Studio(workshop, tmp_path, events)


def test_a_picture_from_engines_is_the_picture_from_pytorch(studio: Studio) -> None:
    expected, _ = studio.draw(Backend.eager)
    studio.workshop.build(*FLUX_PARTS)
    drawn, record = studio.draw()
    assert {event.backend for event in studio.events.of(PlanChosen)} == {"tensorrt_rtx"}
    assert all("engine of the" in event.reason for event in studio.events.of(PlanChosen))
    assert (record["backend"], record["device"], record["precision"]) == ("tensorrt_rtx", RTX.name, "fp16")
    assert np.abs(drawn - expected).max() <= 2  # fp16 in another order of sums
    assert studio.notices() == ""


def test_the_next_launch_finds_kernels_and_compares_nothing(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._QUIET", 0.0)
    monkeypatch.setattr("pipelines.engine.rtx_mechanics._LOOK", 0.0)
    studio.workshop.build(*FLUX_PARTS)
    studio.draw()
    states = {event.kernels for event in studio.events.of(KernelsChanged) if event.component == "transformer"}
    assert states >= {Kernels.generic, Kernels.specialising, Kernels.specialised}
    checks = json.loads((studio.workshop.places.kernels / FILE).read_text())
    assert len(checks) == 4
    assert all(0 <= away < 0.02 for away in checks.values())
    monkeypatch.setattr("pipelines.engine.eager.EagerLoader.load", _no_pytorch)
    studio.draw()
    assert {event.component: event.hit for event in studio.events.of(CacheRead)}["transformer"]
    first = next(event for event in studio.events.of(KernelsChanged) if event.shape == "64x64")
    assert first.kernels is Kernels.specialised


def _no_pytorch(*arguments: object) -> None:
    raise AssertionError("PyTorch is loaded though the comparison was made")


@pytest.mark.parametrize("call", ["create_execution_context", "execute_async_v3", "Runtime"])
def test_engines_that_fail_give_way_to_pytorch_and_the_user_is_told(studio: Studio, call: str) -> None:
    expected, _ = studio.draw(Backend.eager)
    studio.workshop.build(*FLUX_PARTS)
    studio.workshop.script.refuse = {call}
    drawn, record = studio.draw()
    assert np.abs(drawn - expected).max() <= 2
    assert record["backend"] == "eager"
    for name in ("text_encoder", "transformer", "vae"):
        assert f"PyTorch runs the {name} instead" in studio.notices()


def test_engines_that_compute_something_else_are_found_out(studio: Studio) -> None:
    expected, _ = studio.draw(Backend.eager)
    studio.workshop.build(*FLUX_PARTS)
    studio.workshop.script.off = 0.5
    drawn, record = studio.draw()
    assert np.abs(drawn - expected).max() <= 2
    assert record["backend"] == "eager"
    assert "transformer on tensorrt_rtx does not give what PyTorch gives: they differ by" in studio.notices()
    assert not (studio.workshop.places.kernels / FILE).exists()


def test_what_cannot_be_compared_is_told(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    studio.workshop.build(*FLUX_PARTS)
    monkeypatch.setattr("pipelines.devices.read_memory", lambda: (2**34, 1000))
    studio.draw()
    assert "The transformer was not compared with PyTorch: that takes" in studio.notices()


class TestStreaming:
    """On a card that does not hold the transformer, as the memory plan has it."""

    @pytest.fixture(autouse=True)
    def small_card(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        memory = MemoryPlan(Mode.streamed, 1, "it comes block by block", 0, ("text_encoder_2",), "transformer")
        monkeypatch.setattr("pipelines.engine.built.plan_memory", lambda *_: memory)
        studio.workshop.build(*FLUX_PARTS)

    def test_the_picture_is_that_of_pytorch(self, studio: Studio) -> None:
        expected, _ = studio.draw(Backend.eager)
        replace(studio.workshop, regions=True).build(Part.transformer)
        drawn, record = studio.draw()
        assert np.abs(drawn - expected).max() <= 2
        assert (record["backend"], studio.notices()) == ("tensorrt_rtx", "")
        chosen = {event.component: event for event in studio.events.of(PlanChosen)}
        assert chosen["transformer"].reason.endswith("it comes block by block")
        assert (chosen["text_encoder_2"].backend, chosen["text_encoder_2"].device) == ("eager", "cpu")
        assert chosen["vae"].backend == "tensorrt_rtx"
        assert "unload" in studio.workshop.script.calls  # the others took turns with it

    def test_without_an_engine_in_pieces_pytorch_draws_and_the_reason_is_told(self, studio: Studio) -> None:
        studio.draw()
        chosen = {event.component: event for event in studio.events.of(PlanChosen)}
        assert chosen["transformer"].backend == "eager"
        assert "only in regions: firstlight engine build --weights regions" in chosen["transformer"].reason
        with pytest.raises(EngineFailure, match="only in regions"):
            studio.draw(Backend.tensorrt_rtx)


class TestLargeNetworks:
    """As if memory held no network at once: they are compared block by block, in the background."""

    @pytest.fixture(autouse=True)
    def little_memory(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pipelines.engine.selfcheck._ROOM", 1.3e6)
        monkeypatch.setattr("pipelines.engine.blockwise.Blockwise.need", 0)
        studio.workshop.build(*FLUX_PARTS)

    def draw(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
        """As slowly as large networks are drawn with: what goes on in the background ends between two steps."""
        poll = SelfCheck.poll

        def wait(check: SelfCheck) -> bool:
            if check._work is not None:
                check._work.join(60)
            return poll(check)

        monkeypatch.setattr(SelfCheck, "poll", wait)
        return studio.draw()[0]

    def test_what_agrees_is_noted_once(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        self.draw(studio, monkeypatch)
        checks = json.loads((studio.workshop.places.kernels / FILE).read_text())
        assert [name.partition("-")[0] for name in checks] == ["transformer"]  # the others are called once
        assert all(0 < away < 0.02 for away in checks.values())
        monkeypatch.setattr("pipelines.engine.blockwise.Blockwise.run", _no_pytorch)
        self.draw(studio, monkeypatch)

    def test_what_does_not_agree_is_found_out(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        studio.workshop.script.off = 0.5
        self.draw(studio, monkeypatch)
        assert "transformer on tensorrt_rtx does not give what PyTorch gives: they differ by" in studio.notices()
        assert "PyTorch runs the transformer instead" in studio.notices()

    def test_a_session_that_ends_stops_it(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        heard = threading.Event()
        going_on = threading.Event()

        def run(self: object, tensors: object, on_block: Callable[[], None]) -> None:
            going_on.set()
            try:
                while True:
                    time.sleep(0.01)
                    on_block()
            finally:
                heard.set()

        monkeypatch.setattr("pipelines.engine.blockwise.Blockwise.run", run)
        studio.draw()
        assert going_on.is_set()
        assert heard.wait(5)


@pytest.mark.parametrize("name", ["transformer", "text_encoder_2"])
def test_block_by_block_is_what_pytorch_computes(tiny_model: Path, name: str, events: Recorder) -> None:
    spec = next(one for one in find_components(tiny_model, FLUX.networks) if one.name == name)
    inputs = stack.make_inputs() if name == "transformer" else {"input_ids": torch.arange(16).unsqueeze(0)}
    expected = EagerLoader().load(spec, Plan(Backend.eager, Precision.fp32, "cpu", "a test"), events)(inputs)
    reference = Blockwise(spec)
    assert reference.need < 4 * spec.parameters * 1.01
    blocks = 0

    def count() -> None:
        nonlocal blocks
        held = [one for one in reference._blocks if not any(weight.is_meta for weight in one.parameters())]
        assert held == []  # those before are empty again
        blocks += 1

    given = reference.run(inputs, count)
    assert blocks == (2 if name == "transformer" else 1)
    for output, tensor in expected.items():
        torch.testing.assert_close(given[output], tensor)


def test_without_engines_auto_is_pytorch_and_says_why(studio: Studio) -> None:
    studio.draw()
    chosen = {event.component: event for event in studio.events.of(PlanChosen)}
    assert {event.backend for event in chosen.values()} == {"eager"}
    with pytest.raises(EngineFailure, match="tensorrt_rtx cannot run here: no engine of"):
        studio.draw(Backend.tensorrt_rtx)


def test_some_engines_are_used_with_pytorch_for_the_rest(studio: Studio) -> None:
    studio.workshop.build(Part.transformer)
    _, record = studio.draw()
    backends = {event.component: event.backend for event in studio.events.of(PlanChosen)}
    assert backends == {
        "text_encoder": "eager",
        "text_encoder_2": "eager",
        "transformer": "tensorrt_rtx",
        "vae": "eager",
    }
    assert record["backend"] == "tensorrt_rtx"


def test_inputs_shrink_to_the_smallest_size_that_engines_take() -> None:
    assert UNET_HEIGHT.minimum == UNET_WIDTH.minimum == 16
    flux = shrink({"hidden_states": torch.zeros(1, 99, 64), "img_ids": torch.zeros(99, 3), "timestep": torch.zeros(1)})
    assert [tuple(tensor.shape) for tensor in flux.values()] == [(1, 16, 64), (16, 3), (1,)]
    unet = shrink({"sample": torch.zeros(2, 4, 64, 96), "encoder_hidden_states": torch.zeros(2, 77, 8)})
    assert [tuple(tensor.shape) for tensor in unet.values()] == [(2, 4, 16, 16), (2, 77, 8)]
