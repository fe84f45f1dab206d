"""The models of this machine: import, notice, verify, remove, and how much room they take.

Files of other programs are used where they are, and are never changed, moved or deleted. Our own lie in the
folder `models` of the data folder, each model in a folder of its own.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.services import files, importing, model_files
from app.services.importing import Found, Kind, Scan
from app.services.model_files import FileProgress
from app.services.registry import Keeping, Model, Registry, StoredFile
from pipelines import catalog
from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.services.model_files import FileReport, Verdict

log = logging.getLogger(__name__)

FOLDER = "models"


@dataclass(frozen=True, slots=True)
class Added:
    """What an import brought: models that are new here, and what the folder holds besides."""

    models: tuple[Model, ...]
    problems: tuple[Found, ...]
    scan: Scan


@dataclass(frozen=True, slots=True)
class Changes:
    """What appeared in or vanished from the folders that are watched, and models whose files are gone."""

    appeared: tuple[Model, ...]
    vanished: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """What a removal takes: our files (none where they are another program's), and the bytes that are freed."""

    model: Model
    paths: tuple[Path, ...]
    freed: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes on disk: of each model, of unfinished downloads, of engines and of the cache; and what is free."""

    models: tuple[tuple[str, int], ...]
    unfinished: int
    engines: int
    cache: int
    free: int


class Models:
    """The service. May be used from several threads."""

    def __init__(self, data: Path, cache: Path) -> None:
        self.folder = data / FOLDER
        self.registry = Registry(data)
        self._data = data
        self._cache = cache

    def all(self) -> tuple[Model, ...]:
        """Every model that is remembered, in the order of coming."""
        return self.registry.read().models

    def find(self, name: str) -> Model | None:
        """The model of that name, in any case."""
        return next((model for model in self.all() if model.name.casefold() == name.casefold()), None)

    def locate(self, name_or_path: str) -> str:
        """What `catalog.find` understands: the path of a model that is remembered by that name, else the words."""
        model = self.find(name_or_path)
        return str(model.location) if model else name_or_path

    def find_problem(self, model: Model) -> str:
        """Why the model's files cannot be what they were, by presence and size alone; empty where they can."""
        for file in model.files:
            path = files.long_path(model.path_of(file))
            try:
                size = path.stat().st_size
            except OSError:
                return f"the file {str(model.path_of(file))!r} is gone"
            if size != file.size:
                return f"the file {str(model.path_of(file))!r} has {size} bytes now, and had {file.size}"
        return ""

    def add(self, place: Path, *, copy: bool = False, name: str = "", report: FileReport | None = None) -> Added:
        """Remember what is at `place`, a file or a folder; with `copy`, keep a copy of our own.

        Raises:
            UnusableFile: nothing is there that could be used.
            NoRoom: the copies do not fit.
        """
        place = Path(place).expanduser().absolute()
        tell = report or _ignore
        known = {model.location for model in self.all()}
        scan = importing.scan(place, lambda: tell(FileProgress(0, 0, str(place))), known)
        usable = [found for found in scan.found if not found.problem and found.path not in known]
        problems = tuple(found for found in scan.found if found.problem)
        if not scan.found and not any(path.is_relative_to(place) for path in known):
            raise _nothing_usable(place, scan)
        if place.is_file() and problems:
            raise UnusableFile(problems[0].problem, "Get the file again.")
        if name and len(usable) > 1:
            raise InvalidRequest(f"There are {len(usable)} models in {str(place)!r}.", "Add one to give it a name.")
        models = self._name(usable, name)
        if copy:
            files.check_room(self.folder, sum(model.size for model in models))
            models = [model_files.copy_model(model, self.folder, tell) for model in models]
        watch = [place] if place.is_dir() and not copy and not _is_pipeline(scan, place) else []
        self.registry.put(models, watch)
        return Added(tuple(models), problems, scan)

    def refresh(self, check: Callable[[], None] = lambda: None) -> Changes:
        """Look at the watched folders again: new models are remembered, those that are gone are named.

        What is gone stays remembered: a drive that is away comes back. `check` is called often and may raise to stop.
        """
        contents = self.registry.read()
        known = {model.location for model in contents.models}
        new: list[Found] = []
        for folder in contents.folders:
            try:
                scan = importing.scan(folder, check, known)
            except UnusableFile as error:
                log.info("a watched folder cannot be looked at: %s", error)
                continue
            new += [found for found in scan.found if not found.problem]
        appeared = self._name(new, "")
        if appeared:
            self.registry.put(appeared)
        return Changes(tuple(appeared), tuple(model for model in contents.models if self.find_problem(model)))

    def verify(self, model: Model, report: FileReport) -> tuple[Verdict, ...]:
        """Check every file of `model`: its header, and its hash against the one that is known.

        Where none is known yet, the hash of this first whole check is remembered for the next.
        """
        verdicts, checked = model_files.verify_model(model, report)
        if checked != model.files:
            self.registry.put([replace(model, files=checked)])
        return verdicts

    def plan_removal(self, model: Model) -> Removal:
        """What removing `model` would take; another program's files are left where they are."""
        own = self._own_folder(model)
        if own is None:
            return Removal(model, (), 0)
        return Removal(model, (own,), sum(size for _, size in importing.folder_files(own)))

    def remove(self, removal: Removal, *, permanently: bool = False) -> None:
        """Put the model's files into the bin, or delete them, and forget the model.

        Raises:
            UnusableFile: there is no bin, or the files cannot be taken away; the model stays.
        """
        for path in removal.paths:
            if self._own_folder(removal.model) != path:  # looked at again: it may have become a link meanwhile
                raise UnusableFile(f"{str(path)!r} is not a folder of Firstlight's own.", "Remove it by hand.")
            (model_files.delete if permanently else model_files.put_into_bin)(path)
        self.registry.drop([removal.model.name])

    def usage(self) -> Usage:
        """How much room everything takes."""
        unfinished = [folder for folder in self._own_folders() if folder.name.endswith(files.PART)]
        return Usage(
            models=tuple((model.name, model.size) for model in self.all()),
            unfinished=sum(map(_folder_size, unfinished)),
            engines=_folder_size(self._data / "engines"),
            cache=_folder_size(self._cache),
            free=files.free_bytes(self.folder),
        )

    def _own_folders(self) -> list[Path]:
        try:
            return [folder for folder in self.folder.iterdir() if folder.is_dir() and not files.is_link(folder)]
        except OSError:
            return []

    def _own_folder(self, model: Model) -> Path | None:
        """Our folder of the model, where its files are ours, there, and no link leads away."""
        if model.keeping is Keeping.in_place:
            return None
        own = model.location if model.kind is Kind.pipeline else model.location.parent
        if own.parent != self.folder or files.is_link(own) or files.is_link(self.folder) or not own.is_dir():
            return None
        return own

    def _name(self, found: Iterable[Found], wish: str) -> list[Model]:
        """Models of what was found, each with a name that nothing else has."""
        taken = {model.name.casefold() for model in self.all()} | {row.name.casefold() for row in catalog.load()}
        models: list[Model] = []
        for one in found:
            base = files.safe_name(wish or (one.path.name if one.kind is Kind.pipeline else one.path.stem))
            name, number = base, 1
            while name in taken or any((self.folder / f"{name}{end}").exists() for end in ("", files.PART)):
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            models.append(Model(name, one.kind, one.family, one.path, Keeping.in_place, str(one.path), "", _list(one)))
        return models


def _list(found: Found) -> tuple[StoredFile, ...]:
    if found.kind is Kind.pipeline:
        return model_files.list_files(found.path)
    return (StoredFile(found.path.name, found.size),)


def _nothing_usable(place: Path, scan: Scan) -> UnusableFile:
    if scan.pickles:
        return UnusableFile(
            f"{str(scan.pickles[0])!r} is a pickle file, which could run any program.",
            "Get the model as a safetensors file.",
        )
    return UnusableFile(f"There is no model in {str(place)!r}.", "Give a safetensors file or a folder with some.")


def _is_pipeline(scan: Scan, place: Path) -> bool:
    return len(scan.found) == 1 and scan.found[0].path == place


def _folder_size(folder: Path) -> int:
    try:
        return sum(size for _, size in importing.folder_files(folder))
    except OSError:
        return 0


def _ignore(progress: FileProgress) -> None:
    """Nobody watches."""
