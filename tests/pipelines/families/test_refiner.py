"""SDXL's refiner as a second pass, against diffusers' recipe of two pipelines, on the same random weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import diffusers
import numpy as np
import pytest
import torch
from PIL import Image

from pipelines import catalog, checkpoints, devices, images
from pipelines.engine.interfaces import Part, find_interface
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.events import Notice, Progress, Stage
from pipelines.request import Backend, ControlChoice, GenerationRequest, HiresFix
from pipelines.session import Session
from tests.pipelines.families.ours import draw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Recorder

SIZES = [(64, 64), (80, 144)]
STEPS, GUIDANCE, SEED, START = 5, 4.5, 11, 0.6


def ask(models: Callable[[str], Path], size: tuple[int, int] = (64, 64)) -> GenerationRequest:
    return GenerationRequest(
        prompt="a red apple", model=str(models("sdxl")), width=size[0], height=size[1], num_inference_steps=STEPS,
        guidance_scale=GUIDANCE, seed=SEED, negative_prompt="blurry", strength=0.8,
        refiner=str(models("sdxl-refiner")), refiner_start=START,
    )  # fmt: skip


def open_rgb(path: Path | None) -> Image.Image:
    assert path is not None
    with Image.open(path) as image:
        return image.convert("RGB")


def open_mask(request: GenerationRequest) -> Image.Image:
    return open_rgb(request.mask_image).convert("L")


def stock(request: GenerationRequest) -> np.ndarray:
    """What diffusers alone draws with both."""
    mode = 0 if request.image is None else 1 if request.mask_image is None else 2
    libraries: Any = diffusers
    first, second = (
        kind.from_pretrained(folder, dtype=torch.float32, local_files_only=True, add_watermarker=False)
        for kind, folder in (
            (getattr(libraries, f"StableDiffusionXL{('', 'Img2Img', 'Inpaint')[mode]}Pipeline"), request.model),
            (libraries.StableDiffusionXLImg2ImgPipeline, request.refiner),
        )
    )
    common = {
        "prompt": request.prompt, "negative_prompt": request.negative_prompt or None,
        "num_inference_steps": request.num_inference_steps, "guidance_scale": request.guidance_scale,
    }  # fmt: skip
    arguments: dict[str, Any] = {"width": request.width, "height": request.height} if mode != 1 else {}
    if mode:
        arguments |= {"image": open_rgb(request.image), "strength": request.strength}
    if mode == 2:
        arguments["mask_image"] = open_mask(request)
    for pipeline in (first, second):
        pipeline.set_progress_bar_config(disable=True)
    latents = first(
        **common, **arguments, denoising_end=request.refiner_start, output_type="latent",
        generator=torch.Generator("cpu").manual_seed(request.seed),
    ).images  # fmt: skip
    picture = second(
        **common, image=latents, denoising_start=request.refiner_start,
        generator=torch.Generator("cpu").manual_seed(request.seed),
    ).images[0]  # fmt: skip
    if mode == 2:  # what the mask leaves out stays
        picture = Image.composite(picture, arguments["image"], arguments["mask_image"])
    return np.asarray(picture, np.int16)


@pytest.mark.parametrize(("mode", "size"), [(0, SIZES[0]), *((mode, SIZES[1]) for mode in range(3))])
def test_it_is_the_picture_that_diffusers_draws(
    session: Session,
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
    mode: int,
    size: tuple[int, int],
) -> None:
    picture, mask = start(size)
    request = replace(ask(models, size), image=picture if mode else None, mask_image=mask if mode == 2 else None)
    ours = draw(session, request, tmp_path, events)
    assert ours.shape == (size[1], size[0], 3)
    assert np.abs(ours - stock(request)).max() <= 1
    if not mode:
        assert np.abs(ours - draw(session, replace(request, refiner=""), tmp_path, events)).max() > 1


@pytest.mark.parametrize("mode", [1, 2])
def test_alone_it_goes_on_with_a_picture(
    session: Session,
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
    mode: int,
) -> None:
    picture, mask = start(SIZES[1])
    request = replace(ask(models, SIZES[1]), model=str(models("sdxl-refiner")), refiner="", image=picture)
    request = replace(request, mask_image=mask) if mode == 2 else request
    libraries: Any = diffusers
    kind = (libraries.StableDiffusionXLImg2ImgPipeline, libraries.StableDiffusionXLInpaintPipeline)[mode - 1]
    pipeline = kind.from_pretrained(request.model, requires_aesthetics_score=True, local_files_only=True)
    pipeline.set_progress_bar_config(disable=True)
    masked = {"mask_image": open_mask(request), "width": SIZES[1][0], "height": SIZES[1][1]} if mode == 2 else {}
    theirs = pipeline(
        request.prompt, image=open_rgb(picture), strength=request.strength, num_inference_steps=STEPS,
        negative_prompt=request.negative_prompt, guidance_scale=GUIDANCE,
        generator=torch.Generator("cpu").manual_seed(SEED), **masked,
    ).images[0]  # fmt: skip
    if mode == 2:
        theirs = Image.composite(theirs, open_rgb(picture), open_mask(request))
    assert np.abs(draw(session, request, tmp_path, events) - np.asarray(theirs, np.int16)).max() <= 1


def test_the_steps_are_told_as_those_of_one_run(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    draw(session, ask(models), tmp_path, events)
    steps = [event for event in events.of(Progress) if event.stage is Stage.denoising]
    assert [event.done for event in steps] == list(range(STEPS + 1))
    assert {event.total for event in steps[1:]} == {STEPS}
    decoded = [event for event in events.of(Progress) if event.stage is Stage.decoding]
    assert [event.done for event in decoded] == [0, 1]


def test_with_the_hires_fix_each_pass_is_refined(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    request = replace(ask(models), hires=HiresFix(1.5, strength=0.8))
    drawn = draw(session, request, tmp_path, events)
    assert drawn.shape == (96, 96, 3)
    assert np.abs(drawn - draw(session, replace(request, refiner=""), tmp_path, events)).max() > 1
    assert np.abs(drawn - draw(session, replace(request, refiner_start=0.9), tmp_path, events)).max() > 1


def test_both_stay_loaded_where_memory_holds_them(
    models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    with Session(devices.probe()) as session:
        for _ in range(2):
            draw(session, ask(models), tmp_path, events)
    loaded = [event.detail for event in events.of(Progress) if event.stage is Stage.loading]
    assert loaded.count("unet") == 2
    assert not events.of(Notice)


def test_they_take_turns_where_it_does_not(
    models: Callable[[str], Path], tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = replace(ask(models), num_images=2, prompt="a {red|green} apple")
    target = images.Target.from_out(f"{tmp_path}/turns/")
    with Session(devices.probe()) as session:
        together = session.generate(request, images.Target.from_out(f"{tmp_path}/together/"), events)
        assert not events.of(Notice)
    events.events.clear()
    with Session(devices.probe()) as session:
        # Memory that one model fills
        monkeypatch.setattr(devices, "read_memory", lambda: (0, 0 if session._shelf._models else 2**40))
        turns = session.generate(request, target, events)
    assert [notice.message for notice in events.of(Notice)] == [
        "Memory does not hold the model and its refiner at once, so they take turns."
    ]
    loaded = [event.detail for event in events.of(Progress) if event.stage is Stage.loading]
    assert loaded.count("unet") == 4
    for one, other in zip(together, turns, strict=True):
        assert (np.asarray(Image.open(one.path)) == np.asarray(Image.open(other.path))).all()


def test_the_fake_backend_pretends(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    assert draw(session, replace(ask(models), backend=Backend.fake), tmp_path, events).std() > 0


def test_what_cannot_be_refined_is_refused_before_anything_is_loaded(
    session: Session,
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
) -> None:
    request, (picture, _) = ask(models), start((64, 64))
    control = ControlChoice(str(tmp_path), picture)
    cases = [
        ({"model": str(models("sd15"))}, InvalidRequest, "no refiner for sd15"),
        ({"refiner": str(models("sdxl"))}, InvalidRequest, "sdxl is no refiner"),
        ({"refiner": str(tmp_path / "none")}, UnusableFile, "no model folder"),
        ({"refiner_start": 0.0}, InvalidRequest, "leaves sdxl no step"),
        ({"image": picture, "strength": 0.3}, InvalidRequest, "At a strength of 0.3"),
        ({"hires": HiresFix(strength=0.3)}, InvalidRequest, "At a strength of 0.3"),
        ({"image": picture, "controls": (control,)}, InvalidRequest, "a ControlNet and a refiner"),
        ({"model": str(models("sdxl-refiner")), "refiner": ""}, InvalidRequest, "begins none"),
    ]
    for changes, kind, words in cases:
        with pytest.raises(kind, match=words):
            draw(session, replace(request, **changes), tmp_path, events)
    assert not events.of(Progress)


def test_a_refiner_from_the_end_on_is_none(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    request = replace(ask(models), refiner_start=1.0, refiner="whatever")
    plain = draw(session, replace(request, refiner=""), tmp_path, events)
    assert (draw(session, request, tmp_path, events) == plain).all()


def test_its_engine_takes_five_numbers_of_sizes() -> None:
    """And SDXL's own six; at full size, both with a pooled prompt of 1280."""
    for row, count in (("sdxl-1.0", 6), ("sdxl-refiner-1.0", 5)):
        config = catalog.read_json(checkpoints.configs(row) / "unet" / "config.json")
        found = {one.name: one.shape for one in find_interface("UNet2DConditionModel", Part.unet, config).inputs}
        assert (found["text_embeds"][1], found["time_ids"][1]) == (1280, count)
