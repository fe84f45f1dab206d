"""The benchmark, the profile and planning by record, on the tiny model."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
import torch
from PIL import Image

from pipelines import catalog, images, planning
from pipelines.devices import Gpu, Lack
from pipelines.engine.base import Places
from pipelines.engine.loading import Loaders
from pipelines.engine.regions import find_regions
from pipelines.errors import Cancelled, InvalidRequest
from pipelines.events import Notice
from pipelines.proof import accepted, architecture, bench, contenders, profile, random_models, record, report
from pipelines.proof.limits import Verdict
from pipelines.proof.rig import Contender, Rig, Workshop
from pipelines.proof.rivals import Rivals
from pipelines.proof.suites import SUITES, Suite
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.devices import Machine
    from pipelines.engine.eager import EagerComponent
    from tests.conftest import Recorder

PLAIN = Contender("eager fp32", Backend.eager, Precision.fp32)
SHORT = Contender("eager bf16", Backend.eager, Precision.bf16)
NONE = Contender("inductor bf16", Backend.inductor, Precision.bf16)
SMALL = Suite(
    name="small",
    scales=((1, 1), (1.5, 1)),
    steps=2,
    warmups=1,
    rounds=3,
    step_curve=(1, 2),
    batches=(1, 2),
    calls=2,
    loras=(0, 1),
    starts=1,
    sequence=True,
    streams=True,
)


@pytest.fixture(scope="module")
def found(tiny_model: Path, machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> record.BenchRecord:
    folder = tmp_path_factory.mktemp("places")

    places = Places(folder / "engines", folder / "kernels")
    workshop = Workshop(machine, Rivals(Loaders(machine, places).load_plain), places)
    order = bench.Order(SMALL, str(tiny_model), (PLAIN, NONE, SHORT), machine, workshop, "1.2")
    return bench.run(order, lambda event: None)


def test_every_contender_is_measured_at_every_size(found: record.BenchRecord) -> None:
    main = {(one.contender, one.size) for one in found.timings if one.what == "picture" and one.steps == 2}
    assert main == {(one, size) for one in ("eager fp32", "eager bf16") for size in ("64x64", "96x64")}
    stages = {one.what for one in found.timings}
    assert stages == {
        "picture", "encode", "denoise", "decode", "text_encoder", "text_encoder_2", "transformer", "vae",
    }  # fmt: skip
    picture = next(one for one in found.timings if one.what == "picture")
    assert picture.host.count == 3
    assert len(picture.warmup) == 1
    calls = next(one for one in found.timings if one.what == "transformer" and one.steps == 2)
    assert calls.host.count == 3 * 2  # each step of each round
    assert (calls.device is None) == (not found.machine.compute_gpu())


def test_ratios_compare_pictures_of_one_round(found: record.BenchRecord) -> None:
    ratios = [one for one in found.ratios if one.what == "picture"]
    assert [(one.candidate, one.size) for one in ratios] == [("eager bf16", "64x64"), ("eager bf16", "96x64")]
    assert all(one.lowest <= one.highest for one in ratios)


def test_the_curves_are_there(found: record.BenchRecord) -> None:
    pictures = [one for one in found.timings if one.what == "picture"]
    assert {one.steps for one in pictures if one.size == "64x64"} == {1, 2}
    batches = {one.batch for one in found.timings if one.what == "transformer" and one.steps == 0}
    assert batches == {1, 2}
    loras = {one.loras for one in pictures}
    assert loras == {0, 1} or any("LoRAs were left out" in note for note in found.notes)
    assert {(one.contender, one.size) for one in found.memory} == {
        (one, size) for one in ("eager fp32", "eager bf16") for size in ("64x64", "96x64")
    }
    weights = {one.contender: one.weights for one in found.memory}
    assert weights["eager fp32"] == 2 * weights["eager bf16"] > 0


def test_what_cannot_run_is_told(found: record.BenchRecord) -> None:
    (broken,) = (one for one in found.contenders if one.problem)
    assert broken.name == "inductor bf16"
    assert any(note.startswith("inductor bf16 was not measured") for note in found.notes)
    assert any("need a CUDA GPU" in note for note in found.notes)


def test_fresh_processes_and_the_sequence(found: record.BenchRecord) -> None:
    assert [(one.contender, one.cache) for one in found.starts] == [("eager bf16", "cold"), ("eager bf16", "warm")]
    assert all(min(one.libraries, one.loading, one.first, one.second) > 0 for one in found.starts)
    numbers = [one.number for one in found.sequence if one.contender == "eager bf16"]
    assert numbers == list(range(1, 13))


def test_the_record_is_written_as_json_markdown_and_charts(found: record.BenchRecord, tmp_path: Path) -> None:
    record.write(found, tmp_path / "r.json")
    plain = record.read(tmp_path / "r.json")
    assert plain["machine"]["versions"]["torch"] == found.machine.versions.torch
    assert plain["conditions"]["problem"] or plain["conditions"]["begin"]
    text = report.markdown(found)
    for words in ("## Pictures", "## Networks", "## Memory", "## Fresh processes", "## Twelve requests", "## Left out"):
        assert words in text
    words = {node.text for node in ET.fromstring(report.plot(found)).iter() if node.text}
    for title in ("Time against pixels", "Time against steps at 64x64", "Start of a fresh process"):
        assert title in words


def test_a_record_of_one_part_is_told_too(found: record.BenchRecord) -> None:
    alone = replace(found, contenders=(), timings=(), ratios=(), memory=(), starts=(), overlaps=())
    assert "eager bf16 | all" in report.markdown(alone)
    assert "Twelve requests over five sizes, empty cache" in report.plot(alone)
    assert set(report.total_sequences(alone)) == {"eager fp32", "eager bf16"}


def test_a_benchmark_can_be_cancelled(tiny_model: Path, machine: Machine) -> None:
    def report_(event: object) -> None:
        if isinstance(event, Notice) and event.message.startswith("64x64"):
            raise Cancelled

    workshop = Workshop(machine, Loaders(machine).load_plain)
    with pytest.raises(Cancelled):
        bench.run(bench.Order(SMALL, str(tiny_model), (PLAIN, SHORT), machine, workshop, "1"), report_)


def test_contenders_of_this_machine(machine: Machine) -> None:
    alone = replace(machine, gpus=())
    assert contenders.baseline(alone, exact=False) == PLAIN
    assert contenders.candidates(alone, Backend.auto, Precision.auto, all_precisions=False) == (SHORT,)
    asked = contenders.candidates(alone, Backend.inductor, Precision.fp16, all_precisions=True)
    assert asked == (Contender("inductor fp16", Backend.inductor, Precision.fp16),)
    assert contenders.find(SUITES["adaptive"], alone, Backend.auto, Precision.auto) == (PLAIN, SHORT)
    with pytest.raises(InvalidRequest, match="nothing to compare"):
        contenders.find(SUITES["quick"], alone, Backend.eager, Precision.fp32)


def test_on_a_gpu_pytorchs_compiler_as_it_comes_is_a_rival(machine: Machine) -> None:
    h200 = Gpu(0, "H200", (9, 0), 141 * 2**30, "580.1")
    versions = replace(machine.versions, torch_cuda="13.0")
    able = replace(machine, gpus=(h200,), versions=versions, lacks=(Lack("tensorrt_rtx", "no RTX"),))
    names = [one.name for one in contenders.find(SUITES["adaptive"], able, Backend.auto, Precision.auto)]
    assert names == [
        "eager bf16", "torch.compile by block", "torch.compile whole", "torch.compile for any size",
        "inductor fp8", "inductor bf16",
    ]  # fmt: skip
    tuned = contenders.find(SUITES["adaptive"], able, Backend.auto, Precision.auto, autotune=True)
    assert "autotune" in [one.option for one in tuned]
    precisions = [one.precision.value for one in contenders.find(SUITES["full"], able, Backend.auto, Precision.auto)]
    assert precisions == ["bf16", "int4", "int8", "fp8", "fp16", "bf16"]


def test_a_part_of_a_suite_can_be_measured_alone() -> None:
    alone = SUITES["adaptive"].narrow(["sequence"], 4)
    assert (alone.pictures, alone.sequence, alone.starts, alone.steps) == (False, True, 0, 4)
    assert SUITES["full"].narrow([], 0) == SUITES["full"]
    with pytest.raises(InvalidRequest, match="no part 'colours'"):
        SUITES["quick"].narrow(["colours"], 0)


def test_rivals_share_their_weights_and_nothing_else(tiny_model: Path, machine: Machine, events: Recorder) -> None:
    request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 1, 3.5, 7)
    workshop = Workshop(machine, Rivals(Loaders(machine).load_plain))
    one, two = (Rig(PLAIN, request, workshop, events) for _ in range(2))
    first, second = (cast("EagerComponent", rig.component("transformer")).module for rig in (one, two))
    assert first is not second
    weights = [{name: one.data_ptr() for name, one in module.state_dict().items()} for module in (first, second)]
    assert weights[0] == weights[1]
    picture = one.draw(request).picture
    first.get_submodule("proj_out").register_forward_hook(lambda *_: torch.zeros(1, 16, 64))
    assert one.draw(request).picture.tobytes() != picture.tobytes()
    assert two.draw(request).picture.tobytes() == picture.tobytes()
    one.close()
    assert two.draw(request).picture.tobytes() == picture.tobytes()
    two.close()


@pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch compiles for the CPU with g++")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")
def test_a_rival_draws_what_pytorch_draws(tiny_model: Path, machine: Machine, events: Recorder) -> None:
    workshop = Workshop(machine, Rivals(Loaders(machine).load_plain))
    request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 1, 3.5, 7)
    rigs = [Rig(one, request, workshop, events) for one in (PLAIN, replace(PLAIN, name="rival", option="blocks"))]
    expected, given = (np.asarray(rig.draw(request).picture, int) for rig in rigs)
    assert np.abs(expected - given).max() <= 1
    for rig, is_rival in zip(rigs, (False, True), strict=True):
        blocks = find_regions(cast("EagerComponent", rig.component("transformer")).module)
        assert [getattr(block, "_compiled_call_impl") is not None for block in blocks] == [is_rival] * len(blocks)  # noqa: B009
    for rig in rigs:
        rig.close()


def test_the_profile_names_networks_and_operations(
    tiny_model: Path, machine: Machine, events: Recorder, tmp_path: Path
) -> None:
    request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 2, 3.5, 7)
    rig = Rig(PLAIN, request, Workshop(machine, Loaders(machine).load_plain), events)
    found = profile.profile(rig, request, events, tmp_path / "trace.json")
    calls = {one.component: one.calls for one in found.components}
    assert calls == {"text_encoder": 1, "text_encoder_2": 1, "transformer": 2, "vae": 1}
    assert sum(row.share for row in found.rows) <= 1.001
    assert [row.seconds for row in found.rows] == sorted((row.seconds for row in found.rows), reverse=True)
    assert ("vae", "aten::mkldnn_convolution") in {(row.component, row.name) for row in found.rows}
    assert len(found.top) == 3
    assert all(row.advice for row in found.top)
    assert b"component: transformer" in (tmp_path / "trace.json").read_bytes()


def write_acceptance(machine: Machine, model: Path, folder: Path, verdict: Verdict, step: float) -> None:
    digest = architecture.digest("flux", model / "transformer")
    facts = accepted.make_facts(machine, "cpu", digest, "eager", "bf16")
    content = {"version": 1, "verdict": verdict, "step": step, "reference_step": 1.0, "facts": facts}
    record.write(content, folder / accepted.FOLDER / facts.file_name)


@pytest.mark.parametrize(
    ("verdict", "step", "precision"),
    [
        (Verdict.accept, 0.5, Precision.bf16),
        (Verdict.notes, 0.5, Precision.bf16),
        (Verdict.accept, 1.5, Precision.fp32),
        (Verdict.reject, 0.5, Precision.fp32),
    ],
)
def test_auto_takes_the_fastest_that_the_record_accepts(
    tiny_model: Path, machine: Machine, tmp_path: Path, verdict: Verdict, step: float, precision: Precision
) -> None:
    alone = replace(machine, gpus=())
    places = Places(tmp_path / "engines", tmp_path / "kernels", tmp_path / "records")
    request = GenerationRequest("a red apple", str(tiny_model), 64, 64, 2, 3.5, 7)
    write_acceptance(alone, tiny_model, tmp_path / "records", verdict, step)
    plans = planning.plan(request, alone, places).plans
    assert {plan.precision for plan in plans.values()} == {precision}
    assert ("record accepts" in plans["transformer"].reason) == (precision is Precision.bf16)
    asked = planning.plan(replace(request, precision=Precision.fp32), alone, places).plans
    assert {plan.precision for plan in asked.values()} == {Precision.fp32}


def test_models_of_random_weights_draw_through_everything(
    tiny_model: Path, machine: Machine, events: Recorder, tmp_path: Path
) -> None:
    shutil.copytree(
        tiny_model, tmp_path / "configs" / "tiny", ignore=shutil.ignore_patterns("*.safetensors*", "tokenizer*")
    )
    for number in ("", "_2"):
        (tmp_path / "configs" / "tiny" / f"tokenizer{number}").mkdir()
    folder = random_models.make("tiny", tmp_path / "made", events, tmp_path / "configs")
    assert random_models.make("tiny", tmp_path / "made", events, tmp_path / "configs") == folder
    assert catalog.find(str(folder)).location == folder
    request = GenerationRequest("a red apple", str(folder), 64, 64, 2, 3.5, 7)
    with Session(machine) as session:
        (saved,) = session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
    with Image.open(saved.path) as image:
        assert image.size == (64, 64)
    with pytest.raises(InvalidRequest, match="tiny"):
        random_models.make("huge", tmp_path / "made", events, tmp_path / "configs")


def test_the_true_architectures_are_known() -> None:
    assert {"flux.1-dev", "sdxl-1.0", "sd-1.5", "sd-2.1"} <= set(random_models.names())
