"""InvokeAI's settings in its pictures: the PNG text `invokeai_metadata`, and `sd-metadata` of version 2.

The first is the JSON of InvokeAI's `CoreMetadataInvocation` (`invokeai/app/invocations/metadata.py`; the FLUX graphs
of its web page add `guidance`). A model is an object that has `name`, before version 4 `model_name`. The second has all
under `image`, where the prompt is a list of texts with weights.
"""

from __future__ import annotations

from pipelines.a1111 import Parameters
from pipelines.foreign_json import (
    Fields,
    as_list,
    as_object,
    first_text,
    loras_of,
    read_object,
    settings_from,
    size_of,
    text_of,
)

_NAMES = (
    ("Steps", ("steps",)),
    ("Sampler", ("scheduler", "sampler")),
    ("Distilled CFG scale", ("guidance",)),
    ("CFG scale", ("cfg_scale",)),
    ("Seed", ("seed",)),
    ("Denoising strength", ("strength",)),
)
_MARKS = ("positive_prompt", "generation_mode", "app_version")  # one of them tells InvokeAI from others


def parse_invokeai(text: str) -> Parameters | None:
    """Read it; None where it is no such JSON."""
    document = read_object(text)
    if document is None:
        return None
    image = as_object(document.get("image")) or document
    if not any(mark in document for mark in _MARKS):
        return None
    model = _model_name(document.get("model")) or first_text(document, "model_weights")
    pairs = settings_from(image, _NAMES) + size_of(image)
    if model:
        pairs.append(("Model", model))
    pairs += loras_of(_loras(document)) + settings_from(document, (("Version", ("app_version",)),))
    return Parameters(_prompt(image), first_text(image, "negative_prompt"), tuple(pairs))


def _prompt(image: Fields) -> str:
    texts = as_list(image.get("prompt"))
    if not texts:
        return first_text(image, "positive_prompt", "prompt")
    return " ".join(text_of((as_object(part) or {}).get("prompt")) for part in texts).strip()


def _loras(document: Fields) -> list[tuple[str, str]]:
    entries = [as_object(entry) or {} for entry in as_list(document.get("loras"))]
    return [(_model_name(entry.get("model") or entry.get("lora")), text_of(entry.get("weight"))) for entry in entries]


def _model_name(value: object) -> str:
    """The name of a model, which some versions tell as plain text."""
    return text_of(value) or first_text(as_object(value) or {}, "name", "model_name")
