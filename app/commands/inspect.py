"""`firstlight inspect`: the settings that a picture carries."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from pipelines import images
from pipelines.images import Source

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from app.terminal import Terminal
    from pipelines.images import Inspection

_SOURCES = {
    Source.firstlight: "settings by Firstlight",
    Source.a1111: "settings in AUTOMATIC1111's form",
    Source.comfyui: "settings by ComfyUI",
    Source.invokeai: "settings by InvokeAI",
    Source.swarmui: "settings by SwarmUI",
    Source.fooocus: "settings by Fooocus",
    Source.none: "no settings",
}


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    """Read and tell; return the exit code, which is 0 for a picture without settings too.

    Raises:
        UnusableFile: no such file, or not a picture.
    """
    inspection = images.read(args.image)
    if terminal.wants_json:
        # `record` is exact and complete; `parameters` is the same under A1111's names, for every source.
        terminal.answer({field.name: getattr(inspection, field.name) for field in fields(inspection)})
    else:
        for line in _describe(inspection):
            terminal.say(line)
    return 0


def _describe(inspection: Inspection) -> Iterator[str]:
    size = f"{inspection.width}x{inspection.height}"
    yield f"{inspection.path}: {inspection.format}, {size}, {_SOURCES[inspection.source]}"
    if inspection.note:
        yield f"Note: {inspection.note}"
    if inspection.source is Source.none:
        return
    yield from _block("Prompt", inspection.parameters.prompt)
    if inspection.parameters.negative_prompt:
        yield from _block("Negative prompt", inspection.parameters.negative_prompt)
    for name, value in inspection.parameters.settings:
        yield f"{name}: {value}"
    if record := inspection.record:
        yield f"Ran with: {record.backend}, {record.precision}, {record.device}"
        yield f"Created: {record.created}"
        for name, value in record.notes:
            yield f"{name}: {value}"


def _block(title: str, text: str) -> Iterator[str]:
    """A text of several lines is set in, so that none of them can look like a setting."""
    first, *rest = text.split("\n")
    yield f"{title}: {first}"
    yield from (f"    {line}" for line in rest)
