"""What a picture says about how it was made, whichever tool made it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pipelines import a1111, comfyui, embedding, fooocus, invokeai, metadata, swarmui
from pipelines.a1111 import Parameters
from pipelines.errors import UnusableFile
from pipelines.opening import opened

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.embedding import Texts
    from pipelines.metadata import Record


class Source(Enum):
    """Which tool's settings were read; `none` where the picture holds none that are known."""

    firstlight = "firstlight"
    a1111 = "a1111"
    comfyui = "comfyui"
    invokeai = "invokeai"
    swarmui = "swarmui"
    fooocus = "fooocus"
    none = "none"


_NO_PARAMETERS = Parameters("")


@dataclass(frozen=True, slots=True)
class Inspection:
    """A picture and its settings.

    Args:
        path: the file.
        format: Pillow's name of the file format, such as `PNG`.
        width: pixels as stored.
        height: pixels as stored.
        source: whose settings these are.
        record: the exact settings, where Firstlight made the picture.
        parameters: prompt, negative prompt and settings under A1111's names, for every source.
        raw: the text as found in the file.
        note: what the user should know, such as settings that are damaged; empty where there is nothing.
    """

    path: Path
    format: str
    width: int
    height: int
    source: Source = Source.none
    record: Record | None = None
    parameters: Parameters = _NO_PARAMETERS
    raw: str = ""
    note: str = ""


def read(path: Path) -> Inspection:
    """Read the settings stored in a picture: ours exactly, else those of another tool, else none.

    Raises:
        UnusableFile: missing, not a picture, damaged, or too large (`opening.MAX_PIXELS`).
        NoRoom: memory does not suffice.
    """
    with opened(path) as image:
        texts = embedding.extract(image)
        source, record, parameters, raw, note = _interpret(texts)
        return Inspection(path, image.format or "", image.width, image.height, source, record, parameters, raw, note)


_Meaning = tuple[Source, "Record | None", Parameters, str, str]


def _interpret(texts: Texts) -> _Meaning:
    note = ""
    if texts.firstlight:
        try:
            record = metadata.from_json(texts.firstlight)
        except UnusableFile as error:
            note = error.message
        else:
            request = record.request
            parameters = Parameters(request.prompt, request.negative_prompt, a1111.settings_of(record))
            return Source.firstlight, record, parameters, texts.firstlight, ""
    source, parameters, raw = _foreign(texts)
    if source is Source.none and raw:
        note = note or "The settings in the picture are damaged."
    return source, None, parameters, raw, note


def _foreign(texts: Texts) -> tuple[Source, Parameters, str]:
    """Settings of other tools. Without a source, the text that comes back is JSON that nobody can read."""
    readers = (
        (Source.invokeai, invokeai.parse_invokeai, texts.invokeai),
        (Source.swarmui, swarmui.parse_swarmui, texts.parameters),
        (Source.fooocus, fooocus.parse_fooocus, texts.parameters),
        (Source.a1111, _a1111, texts.parameters),
        (Source.comfyui, comfyui.parse_comfyui, texts.comfyui),
    )
    for source, parse, text in readers:
        if text and (found := parse(text)):
            return source, found, text
    return Source.none, _NO_PARAMETERS, texts.invokeai or texts.parameters or texts.comfyui


def _a1111(text: str) -> Parameters | None:
    """A1111's text may be any; but what begins as JSON does and has no settings is another tool's, cut off."""
    parameters = a1111.parse_a1111(text)
    return None if text.lstrip().startswith('{"') and not parameters.settings else parameters
