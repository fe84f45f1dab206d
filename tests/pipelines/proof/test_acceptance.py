"""A good candidate is accepted; each kind of broken engine is rejected, by `validate` and by the adaptive engine."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from pipelines import images
from pipelines.engine import checking
from pipelines.engine.adaptive import Adaptive, Outcome
from pipelines.engine.base import Places
from pipelines.engine.eager import EagerLoader
from pipelines.engine.loading import Loaders
from pipelines.engine.shapes import Shapes
from pipelines.engine.timings import Timings
from pipelines.events import Kernels, KernelsChanged, Notice
from pipelines.proof import acceptance, record, side_by_side
from pipelines.proof.limits import Verdict
from pipelines.proof.rig import Contender, Rig, Workshop
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.session import Session
from tests.pipelines.proof.faults import Fault, FaultyLoader

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from pipelines.devices import Machine
    from pipelines.engine.base import Component
    from pipelines.engine.shapes import ShapeKey
    from tests.conftest import Recorder

BROKEN = [fault for fault in Fault if fault is not Fault.none]


def make_order(model: Path, machine: Machine, fault: Fault, own_limits: Path | None = None) -> acceptance.Order:
    return acceptance.Order(
        model=str(model),
        contender=Contender("candidate", Backend.eager, Precision.bf16),
        machine=machine,
        workshop=Workshop(machine, FaultyLoader(fault).load),
        sizes=((64, 64), (96, 64)),
        seeds=(7, 8),
        app_version="1",
        own_limits=own_limits,
    )


def test_a_sound_candidate_is_accepted(tiny_model: Path, machine: Machine, events: Recorder) -> None:
    found, worst = acceptance.validate(make_order(tiny_model, machine, Fault.none), events)
    assert found.verdict in (Verdict.accept, Verdict.notes), found.reason
    assert [(one.size, one.seed) for one in found.pictures] == [
        ("64x64", 7), ("64x64", 8), ("96x64", 7), ("96x64", 8),
    ]  # fmt: skip
    assert all(len(one.errors) == 2 for one in found.steps)  # one for each step
    assert all(0 < error < 0.15 for one in found.steps for error in one.errors)  # bf16 is near, and not the same
    assert worst.candidate is not None
    assert min(one.psnr for one in found.pictures) < 100
    assert found.step > 0
    assert found.reference_step > 0
    assert (found.facts.backend, found.facts.precision, found.facts.device) == ("eager", "bf16", machine.cpu)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_candidate_is_rejected(
    tiny_model: Path, machine: Machine, events: Recorder, tmp_path: Path, fault: Fault
) -> None:
    order = make_order(tiny_model, machine, fault)
    if fault is Fault.transposed:  # to a network that has learnt nothing, one layer makes little difference
        order = replace(order, model="starter", sizes=((256, 256),), seeds=(7,), steps=2)
    found, worst = acceptance.validate(order, events)
    assert found.verdict is Verdict.reject
    rejected = {one.what for one in found.findings if one.verdict is Verdict.reject}
    assert ("error of the vae" if fault is Fault.black else "error of a step") in rejected
    if fault is Fault.nan:
        assert worst.candidate is None
        assert any("no picture" in what for what in rejected)
    if fault is Fault.black:
        assert any("picture" in what for what in rejected)
    record.write(found, tmp_path / "record.json")  # JSON has no infinity
    side_by_side.save(worst, tmp_path / "worst.png")
    plain = json.loads((tmp_path / "record.json").read_text())
    assert plain["verdict"] == "reject"
    with Image.open(tmp_path / "worst.png") as page:
        assert page.width == 3 * 256 + 4 * 12


def test_a_candidate_that_does_not_load_is_rejected(tiny_model: Path, machine: Machine, events: Recorder) -> None:
    order = make_order(tiny_model, machine, Fault.none)
    order = replace(order, contender=Contender("candidate", Backend.inductor, Precision.bf16))
    found, worst = acceptance.validate(order, events)
    assert found.verdict is Verdict.reject
    assert worst.candidate is None


def test_own_limits_count(tiny_model: Path, machine: Machine, events: Recorder, tmp_path: Path) -> None:
    (tmp_path / "acceptance.toml").write_text("[bf16]\nstep_error = [0, 0]\n")
    order = make_order(tiny_model, machine, Fault.none, tmp_path / "acceptance.toml")
    found, _ = acceptance.validate(order, events)
    assert found.verdict is Verdict.reject
    assert "error of a step" in found.reason


def test_a_judge_is_heard(tiny_model: Path, machine: Machine, events: Recorder) -> None:
    order = make_order(tiny_model, machine, Fault.none)
    order = replace(order, judge=lambda picture, prompt: len(prompt) / 100)
    found, _ = acceptance.validate(order, events)
    assert {one.adherence for one in found.pictures} == {(0.32, 0.32)}


class Done:
    """Work that is finished when it is asked for."""

    def poll(self) -> Outcome:
        return Outcome()

    def cancel(self) -> None:
        pass


class Swap:
    """The mechanics of a backend whose own kernels are another component; compared as the true backends do."""

    def __init__(self, generic: Component, own: Component) -> None:
        self.generic = generic
        self.own = own

    def is_kept(self, shape: ShapeKey) -> bool:
        return False

    def run(self, shape: ShapeKey, kernels: Kernels, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        is_own = kernels in (Kernels.specialised, Kernels.graph)
        return (self.own if is_own else self.generic)(inputs)

    def specialise(self, shape: ShapeKey) -> Done:
        return Done()

    def compare(self, shape: ShapeKey, inputs: dict[str, Tensor]) -> str:
        return checking.explain(self.own(inputs), self.generic(inputs), Precision.bf16)

    def capture(self, shape: ShapeKey) -> bool:
        return False

    def forget(self, shape: ShapeKey) -> None:
        pass

    def settle(self, shape: ShapeKey) -> None:
        pass


@pytest.mark.parametrize("fault", list(Fault))
def test_the_self_check_of_the_adaptive_engine_swaps_in_what_is_right_only(
    tiny_model: Path, machine: Machine, events: Recorder, fault: Fault
) -> None:
    name = "vae" if fault is Fault.black else "transformer"
    model = "starter" if fault is Fault.transposed else str(tiny_model)
    request = GenerationRequest("a red apple", model, 64, 64, 1, 3.5, 7)
    rig = Rig(Contender("plain", Backend.eager, Precision.fp32), request, Workshop(machine, EagerLoader().load), events)
    rig.draw(request)
    spec = next(one for one in rig.specs if one.name == name)
    plan = replace(rig.plans[name], precision=Precision.bf16)
    mechanics = Swap(rig.component(name), FaultyLoader(fault).load(spec, plan, events))
    adaptive = Adaptive(f"{name} test", mechanics, events, Timings())
    inputs = rig.probes[name].inputs
    outputs = [adaptive(Shapes().find(inputs), inputs) for _ in range(4)]
    states = events.of(KernelsChanged)
    if fault is Fault.none:
        assert states[-1].kernels is Kernels.specialised
        return
    assert states[-1].kernels is Kernels.generic
    assert "turned down" in states[-1].reason
    assert checking.measure(outputs[-1], mechanics.generic(inputs)) == 0


class Studio:
    """Sessions whose loader for one backend makes broken networks."""

    def __init__(self, machine: Machine, folder: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
        self._machine = replace(machine, lacks=())
        self._places = Places(folder / "engines", folder / "kernels")
        self._file = folder / "picture.png"
        self._events = events
        self._patch = monkeypatch
        self._true_make = Loaders._make

    def draw(self, request: GenerationRequest, loader: FaultyLoader | None = None) -> np.ndarray:
        def make(loaders: Loaders, backend: Backend) -> object:
            broken = loader is not None and backend is request.backend
            return loader if broken else self._true_make(loaders, backend)

        self._patch.setattr(Loaders, "_make", make)
        with Session(self._machine, places=self._places) as session:
            (saved,) = session.generate(request, images.Target.from_out(self._file), self._events)
        with Image.open(saved.path) as image:
            return np.asarray(image.convert("RGB")).astype(int)

    def notices(self) -> str:
        return " ".join(notice.message for notice in self._events.of(Notice))


@pytest.fixture
def studio(machine: Machine, tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch) -> Studio:
    return Studio(machine, tmp_path, events, monkeypatch)


@pytest.mark.parametrize("fault", [Fault.scale, Fault.nan])
def test_the_app_falls_back_from_a_backend_that_computes_wrong(tiny_model: Path, studio: Studio, fault: Fault) -> None:
    request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 2, 3.5, 7, backend=Backend.eager)
    expected = studio.draw(request)
    drawn = studio.draw(replace(request, backend=Backend.inductor), FaultyLoader(fault, also_fp32=True))
    assert np.array_equal(drawn, expected)
    assert "PyTorch runs the transformer instead" in studio.notices()


def test_the_app_falls_back_from_a_vae_that_gives_black(tiny_model: Path, studio: Studio) -> None:
    request = GenerationRequest(
        "a red apple", str(tiny_model), 64, 64, 2, 3.5, 7, backend=Backend.eager, precision=Precision.bf16
    )
    expected = studio.draw(request)
    drawn = studio.draw(request, FaultyLoader(Fault.black))
    assert drawn.std() > 2
    assert np.abs(drawn - expected).mean() < 2  # the VAE in fp32 against bf16
    assert "The VAE overflowed in bf16" in studio.notices()
