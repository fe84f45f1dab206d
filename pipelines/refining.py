"""When a second model goes on where the first one stops, and what cannot be refined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines import controls
from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from pipelines.catalog import Entry
    from pipelines.families import Family
    from pipelines.request import GenerationRequest


def has_refiner(request: GenerationRequest) -> bool:
    """Whether a refiner is to do some of the steps."""
    return bool(request.refiner) and request.refiner_start < 1


def check(request: GenerationRequest, entry: Entry, family: Family) -> None:
    """Refuse what neither the model nor a refiner after it can begin.

    Raises:
        InvalidRequest: the model is a refiner itself and has no picture, or the request's refiner cannot go on.
    """
    if request.image is None and not family.from_prompt:
        raise InvalidRequest(
            f"{entry.title} goes on with a picture, and begins none.",
            "Give a start picture, or draw with another model and use this one as its refiner.",
        )
    if not has_refiner(request):
        return
    if not family.refiner:
        raise InvalidRequest(f"There is no refiner for {entry.title}.", "Leave the refiner out.")
    strength = 1.0 if request.image is None else request.strength
    if request.hires is not None:
        strength = request.hires.strength
    if request.refiner_start <= 1 - strength:
        raise InvalidRequest(
            f"At a strength of {strength:g}, a refiner from {request.refiner_start:g} on leaves {entry.title} no step.",
            "Let the refiner begin later, or use more strength.",
        )
    from_picture = request.hires is not None or (request.image is not None and not request.is_masked)
    if from_picture and controls.find_active(request):  # diffusers' one pipeline that cannot stop early
        raise InvalidRequest(
            "From a start picture, a ControlNet and a refiner do not work together.", "Leave out one of the two."
        )


def check_fit(refiner: Entry, entry: Entry, family: Family) -> None:
    """Refuse a refiner that is none, or another family's.

    Raises:
        InvalidRequest: it is one.
    """
    if refiner.family != family.refiner:
        raise InvalidRequest(
            f"{refiner.title} is no refiner that goes on where {entry.title} stops.",
            "Leave the refiner out, or use SDXL and its own.",
        )
