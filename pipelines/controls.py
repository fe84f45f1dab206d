"""The ControlNets of a request: found, checked against the model, and the pictures that they follow made.

A new preprocessor is a row of `PREPROCESSORS` and its name in `request.PREPROCESSORS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps

from pipelines import canny, checkpoints, framing, weights
from pipelines.catalog import read_json
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.request import Backend

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.catalog import Entry
    from pipelines.engine.base import ComponentSpec, Plan
    from pipelines.request import ControlChoice, GenerationRequest
    from pipelines.sizes import RenderSize

_CLASS = "ControlNetModel"
# Must be the same in the UNet and what is added to it; diffusers' own values where a configuration leaves them out
_SHAPE = {"cross_attention_dim": 1280, "block_out_channels": [320, 640, 1280, 1280], "addition_embed_type": None}
_MADE_FOR = {768: "Stable Diffusion 1.5", 1024: "Stable Diffusion 2.1", 2048: "SDXL"}  # by their texts' width


@dataclass(frozen=True, slots=True)
class PlannedControl:
    """A ControlNet that acts, what was decided about it, and the picture that it follows, open."""

    choice: ControlChoice
    spec: ComponentSpec
    plan: Plan
    picture: Image.Image


def find_active(request: GenerationRequest) -> tuple[ControlChoice, ...]:
    """Those that change the picture: a weight of 0 or no steps at all is the same as no ControlNet."""
    return tuple(choice for choice in request.controls if choice.weight and choice.start < choice.end)


def check(request: GenerationRequest, entry: Entry, *, takes: bool) -> None:
    """Refuse ControlNets where the model has none; `takes`: its family does.

    Raises:
        InvalidRequest: the request has some.
    """
    if not find_active(request):
        return
    if not takes:
        raise InvalidRequest(f"{entry.title} takes no ControlNet in this version.", "Leave it out.")
    if request.backend is Backend.tensorrt_rtx:
        raise InvalidRequest("No engine is made for a model with ControlNets.", "Use --backend auto.")


def find(name_or_path: str, entry: Entry, denoiser: Path) -> ComponentSpec:
    """The network of a ControlNet, in a folder as diffusers has it or a single file, for the UNet in `denoiser`.

    Raises:
        UnusableFile: there is none, it is damaged, or made for another model.
    """
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        spec = _find_in_folder(path)
    elif path.is_file():
        spec = checkpoints.find_controlnet(path)
    else:
        raise UnusableFile(
            f"There is no ControlNet {name_or_path!r}.", "Pass the path of its file, or of its diffusers folder."
        )
    ours, wanted = (_read_shape(folder) for folder in (spec.folder, denoiser))
    if ours != wanted:
        made_for = _MADE_FOR.get(ours[0] if isinstance(ours[0], int) else 0, "another model")
        raise UnusableFile(
            f"The ControlNet {path.name!r} is made for {made_for}, and does not fit {entry.title}.",
            "Use one that is made for this model, or another model.",
        )
    return spec


def preprocess(name: str, picture: Image.Image) -> Image.Image:
    """What a ControlNet follows, made of a picture by the preprocessor of that name; RGB, of the same size."""
    return PREPROCESSORS[name](picture.convert("RGB"))


def prepare(picture: Image.Image, preprocessor: str, canvas: framing.Canvas | None, size: RenderSize) -> Image.Image:
    """The picture for a ControlNet at the size that is drawn; of the canvas' region, where only that is drawn."""
    region = canvas.region if canvas is not None else None
    if canvas is not None and region is not None:
        picture = ImageOps.fit(picture, canvas.picture.size, Image.Resampling.LANCZOS)
    start = framing.prepare_start(framing.Canvas(picture.convert("RGB"), None, region), size)
    return preprocess(preprocessor, start.picture)


def _keep(picture: Image.Image) -> Image.Image:
    return picture


def _find_edges(picture: Image.Image) -> Image.Image:
    return Image.fromarray(canny.find_edges(np.asarray(picture))).convert("RGB")


PREPROCESSORS: dict[str, Callable[[Image.Image], Image.Image]] = {"none": _keep, "canny": _find_edges}


def _find_in_folder(folder: Path) -> ComponentSpec:
    if not (folder / "config.json").is_file():
        raise UnusableFile(f"The folder {str(folder)!r} holds no ControlNet.", "Pass the folder with its config.json.")
    class_name = read_json(folder / "config.json").get("_class_name")
    if class_name != _CLASS:
        raise UnusableFile(
            f"The folder {str(folder)!r} holds a {class_name} and no ControlNet that this version runs.",
            "Use another ControlNet.",
        )
    return weights.find_network(folder, checkpoints.CONTROLNET, "diffusers", _CLASS)


def _read_shape(folder: Path) -> list[object]:
    config = read_json(folder / "config.json")
    return [config.get(key, usual) for key, usual in _SHAPE.items()]
