"""The models of this machine as values, and the file that remembers them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.services import files
from app.services.importing import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FILE_NAME = "models.json"


class Keeping(Enum):
    """Whose the files are: only our own are ever removed."""

    downloaded = "downloaded"
    copied = "copied"
    in_place = "in place"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a model: its name within the model's folder, size in bytes, and hash where it is known."""

    name: str
    size: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model on this machine. `location` is a diffusers folder or a file; `source` is where it came from,
    and `commit` which state of a repository.
    """

    name: str
    kind: Kind
    family: str
    location: Path
    keeping: Keeping
    source: str = ""
    licence: str = ""
    files: tuple[StoredFile, ...] = ()
    commit: str = ""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)

    def path_of(self, file: StoredFile) -> Path:
        """Where a file of the model is."""
        return self.location / file.name if self.kind is Kind.pipeline else self.location


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything that is remembered: models, and folders of other programs that are watched."""

    models: tuple[Model, ...] = ()
    folders: tuple[Path, ...] = ()


class Registry:
    """`models.json` in the data folder. May be used from several threads."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._lock = threading.Lock()

    def read(self) -> Contents:
        """What is remembered; nothing where the file is damaged or cannot be read."""
        return self._read(strict=False)

    def change(self, update: Callable[[Contents], Contents]) -> Contents:
        """Replace the contents by what `update` makes of them. A damaged file is set aside."""
        with self._lock:
            new = update(self._read(strict=True))
            value = {"models": [_write_model(model) for model in new.models], "folders": list(map(str, new.folders))}
            files.write_json(self._file, value)
            return new

    def _read(self, *, strict: bool) -> Contents:
        found = files.read_json(self._file, strict=strict) or {}
        models = [model for item in _list(found.get("models")) if (model := _read_model(item))]
        return Contents(tuple(models), tuple(Path(str(item)) for item in _list(found.get("folders"))))

    def put(self, models: Iterable[Model], folders: Iterable[Path] = ()) -> None:
        """Remember models, in place of those of the same name, and folders to watch."""
        new = {model.name: model for model in models}

        def update(old: Contents) -> Contents:
            kept = [new.pop(model.name, model) for model in old.models]
            return Contents((*kept, *new.values()), tuple(dict.fromkeys((*old.folders, *folders))))

        self.change(update)

    def drop(self, names: Iterable[str]) -> None:
        """Forget models; their files are not touched."""
        gone = set(names)
        self.change(lambda old: replace(old, models=tuple(one for one in old.models if one.name not in gone)))


def _write_model(model: Model) -> dict[str, object]:
    return {
        "name": model.name,
        "kind": model.kind.name,
        "family": model.family,
        "location": str(model.location),
        "keeping": model.keeping.name,
        "source": model.source,
        "licence": model.licence,
        "commit": model.commit,
        "files": [[file.name, file.size, file.sha256] for file in model.files],
    }


def _read_model(item: object) -> Model | None:
    """The model that a row stands for, or None where it cannot be made out (another version's, or damaged)."""
    if not isinstance(item, dict):
        return None
    row = cast("dict[str, object]", item)
    try:
        return Model(
            name=str(row["name"]),
            kind=Kind[str(row["kind"])],
            family=str(row["family"]),
            location=Path(str(row["location"])),
            keeping=Keeping[str(row["keeping"])],
            source=str(row.get("source", "")),
            licence=str(row.get("licence", "")),
            commit=str(row.get("commit", "")),
            files=tuple(_read_file(file) for file in _list(row.get("files"))),
        )
    except (KeyError, ValueError):
        return None


def _read_file(item: object) -> StoredFile:
    name, size, sha256 = _list(item)
    return StoredFile(str(name), int(str(size)), str(sha256))


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
