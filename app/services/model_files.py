"""A model's files, byte for byte: copied, hashed, checked, and taken away."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from app.services import files, importing
from app.services.importing import Kind
from app.services.registry import Keeping, Model, StoredFile
from pipelines import checkpoints
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_COPY_PART = f".copy{files.PART}"
_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class FileProgress:
    """`done` of `total` bytes of a copy or a check are finished; `file` is the one at work."""

    done: int
    total: int
    file: str


class FileReport(Protocol):
    """Takes the progress of a copy or a check; raises `Cancelled` to stop it."""

    def __call__(self, progress: FileProgress, /) -> None:
        """Take it."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found in one file: `problem` is empty where it is whole; `hashed` where a known hash matched."""

    file: str
    problem: str
    hashed: bool


def list_files(location: Path) -> tuple[StoredFile, ...]:
    """The files of a model: all below a folder, or the one."""
    if files.long_path(location).is_dir():
        return tuple(StoredFile(name, size) for name, size in importing.folder_files(location))
    return (StoredFile(location.name, files.long_path(location).stat().st_size),)


def hash_file(path: Path, tell: Callable[[int], None]) -> str:
    """The sha256 of a file; `tell` gets the bytes done and may raise to stop."""
    digest, done = hashlib.sha256(), 0
    with files.long_path(path).open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            tell(done)
    return digest.hexdigest()


def copy_model(model: Model, folder: Path, report: FileReport) -> Model:
    """Copy the model's files into a folder of its name below `folder`, whole or not at all.

    Raises:
        NoRoom, UnusableFile: they cannot be copied. Nothing is left behind, whatever stopped it.
    """
    part, target = (folder / f"{model.name}{suffix}" for suffix in (_COPY_PART, ""))
    if not files.is_link(part):
        shutil.rmtree(files.long_path(part), ignore_errors=True)  # of a copy that was killed
    try:
        copied = tuple(_copy_files(model, part, report))
        files.long_path(part).replace(files.long_path(target))
    except BaseException as error:
        shutil.rmtree(files.long_path(part), ignore_errors=True)
        if isinstance(error, OSError):
            raise files.explain(error, part) from error
        raise
    location = target if model.kind is Kind.pipeline else target / model.location.name
    return replace(model, location=location, keeping=Keeping.copied, files=copied)


def verify_model(model: Model, report: FileReport) -> tuple[tuple[Verdict, ...], tuple[StoredFile, ...]]:
    """Check each file's header and hash; return what was found, and the files with the hashes that are known now."""
    verdicts, checked, done = list[Verdict](), list[StoredFile](), 0
    for file in model.files:
        verdict, sha256 = _verify(model, file, _teller(model, file, done, report))
        done += file.size
        verdicts.append(verdict)
        checked.append(file if verdict.problem or file.sha256 else replace(file, sha256=sha256))
    return tuple(verdicts), tuple(checked)


def _copy_files(model: Model, part: Path, report: FileReport) -> Iterator[StoredFile]:
    done = 0
    for file in model.files:
        goal = part / (file.name if model.kind is Kind.pipeline else model.location.name)
        files.long_path(goal.parent).mkdir(parents=True, exist_ok=True)
        yield replace(file, sha256=_copy_file(model.path_of(file), goal, _teller(model, file, done, report)))
        done += file.size


def _teller(model: Model, file: StoredFile, start: int, report: FileReport) -> Callable[[int], None]:
    """Turns the bytes of one file into the progress of all."""
    return lambda count: report(FileProgress(start + count, model.size, file.name))


def _verify(model: Model, file: StoredFile, tell: Callable[[int], None]) -> tuple[Verdict, str]:
    path = model.path_of(file)
    try:
        if path.suffix.casefold() in checkpoints.SUFFIXES:
            checkpoints.read_header(files.long_path(path))
        sha256 = hash_file(path, tell)
    except UnusableFile as error:
        return Verdict(file.name, error.message, hashed=False), ""
    except FileNotFoundError:
        return Verdict(file.name, "It is missing.", hashed=False), ""
    except OSError as error:
        return Verdict(file.name, f"It cannot be read: {error.strerror}.", hashed=False), ""
    if file.sha256 and sha256 != file.sha256:
        return Verdict(file.name, "Its bytes are not those that it had: the sha256 differs.", hashed=False), sha256
    return Verdict(file.name, "", hashed=bool(file.sha256)), sha256


def _copy_file(source: Path, target: Path, tell: Callable[[int], None]) -> str:
    digest, done = hashlib.sha256(), 0
    with files.long_path(source).open("rb") as reader, files.long_path(target).open("wb") as writer:
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            writer.write(chunk)
            done += len(chunk)
            tell(done)
    return digest.hexdigest()


def put_into_bin(path: Path) -> None:
    """Put a folder of ours where the user can take it back from."""
    from send2trash import send2trash

    try:
        send2trash(str(path))
    except OSError as error:  # its own TrashPermissionError is one, too
        raise UnusableFile(
            f"{str(path)!r} cannot be put into the bin: {error.strerror or error}.",
            "Delete it for good instead (--permanently on the command line).",
        ) from error


def delete(path: Path) -> None:
    """Delete a folder of ours for good."""
    try:
        shutil.rmtree(files.long_path(path))  # takes links away without following them
    except OSError as error:
        raise UnusableFile(f"{str(path)!r} cannot be deleted: {error.strerror}.", "Check its permissions.") from error
