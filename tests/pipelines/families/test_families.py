"""Every family against diffusers' own pipelines, on the same random weights."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import diffusers
import numpy as np
import pytest
import torch
from PIL import Image

from pipelines import devices, images, previews
from pipelines.errors import InvalidRequest
from pipelines.events import Notice, Preview
from pipelines.families import schedulers
from pipelines.request import Backend, GenerationRequest
from pipelines.session import Session
from tests.pipelines.families import stock
from tests.pipelines.families.ours import draw
from tests.pipelines.miniatures import MINIATURES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Recorder

SIZES = [(64, 64), (128, 64), (64, 96), (144, 112), (80, 208)]
STEPS, GUIDANCE, SEED = 3, 4.5, 11
PROMPT, NEGATIVE = "a red apple, on a table", "blurry, dark"


def ask(model: Path, size: tuple[int, int] = (64, 64), **changes: Any) -> GenerationRequest:
    values = {
        "prompt": PROMPT, "model": str(model), "width": size[0], "height": size[1], "num_inference_steps": STEPS,
        "guidance_scale": GUIDANCE, "seed": SEED, "negative_prompt": NEGATIVE,
    }  # fmt: skip
    return GenerationRequest(**{**values, **changes})


def cases() -> list[tuple[str, int, tuple[int, int]]]:
    """Every kind, mode and size."""
    found = []
    for kind, mode in itertools.product(MINIATURES, range(3)):
        if mode == 2 or (kind.from_prompt, kind.from_picture)[mode]:
            # Kontext brings every picture to a million pixels, so one size of it must do
            sizes = SIZES[3:4] if (kind.name, mode) == ("kontext", 1) else SIZES
            found += [(kind.name, mode, size) for size in sizes]
    return found


@pytest.mark.parametrize(("name", "mode", "size"), cases(), ids=str)
def test_it_is_the_picture_that_diffusers_draws(
    session: Session,
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
    name: str,
    mode: int,
    size: tuple[int, int],
) -> None:
    picture, mask = start(size)
    changes = [{}, {"image": picture, "strength": 0.7}, {"image": picture, "mask_image": mask, "strength": 0.7}][mode]
    request = ask(models(name), size, **changes)
    ours = draw(session, request, tmp_path, events)
    theirs = stock.draw(models(name), mode, request)
    assert ours.shape == theirs.shape == (size[1], size[0], 3)
    assert np.abs(ours - theirs).max() <= 1
    assert ours.std() > 1


@pytest.mark.parametrize("name", [kind.name for kind in MINIATURES if kind.from_prompt])
def test_picture_i_of_a_batch_is_the_picture_of_seed_plus_i(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str
) -> None:
    batch = session.generate(ask(models(name), num_images=2), images.Target.from_out(f"{tmp_path}/b/"), events)
    alone = draw(session, ask(models(name), seed=SEED + 1), tmp_path, events)
    with Image.open(batch[1].path) as image:
        assert (np.asarray(image.convert("RGB")) == alone).all()
    assert [one.seed for one in batch] == [SEED, SEED + 1]


@pytest.mark.parametrize("name", ["sd15", "sdxl"])
def test_the_negative_prompt_and_guidance_count(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str
) -> None:
    changes = [{}, {"negative_prompt": "green"}, {"negative_prompt": ""}, {"guidance_scale": 9.0}]
    pictures = {draw(session, ask(models(name), **change), tmp_path, events).tobytes() for change in changes}
    assert len(pictures) == len(changes)
    events.events.clear()
    draw(session, ask(models(name), guidance_scale=1.0), tmp_path, events)
    assert "needs a guidance of more than 1" in events.of(Notice)[0].message


def test_odd_sizes_are_exact(session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder) -> None:
    assert draw(session, ask(models("sd15"), (71, 130)), tmp_path, events).shape == (130, 71, 3)


@pytest.mark.parametrize("name", schedulers.names("sd"))
@pytest.mark.parametrize("model", ["sd15", "sd21-v", "sdxl"])
def test_every_scheduler_draws_with_previews_and_from_a_picture(
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    name: str,
) -> None:
    monkeypatch.setattr(previews, "INTERVAL", 0.0)
    with Session(devices.probe(), previews=True) as one:
        request = ask(models(model), scheduler=name, num_inference_steps=4)
        drawn = draw(one, request, tmp_path, events)
        assert drawn.std() > 1
        assert len(events.of(Preview)) >= 2
        picture = start((64, 64))[0]
        assert draw(one, replace(request, image=picture, strength=0.5), tmp_path, events).std() > 1


def test_a_scheduler_is_diffusers_own(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder
) -> None:
    request = ask(models("sd15"), scheduler="DPMSolverMultistepKarras")
    libraries: Any = diffusers
    pipeline = libraries.StableDiffusionPipeline.from_pretrained(str(models("sd15")), local_files_only=True)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.scheduler = libraries.DPMSolverMultistepScheduler.from_config(
        pipeline.scheduler.config, use_karras_sigmas=True
    )
    theirs = pipeline(
        PROMPT,
        negative_prompt=NEGATIVE,
        width=64,
        height=64,
        num_inference_steps=STEPS,
        guidance_scale=GUIDANCE,
        generator=torch.Generator("cpu").manual_seed(SEED),
    ).images[0]
    assert np.abs(draw(session, request, tmp_path, events) - np.asarray(theirs, np.int16)).max() <= 1


@pytest.mark.parametrize("name", ["fill", "sd15-inpainting"])
def test_a_model_that_fills_wants_picture_and_mask(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str
) -> None:
    with pytest.raises(InvalidRequest, match="needs a start picture and a mask"):
        draw(session, ask(models(name)), tmp_path, events)


@pytest.mark.parametrize("name", ["sd15", "sdxl", "kontext"])
def test_the_fake_backend_pretends(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str
) -> None:
    assert draw(session, ask(models(name), backend=Backend.fake), tmp_path, events).std() > 0


@pytest.mark.parametrize("name", ["sd15", "sdxl"])
def test_the_smallest_strength_still_runs(
    session: Session,
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    tmp_path: Path,
    events: Recorder,
    name: str,
) -> None:
    picture, mask = start((64, 64))
    for mask_image in (None, mask):
        request = ask(models(name), image=picture, mask_image=mask_image, strength=0.001, num_inference_steps=49)
        draw(session, request, tmp_path, events)
