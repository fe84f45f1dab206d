"""SwarmUI's settings in its pictures: JSON in the PNG text `parameters` or the EXIF UserComment.

As SwarmUI's own `docs/Image Metadata Format.md` has it: `sui_image_params` maps parameters (names in lower case
without spaces and digits) to values, which may be numbers or the same as text, and lists or text with commas; none is
sure to be there. `sui_extra_data` may have the prompt before wildcards were filled in; the one that was used counts.
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
    ("Sampler", ("sampler", "comfyuisampler", "autowebuisampler")),
    ("Schedule type", ("scheduler", "comfyuischeduler")),
    ("Distilled CFG scale", ("fluxguidancescale",)),
    ("CFG scale", ("cfgscale",)),
    ("Seed", ("seed",)),
    ("Model", ("model",)),
    ("VAE", ("vae",)),
    ("Version", ("swarm_version",)),
)


def parse_swarmui(text: str) -> Parameters | None:
    """Read it; None where it is no such JSON."""
    fields = as_object((read_object(text) or {}).get("sui_image_params"))
    if fields is None:
        return None
    pairs = settings_from(fields, _NAMES) + size_of(fields)
    if "initimage" in fields or "initimagecreativity" in fields:
        pairs += settings_from(fields, (("Denoising strength", ("initimagecreativity",)),))
    names, weights = _texts(fields, "loras"), _texts(fields, "loraweights")
    weights += [""] * (len(names) - len(weights))
    pairs += loras_of(zip(names, weights, strict=False))
    return Parameters(first_text(fields, "prompt"), first_text(fields, "negativeprompt"), tuple(pairs))


def _texts(fields: Fields, name: str) -> list[str]:
    value = fields.get(name)
    parts = [text_of(part) for part in as_list(value)] or text_of(value).split(",")
    return [part.strip() for part in parts]
