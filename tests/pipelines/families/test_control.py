"""ControlNets against diffusers' own pipelines for them, on the same random weights."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import diffusers
import numpy as np
import pytest
import torch
from diffusers.models.controlnets.controlnet import ControlNetModel
from PIL import Image
from safetensors.torch import load_file, save_file

from pipelines import controls, devices, memory
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.events import PlanChosen, Progress, Stage
from pipelines.request import Backend, ControlChoice, GenerationRequest, HiresFix
from pipelines.session import Session
from tests.pipelines import layouts, miniatures
from tests.pipelines.families.ours import draw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Recorder

SIZES = [(64, 64), (80, 144)]
STEPS, GUIDANCE, SEED = 3, 4.5, 11
MODELS = ("sd15", "sd21", "sdxl")
# From a prompt at both sizes, from a picture and with a mask at the one that is not square
CASES = [(name, mode, size) for name in MODELS for mode in range(3) for size in SIZES if not mode or size == SIZES[1]]
PIPELINES = {
    "StableDiffusionPipeline": "StableDiffusionControlNet{}Pipeline",
    "StableDiffusionInpaintPipeline": "StableDiffusionControlNet{}Pipeline",
    "StableDiffusionXLPipeline": "StableDiffusionXLControlNet{}Pipeline",
}


@pytest.fixture(scope="module")
def networks(models: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """ControlNets for the models, by name and seed."""
    made: dict[tuple[str, int], Path] = {}

    def find(name: str, seed: int = 7) -> Path:
        if (name, seed) not in made:
            folder = tmp_path_factory.mktemp("controlnets") / f"{name} {seed}"
            made[name, seed] = miniatures.make_controlnet(models(name), folder, seed)
        return made[name, seed]

    return find


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[int, int]], Path]:
    folder = tmp_path_factory.mktemp("followed")

    def make(size: tuple[int, int]) -> Path:
        file = folder / f"{size}.png"
        Image.fromarray(np.random.default_rng(9).integers(0, 256, (size[1], size[0], 3), np.uint8)).save(file)
        return file

    return make


def ask(model: Path, size: tuple[int, int] = (64, 64), **changes: Any) -> GenerationRequest:
    values = {
        "prompt": "a red apple", "model": str(model), "width": size[0], "height": size[1], "seed": SEED,
        "num_inference_steps": STEPS, "guidance_scale": GUIDANCE, "negative_prompt": "blurry", "strength": 0.7,
    }  # fmt: skip
    return GenerationRequest(**{**values, **changes})


def open_rgb(path: Path | None) -> Image.Image:
    assert path is not None
    with Image.open(path) as image:
        return image.convert("RGB")


def stock(request: GenerationRequest, model: Path) -> np.ndarray:
    """What diffusers alone draws with the request's ControlNets."""
    mode = 0 if request.image is None else 1 if request.mask_image is None else 2
    class_name = json.loads((model / "model_index.json").read_text())["_class_name"]
    nets = [ControlNetModel.from_pretrained(choice.model, local_files_only=True) for choice in request.controls]
    kind = getattr(diffusers, PIPELINES[class_name].format(("", "Img2Img", "Inpaint")[mode]))
    pipeline = kind.from_pretrained(
        str(model), controlnet=nets[0] if len(nets) == 1 else nets, dtype=torch.float32, local_files_only=True
    )
    pipeline.set_progress_bar_config(disable=True)
    pictures = [open_rgb(choice.image) for choice in request.controls]
    lists: dict[str, list[Any]] = {
        "control_image" if mode else "image": pictures,
        "controlnet_conditioning_scale": [float(choice.weight) for choice in request.controls],
        "control_guidance_start": [choice.start for choice in request.controls],
        "control_guidance_end": [choice.end for choice in request.controls],
    }
    arguments: dict[str, Any] = {name: one[0] if len(nets) == 1 else one for name, one in lists.items()}
    if mode:
        arguments |= {"image": open_rgb(request.image), "strength": request.strength}
    if mode == 2:
        arguments["mask_image"] = open_rgb(request.mask_image).convert("L")
    picture = pipeline(
        prompt=request.prompt,
        negative_prompt=request.negative_prompt,
        width=request.width,
        height=request.height,
        num_inference_steps=request.num_inference_steps,
        guidance_scale=request.guidance_scale,
        generator=torch.Generator("cpu").manual_seed(request.seed),
        **arguments,
    ).images[0]
    if mode == 2:  # what the mask leaves out stays; diffusers alone lets the VAE change it
        picture = Image.composite(picture, arguments["image"], arguments["mask_image"])
    return np.asarray(picture, np.int16)


@pytest.mark.parametrize(("name", "mode", "size"), CASES, ids=str)
def test_it_is_the_picture_that_diffusers_draws(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
    name: str,
    mode: int,
    size: tuple[int, int],
) -> None:
    picture, mask = start(size)
    plain = ask(
        models(name),
        size,
        image=picture if mode else None,
        mask_image=mask if mode == 2 else None,
    )
    request = replace(plain, controls=(ControlChoice(str(networks(name)), followed(size), 0.8),))
    ours = draw(session, request, tmp_path, events)
    assert ours.shape == (size[1], size[0], 3)
    assert np.abs(ours - stock(request, models(name))).max() <= 1
    if not mode:
        assert np.abs(ours - draw(session, plain, tmp_path, events)).max() > 1


def test_several_at_once_and_for_a_share_of_the_steps(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    first = ControlChoice(str(networks("sd15")), followed((64, 64)), 0.9, end=0.5)
    second = ControlChoice(str(networks("sd15", 8)), followed((96, 96)), 0.6, start=0.4)
    request = ask(models("sd15"), controls=(first, second), num_inference_steps=4)
    ours = draw(session, request, tmp_path, events)
    theirs = stock(
        replace(request, controls=(first, replace(second, image=_shrink(second.image, tmp_path)))), models("sd15")
    )
    assert np.abs(ours - theirs).max() <= 1
    pictures = {
        draw(session, replace(request, controls=chosen), tmp_path, events).tobytes()
        for chosen in ((first, second), (first,), (second,), ())
    }
    assert len(pictures) == 4


def _shrink(path: Path, folder: Path) -> Path:
    open_rgb(path).resize((64, 64), Image.Resampling.LANCZOS).save(folder / "small.png")
    return folder / "small.png"


def test_a_model_that_fills(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    picture, mask = start((64, 64))
    control = ControlChoice(str(networks("sd15")), followed((64, 64)))
    request = ask(models("sd15-inpainting"), image=picture, mask_image=mask, strength=1.0, controls=(control,))
    ours = draw(session, request, tmp_path, events)
    assert np.abs(ours - stock(request, models("sd15-inpainting"))).max() <= 1


def test_one_that_adds_the_same_everywhere(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    """As lllyasviel's "shuffle" does: diffusers gives it the prompt alone."""
    folder = shutil.copytree(networks("sd15"), tmp_path / "shuffle")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "global_pool_conditions": True}))
    request = ask(models("sd15"), controls=(ControlChoice(str(folder), followed((64, 64))),))
    ours = draw(session, request, tmp_path, events)
    assert np.abs(ours - stock(request, models("sd15"))).max() <= 1


def test_no_weight_and_no_steps_are_no_controlnet(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    plain = ask(models("sd15"))
    control = ControlChoice(str(networks("sd15")), followed((64, 64)))
    off = (replace(control, weight=0.0), replace(control, start=0.5, end=0.5))
    expected = draw(session, plain, tmp_path, events)
    assert (draw(session, replace(plain, controls=off), tmp_path, events) == expected).all()
    assert "controlnet" not in [plan.component for plan in events.of(PlanChosen)]


def test_a_file_as_a1111_has_it_draws_the_same(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    """Its configuration is beside it here, as a miniature has another than the known ones."""
    tensors = load_file(networks("sd15") / "diffusion_pytorch_model.safetensors")
    save_file(layouts.controlnet(tensors), tmp_path / "control_v11p_sd15_canny.safetensors")
    shutil.copy(networks("sd15") / "config.json", tmp_path)
    request = ask(models("sd15"), controls=(ControlChoice(str(networks("sd15")), followed((64, 64))),))
    expected = draw(session, request, tmp_path, events)
    file = replace(request.controls[0], model=str(tmp_path / "control_v11p_sd15_canny.safetensors"))
    assert (draw(session, replace(request, controls=(file,)), tmp_path, events) == expected).all()


def test_canny_is_made_at_the_size_that_is_drawn(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    control = ControlChoice(str(networks("sd15")), followed((64, 64)), preprocessor="canny")
    request = ask(models("sd15"), controls=(control,))
    drawn = draw(session, request, tmp_path, events)
    controls.preprocess("canny", open_rgb(control.image)).save(tmp_path / "edges.png")
    made = replace(control, image=tmp_path / "edges.png", preprocessor="none")
    assert (draw(session, replace(request, controls=(made,)), tmp_path, events) == drawn).all()


def test_networks_are_loaded_once_and_freed_when_they_are_not_wanted(
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    control = ControlChoice(str(networks("sd15")), followed((64, 64)))
    with Session(devices.probe()) as session:
        for chosen in ((control, replace(control, weight=0.3)), (control,), (), (control,)):
            draw(session, ask(models("sd15"), controls=chosen, num_inference_steps=1), tmp_path, events)
    loaded = [event.detail for event in events.of(Progress) if event.stage is Stage.loading]
    assert loaded.count("controlnet") == 2  # the third request freed it
    assert loaded.count("unet") == 1


def test_the_hires_fix_and_a_masked_area_follow_too(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    control = ControlChoice(str(networks("sd15")), followed((64, 64)))
    picture, mask = start((96, 96))
    plain = ask(models("sd15"))
    area = replace(plain, image=picture, mask_image=mask, mask_area_only=True)
    for request in (replace(plain, hires=HiresFix(1.5)), area):
        without = draw(session, request, tmp_path, events)
        drawn = draw(session, replace(request, controls=(control,)), tmp_path, events)
        assert drawn.shape == without.shape == (96, 96, 3)
        assert np.abs(drawn - without).max() > 1


def test_the_fake_backend_follows(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    control = ControlChoice(str(networks("sdxl")), followed((64, 64)))
    request = ask(models("sdxl"), backend=Backend.fake)
    pictures = [draw(session, replace(request, controls=one), tmp_path, events) for one in ((), (control,))]
    assert (pictures[0] != pictures[1]).any()


def test_what_does_not_fit_is_refused_before_anything_is_loaded(
    session: Session,
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
) -> None:
    control = ControlChoice(str(networks("sdxl")), followed((64, 64)))
    cases = [
        ("sd15", control, {}, UnusableFile, "does not fit sd15"),
        ("flux", control, {}, InvalidRequest, "takes no ControlNet"),
        ("sdxl", replace(control, model=str(tmp_path / "none")), {}, UnusableFile, "There is no ControlNet"),
        ("sdxl", replace(control, model=str(models("sdxl"))), {}, UnusableFile, "holds no ControlNet"),
        ("sdxl", replace(control, model=str(models("sdxl") / "unet")), {}, UnusableFile, "UNet2DConditionModel"),
        ("sdxl", replace(control, image=tmp_path), {}, UnusableFile, "picture"),
        ("sdxl", control, {"backend": Backend.tensorrt_rtx}, InvalidRequest, "No engine"),
    ]
    for name, choice, changes, kind, words in cases:
        with pytest.raises(kind, match=words):
            draw(session, ask(models(name), controls=(choice,), **changes), tmp_path, events)
    assert not events.of(Progress)


def test_memory_counts_them(
    models: Callable[[str], Path],
    networks: Callable[..., Path],
    followed: Callable[[tuple[int, int]], Path],
    tmp_path: Path,
    events: Recorder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    choose = memory.choose_tile

    def watch(width: int, height: int, upscale: int, appetite: memory.Appetite, available: int) -> int:
        seen.append(appetite.weights)
        return choose(width, height, upscale, appetite, available)

    monkeypatch.setattr(memory, "choose_tile", watch)
    plain = ask(models("sd15"), num_inference_steps=1)
    control = ControlChoice(str(networks("sd15")), followed((64, 64)))
    bytes_of_it = (networks("sd15") / "diffusion_pytorch_model.safetensors").stat().st_size
    with Session(devices.probe()) as session:
        for request in (plain, *[replace(plain, controls=(control,))] * 2):
            draw(session, request, tmp_path, events)
    assert seen[0] > 0
    assert bytes_of_it * 0.9 < seen[1] < bytes_of_it
    assert seen[2] == 0
