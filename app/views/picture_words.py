"""What the facts about a picture are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.viewmodels.picture_details import Fact
from app.views import messages

if TYPE_CHECKING:
    from app.viewmodels.picture_details import Detail

_SOURCES = {  # names of programs
    "firstlight": "Firstlight",
    "a1111": "AUTOMATIC1111",
    "comfyui": "ComfyUI",
    "invokeai": "InvokeAI",
    "swarmui": "SwarmUI",
    "fooocus": "Fooocus",
}


def source_name(source: str) -> str:
    """The program that wrote a picture's settings."""
    return _SOURCES.get(source, "") or QCoreApplication.translate("PictureWords", "No settings")


def fact_name(detail: Detail) -> str:
    """What a row of the details is called."""
    translate = QCoreApplication.translate
    names = {
        Fact.prompt: translate("PictureWords", "Prompt"),
        Fact.negative_prompt: translate("PictureWords", "Negative prompt"),
        Fact.model: translate("PictureWords", "Model"),
        Fact.size: translate("PictureWords", "Size"),
        Fact.steps: translate("PictureWords", "Steps"),
        Fact.guidance: translate("PictureWords", "Guidance"),
        Fact.seed: translate("PictureWords", "Seed"),
        Fact.sampler: translate("PictureWords", "Sampler"),
        Fact.lora: translate("PictureWords", "LoRA"),
        Fact.start_picture: translate("PictureWords", "Start picture"),
        Fact.strength: translate("PictureWords", "Strength"),
        Fact.mask: translate("PictureWords", "Mask"),
        Fact.mask_feather: translate("PictureWords", "Soft edge"),
        Fact.mask_area: translate("PictureWords", "Masked part drawn at"),
        Fact.margins: translate("PictureWords", "Margins: left, top, right, bottom"),
        Fact.second_pass: translate("PictureWords", "Second pass"),
        Fact.refiner: translate("PictureWords", "Refiner"),
        Fact.control: translate("PictureWords", "ControlNet"),
        Fact.upscale: translate("PictureWords", "Enlarged"),
        Fact.backend: translate("PictureWords", "Engine"),
        Fact.seconds: translate("PictureWords", "Time"),
        Fact.created: translate("PictureWords", "Made"),
        Fact.file: translate("PictureWords", "File"),
        Fact.source: translate("PictureWords", "Settings by"),
        Fact.note: translate("PictureWords", "Note"),
    }
    return names.get(detail.fact, detail.name)


def fact_value(detail: Detail) -> str:
    """What it says."""
    if detail.fact is Fact.source:
        return source_name(detail.value)
    return messages.translate(detail.value) if detail.fact is Fact.note else detail.value


def as_text(details: tuple[Detail, ...]) -> str:
    """All of it, to be copied: one setting a line, the lines of a prompt set in."""
    lines = [f"{fact_name(detail)}: {fact_value(detail)}" for detail in details]
    return "\n".join(line.replace("\n", "\n    ") for line in lines)
