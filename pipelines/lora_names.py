"""What LoRA files call the layers of a network: every spelling of every trainer. Pure; standard library only.

The spellings: diffusers' and peft's own names with dots; kohya's and LyCORIS' with underscores; and each of them for
the original networks' names too (CompVis' UNet, Black Forest Labs' transformer, whose query, key and value are one
layer). XLabs' and diffusers' older ones name the attention's processor. Sources: kohya-ss/sd-scripts
`networks/lora*.py`, KohakuBlueleaf/LyCORIS, diffusers `loaders/lora_conversion_utils.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Target:
    """Rows `start` to `stop` of what a file has for one of its layers act on `layer`; all of them where it is None."""

    layer: str
    start: int = 0
    stop: int | None = None


Targets = tuple[Target, ...]
COMPONENTS = ("text_encoder", "text_encoder_2", "unet", "transformer")

# Before names with dots, and before names with underscores
_DOTTED = {
    "unet": ("unet.", "diffusion_model.", "model.diffusion_model.", "base_model.model.", ""),
    "transformer": ("transformer.", "diffusion_model.", "model.diffusion_model.", "base_model.model.", ""),
    "text_encoder": ("text_encoder.", "text_encoders.clip_l.transformer.", "cond_stage_model.transformer."),
    "text_encoder_2": ("text_encoder_2.", "text_encoders.t5xxl.transformer.", "text_encoders.clip_g.transformer."),
}
_UNDERSCORED = {
    "unet": ("lora_unet_", "lycoris_"),
    "transformer": ("lora_unet_", "lora_transformer_", "lycoris_"),
    "text_encoder": ("lora_te_", "lora_te1_"),
    "text_encoder_2": ("lora_te2_", "lora_te3_"),
}
_RESNET = {
    "conv1": "in_layers.2", "conv2": "out_layers.3", "time_emb_proj": "emb_layers.1",
    "conv_shortcut": "skip_connection",
}  # fmt: skip
_UNET_ENDS = {
    "time_embedding.linear_1": "time_embed.0", "time_embedding.linear_2": "time_embed.2",
    "add_embedding.linear_1": "label_emb.0.0", "add_embedding.linear_2": "label_emb.0.2",
    "conv_in": "input_blocks.0.0", "conv_out": "out.2",
}  # fmt: skip
_UNET_BLOCK = re.compile(
    r"(?P<side>down|up)_blocks\.(?P<block>\d)\.(?P<kind>resnets|attentions|downsamplers|upsamplers)\.(?P<layer>\d)\."
    r"(?P<rest>.*)"
)
_FLUX_ENDS = {
    "x_embedder": "img_in", "context_embedder": "txt_in", "proj_out": "final_layer.linear",
    "time_text_embed.timestep_embedder.linear_1": "time_in.in_layer",
    "time_text_embed.timestep_embedder.linear_2": "time_in.out_layer",
    "time_text_embed.guidance_embedder.linear_1": "guidance_in.in_layer",
    "time_text_embed.guidance_embedder.linear_2": "guidance_in.out_layer",
    "time_text_embed.text_embedder.linear_1": "vector_in.in_layer",
    "time_text_embed.text_embedder.linear_2": "vector_in.out_layer",
}  # fmt: skip
_FLUX_DOUBLE = {
    "img_attn.qkv": ("attn.to_q", "attn.to_k", "attn.to_v"),
    "txt_attn.qkv": ("attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj"),
    "img_attn.proj": ("attn.to_out.0",), "txt_attn.proj": ("attn.to_add_out",),
    "img_mlp.0": ("ff.net.0.proj",), "img_mlp.2": ("ff.net.2",),
    "txt_mlp.0": ("ff_context.net.0.proj",), "txt_mlp.2": ("ff_context.net.2",),
    "img_mod.lin": ("norm1.linear",), "txt_mod.lin": ("norm1_context.linear",),
}  # fmt: skip
_FLUX_SINGLE = {
    "linear1": ("attn.to_q", "attn.to_k", "attn.to_v", "proj_mlp"), "linear2": ("proj_out",),
    "modulation.lin": ("norm.linear",),
}  # fmt: skip
_XLABS = {
    "img_attn.qkv": "processor.qkv_lora1", "txt_attn.qkv": "processor.qkv_lora2",
    "img_attn.proj": "processor.proj_lora1", "txt_attn.proj": "processor.proj_lora2",
}  # fmt: skip
_OLD_ATTENTION = re.compile(r"(.*\.attn\d?)\.(to_q|to_k|to_v|to_out)(\.0)?$")


def find_aliases(component: str, layers: Mapping[str, int]) -> dict[str, Targets]:
    """All names that files have for the layers of a component, to what they act on.

    `layers` maps the layers that a LoRA can act on to their numbers of outputs.
    """
    names = dict(_plain(component, layers))
    found: dict[str, Targets] = {}
    for name, targets in names.items():
        for prefix in _DOTTED[component]:
            found[prefix + name] = targets
        for prefix in _UNDERSCORED[component]:
            found[prefix + name.replace(".", "_")] = targets
    return found


def _plain(component: str, layers: Mapping[str, int]) -> Iterator[tuple[str, Targets]]:
    for layer in layers:
        whole = (Target(layer),)
        yield layer, whole
        if component.startswith("text_encoder") and "layers." in layer:
            # transformers once had all of CLIP below `text_model`, and has not any more
            yield f"text_model.{layer.removeprefix('text_model.')}", whole
        if match := _OLD_ATTENTION.match(layer):
            yield f"{match[1]}.processor.{match[2]}_lora", whole
    if component == "unet":
        yield from _unet(layers)
    elif component == "transformer":
        yield from _flux(layers)


def _unet(layers: Mapping[str, int]) -> Iterator[tuple[str, Targets]]:
    """CompVis' names."""
    matches = [match for name in layers if (match := _UNET_BLOCK.match(name))]
    per_block = 1 + max((int(match["layer"]) for match in matches if match["side"] == "down"), default=0)
    attends = {match["block"] for match in matches if match["side"] == "up" and match["kind"] == "attentions"}
    for name in layers:
        original = _UNET_ENDS.get(name) or _middle(name)
        if original is None and (match := _UNET_BLOCK.match(name)):
            original = _place(match, per_block, attends)
        if original is not None:
            yield original, (Target(name),)


def _middle(name: str) -> str | None:
    match = re.match(r"mid_block\.(resnets|attentions)\.(\d)\.(.*)", name)
    if match is None:
        return None
    if match[1] == "attentions":
        return f"middle_block.1.{match[3]}"
    return f"middle_block.{2 * int(match[2])}.{_RESNET[match[3]]}"


def _place(match: re.Match[str], per_block: int, attends: Iterable[str]) -> str:
    """CompVis number the layers of a side through: `per_block` and a change of size on the way down, one more up."""
    block, layer, rest = int(match["block"]), int(match["layer"]), match["rest"]
    step = per_block + 1
    match match["kind"]:
        case "downsamplers":
            return f"input_blocks.{step * (block + 1)}.0.op"
        case "upsamplers":
            return f"output_blocks.{step * block + per_block}.{2 if match['block'] in attends else 1}.{rest}"
        case "resnets":
            inner = f"0.{_RESNET[rest]}"
        case _:
            inner = f"1.{rest}"
    if match["side"] == "down":
        return f"input_blocks.{step * block + layer + 1}.{inner}"
    return f"output_blocks.{step * block + layer}.{inner}"


def _flux(layers: Mapping[str, int]) -> Iterator[tuple[str, Targets]]:
    """Black Forest Labs' names, and XLabs' for those."""
    for name in layers:
        if name in _FLUX_ENDS:
            yield _FLUX_ENDS[name], (Target(name),)
    blocks = sorted(
        {match[0] for name in layers if (match := re.match(r"(?:single_)?transformer_blocks\.\d+\.", name))}
    )
    for block in blocks:
        number = block.split(".")[1]
        single = block.startswith("single")
        for original, parts in (_FLUX_SINGLE if single else _FLUX_DOUBLE).items():
            targets = _join([block + part for part in parts], layers)
            if targets:
                yield f"{'single' if single else 'double'}_blocks.{number}.{original}", targets
                if original in _XLABS:
                    yield f"double_blocks.{number}.{_XLABS[original]}", targets


def _join(names: list[str], layers: Mapping[str, int]) -> Targets:
    """One layer of a file for several of the network's, one below the other."""
    if not all(name in layers for name in names):
        return ()
    if len(names) == 1:
        return (Target(names[0]),)
    targets: list[Target] = []
    start = 0
    for name in names:
        targets.append(Target(name, start, start + layers[name]))
        start += layers[name]
    return tuple(targets)
