"""Pictures drawn by exported graphs, one of each network for all sizes, against PyTorch. Minutes: run with --slow."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest

import resources
from pipelines import catalog, sizes
from pipelines.engine.base import Places, Plan, say_streamed
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import Part
from pipelines.families import FAMILIES, Files
from pipelines.families.model import Pass
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.weights import find_components
from tests.pipelines import miniatures
from tests.pipelines.engine.rtx_workshop import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Recorder

needs_onnx = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "onnxscript", "tensorrt_rtx")),
    reason="needs onnxruntime and TensorRT-RTX: pip install 'firstlight[dev,rtx]'",
)
PLAN = Plan(Backend.eager, Precision.fp32, "cpu", "a test")
SIZES = ((256, 256), (192, 256), (320, 192), (224, 224), (256, 336))
PROMPTS = ("three red apples on a blue plate", "three red apples on a blue plate, " * 15)  # the second: > 77 tokens


def find_model(name: str, folder: Path) -> Path:
    """The starter model as it ships, or a miniature of random weights."""
    if name == "starter":
        return resources.folder() / "starter"
    kind = next(kind for kind in miniatures.MINIATURES if kind.name == name)
    model = miniatures.make(kind, folder / name)
    (model / "starter.json").write_text(json.dumps({"min_pixels": 64, "max_pixels": 10**7}))  # drawn at every size
    return model


@pytest.mark.slow
@needs_onnx
@pytest.mark.parametrize("name", ["starter", "sd15", "sd21-v", "sdxl"])
def test_pictures_of_five_sizes_are_those_of_pytorch(name: str, tmp_path: Path, events: Recorder) -> None:
    """Stable Diffusion's guidance puts prompt and negative prompt into one batch of two."""
    model = find_model(name, tmp_path)
    entry = catalog.find(str(model) if name != "starter" else catalog.STARTER)
    family = FAMILIES[entry.family]
    workshop = Workshop(model, Places(tmp_path / "engines", tmp_path / "kernels"), tmp_path, networks=family.networks)
    workshop.build(*(part for part in Part if part.component in family.networks and part is not Part.vae_encoder))
    specs = {spec.name: spec for spec in find_components(model, family.networks)}
    places = Places(tmp_path / "in_pieces", tmp_path / "kernels")
    streamed = replace(workshop, places=places, regions=True, option=say_streamed(0), _loader=None)
    streamed.build(Part(family.denoiser))
    engines = {name: workshop.load(name, events) for name in specs}
    ways = (
        {name: EagerLoader().load(spec, PLAN, events) for name, spec in specs.items()},
        engines,
        {**engines, family.denoiser: streamed.load(family.denoiser, events)},  # its blocks come one by one
    )
    kind = getattr(import_module(family.module), family.class_name)
    for number, (width, height) in enumerate(SIZES):
        prompt = PROMPTS[number % 2]
        request = GenerationRequest(prompt, entry.name, width, height, 6, 4.5, number, negative_prompt="blurry")
        size = sizes.choose(width, height, entry)
        pictures: list[np.ndarray] = []
        for components in ways:
            drawing = kind(entry, Files(model), components, "cpu")
            latents = drawing.denoise(request, drawing.encode(request), Pass(number, size), events)
            pictures.append(np.asarray(drawing.decode(latents, size).convert("RGB")).astype(int))
        assert pictures[0].std() > (20 if name == "starter" else 1)  # a picture, not a plain colour
        assert np.abs(pictures[0] - pictures[1]).max() <= 1
        assert np.abs(pictures[0] - pictures[2]).max() <= 1
