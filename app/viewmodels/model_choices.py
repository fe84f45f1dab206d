"""The models that the Generate page offers: those that are here and that this version can draw with."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.importing import Kind
from pipelines import catalog
from pipelines.errors import FirstlightError
from pipelines.families import FAMILIES, Picture

if TYPE_CHECKING:
    from app.services.models import Models
    from pipelines.catalog import Entry

_DRAWABLE = (Kind.pipeline, Kind.checkpoint, Kind.network)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model to choose: `name` is what the page remembers, `title` what it shows."""

    name: str
    title: str
    family: str = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    """Which controls mean something for a model."""

    guidance: bool = True
    negative_is_free: bool = False  # else a negative prompt doubles the time
    picture: Picture = Picture.start
    weighs_words: bool = False  # `(word:1.2)` counts more
    controls: bool = False  # takes ControlNets
    refiner: str = ""  # the family of models that may go on where this one stops


class ModelChoices:
    """Looks models up by the name, the path or the request's words for them."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def shipped(self) -> tuple[ModelChoice, ...]:
        """The models that come with the app."""
        return tuple(
            ModelChoice(row.name, row.title, row.family)
            for row in catalog.load()
            if row.location is not None and row.runs
        )

    def all(self) -> tuple[ModelChoice, ...]:
        """Those that come with the app, then those that were added. Looks into every model's files."""
        own = (
            ModelChoice(model.name, model.name, entry.family)
            for model in self._models.all()
            if model.kind in _DRAWABLE and (entry := _find_runnable(str(model.location))) is not None
        )
        return (*self.shipped(), *own)

    def controlnets(self) -> tuple[ModelChoice, ...]:
        """The ControlNets that were added."""
        return tuple(
            ModelChoice(model.name, model.name) for model in self._models.all() if model.kind is Kind.controlnet
        )

    def find(self, name: str) -> Entry | None:
        """The catalog's row for a model, where it is here and can be drawn with."""
        try:
            entry = catalog.find(self._models.locate(name))
        except FirstlightError as error:
            log.info("the model %r cannot be chosen: %s", name, error)
            return None
        return entry if entry.runs and entry.location is not None else None

    def locate(self, name: str) -> str:
        """What a request calls the model."""
        return self._models.locate(name)

    def recognise(self, words: str) -> str:
        """The name of the model that a request means; the words themselves where none is known by them."""
        for model in self._models.all():
            if str(model.location) == words or model.name.casefold() == words.casefold():
                return model.name
        for row in catalog.load():
            if words.casefold() == row.name.casefold() or (row.location is not None and Path(words) == row.location):
                return row.name
        return words


def abilities(entry: Entry | None) -> Abilities:
    """What the model can be told; everything where there is none yet."""
    if entry is None:
        return Abilities()
    family = FAMILIES[entry.family]
    return Abilities(
        guidance=entry.guidance_embeds or family.classifier_free,
        negative_is_free=family.classifier_free,
        weighs_words=family.weighs_words,
        picture=family.pictures.get(entry.model_class, Picture.start),
        controls=family.controls,
        refiner=family.refiner,
    )


def _find_runnable(place: str) -> Entry | None:
    try:
        entry = catalog.find(place)
    except FirstlightError as error:
        log.info("%s is not offered: %s", place, error)
        return None
    return entry if entry.runs else None
