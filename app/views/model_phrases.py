"""The words of the Models page for what the services give as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.services.hub import Denial
from app.services.importing import Kind
from app.services.registry import Keeping
from app.services.shelf import Condition, Place
from app.views import messages
from app.views.measures import say_memory, say_size
from pipelines.families import FAMILIES

if TYPE_CHECKING:
    from app.services.needs import MemoryNeed
    from app.services.shelf import Shelved
    from app.viewmodels.download_offer import Refusal
    from pipelines.devices import Machine

translate = QCoreApplication.translate  # by this name lupdate finds the texts


def say_family(family: str) -> str:
    """The family's own name; a name is not translated."""
    known = FAMILIES.get(family)
    return known.title if known is not None else translate("ModelPhrases", "unknown family")


def say_kind(kind: Kind) -> str:
    """What sort of model it is."""
    return {
        Kind.pipeline: translate("ModelPhrases", "Complete model"),
        Kind.checkpoint: translate("ModelPhrases", "Checkpoint in one file"),
        Kind.network: translate("ModelPhrases", "Network alone"),
        Kind.text_encoder: translate("ModelPhrases", "Text encoder"),
        Kind.vae: translate("ModelPhrases", "VAE"),
        Kind.lora: translate("ModelPhrases", "LoRA"),
        Kind.controlnet: translate("ModelPhrases", "ControlNet"),
        Kind.embedding: translate("ModelPhrases", "Embedding"),
        Kind.upscaler: translate("ModelPhrases", "Upscaler"),
        Kind.unknown: translate("ModelPhrases", "Unknown sort of file"),
    }[kind]


def say_keeping(row: Shelved) -> str:
    """Whose the files are."""
    if row.place is Place.shipped:
        return translate("ModelPhrases", "Part of Firstlight")
    if row.model is None:
        return ""
    return {
        Keeping.downloaded: translate("ModelPhrases", "Downloaded by Firstlight"),
        Keeping.copied: translate("ModelPhrases", "Firstlight’s own copy"),
        Keeping.in_place: translate("ModelPhrases", "Used where it is; Firstlight never changes or deletes it"),
    }[row.model.keeping]


def say_short(row: Shelved) -> str:
    """The condition in a word or two, for a list."""
    return {
        Condition.ready: translate("ModelPhrases", "Ready"),
        Condition.part: say_kind(row.kind),
        Condition.absent: translate("ModelPhrases", "Not downloaded"),
        Condition.no_engine: translate("ModelPhrases", "Not supported yet"),
        Condition.gone: translate("ModelPhrases", "File missing"),
        Condition.changed: translate("ModelPhrases", "File changed"),
        Condition.damaged: translate("ModelPhrases", "Damaged"),
    }[row.condition]


def say_condition(row: Shelved) -> str:
    """The condition in a sentence, with what to do."""
    match row.condition:
        case Condition.ready:
            return translate("ModelPhrases", "Ready to draw with.")
        case Condition.part if row.kind is Kind.lora:
            return translate("ModelPhrases", "Ready. Add it to a picture under LoRAs on the Generate page.")
        case Condition.part:
            text = translate("ModelPhrases", "Whole, but only a part of a model: nothing is drawn with it alone.")
            return f"{text}\n{messages.translate(row.said)}" if row.said else text
        case Condition.absent:
            return translate("ModelPhrases", "Not on this computer yet.")
        case Condition.no_engine:
            text = translate("ModelPhrases", "This version of Firstlight cannot draw with it yet. It can be kept here.")
            return f"{text}\n{messages.translate(row.said)}" if row.said else text
        case Condition.gone:
            text = translate("ModelPhrases", "The file %1 is not there. If it is on a drive that is away, connect it.")
            return text.replace("%1", row.path)
        case Condition.changed:
            text = translate("ModelPhrases", "The file %1 is not the one that was added: its size has changed.")
            return text.replace("%1", row.path)
        case _:
            return messages.translate(row.said) or translate("ModelPhrases", "Its files are damaged.")


def say_caption(row: Shelved) -> str:
    """The second line of the list."""
    parts = [say_family(row.family) if row.family else "", say_size(row.size) if row.size else "", say_short(row)]
    return " · ".join(part for part in parts if part)


def say_memory_need(least: MemoryNeed, machine: Machine) -> str:
    """What a model needs of the memory, against what there is."""
    if machine.gpus:
        gpu = max(machine.gpus, key=lambda one: one.memory_total)
        text = (
            translate("ModelPhrases", "About %1 in %2. The %3 has %4: enough.")
            if least.fits
            else translate("ModelPhrases", "About %1 in %2, and the %3 has %4: it may not run, or only slowly.")
        )
        words = (say_memory(least.bytes), least.precision, gpu.name, say_memory(gpu.memory_total))
    else:
        text = (
            translate("ModelPhrases", "About %1 in %2. This computer has %4: enough, but slow without an NVIDIA GPU.")
            if least.fits
            else translate("ModelPhrases", "About %1 in %2, and this computer has %4: it will not run here.")
        )
        words = (say_memory(least.bytes), least.precision, "", say_memory(machine.memory_total))
    for number, word in enumerate(words, start=1):
        text = text.replace(f"%{number}", word)
    return text


def say_denial(denial: str, source: str, host: str) -> tuple[str, str]:
    """What a server wants, and what to do about it. `denial` is the value of a `hub.Denial`."""
    found = {
        Denial.no_token: (
            translate("ModelPhrases", "%1 is only given to those who have accepted its licence, and no token is kept."),
            translate("ModelPhrases", "Accept the licence on its page, make a token there, and enter it here."),
        ),
        Denial.bad_token: (
            translate("ModelPhrases", "%2 does not accept the token: it is wrong, or it was withdrawn."),
            translate("ModelPhrases", "Make a new token on its page and enter it here."),
        ),
        Denial.no_scope: (
            translate("ModelPhrases", "The token may not read models whose licence must be accepted."),
            translate(
                "ModelPhrases",
                "On the page of your tokens, allow it “Read access to contents of all public gated repos”.",
            ),
        ),
        Denial.no_licence: (
            translate("ModelPhrases", "The account of the token has not accepted the licence of %1, or waits for it."),
            translate("ModelPhrases", "Read and accept the licence on its page, then try again."),
        ),
        Denial.login: (
            translate("ModelPhrases", "%2 wants a login."),
            translate("ModelPhrases", "Make a token on its pages and enter it here."),
        ),
    }[Denial(denial)]
    return tuple(text.replace("%1", source).replace("%2", host) for text in found)  # pyright: ignore[reportReturnType]


def say_refusal(refusal: Refusal, source: str, host: str) -> str:
    """Why there is no offer, and what to do."""
    if refusal.denial:
        return "\n".join(say_denial(refusal.denial, source, host))
    return messages.say(refusal.failure)
