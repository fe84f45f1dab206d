"""Feathered masks, masked areas alone, margins and second passes: as diffusers draws them where it can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import diffusers
import numpy as np
import pytest
import torch
from diffusers.image_processor import VaeImageProcessor
from PIL import Image

from pipelines import framing, images
from pipelines.errors import Cancelled, InvalidRequest
from pipelines.events import Notice, Progress, Stage
from pipelines.families.flux import TRUE_CFG_SCALE
from pipelines.request import HiresFix, Outpaint
from tests.pipelines.families.ours import draw
from tests.pipelines.families.stock import PIPELINES
from tests.pipelines.families.test_families import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.events import Event
    from pipelines.request import GenerationRequest
    from pipelines.session import Session
    from tests.conftest import Recorder


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A start picture, larger than what is drawn."""
    values = np.random.default_rng(3).integers(0, 256, (112, 160, 3), np.uint8)
    Image.fromarray(values).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    """A mask of a small part of it."""
    mask = Image.new("L", (160, 112), 0)
    mask.paste(255, (90, 20, 120, 40))
    mask.save(tmp_path / "spot.png")
    return tmp_path / "spot.png"


def open_pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.int16)


def stock(request: GenerationRequest, mode: int, **arguments: Any) -> Image.Image:
    """What one of diffusers' pipelines draws with the settings of `request`; `mode` as in `test_families`."""
    class_name = json.loads((Path(request.model) / "model_index.json").read_text())["_class_name"]
    pipeline = getattr(diffusers, PIPELINES[class_name][mode]).from_pretrained(
        request.model, dtype=torch.float32, local_files_only=True
    )
    pipeline.set_progress_bar_config(disable=True)
    own: dict[str, Any] = {"negative_prompt": request.negative_prompt}
    if "Flux" in class_name:
        own |= {"max_sequence_length": 16, "true_cfg_scale": TRUE_CFG_SCALE}
    if "ZImage" in class_name:
        own["max_sequence_length"] = 16
    if "Stable" not in class_name or mode != 1:
        own |= {"width": request.width, "height": request.height}
    return pipeline(
        prompt=request.prompt,
        num_inference_steps=request.num_inference_steps,
        guidance_scale=request.guidance_scale,
        generator=torch.Generator("cpu").manual_seed(request.seed),
        return_dict=False,
        **(own | arguments),
    )[0][0]


def blurred(mask: Path, radius: int) -> Image.Image:
    with Image.open(mask) as image:
        return VaeImageProcessor.blur(image.convert("L"), radius)


@pytest.mark.parametrize(("name", "feather"), [("sd15", 0), ("sd15-inpainting", 3), ("sdxl", 3), ("flux", 3)])
def test_a_masked_area_alone_is_what_diffusers_draws(
    session: Session,
    models: Callable[[str], Path],
    tmp_path: Path,
    events: Recorder,
    photo: Path,
    spot: Path,
    name: str,
    feather: int,
) -> None:
    request = ask(
        models(name), (96, 64), image=photo, mask_image=spot, mask_area_only=True, mask_feather=feather, strength=0.7
    )
    ours = draw(session, request, tmp_path, events)
    with Image.open(photo) as picture:
        theirs = stock(
            request,
            2,
            image=picture.convert("RGB"),
            mask_image=blurred(spot, feather),
            strength=0.7,
            padding_mask_crop=framing.REGION_PADDING,
        )
    assert ours.shape == (112, 160, 3)  # the start picture's own size
    assert np.abs(ours - np.asarray(theirs, np.int16)).max() <= 1
    untouched = np.asarray(blurred(spot, feather)) == 0
    assert (ours[untouched] == open_pixels(photo)[untouched]).all()
    assert (ours[25:35, 95:115] != open_pixels(photo)[25:35, 95:115]).mean() > 0.5
    assert not [notice for notice in events.of(Notice) if "cut to the shape" in notice.message]


@pytest.mark.parametrize("name", ["sd15", "z-image"])
def test_a_feathered_mask_fades_what_diffusers_draws_into_the_start_picture(
    session: Session,
    models: Callable[[str], Path],
    tmp_path: Path,
    events: Recorder,
    start: Callable[..., tuple[Path, Path]],
    name: str,
) -> None:
    picture, mask = start((128, 64))
    request = ask(models(name), (128, 64), image=picture, mask_image=mask, mask_feather=5, strength=0.7)
    ours = draw(session, request, tmp_path, events)
    soft = blurred(mask, 5)
    with Image.open(picture) as image:
        opened = image.convert("RGB")
    theirs = Image.composite(stock(request, 2, image=opened, mask_image=soft, strength=0.7), opened, soft)
    assert np.abs(ours - np.asarray(theirs, np.int16)).max() <= 1
    assert (ours[:, 90:] == open_pixels(picture)[:, 90:]).all()


@pytest.mark.parametrize(("name", "scale"), [("sd15", 2.0), ("sdxl", 1.5), ("flux", 1.5)])
def test_the_second_pass_is_diffusers_image_to_image_of_the_first(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str, scale: float
) -> None:
    request = ask(models(name), (64, 96), hires=HiresFix(scale, 0.5, 4))
    ours = draw(session, request, tmp_path, events)
    first = stock(request, 0)
    width, height = request.hires_size
    second = ask(models(name), (width, height), num_inference_steps=4)
    enlarged = first.resize((width, height), Image.Resampling.LANCZOS)
    theirs = stock(second, 1, image=enlarged, strength=0.5)
    assert ours.shape == (height, width, 3)
    assert np.abs(ours - np.asarray(theirs, np.int16)).max() <= 1
    steps = [(event.done, event.total) for event in events.of(Progress) if event.stage is Stage.denoising]
    assert steps[0] == (0, 5)  # PNDM takes a few more
    assert steps[-1][0] == steps[-1][1] >= 5
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert len([event for event in events.of(Progress) if event.stage is Stage.decoding]) == 2  # begun and done


def test_the_second_pass_goes_beyond_the_sizes_that_the_model_knows(
    session: Session, tiny_model: Path, tmp_path: Path, events: Recorder
) -> None:
    request = ask(tiny_model, (96, 96), hires=HiresFix(2.5, 0.5))  # trained for 128 a side
    assert draw(session, request, tmp_path, events).shape == (240, 240, 3)
    assert not [notice for notice in events.of(Notice) if "was trained for" in notice.message]


@pytest.mark.parametrize("is_second", [False, True])
def test_either_pass_can_be_cancelled(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, is_second: bool
) -> None:
    def cancel(event: Event) -> None:
        if isinstance(event, Progress) and event.stage is Stage.denoising and event.done > (3 if is_second else 0):
            raise Cancelled

    events.on_event = cancel
    with pytest.raises(Cancelled):
        draw(session, ask(models("sd15"), hires=HiresFix(2.0, 0.5, 4)), tmp_path, events)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["kontext", "fill", "sd15-inpainting"])
def test_a_model_that_begins_with_a_picture_takes_no_second_pass(
    session: Session, models: Callable[[str], Path], tmp_path: Path, events: Recorder, name: str
) -> None:
    with pytest.raises(InvalidRequest, match=r"twice|needs a start picture"):
        draw(session, ask(models(name), hires=HiresFix()), tmp_path, events)


@pytest.mark.parametrize("name", ["sd15-inpainting", "sdxl", "fill", "kontext"])
def test_margins_are_drawn_and_the_start_picture_stays(
    session: Session,
    models: Callable[[str], Path],
    tmp_path: Path,
    events: Recorder,
    start: Callable[..., tuple[Path, Path]],
    name: str,
) -> None:
    picture = start((64, 64))[0]
    request = ask(
        models(name), image=picture, outpaint=Outpaint(32, 0, 16, 48), strength=1.0, mask_feather=2, negative_prompt=""
    )
    drawn = draw(session, request, tmp_path, events)
    assert drawn.shape == (112, 112, 3)
    # The seam reaches in from the margins: left, right and bottom, and not from the top
    assert (drawn[:48, 48:80] == open_pixels(picture)[:48, 16:48]).all()
    filled = np.asarray(framing.make_canvas(request, Image.open(picture), None).picture, np.int16)
    for margin in (np.s_[:, :32], np.s_[:, 96:], np.s_[64:, :]):
        assert (drawn[margin] != filled[margin]).mean() > 0.9
    record = images.read(tmp_path / "drawn.png").record
    assert record is not None
    assert record.request == request
