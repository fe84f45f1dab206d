"""Copies of pictures: byte for byte, or in another format with the same settings. Imports Pillow when it needs it."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

from app.services import files
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.replacing import replacing

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")  # what can be written


def save_copy(source: Path, target: Path) -> str:
    """Write the picture at `source` to `target` in one step, in the format of its suffix, with its settings.

    Returns:
        what the user should know about the copy; empty where there is nothing.

    Raises:
        InvalidRequest: the suffix is no picture's, or the format cannot hold the picture.
        UnusableFile: the picture cannot be read, or the target written.
        NoRoom: disk or memory does not suffice.
    """
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidRequest(
            f"Pictures cannot be saved as {suffix or 'a file without a suffix'}.", f"Use one of {', '.join(SUFFIXES)}."
        )
    if suffix == source.suffix.lower() or {suffix, source.suffix.lower()} == {".jpg", ".jpeg"}:
        _copy(source, target)
        return ""
    return _convert(source, target)


def _copy(source: Path, target: Path) -> None:
    if not source.exists():
        raise UnusableFile(f"The picture {source} is gone.", "It may have been moved or deleted.")
    with contextlib.suppress(OSError):
        if source.samefile(target):
            return
    files.check_room(target.parent, source.stat().st_size)
    try:
        with source.open("rb") as read, replacing(target) as write:
            shutil.copyfileobj(read, write, 2**20)
    except OSError as error:
        raise files.explain(error, target) from error


def _convert(source: Path, target: Path) -> str:
    from pipelines import images
    from pipelines.opening import opened

    found = images.read(source)
    if found.record is not None:
        with opened(source) as image:
            images.save(image, images.Target(target.absolute(), is_dir=False), found.record)
        return ""
    _convert_plain(source, target)
    if found.source is images.Source.none:
        return ""
    return "The copy shows the same picture, but the settings in it could not be kept in this format."


def _convert_plain(source: Path, target: Path) -> None:
    """For pictures that others made: their pixels alone."""
    from pipelines.embedding import FORMATS
    from pipelines.opening import open_picture

    image = open_picture(source)
    try:
        with replacing(target) as write:
            image.save(write, FORMATS[target.suffix.lower()], quality=95)
    except OSError as error:
        raise files.explain(error, target) from error
