"""The models that can be asked for: rows of `resources/catalog.toml`, or a diffusers folder or a file by its path."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Protocol, cast

import resources
from pipelines.errors import UnusableFile

STARTER = "starter"  # the model that a request gets when it names none
_OWN_SETTINGS = "starter.json"  # our own file beside model_index.json: values of `Entry` that this very model has


@dataclass(frozen=True, slots=True)
class Entry:
    """One model: where it is, what a request for it gets by default, and what it was trained for.

    `location` is a diffusers folder or a single file, or None for a known model that is not on this machine. Sizes
    are in pixels; areas outside `min_pixels` … `max_pixels` and sides beyond `max_side` (0: no limit) are drawn inside
    and resized. `repository` is owner/model on the hub ("": not offered), `gated` where its licence must be accepted
    on its page first. `parameters` counts the values of all networks, `transformer_width` and `vae_width` are those of
    `memory.Appetite` (0: not known). `runs`: this version can draw with it. `traits` are values in a folder's
    configuration that tell this row from others of its class: `unet.cross_attention_dim` is that key in
    unet/config.json. `layout` is the row that a single file was recognised as; empty for a folder.
    """

    name: str
    title: str
    family: str
    model_class: str
    guidance_embeds: bool
    licence: str
    source: str
    width: int
    height: int
    steps: int
    guidance_scale: float
    size_multiple: int
    min_pixels: int
    max_pixels: int
    max_side: int
    max_sequence_length: int
    licence_page: str = ""
    repository: str = ""
    gated: bool = False
    parameters: int = 0
    transformer_width: int = 0
    vae_width: int = 0
    runs: bool = True
    location: Path | None = None
    layout: str = ""
    traits: dict[str, object] = field(default_factory=dict[str, object], hash=False)


class _Checkpoints(Protocol):
    def find_entry(self, file: Path, entries: tuple[Entry, ...]) -> Entry: ...


def load() -> tuple[Entry, ...]:
    """All rows of the catalog, in the file's order."""
    with (resources.folder() / "catalog.toml").open("rb") as file:
        rows = cast("list[dict[str, object]]", tomllib.load(file)["model"])
    return tuple(_entry_from_row(row) for row in rows)


def find(name_or_path: str) -> Entry:
    """The row of that name (in any case), or an entry made from a diffusers folder or a single file at that path.

    Raises:
        UnusableFile: no such model, folder or file, or one whose model Firstlight cannot run.
    """
    entries = load()
    for entry in entries:
        if entry.name.casefold() == name_or_path.casefold():
            return entry
    path = Path(name_or_path)
    try:
        path = path.expanduser()
        is_folder, is_file = path.is_dir(), path.is_file()
    except (
        OSError,
        RuntimeError,
    ) as error:  # too long, not ours to look into, or of a user who does not exist
        raise UnusableFile(f"The model {name_or_path!r} cannot be looked at: {error}.", "Check the path.") from error
    if is_folder:
        return _entry_from_folder(path, entries)
    if is_file:
        # Which stands on this module, and may know of PyTorch
        checkpoints = cast("_Checkpoints", importlib.import_module("pipelines.checkpoints"))
        return checkpoints.find_entry(path, entries)
    if os.sep in name_or_path or "/" in name_or_path:
        raise UnusableFile(f"There is no model folder {name_or_path!r}.", "Check the path.")
    names = [entry.name for entry in entries]
    close = difflib.get_close_matches(name_or_path.casefold(), names, n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    raise UnusableFile(
        f"There is no model named {name_or_path!r}.",
        f"{hint}Known models: {', '.join(names)}; or pass the path of a diffusers folder or a file.",
    )


def _entry_from_row(row: dict[str, object]) -> Entry:
    values = dict(row)
    location = values.pop("location", None)
    entry = Entry(**values)  # pyright: ignore[reportArgumentType] # the shipped file is checked by a test
    return replace(entry, location=resources.folder() / str(location)) if location else entry


def _entry_from_folder(folder: Path, entries: tuple[Entry, ...]) -> Entry:
    model_class = read_json(folder / "model_index.json").get("_class_name")
    rows = [entry for entry in entries if entry.model_class == model_class and entry.location is None and entry.runs]
    if not rows:
        raise UnusableFile(
            f"The folder {str(folder)!r} holds a {model_class} model, which this version cannot run.",
            f"It runs: {', '.join(sorted({entry.model_class for entry in entries if entry.runs}))}.",
        )
    own = folder / _OWN_SETTINGS
    starter = next(entry for entry in entries if entry.name == STARTER)
    # Our own file makes it the starter model, or one that was trained like it
    is_starter = own.is_file() and starter.model_class == model_class
    row = starter if is_starter else _find_kind(folder, rows)
    entry = replace(
        row,
        name=folder.name,
        title=folder.name,
        location=folder,
        licence="see the model's page",
        licence_page="",
        repository="",
        source=str(folder),
    )
    return _with_own_settings(entry, read_json(own), own) if own.is_file() else entry


def _find_kind(folder: Path, rows: list[Entry]) -> Entry:
    """The row with the most traits that the folder has, and none that it has not; else the first."""

    def has(trait: str, value: object) -> bool:
        component, key = trait.split(".")
        file = folder / component / ("scheduler_config.json" if component == "scheduler" else "config.json")
        return read_json(file).get(key, False) == value

    fitting = [row for row in rows if all(has(*trait) for trait in row.traits.items())]
    return max(fitting, key=lambda row: len(row.traits), default=rows[0])


def _with_own_settings(entry: Entry, settings: dict[str, object], file: Path) -> Entry:
    """Lay the numbers of our own settings file over the row's; other keys are notes."""
    numbers = {
        field.name
        for field in fields(Entry)
        if type(getattr(entry, field.name)) in (int, float)  # not bool, which is an int too
    }
    changes: dict[str, object] = {}
    for key, value in settings.items():
        if key not in numbers:
            continue
        if type(value) not in (int, float):
            raise UnusableFile(f"The value of {key!r} in {str(file)!r} is not a number.", "Get the model again.")
        changes[key] = value
    return replace(entry, **changes)  # pyright: ignore[reportArgumentType] # numbers for number fields, as checked


def read_json(file: Path) -> dict[str, object]:
    """The object in a JSON file of a model folder.

    Raises:
        UnusableFile: the file is missing, unreadable or no JSON object.
    """
    try:
        content: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnusableFile(
            f"The model folder {str(file.parent)!r} has no {file.name}.",
            "Pass a complete diffusers folder, the one that holds model_index.json.",
        ) from None
    except OSError as error:
        raise UnusableFile(f"The file {str(file)!r} cannot be read: {error.strerror}.", "Check it.") from error
    except ValueError:
        raise UnusableFile(f"The file {str(file)!r} is damaged: it is no JSON.", "Get the model again.") from None
    if not isinstance(content, dict):
        raise UnusableFile(f"The file {str(file)!r} is damaged: it is no JSON object.", "Get the model again.")
    return cast("dict[str, object]", content)
