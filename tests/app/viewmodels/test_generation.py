from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.services.job_store import JobState
from app.services.settings_table import BACKEND, LAST_REQUEST, PICTURES_FOLDER, PRECISION, SAFETY_CHECK
from app.viewmodels.model_choices import ModelChoice
from app.viewmodels.problems import Fault, Field
from app.viewmodels.remembered import LoraRow
from pipelines import catalog
from pipelines.a1111 import Parameters
from pipelines.inspection import Inspection, Source
from pipelines.request import (
    SEED_MAX,
    Backend,
    ControlChoice,
    GenerationRequest,
    HiresFix,
    LoraChoice,
    Outpaint,
    Precision,
)
from tests.app.viewmodels.conftest import Bench

if TYPE_CHECKING:
    from pathlib import Path

    from app.viewmodels.generation import Generation

Benches = Callable[..., Bench]


@pytest.fixture
def bench(benches: Benches) -> Bench:
    return benches(start=False)


def faults(generation: Generation) -> list[Fault]:
    return [problem.fault for problem in generation.problems]


def test_a_new_page_has_the_models_own_defaults(bench: Bench) -> None:
    page, row = bench.generation, catalog.find("starter")
    assert (page.model, page.width, page.height) == ("starter", row.width, row.height)
    assert (page.steps, page.guidance, page.scheduler) == (row.steps, row.guidance_scale, "default")
    assert (page.count, page.upscale, page.seed_locked, page.problems) == (1, 1, False, ())
    assert [choice.name for choice in page.models] == ["starter"]
    assert page.seed > 2**32  # random, of 64 bits: one in four thousand million is not


def test_a_model_that_was_added_is_offered_and_brings_its_own_defaults(
    bench: Bench, tiny_model: Path, wait: Callable[..., None]
) -> None:
    page = bench.generation
    page._choices._models.add(tiny_model, name="mine")  # pyright: ignore[reportPrivateUsage]
    page.refresh_models()
    wait(lambda: [choice.name for choice in page.models] == ["starter", "mine"])
    page.choose_model("mine")
    assert (page.width, page.height, page.steps, page.guidance) == (64, 64, 2, 3.5)
    assert page.make_request().model == str(tiny_model)
    page.restore(replace(page.make_request(), prompt="again"))
    assert page.model == "mine"


def test_the_shape_stays_when_the_model_changes(bench: Bench, tiny_model: Path) -> None:
    page = bench.generation
    wide = next(preset for preset in page.presets if preset.ratio == (2, 3))
    page.choose_size(wide.width, wide.height)
    page.choose_model(str(tiny_model))
    assert page.width < page.height
    assert (page.entry and page.entry.location) == tiny_model


def test_odd_sizes_say_what_is_drawn(bench: Bench) -> None:
    page = bench.generation
    page.choose_size(264, 264)
    assert page.drawn_size is not None
    assert (page.drawn_size.width, page.drawn_size.content_width, page.drawn_size.reason) == (272, 264, "")
    page.choose_size(4096, 64)
    assert page.drawn_size.reason.startswith("Drawn at")
    page.swap_sides()
    assert (page.width, page.height) == (64, 4096)


@pytest.mark.parametrize("text", ["0", "3698135662", str(2**64 - 1), " 42 "])
def test_a_typed_seed_is_kept(bench: Bench, text: str) -> None:
    page = bench.generation
    page.type_seed(text)
    assert (page.seed, page.seed_locked, page.problems) == (int(text), True, ())


@pytest.mark.parametrize("text", ["", "-1", "1.5", "18446744073709551616", "\uff19", "abc", "9" * 5000])
def test_a_seed_that_is_none_is_told_and_nothing_is_drawn(bench: Bench, text: str) -> None:
    page = bench.generation
    before = page.seed
    page.type_seed(text)
    assert faults(page) == [Fault.bad_seed]
    page.generate()
    assert bench.desk.jobs.store.ids(tuple(JobState)) == []
    assert page.seed == before
    page.roll_seed()
    assert page.problems == ()


def test_each_click_draws_with_a_new_seed_unless_it_is_locked(bench: Bench) -> None:
    page, store = bench.generation, bench.desk.jobs.store
    bench.desk.jobs.pause()
    page.generate()
    page.generate()
    page.reuse_seed()
    page.generate()
    seeds = [job.request.seed for job in store.page((JobState.queued,), 0, 9) if job.request is not None]
    assert len(seeds) == 3
    assert seeds[0] != seeds[1] == seeds[2] == page.last_seed
    assert page.seed_locked


def test_the_request_has_what_stands_on_the_page(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    bench.desk.settings.set(BACKEND, "fake")
    bench.desk.settings.set(PRECISION, "fp32")
    bench.desk.settings.set(SAFETY_CHECK, True)
    bench.desk.settings.set(PICTURES_FOLDER, str(tmp_path / "elsewhere"))
    page.prompt, page.negative_prompt, page.count = "a fox", "rain", 3
    page.style = next(style for style in page.styles if style.key == "watercolour")
    bench.desk.jobs.pause()
    page.generate()
    job = bench.desk.jobs.store.first_queued()
    assert job is not None
    assert job.request is not None
    assert job.folder == tmp_path / "elsewhere"
    assert job.request.prompt.startswith("a watercolour painting of a fox, ")
    assert job.request.negative_prompt == "rain"  # FLUX.1 pays for it, so a style adds nothing
    assert (job.request.backend, job.request.precision) == (Backend.fake, Precision.fp32)
    assert job.request.num_images == 3
    assert job.request.safety_check


def full_request(folder: Path) -> GenerationRequest:
    for name in ("one.safetensors", "two.safetensors", "start.png", "mask.png"):
        (folder / name).touch()
    return GenerationRequest(
        prompt="a\nfox ō 😄", model="starter", width=333, height=222, num_inference_steps=7, guidance_scale=2.5,
        seed=SEED_MAX, negative_prompt="rain", num_images=4, scheduler="UniPCMultistep",
        loras=(LoraChoice(folder / "one.safetensors", 0.5), LoraChoice(folder / "two.safetensors", -10.0)),
        image=folder / "start.png", strength=0.25, mask_image=folder / "mask.png", upscale=2,
    )  # fmt: skip


def test_every_field_of_a_request_comes_back(bench: Bench, tmp_path: Path) -> None:
    request = full_request(tmp_path)
    bench.generation.restore(request)
    assert bench.generation.make_request() == request
    assert bench.generation.seed_locked


def editing_requests(folder: Path) -> list[GenerationRequest]:
    """One for each of what excludes one another."""
    plain = replace(full_request(folder), image=None, mask_image=None, scheduler="default")
    picture = folder / "start.png"
    masked = replace(plain, image=picture, mask_image=folder / "mask.png", mask_feather=7)
    return [
        replace(masked, mask_area_only=True),
        replace(plain, image=picture, outpaint=Outpaint(1, 2, 3, 4), mask_feather=5),
        replace(plain, hires=HiresFix(1.75, 0.35, 9)),
        replace(plain, hires=HiresFix(4.0)),
    ]


@pytest.mark.parametrize("index", range(4))
def test_masks_margins_and_second_passes_come_back(bench: Bench, benches: Benches, tmp_path: Path, index: int) -> None:
    request = editing_requests(tmp_path)[index]
    bench.generation.restore(request)
    assert bench.generation.make_request() == request
    bench.generation.save()
    again = benches(start=False)
    assert again.generation.make_request() == request
    bench.generation.restore(full_request(tmp_path))  # nothing of it stays
    assert bench.generation.make_request() == full_request(tmp_path)


def test_what_the_model_cannot_do_is_left_out(bench: Bench, tmp_path: Path) -> None:
    """The starter model takes no ControlNet and has no refiner; both stay on the page for another model."""
    page = bench.generation
    control = ControlChoice("canny", tmp_path / "start.png", 0.5, 0.1, 0.9, "canny")
    request = replace(full_request(tmp_path), refiner="other", refiner_start=0.7, controls=(control,))
    page.restore(request)
    assert page.make_request() == replace(full_request(tmp_path), refiner_start=0.7)
    assert (page.refiner, page.controls) == ("other", (control,))
    page.able = replace(page.able, controls=True, refiner="sdxl-refiner")
    assert page.make_request() == request


def test_the_first_margin_brings_what_is_usual(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    (tmp_path / "start.png").touch()
    page.set_start_picture(tmp_path / "start.png")
    page.change_margins(Outpaint(right=64))
    assert (page.strength, page.mask_feather) == (1.0, 8)
    page.strength = 0.9
    page.change_margins(Outpaint(right=128))
    assert page.strength == 0.9
    assert page.drawn_size is not None
    assert (page.drawn_size.content_width, page.final_size) == (384, (384, 256))
    page.set_start_picture(None)
    assert page.final_size == (256, 256)
    assert page.make_request().outpaint == Outpaint()


def test_a_second_pass_needs_no_start_picture_and_ends_at_4096(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    page.use_second_pass(True)
    page.change_second_pass(scale=3.0)
    assert page.final_size == (768, 768)
    page.choose_size(2048, 64)
    assert faults(page) == [Fault.too_large]
    page.generate()
    assert bench.desk.jobs.store.ids(tuple(JobState)) == []
    (tmp_path / "start.png").touch()
    page.set_start_picture(tmp_path / "start.png")
    assert page.problems == ()
    assert page.make_request().hires is None


def test_controlnets_are_offered_where_they_were_added(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    page.add_control(tmp_path / "a.png")
    assert page.controls == ()  # there is none
    page.controlnets = (ModelChoice("canny", "canny"), ModelChoice("depth", "depth"))
    page.add_control(tmp_path / "a.png")
    assert page.controls == (ControlChoice("canny", tmp_path / "a.png", preprocessor="canny"),)
    assert faults(page) == [Fault.control_gone]
    (tmp_path / "a.png").touch()
    page.change_control(0, model="depth", weight=0.5, preprocessor="none")
    assert page.controls == (ControlChoice("depth", tmp_path / "a.png", 0.5),)
    page.check()
    assert page.problems == ()
    page.remove_control(0)
    assert page.controls == ()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.builds(
        GenerationRequest,
        prompt=st.text(),
        model=st.just("starter"),
        width=st.integers(64, 4096),
        height=st.integers(64, 4096),
        num_inference_steps=st.integers(1, 1000),
        guidance_scale=st.floats(0, 100),
        seed=st.integers(0, SEED_MAX),
        negative_prompt=st.text(),
        num_images=st.integers(1, 1000),
        scheduler=st.sampled_from(["default", "FlowMatchEulerDiscrete", "UniPCMultistep"]),
        strength=st.floats(0, 1),
        upscale=st.sampled_from([1, 2, 4]),
    )
)
def test_any_request_comes_back(bench: Bench, request: GenerationRequest) -> None:
    bench.generation.restore(request)
    assert bench.generation.make_request() == request


def test_the_page_is_there_again_in_the_next_session(benches: Benches, tmp_path: Path) -> None:
    page = benches(start=False).generation
    page.restore(full_request(tmp_path))
    page.change_lora(1, enabled=False)
    page.style, page.seed_locked = page.styles[1], False
    page.save()
    again = benches(start=False).generation
    assert again.make_request() == page.make_request()
    assert (again.style, again.loras, again.seed_locked) == (page.styles[1], page.loras, False)
    assert [row.enabled for row in again.loras] == [True, False]


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"prompt": 3}'])
def test_a_page_that_was_kept_badly_is_forgotten(benches: Benches, text: str) -> None:
    first = benches(start=False)
    first.desk.settings.set(LAST_REQUEST, text)
    assert benches(start=False).generation.prompt == ""


def test_a_page_of_an_older_version_is_read(benches: Benches) -> None:
    page = benches(start=False).generation
    page.prompt = "kept"
    page.save()
    text = page._settings.text(LAST_REQUEST)  # pyright: ignore[reportPrivateUsage]
    document = json.loads(text)
    del document["page"]
    page._settings.set(LAST_REQUEST, json.dumps(document))  # pyright: ignore[reportPrivateUsage]
    assert benches(start=False).generation.prompt == "kept"


def test_a_change_is_kept_soon(bench: Bench, wait: Callable[..., None]) -> None:
    bench.generation.prompt = "soon"
    wait(lambda: "soon" in bench.desk.settings.text(LAST_REQUEST), 10)


def test_what_is_wrong_stands_beside_its_field(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    page.prompt = "half \ud83d"
    page.add_loras([tmp_path / "gone.safetensors", tmp_path / "gone.safetensors"])
    page.set_start_picture(tmp_path / "gone.png")
    page.strength, page.scheduler, page.upscale = 0.0, "UniPCMultistep", 2
    found = {(problem.field, problem.fault) for problem in page.problems}
    assert {
        (Field.prompt, Fault.half_character),
        (Field.loras, Fault.lora_gone),
        (Field.image, Fault.image_gone),
        (Field.strength, Fault.no_strength),
        (Field.scheduler, Fault.scheduler_cannot_start),
    } <= found
    assert len(page.loras) == 1
    page.change_lora(0, enabled=False)
    assert Fault.lora_gone not in faults(page)


def test_a_file_that_is_no_lora_is_told(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "page.safetensors").write_text("<html>", encoding="utf-8")
    bench.generation.add_loras([tmp_path / "page.safetensors"])
    problem = bench.generation.problems[0]
    assert (problem.field, problem.subject) == (Field.loras, "page.safetensors")
    assert problem.fault is Fault.lora_unusable


def test_a_mask_needs_a_start_picture_and_goes_with_it(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    (tmp_path / "a.png").touch()
    page.set_mask(tmp_path / "a.png")
    assert faults(page) == [Fault.mask_alone]
    page.set_start_picture(tmp_path / "a.png", (300, 200))
    assert page.problems == ()
    assert page.width > page.height
    page.set_start_picture(None)
    assert (page.image, page.mask_image, page.problems) == (None, None, ())


def test_a_model_that_is_gone_is_told(bench: Bench) -> None:
    page = bench.generation
    page.restore(replace(page.make_request(), model="/nowhere/model"))
    assert [(problem.fault, problem.subject) for problem in page.problems] == [(Fault.no_model, "/nowhere/model")]
    page.choose_model("starter")
    assert page.problems == ()


def test_a_foreign_picture_brings_what_it_tells(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    page.style, page.count = page.styles[1], 2
    told = Parameters(
        "a dog", "rain",
        (("Steps", "30"), ("Sampler", "unipcmultistep"), ("CFG scale", "7,5"), ("Seed", "3698135662"),
         ("Size", "320x192"), ("Model", "something else"), ("Denoising strength", "2")),
    )  # fmt: skip
    page.restore_partial(Inspection(tmp_path / "a.png", "PNG", 320, 192, Source.a1111, None, told))
    assert (page.prompt, page.negative_prompt, page.style.key) == ("a dog", "rain", "")
    assert (page.steps, page.seed, page.width, page.height) == (30, 3698135662, 320, 192)
    assert (page.scheduler, page.guidance, page.model) == ("UniPCMultistep", 5.0, "starter")
    assert page.seed_locked


def test_a_full_queue_file_is_told_and_the_page_goes_on(bench: Bench, wait: Callable[..., None]) -> None:
    bench.desk.connection.execute("DROP TABLE jobs")
    bench.generation.generate()
    wait(lambda: bench.notices.shown, 5)
    assert len(bench.told()) == 1


def test_loras_are_changed_one_by_one(bench: Bench, tmp_path: Path) -> None:
    page = bench.generation
    page.add_loras([tmp_path / "a", tmp_path / "b"])
    page.change_lora(1, weight=-2.5)
    assert page.loras == (LoraRow(tmp_path / "a"), LoraRow(tmp_path / "b", -2.5))
    page.remove_lora(0)
    assert page.make_request().loras == (LoraChoice(tmp_path / "b", -2.5),)
