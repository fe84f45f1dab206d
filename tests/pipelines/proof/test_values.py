"""The parts without networks: statistics, suites, limits, charts, records and what they say of one another."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import catalog
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.proof import accepted, advice, limits, nvml, record, regression, suites, svg
from pipelines.proof.accepted import Accepted, Facts
from pipelines.proof.clock import summarise
from pipelines.proof.limits import Limit, Verdict
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from pathlib import Path

USUAL = Facts("flux-1", "H200", "570", "2.13", "", "eager", "bf16")


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=60))
def test_statistics_are_in_order(seconds: list[float]) -> None:
    found = summarise(seconds)
    assert found.best <= found.median <= found.worst
    assert found.best <= found.tail <= found.worst
    assert found.count == len(seconds)


def test_the_tail_is_a_time_that_was_seen() -> None:
    assert summarise([float(number) for number in range(1, 101)]).tail == 95
    assert summarise([1.0, 9.0]).tail == 9


@pytest.mark.parametrize("suite", suites.SUITES.values(), ids=str)
@pytest.mark.parametrize("entry", [one for one in catalog.load() if one.runs], ids=lambda one: one.name)
def test_suites_draw_at_sizes_of_the_model(suite: suites.Suite, entry: catalog.Entry) -> None:
    found = suites.sizes(suite, entry)
    assert (entry.width, entry.height) in found
    assert all(entry.min_pixels <= width * height <= entry.max_pixels for width, height in found)
    assert all(side % entry.size_multiple == 0 for size in found for side in size)
    assert [width * height for width, height in found] == sorted(width * height for width, height in found)


def test_the_sequence_is_twelve_requests_over_five_sizes() -> None:
    assert len(suites.SEQUENCE) == 12
    assert len(set(suites.SEQUENCE)) == 5


def test_unknown_suites_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="quick, adaptive, precision, full"):
        suites.find("fast")


def test_limits_judge() -> None:
    error, psnr = Limit(0.1, 0.2, higher_is_nearer=False), Limit(30, 20, higher_is_nearer=True)
    assert [error.judge(value) for value in (0.1, 0.15, 0.21, math.nan)] == [
        Verdict.accept, Verdict.notes, Verdict.reject, Verdict.reject,
    ]  # fmt: skip
    assert [psnr.judge(value) for value in (30, 25, 19, math.nan)] == [
        Verdict.accept, Verdict.notes, Verdict.reject, Verdict.reject,
    ]  # fmt: skip


def test_shipped_limits_make_sense(tmp_path: Path) -> None:
    for precision in Precision:
        found = limits.read(precision, tmp_path / "none.toml")
        assert found.step_error.accept < found.step_error.reject
        assert found.psnr.accept > found.psnr.reject
    file = tmp_path / "acceptance.toml"
    file.write_text("[fp32]\npsnr = [50, 45]\n")
    assert limits.read(Precision.fp32, file).psnr == Limit(50, 45, higher_is_nearer=True)
    assert limits.read(Precision.fp32, file).ssim == limits.read(Precision.fp32).ssim
    for text in ("[fp32]\npsnr = 50\n", "[fp32\n", "[fp32]\npsnr = [1, 2, 3]\n"):
        file.write_text(text)
        with pytest.raises(UnusableFile, match="limits"):
            limits.read(Precision.fp32, file)


def test_nvidias_figures_are_for_an_rtx_5090() -> None:
    assert limits.published(["NVIDIA H200"]) == []
    rows = limits.published(["NVIDIA GeForce RTX 5090"])
    assert [(row.seconds, row.memory_gib) for row in rows] == [(1.51, 21.4), (2.12, 12.9)]


def test_nvml_says_why_it_knows_nothing() -> None:
    with nvml.Watch(None) as watch:
        pass
    assert watch.conditions().problem == "there is no NVIDIA GPU at work"


def made(
    backend: str, precision: str, step: float, verdict: Verdict = Verdict.accept, facts: Facts = USUAL
) -> Accepted:
    return Accepted(replace(facts, backend=backend, precision=precision), verdict, step, 0.2)


def test_the_fastest_that_is_accepted_is_preferred() -> None:
    now = made("eager", "bf16", 0.1)
    fast = made("inductor", "bf16", 0.07)
    wrong = made("inductor", "fp16", 0.05, Verdict.reject)
    found = accepted.prefer(USUAL, [now, fast, wrong])
    assert found is not None
    assert (found.backend, found.precision) == (Backend.inductor, Precision.bf16)
    assert accepted.prefer(USUAL, [now, fast, wrong], Backend.eager) is None
    assert accepted.prefer(USUAL, [now, made("eager", "fp16", 0.11)]) is None
    assert accepted.prefer(USUAL, []) is None


def test_narrow_precisions_are_preferred_on_a_gpu_only() -> None:
    records = [made("eager", "bf16", 0.1), made("inductor", "fp8", 0.04, Verdict.notes), made("inductor", "int8", 0.09)]
    found = accepted.prefer(USUAL, records)
    assert found is not None
    assert (found.backend, found.precision) == (Backend.inductor, Precision.fp8)
    assert "accept with notes" in found.reason
    cpu = replace(USUAL, device="A CPU", driver="")
    on_cpu = [replace(one, facts=replace(one.facts, device="A CPU", driver="")) for one in records]
    assert accepted.prefer(cpu, on_cpu) is None


def test_what_is_rejected_is_not_used() -> None:
    now = made("eager", "bf16", 0.1, Verdict.reject)
    found = accepted.prefer(USUAL, [now])
    assert found is not None
    assert (found.backend, found.precision) == (Backend.eager, Precision.fp32)
    assert "rejects eager bf16" in found.reason
    slow = accepted.prefer(USUAL, [now, made("eager", "fp16", 0.3)])
    assert slow is not None
    assert slow.precision is Precision.fp16


@pytest.mark.parametrize("other", [{"driver": "580"}, {"torch": "2.14"}, {"device": "H100"}, {"architecture": "x"}])
def test_records_of_another_machine_say_nothing(other: dict[str, str]) -> None:
    assert (
        accepted.prefer(
            USUAL, [made("eager", "bf16", 0.1), made("inductor", "bf16", 0.01, facts=replace(USUAL, **other))]
        )
        is None
    )


def test_damaged_records_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text(json.dumps({"version": 1, "facts": {}}))
    (tmp_path / "c.json").write_text("[]")
    assert accepted.load(tmp_path) == []
    assert accepted.load(tmp_path / "none") == []
    good = {"version": 1, "verdict": "accept", "step": 0.1, "reference_step": 0.2, "facts": record.to_plain(USUAL)}
    (tmp_path / "d.json").write_text(json.dumps(good))
    assert accepted.load(tmp_path) == [Accepted(USUAL, Verdict.accept, 0.1, 0.2)]
    (tmp_path / "d.json").write_text(json.dumps({**good, "facts": {**record.to_plain(USUAL), "precision": "fp1"}}))
    assert accepted.load(tmp_path) == []


def bench(speedup: float, seconds: float, created: str = "2026-11-30") -> dict[str, Any]:
    stats = {"count": 3, "median": seconds, "tail": seconds, "best": seconds, "worst": seconds}
    timing = {"contender": "eager fp32", "what": "picture", "size": "64x64", "steps": 4, "batch": 1, "loras": 0}
    return {
        "version": 1,
        "suite": "quick",
        "architecture": "flux-1",
        "created": created,
        "machine": {"cpu": "one", "gpus": []},
        "contenders": [{"name": "eager fp32"}, {"name": "eager bf16"}],
        "ratios": [{"candidate": "eager bf16", "what": "picture", "size": "64x64", "speedup": speedup}],
        "timings": [{**timing, "host": stats, "device": None}],
    }


def test_slower_by_more_than_five_percent_is_said() -> None:
    assert regression.compare(bench(1.5, 1.0), bench(1.44, 1.04)) == []
    (ratio,) = regression.compare(bench(1.5, 1.0), bench(1.4, 1.0))
    assert ratio.factor == pytest.approx(1.5 / 1.4)
    assert "eager bf16 against the baseline" in ratio.what
    (times,) = regression.compare(bench(1.5, 1.0), bench(1.5, 1.2))
    assert times.factor == pytest.approx(1.2)
    assert regression.compare(bench(1.5, 1.0), bench(3.0, 0.5)) == []


def test_the_last_record_of_the_same_kind_is_compared(tmp_path: Path) -> None:
    known = [
        (tmp_path / "a.json", bench(1, 1, "2026-11-28")),
        (tmp_path / "b.json", bench(1, 1, "2026-11-29")),
        (tmp_path / "c.json", {**bench(1, 1, "2026-11-30"), "suite": "full"}),
        (tmp_path / "d.json", {**bench(1, 1, "2026-11-30"), "machine": {"cpu": "two", "gpus": []}}),
    ]
    assert regression.find_before(tmp_path, bench(1, 1), known) == tmp_path / "b.json"
    assert regression.find_before(tmp_path, bench(1, 1), []) is None


def test_an_acceptance_that_became_worse_is_said() -> None:
    limit = {"accept": 0.05, "reject": 0.1, "higher_is_nearer": False}

    def made(verdict: str, step: float, error: float) -> dict[str, Any]:
        findings = [{"what": "error of a step", "value": error, "limit": limit}]
        return {"verdict": verdict, "reason": "why", "step": step, "findings": findings}

    assert regression.compare_acceptance(made("accept", 1, 0.01), made("accept", 1.04, 0.02)) == []
    said = regression.compare_acceptance(made("accept", 1, 0.01), made("reject", 1.1, 0.2))
    assert ["before" in said[0], "10 %" in said[1], "0.2" in said[2]] == [True] * 3


def test_records_are_written_whole_and_read_back(tmp_path: Path) -> None:
    record.write(bench(1, 1), tmp_path / "new" / "r.json")
    assert record.read(tmp_path / "new" / "r.json") == bench(1, 1)
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["r.json"]
    for text in ("{}", "[]", "{", '{"version": 2}'):
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(UnusableFile):
            record.read(tmp_path / "r.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(UnusableFile, match="cannot be written"):
        record.write(bench(1, 1), tmp_path / "file" / "r.json")


def test_charts_are_sound_xml_with_every_value_in_words() -> None:
    bars = (svg.Bar("64 < 96", "a & b", 1.0, 1.5), svg.Bar("64 < 96", "c", 2.0))
    lines = (svg.Line("a & b", ((1, 1.0), (2, 4.0))), svg.Line("c", ((1, 2.0),)))
    charts = [
        svg.Chart("Bars", "{:.1f} s".format, bars),
        svg.Chart("Lines", "{:.1f} s".format, lines=lines, x_title="steps"),
        svg.Chart("Zero", "{:.1f} s".format, lines=(svg.Line("c", ((0, 0.0),)),)),
    ]
    page = svg.draw("A 'title'", ["one", "two"], charts, ["a & b", "c"])
    words = [node.text for node in ET.fromstring(page).iter() if node.text and node.text.strip()]
    assert {"A 'title'", "one", "two", "Bars", "Lines", "64 < 96", "a & b", "1.0 s", "2.0 s", "4.0 s"} <= set(words)


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNT", "Matrix products"),
        ("aten::addmm", "Matrix products"),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", "Attention"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop", "Attention"),
        ("aten::mkldnn_convolution", "Convolutions"),
        ("triton_poi_fused_add_mul_3", "Small work"),
        ("Memcpy DtoD (Device -> Device)", "Copies"),
        ("something", "No general remedy"),
    ],
)
def test_advice(name: str, about: str) -> None:
    assert advice.advise(name, "transformer").startswith(about)
    assert ("VAE" in advice.advise(name, "vae")) == (about != "No general remedy")
