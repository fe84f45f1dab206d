"""How alike two pictures are. Importing this loads NumPy and Pillow."""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image

    Values = NDArray[np.float64]

NO_FLIP = "how different the pictures look was not measured: the package flip-evaluator is not installed"
IDENTICAL = 100.0  # dB; what is told of equal pictures, whose ratio is infinite
_LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601
_SPREAD, _RADIUS = 1.5, 5  # of SSIM's window, in pixels
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


@dataclass(frozen=True, slots=True)
class Likeness:
    """`psnr` in dB; `ssim` up to 1; `flip` from 0 for the same to 1, None where it could not be measured."""

    psnr: float
    ssim: float
    flip: float | None


def compare(candidate: Image.Image, reference: Image.Image) -> Likeness:
    """Compare two pictures of one size.

    Raises:
        InvalidRequest: their sizes differ.
    """
    if candidate.size != reference.size:
        raise InvalidRequest(f"Pictures of {candidate.size} and {reference.size} cannot be compared.")
    new, old = _values(candidate), _values(reference)
    return Likeness(_psnr(new, old), _ssim(new @ np.array(_LUMA), old @ np.array(_LUMA)), _flip(new, old))


def flatness(picture: Image.Image) -> float:
    """The standard deviation of its 8-bit values: 0 for a black picture, as for any plain one."""
    return float(_values(picture).std())


def can_flip() -> bool:
    """Whether FLIP can be measured."""
    return importlib.util.find_spec("flip_evaluator") is not None


def _values(picture: Image.Image) -> Values:
    return np.asarray(picture.convert("RGB"), np.float64)


def _psnr(new: Values, old: Values) -> float:
    error = float(np.square(new - old).mean())
    return min(IDENTICAL, 10 * math.log10(255**2 / error)) if error else IDENTICAL


def _ssim(new: Values, old: Values) -> float:
    """Wang and others, "Image quality assessment: from error visibility to structural similarity", 2004."""
    new_mean, old_mean = _blur(new), _blur(old)
    new_variance, old_variance = _blur(new * new) - new_mean**2, _blur(old * old) - old_mean**2
    covariance = _blur(new * old) - new_mean * old_mean
    above = (2 * new_mean * old_mean + _C1) * (2 * covariance + _C2)
    below = (new_mean**2 + old_mean**2 + _C1) * (new_variance + old_variance + _C2)
    return float((above / below).mean())


def _blur(values: Values) -> Values:
    """With a Gaussian window, where it lies within the picture."""
    places = np.arange(-_RADIUS, _RADIUS + 1)
    window = np.exp(-(places**2) / (2 * _SPREAD**2))
    window /= window.sum()
    for axis in (0, 1):
        shifts = values.shape[axis] - 2 * _RADIUS
        values = sum(
            (weight * np.take(values, range(start, start + shifts), axis) for start, weight in enumerate(window)),
            np.zeros(()),
        )
    return values


def _flip(new: Values, old: Values) -> float | None:
    """Andersson and others, "FLIP: A Difference Evaluator for Alternating Images", 2020, by their own package."""
    if not can_flip():
        return None
    evaluator: Any = importlib.import_module("flip_evaluator")
    pair = [np.ascontiguousarray(values / 255, np.float32) for values in (old, new)]
    return float(cast("tuple[object, float]", evaluator.evaluate(*pair, "LDR", applyMagma=False)[:2])[1])
