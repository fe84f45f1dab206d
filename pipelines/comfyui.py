"""Settings out of the node graph that ComfyUI stores in its pictures (its "prompt" JSON, API format).

The graph maps a node's id to `{"class_type": …, "inputs": {name: value or [id of a node, output]}}`. There
is no fixed place for anything: the sampler is the node with a seed and steps, and texts are found along its
links.
"""

from __future__ import annotations

import json
import math
from typing import cast

from pipelines.a1111 import Parameters

# ComfyUI's input names, and A1111's names for the same
_SAMPLER_INPUTS = {
    "steps": "Steps",
    "sampler_name": "Sampler",
    "scheduler": "Schedule type",
    "cfg": "CFG scale",
    "guidance": "Distilled CFG scale",
    "seed": "Seed",
    "noise_seed": "Seed",
    "denoise": "Denoising strength",
}
_TEXT_INPUTS = ("text", "t5xxl", "text_g", "clip_l", "value", "string")
_OTHER_INPUTS = {"ckpt_name": "Model", "unet_name": "Model", "lora_name": "Lora", "vae_name": "VAE"}

_NO_TEXT = ("ConditioningZeroOut",)  # the text that goes in is not what comes out

_Node = dict[str, object]  # a node's inputs


def parse_comfyui(text: str) -> Parameters | None:
    """Read the graph; None where it is none. A bare NaN, which ComfyUI writes, is skipped."""
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    nodes = _nodes(document)
    if not nodes:
        return None
    settings: list[tuple[str, str]] = []
    for names in (_SAMPLER_INPUTS, _OTHER_INPUTS):
        for name, title in names.items():
            settings += [(title, str(node[name])) for node in nodes.values() if _is_value(node.get(name))]
    size = next((n for n in nodes.values() if _is_value(n.get("width")) and _is_value(n.get("height"))), None)
    if size is not None:
        settings.append(("Size", f"{size['width']}x{size['height']}"))
    return Parameters(
        prompt=_text_behind(nodes, "positive", "conditioning"),
        negative_prompt=_text_behind(nodes, "negative"),
        settings=tuple(dict.fromkeys(settings)),
    )


def _nodes(document: object) -> dict[str, _Node]:
    """The inputs of the nodes, by their ids."""
    if not isinstance(document, dict):
        return {}
    found: dict[str, _Node] = {}
    for key, node in cast("dict[str, object]", document).items():
        fields = cast("_Node", node) if isinstance(node, dict) else {}
        inputs = fields.get("inputs")
        if isinstance(inputs, dict) and fields.get("class_type") not in _NO_TEXT:
            found[key] = cast("_Node", inputs)
    return found


def _is_value(value: object) -> bool:
    """Whether an input is typed in rather than linked to another node, and is a value at all."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _text_behind(nodes: dict[str, _Node], *names: str) -> str:
    """Follow the inputs of these names, link by link, to a text."""
    for node in nodes.values():
        if text := _follow(nodes, [link for name in names if (link := _link(node.get(name)))], names):
            return text
    return ""


def _follow(nodes: dict[str, _Node], pending: list[str], names: tuple[str, ...]) -> str:
    seen = set[str]()
    while pending:
        key = pending.pop()
        if key in seen or key not in nodes:
            continue
        seen.add(key)
        inputs = nodes[key]
        for name in _TEXT_INPUTS:
            if isinstance(text := inputs.get(name), str):
                return text
        # A node such as a ControlNet passes several texts on: stay on the one that was asked for.
        same = [link for name in names if (link := _link(inputs.get(name)))]
        pending += same or [link for value in inputs.values() if (link := _link(value))]
    return ""


def _link(value: object) -> str:
    """The id of the node that an input comes from; empty where it is typed in."""
    return str(cast("list[object]", value)[0]) if isinstance(value, list) and value else ""
