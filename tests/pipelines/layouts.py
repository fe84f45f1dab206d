"""Original layouts of single files, made from diffusers' networks: names and values as A1111 and BFL have them.

These are the inverse of diffusers' conversions, written down from the original networks' structure
(https://github.com/CompVis/stable-diffusion, https://github.com/mlfoundations/open_clip,
https://github.com/black-forest-labs/flux).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

_UNET = {
    "time_embedding.linear_1.": "time_embed.0.",
    "time_embedding.linear_2.": "time_embed.2.",
    "add_embedding.linear_1.": "label_emb.0.0.",
    "add_embedding.linear_2.": "label_emb.0.2.",
    "conv_in.": "input_blocks.0.0.",
    "conv_norm_out.": "out.0.",
    "conv_out.": "out.2.",
}
_RESNET = {
    "norm1.": "in_layers.0.", "conv1.": "in_layers.2.", "norm2.": "out_layers.0.", "conv2.": "out_layers.3.",
    "time_emb_proj.": "emb_layers.1.", "conv_shortcut.": "skip_connection.",
}  # fmt: skip


def unet(state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A UNet's tensors by their original names, without the prefix."""
    per_block = 1 + max(
        int(match[1]) for name in state_dict if (match := re.match(r"down_blocks\.0\.resnets\.(\d)", name))
    )
    with_attention = {match[0] for name in state_dict if (match := re.match(r"up_blocks\.\d\.attentions", name))}

    def rename(name: str) -> str:
        for ours, original in _UNET.items():
            if name.startswith(ours):
                return original + name.removeprefix(ours)
        if match := re.match(r"mid_block\.(resnets|attentions)\.(\d)\.(.*)", name):
            place = 2 * int(match[2]) if match[1] == "resnets" else 1
            return f"middle_block.{place}.{_inner(match[1], match[3])}"
        match = re.match(r"(down|up)_blocks\.(\d)\.(resnets|attentions|downsamplers|upsamplers)\.(\d)\.(.*)", name)
        assert match is not None, name
        side, block, kind, layer, rest = match[1], int(match[2]), match[3], int(match[4]), match[5]
        if kind == "downsamplers":
            return f"input_blocks.{(per_block + 1) * (block + 1)}.0.op.{rest.removeprefix('conv.')}"
        if kind == "upsamplers":
            place = 2 if f"up_blocks.{block}.attentions" in with_attention else 1
            return f"output_blocks.{(per_block + 1) * block + per_block}.{place}.{rest}"
        number = (per_block + 1) * block + layer + (1 if side == "down" else 0)
        blocks = "input_blocks" if side == "down" else "output_blocks"
        return f"{blocks}.{number}.{0 if kind == 'resnets' else 1}.{_inner(kind, rest)}"

    return {rename(name): tensor for name, tensor in state_dict.items()}


def _inner(kind: str, rest: str) -> str:
    if kind == "attentions":
        return rest
    for ours, original in _RESNET.items():
        if rest.startswith(ours):
            return original + rest.removeprefix(ours)
    raise AssertionError(rest)


def vae(state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A VAE's tensors by their original names: attention as convolutions of one pixel."""
    last = max(int(match[1]) for name in state_dict if (match := re.match(r"encoder\.down_blocks\.(\d)", name)))
    found: dict[str, Tensor] = {}
    for name, tensor in state_dict.items():
        new = re.sub(r"encoder\.down_blocks\.(\d)\.resnets\.", r"encoder.down.\1.block.", name)
        new = re.sub(r"encoder\.down_blocks\.(\d)\.downsamplers\.0\.", r"encoder.down.\1.downsample.", new)
        new = re.sub(
            r"decoder\.up_blocks\.(\d)\.resnets\.", lambda match: f"decoder.up.{last - int(match[1])}.block.", new
        )
        new = re.sub(
            r"decoder\.up_blocks\.(\d)\.upsamplers\.0\.",
            lambda match: f"decoder.up.{last - int(match[1])}.upsample.",
            new,
        )
        new = re.sub(r"mid_block\.resnets\.(\d)\.", lambda match: f"mid.block_{int(match[1]) + 1}.", new)
        new = new.replace("conv_shortcut", "nin_shortcut").replace("conv_norm_out", "norm_out")
        if "mid_block.attentions.0." in new:
            new = new.replace("mid_block.attentions.0.", "mid.attn_1.").replace("group_norm.", "norm.")
            new = (
                new.replace("to_q.", "q.")
                .replace("to_k.", "k.")
                .replace("to_v.", "v.")
                .replace("to_out.0.", "proj_out.")
            )
            if new.endswith("weight") and ".norm." not in new:
                tensor = tensor[:, :, None, None]
        found[new] = tensor
    return found


def clip(state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """OpenAI's CLIP as transformers had it when these files were made, with its places, which are no weights."""
    found = {f"text_model.{name.removeprefix('text_model.')}": tensor for name, tensor in state_dict.items()}
    found["text_model.embeddings.position_ids"] = torch.arange(77)[None]
    return found


def open_clip(state_dict: Mapping[str, Tensor], *, extra_block: bool) -> dict[str, Tensor]:
    """OpenCLIP: query, key and value in one. `extra_block`: the last, which Stable Diffusion 2 does not use."""
    plain = {name.removeprefix("text_model."): tensor for name, tensor in state_dict.items()}
    blocks = 1 + max(int(match[1]) for name in plain if (match := re.match(r"encoder\.layers\.(\d+)", name)))
    width = plain["final_layer_norm.weight"].shape[0]
    like = plain["final_layer_norm.weight"]
    found = {
        "token_embedding.weight": plain["embeddings.token_embedding.weight"],
        "positional_embedding": plain["embeddings.position_embedding.weight"],
        "ln_final.weight": plain["final_layer_norm.weight"],
        "ln_final.bias": plain["final_layer_norm.bias"],
        "logit_scale": torch.ones((), device=like.device),
        "text_projection": plain["text_projection.weight"].T
        if "text_projection.weight" in plain
        else torch.zeros(width, width, device=like.device),
    }
    for i in range(blocks + extra_block):
        source = f"encoder.layers.{min(i, blocks - 1)}."
        target = f"transformer.resblocks.{i}."
        for part in ("weight", "bias"):
            found[f"{target}attn.in_proj_{part}"] = torch.cat(
                [plain[f"{source}self_attn.{one}_proj.{part}"] for one in "qkv"]
            )
            for ours, original in (
                ("self_attn.out_proj", "attn.out_proj"), ("layer_norm1", "ln_1"), ("layer_norm2", "ln_2"),
                ("mlp.fc1", "mlp.c_fc"), ("mlp.fc2", "mlp.c_proj"),
            ):  # fmt: skip
                found[f"{target}{original}.{part}"] = plain[f"{source}{ours}.{part}"]
    return found


_FLUX_DOUBLE = {
    "norm1.linear.": "img_mod.lin.", "norm1_context.linear.": "txt_mod.lin.",
    "attn.norm_q.weight": "img_attn.norm.query_norm.scale", "attn.norm_k.weight": "img_attn.norm.key_norm.scale",
    "attn.norm_added_q.weight": "txt_attn.norm.query_norm.scale",
    "attn.norm_added_k.weight": "txt_attn.norm.key_norm.scale",
    "attn.to_out.0.": "img_attn.proj.", "attn.to_add_out.": "txt_attn.proj.",
    "ff.net.0.proj.": "img_mlp.0.", "ff.net.2.": "img_mlp.2.",
    "ff_context.net.0.proj.": "txt_mlp.0.", "ff_context.net.2.": "txt_mlp.2.",
}  # fmt: skip
_FLUX_SINGLE = {
    "norm.linear.": "modulation.lin.", "proj_out.": "linear2.",
    "attn.norm_q.weight": "norm.query_norm.scale", "attn.norm_k.weight": "norm.key_norm.scale",
}  # fmt: skip
_FLUX = {
    "x_embedder.": "img_in.", "context_embedder.": "txt_in.",
    "time_text_embed.timestep_embedder.linear_1.": "time_in.in_layer.",
    "time_text_embed.timestep_embedder.linear_2.": "time_in.out_layer.",
    "time_text_embed.guidance_embedder.linear_1.": "guidance_in.in_layer.",
    "time_text_embed.guidance_embedder.linear_2.": "guidance_in.out_layer.",
    "time_text_embed.text_embedder.linear_1.": "vector_in.in_layer.",
    "time_text_embed.text_embedder.linear_2.": "vector_in.out_layer.",
    "proj_out.": "final_layer.linear.",
}  # fmt: skip


def flux(state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """FLUX.1's transformer as Black Forest Labs lay it out."""
    found: dict[str, Tensor] = {}
    for name, tensor in state_dict.items():
        if "to_q." in name or "add_q_proj." in name:
            found |= _join(name, state_dict)
        elif not re.search(r"\.(to_[kv]|add_[kv]_proj|proj_mlp)\.", name):
            found |= _rename_flux(name, tensor)
    return found


def _join(name: str, state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    part = name.rpartition(".")[2]
    stem = name.rpartition(".attn.")[0]
    if "add_q_proj" in name:
        tensors = [state_dict[f"{stem}.attn.add_{one}_proj.{part}"] for one in "qkv"]
        return {f"{stem.replace('transformer_blocks', 'double_blocks')}.txt_attn.qkv.{part}": torch.cat(tensors)}
    tensors = [state_dict[f"{stem}.attn.to_{one}.{part}"] for one in "qkv"]
    if stem.startswith("single"):
        tensors.append(state_dict[f"{stem}.proj_mlp.{part}"])
        return {f"{stem.replace('single_transformer_blocks', 'single_blocks')}.linear1.{part}": torch.cat(tensors)}
    return {f"{stem.replace('transformer_blocks', 'double_blocks')}.img_attn.qkv.{part}": torch.cat(tensors)}


def _rename_flux(name: str, tensor: Tensor) -> dict[str, Tensor]:
    if name.startswith("norm_out.linear."):
        scale, shift = tensor.chunk(2)  # the original has them the other way round
        return {f"final_layer.adaLN_modulation.1.{name.rpartition('.')[2]}": torch.cat([shift, scale])}
    table = _FLUX
    stem = ""
    if match := re.match(r"(single_)?transformer_blocks\.(\d+)\.(.*)", name):
        table = _FLUX_SINGLE if match[1] else _FLUX_DOUBLE
        stem, name = f"{'single' if match[1] else 'double'}_blocks.{match[2]}.", match[3]
    for ours, original in table.items():
        if name.startswith(ours):
            return {f"{stem}{original}{name.removeprefix(ours)}": tensor}
    raise AssertionError(name)


def controlnet(state_dict: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A ControlNet's tensors by their original names (https://github.com/lllyasviel/ControlNet, cldm/cldm.py)."""
    renamed: dict[str, Tensor] = {}
    copied: dict[str, Tensor] = {}
    for name, tensor in state_dict.items():
        new = re.sub(r"^controlnet_down_blocks\.(\d+)\.", r"zero_convs.\1.0.", name)
        new = new.replace("controlnet_mid_block.", "middle_block_out.0.")
        new = new.replace("controlnet_cond_embedding.conv_in.", "input_hint_block.0.")
        new = new.replace("controlnet_cond_embedding.conv_out.", "input_hint_block.14.")
        if match := re.match(r"controlnet_cond_embedding\.blocks\.(\d)\.", name):
            new = f"input_hint_block.{2 * int(match[1]) + 2}.{name.removeprefix(match[0])}"
        (copied if new == name else renamed)[new] = tensor
    return {f"control_model.{name}": tensor for name, tensor in {**unet(copied), **renamed}.items()}
