"""Finding models in other programs' folders, without touching anything there.

Any layout does (AUTOMATIC1111, ComfyUI, diffusers, StabilityMatrix): what a file is comes from its own header, and
from the folder's name where the header does not tell. Links are never followed; they are counted.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services import files
from pipelines import catalog, checkpoints
from pipelines.errors import UnusableFile
from pipelines.recognition import Kind, classify

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

_INDEX = "model_index.json"
_PICKLES = (".ckpt", ".pt", ".pth", ".bin", ".pkl")
_NOT_MODELS = {".git", "__pycache__", "node_modules", "venv", ".venv", "site-packages"}


# Folder names of A1111, ComfyUI and StabilityMatrix, in lower case without separators
_FOLDERS = {
    "stablediffusion": Kind.checkpoint, "checkpoints": Kind.checkpoint, "unet": Kind.network,
    "diffusionmodels": Kind.network, "lora": Kind.lora, "loras": Kind.lora, "lycoris": Kind.lora, "vae": Kind.vae,
    "clip": Kind.text_encoder, "textencoders": Kind.text_encoder, "textencoder": Kind.text_encoder,
    "controlnet": Kind.controlnet, "embeddings": Kind.embedding, "textualinversion": Kind.embedding,
    "upscalemodels": Kind.upscaler, "esrgan": Kind.upscaler, "realesrgan": Kind.upscaler,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A model where it lies: a diffusers folder or a file. `problem` says why it cannot be used."""

    path: Path
    kind: Kind
    family: str
    size: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds. `links` were not followed, `pickles` are refused, `closed` could not be looked into."""

    found: tuple[Found, ...]
    links: tuple[Path, ...] = ()
    pickles: tuple[Path, ...] = ()
    closed: tuple[Path, ...] = ()


def scan(place: Path, check: Callable[[], None] = lambda: None, known: Container[Path] = ()) -> Scan:
    """Look at a file, or at everything below a folder, but not into what is `known`.

    `check` is called often and may raise to stop.

    Raises:
        UnusableFile: there is nothing there, or it is a link.
    """
    if files.is_link(place):
        raise UnusableFile(f"{str(place)!r} is a link.", "Give the place that it leads to.")
    long = files.long_path(place)
    if long.is_file():
        if place.suffix.casefold() in _PICKLES:
            return Scan((), pickles=(place,))
        return Scan((look_at(place),))
    if not long.is_dir():
        raise UnusableFile(f"There is nothing at {str(place)!r}.", "Check the path.")
    walk = _Walk(check, known)
    walk.visit(place)
    return Scan(tuple(walk.found), tuple(walk.links), tuple(walk.pickles), tuple(walk.closed))


def look_at(file: Path) -> Found:
    """What a single file is, by its header."""
    size = _size(file)
    try:
        names = checkpoints.read_header(files.long_path(file)).keys()
    except UnusableFile as error:
        return Found(file, _by_folder(file), "", size, error.message)
    kind, family = classify(names)
    return Found(file, _by_folder(file) if kind is Kind.unknown else kind, family, size)


def folder_files(folder: Path) -> Iterator[tuple[str, int]]:
    """Every file below `folder` by its relative name, with its size; links are left out."""
    for entry in sorted(_entries(folder), key=lambda entry: entry.name):
        path = Path(entry.path)
        if files.is_link(path):
            continue
        if entry.is_dir(follow_symlinks=False):
            for name, size in folder_files(path):
                yield f"{entry.name}/{name}", size
        elif entry.is_file(follow_symlinks=False):
            yield entry.name, entry.stat(follow_symlinks=False).st_size


class _Walk:
    def __init__(self, check: Callable[[], None], known: Container[Path]) -> None:
        self._known = known
        self.found: list[Found] = []
        self.links: list[Path] = []
        self.pickles: list[Path] = []
        self.closed: list[Path] = []
        self._check = check

    def visit(self, top: Path) -> None:
        waiting = [top]  # no recursion: how deep a folder of someone else goes is not ours to say
        while waiting:
            folder = waiting.pop()
            self._check()
            if folder in self._known:
                continue
            try:
                entries = sorted(_entries(folder), key=lambda entry: entry.name)
            except OSError:
                self.closed.append(folder)
                continue
            if any(entry.name == _INDEX and entry.is_file(follow_symlinks=False) for entry in entries):
                self.found.append(_look_at_pipeline(folder))
                continue
            waiting += reversed([folder / entry.name for entry in entries if self._sort(folder, entry)])

    def _sort(self, folder: Path, entry: os.DirEntry[str]) -> bool:
        """Note what the entry is; whether it is a folder to look into."""
        path = folder / entry.name
        if entry.is_symlink() or (os.name == "nt" and files.is_link(path)):
            self.links.append(path)
        elif entry.is_dir(follow_symlinks=False):
            return entry.name not in _NOT_MODELS
        elif entry.is_file(follow_symlinks=False):
            suffix = path.suffix.casefold()
            if path in self._known:
                return False
            if suffix in checkpoints.SUFFIXES:
                self._check()
                self.found.append(look_at(path))
            elif suffix in _PICKLES:
                self.pickles.append(path)
        return False


def _look_at_pipeline(folder: Path) -> Found:
    """A diffusers folder; one that this version cannot draw with is a model all the same."""
    size = sum(size for _, size in folder_files(folder))
    try:
        model_class = catalog.read_json(files.long_path(folder) / _INDEX).get("_class_name")
    except UnusableFile as error:
        return Found(folder, Kind.pipeline, "", size, error.message)
    family = next((row.family for row in catalog.load() if row.model_class == model_class), "")
    return Found(folder, Kind.pipeline, family, size)


def _by_folder(file: Path) -> Kind:
    for parent in file.parents:
        name = parent.name.casefold().replace("-", "").replace("_", "").replace(" ", "")
        if kind := _FOLDERS.get(name):
            return kind
    return Kind.unknown


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(files.long_path(folder)) as entries:
        return list(entries)


def _size(file: Path) -> int:
    try:
        return files.long_path(file).stat().st_size
    except OSError:
        return 0
