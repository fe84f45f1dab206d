"""The starter model drawn by its exported graphs, one for all sizes, against PyTorch. Minutes: run with --slow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest

import resources
from pipelines import catalog, sizes
from pipelines.engine.base import Places, Plan
from pipelines.engine.eager import EagerLoader
from pipelines.engine.interfaces import Part
from pipelines.families import FLUX, Files
from pipelines.families.flux import Flux
from pipelines.families.model import Pass
from pipelines.request import Backend, GenerationRequest, Precision
from pipelines.weights import find_components
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


@pytest.mark.slow
@needs_onnx
def test_pictures_of_five_sizes_are_those_of_pytorch(tmp_path: Path, events: Recorder) -> None:
    model = resources.folder() / "starter"
    entry = catalog.find(catalog.STARTER)
    workshop = Workshop(model, Places(tmp_path / "engines", tmp_path / "kernels"), tmp_path)
    workshop.build(Part.text_encoder, Part.text_encoder_2, Part.transformer, Part.vae_decoder)
    specs = {spec.name: spec for spec in find_components(model, FLUX.networks)}
    ways = (
        {name: EagerLoader().load(spec, PLAN, events) for name, spec in specs.items()},
        {name: workshop.load(name, events) for name in specs},
    )
    for number, (width, height) in enumerate(SIZES):
        request = GenerationRequest("three red apples on a blue plate", catalog.STARTER, width, height, 6, 4.5, number)
        pictures: list[np.ndarray] = []
        for components in ways:
            flux = Flux(entry, Files(model), components, "cpu")
            size = sizes.choose(width, height, entry)
            latents = flux.denoise(request, flux.encode(request), Pass(number, size), events)
            pictures.append(np.asarray(flux.decode(latents, size).convert("RGB")).astype(int))
        assert pictures[0].std() > 20  # a picture, not a plain colour
        assert np.abs(pictures[0] - pictures[1]).max() <= 1
