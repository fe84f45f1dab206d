"""Every model in one list: what ships with Firstlight, what was downloaded or added, and what is to be had.

The command line and the Models page show the same list.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from app.services import files, importing
from app.services.importing import Kind
from pipelines import catalog, weights
from pipelines.errors import UnusableFile
from pipelines.families import FAMILIES

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.models import Models
    from app.services.registry import Model
    from pipelines.catalog import Entry


class Condition(Enum):
    """Whether a model can be used, and if not, what is in the way."""

    ready = "ready"
    part = "part"  # whole, but no model by itself: a LoRA, a VAE, a text encoder
    absent = "absent"  # known, and not on this machine
    no_engine = "no engine"  # this version cannot draw with it
    gone = "gone"  # a file is not there any more
    changed = "changed"  # a file has another size
    damaged = "damaged"


class Place(Enum):
    """Where a model stands in the list."""

    shipped = "shipped"
    here = "here"
    offered = "offered"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A model in the list. `entry` is its row in the catalog, `model` what is remembered of its files here.

    `path` is the file that `condition` is about, `said` what the reader of the file says; both empty where there is
    nothing to say. `size` is in bytes, 0 where it is not here.
    """

    name: str
    title: str
    family: str
    place: Place
    condition: Condition
    kind: Kind
    size: int = 0
    path: str = ""
    said: str = ""
    entry: Entry | None = None
    model: Model | None = None

    @property
    def location(self) -> Path | None:
        """Where it is on this machine."""
        if self.model is not None:
            return self.model.location
        return self.entry.location if self.entry is not None else None

    @property
    def licence(self) -> str:
        """The name of its licence; empty where nobody said."""
        return (self.entry.licence if self.entry else "") or (self.model.licence if self.model else "")


def read_shelf(models: Models) -> tuple[Shelved, ...]:
    """The whole list, in the order of the catalog, then of coming. Reads headers, not weights."""
    entries = catalog.load()
    names = {entry.name for entry in entries}
    rows = [_from_catalog(entry, models) for entry in entries]
    return (*rows, *(_from_registry(model, models) for model in models.all() if model.name not in names))


def find_problem(entry: Entry) -> str:
    """Why a picture cannot be drawn with it, in words; empty where it can. Reads headers, not weights."""
    if not entry.runs or entry.family not in FAMILIES:
        return "this version cannot draw with it yet"
    if entry.location is None:
        return "not on this machine"
    try:
        weights.find_components(entry.location, FAMILIES[entry.family].networks)
    except UnusableFile as error:
        return error.message
    return ""


def _from_catalog(entry: Entry, models: Models) -> Shelved:
    model = models.find(entry.name)
    if model is not None:
        condition, path, said = _look_at_files(model, models)
        return Shelved(
            entry.name,
            entry.title,
            entry.family,
            Place.here,
            condition,
            model.kind,
            model.size,
            path,
            said,
            entry,
            model,
        )
    if entry.location is None:
        condition = Condition.absent if entry.runs else Condition.no_engine
        return Shelved(entry.name, entry.title, entry.family, Place.offered, condition, Kind.pipeline, entry=entry)
    said = find_problem(entry)
    size = sum(size for _, size in importing.folder_files(entry.location)) if entry.location.is_dir() else 0
    condition = Condition.damaged if said else Condition.ready
    return Shelved(
        entry.name, entry.title, entry.family, Place.shipped, condition, Kind.pipeline, size, said=said, entry=entry
    )


def _from_registry(model: Model, models: Models) -> Shelved:
    condition, path, said = _look_at_files(model, models)
    return Shelved(
        model.name, model.name, model.family, Place.here, condition, model.kind, model.size, path, said, model=model
    )


def _look_at_files(model: Model, models: Models) -> tuple[Condition, str, str]:
    """The condition, the file that it is about, and what its reader says."""
    for file in model.files:
        place = model.path_of(file)
        try:
            size = files.long_path(place).stat().st_size
        except OSError:
            return Condition.gone, str(place), ""
        if size != file.size:
            return Condition.changed, str(place), ""
    if model.kind not in (Kind.pipeline, Kind.checkpoint, Kind.network):
        return Condition.part, "", ""
    try:
        said = find_problem(catalog.find(str(model.location)))
        condition = Condition.damaged if said else Condition.ready
    except UnusableFile as error:
        condition, said = Condition.no_engine, error.message
    if said and model.kind is Kind.network:  # whole, but what it is to be drawn with does not lie beside it
        condition = Condition.part
    return condition, "", said
