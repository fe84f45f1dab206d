"""The worst case for the eye: reference, candidate, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image, ImageChops, ImageDraw, ImageFont

from pipelines.errors import UnusableFile
from pipelines.replacing import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.proof.acceptance import Worst

_GAIN = 8  # the difference would be too dark to see
_SMALLEST = 256  # pixels a side of what is shown
_GAP, _HEAD = 12, 34
_PAPER, _INK = (255, 255, 255), (26, 26, 26)


def draw(worst: Worst) -> Image.Image:
    """The three beside each other, each under its name."""
    reference = worst.reference.convert("RGB")
    candidate = worst.candidate.convert("RGB") if worst.candidate is not None else None
    panels = [("Reference: PyTorch", reference), ("Candidate", candidate)]
    if candidate is not None:
        difference = ImageChops.difference(reference, candidate).point([min(255, v * _GAIN) for v in range(256)] * 3)
        panels.append((f"Difference, {_GAIN} times", difference))
    factor = max(1, -(-_SMALLEST // min(reference.size)))
    width, height = reference.width * factor, reference.height * factor
    page = Image.new("RGB", (3 * width + 4 * _GAP, height + _HEAD + _GAP), _PAPER)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(15)
    for number, (name, picture) in enumerate(panels):
        left = _GAP + number * (width + _GAP)
        pen.text((left, 9), name if picture is not None else "No picture came out", _INK, font)
        if picture is not None:
            page.paste(picture.resize((width, height), Image.Resampling.NEAREST), (left, _HEAD))
    return page


def save(worst: Worst, file: Path) -> None:
    """Write it as a PNG, whole or not at all.

    Raises:
        UnusableFile: it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as stream:
            draw(worst).save(stream, format="PNG")
    except OSError as error:
        raise UnusableFile(
            f"The picture {str(file)!r} cannot be written: {error.strerror or error}.", "Check the folder."
        ) from error
