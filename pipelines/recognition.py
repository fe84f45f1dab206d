"""What a model file is, by the names and shapes in its header alone. Standard library only.

The one table of marks for all of Firstlight: importing, `models show` and loading use it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipelines.weights import TensorInfo


class Kind(Enum):
    """What a model file is."""

    pipeline = "diffusers folder"
    checkpoint = "checkpoint"
    network = "network"
    text_encoder = "text encoder"
    vae = "VAE"
    lora = "LoRA"
    controlnet = "ControlNet"
    embedding = "embedding"
    upscaler = "upscaler"
    unknown = "unknown"


T5_NAMES = ("encoder.block.0.layer.0.SelfAttention.q.weight", "enc.blk.0.attn_q.weight")  # transformers', llama.cpp's
UNET = "model.diffusion_model."  # what A1111 and ComfyUI put before the denoiser's own names
CONTROL = "control_model."  # and before a ControlNet's
_CROSS_ATTENTION = "input_blocks.2.1.transformer_blocks.0.attn2.to_k.weight"  # SD's first: its inputs tell 1 from 2
_XL_SECOND_ENCODER = "conditioner.embedders.1."
_XL_REFINER = "conditioner.embedders.0.model."  # its one encoder, the second of SDXL's
# Other families, to say by name what cannot be drawn with
_OTHERS = (
    ("joint_blocks.", "Stable Diffusion 3"),
    ("single_stream_modulation.", "FLUX.2"),
    ("distilled_guidance_layer.", "Chroma"),
    ("cap_embedder.", "Z-Image or Lumina 2"),
    ("double_stream_blocks.", "HiDream"),
    ("transformer_blocks.0.img_mod.", "Qwen-Image"),
)
# A cross attention of a ControlNet, whose inputs tell 1 from 2, in both layouts; and SDXL's deepest, which tells the
# full network from the smaller ones that were published too
_CONTROL_ATTENTIONS = (_CROSS_ATTENTION, "down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight")
_CONTROL_XL = "down_blocks.2.attentions.0.transformer_blocks.9.attn2.to_k.weight"
_OTHER_CONTROLS = (
    ("task_embedding", "ControlNet Union"),
    ("lora_controlnet", "a Control-LoRA"),
    ("double_blocks.", "a ControlNet of FLUX.1 in the layout of XLabs"),
    ("pos_embed_input.", "a ControlNet of Stable Diffusion 3"),
    ("difference", "the difference between a ControlNet and a checkpoint"),
)


def classify(tensors: Iterable[str]) -> tuple[Kind, str]:
    """What a file is and its family ("" where unknown), by its tensors' names."""
    names = set(tensors)
    text = "\n".join(names)  # one search in a long text is much faster than many in short ones

    def has(*parts: str) -> bool:
        return any(part in text for part in parts)

    if has("lora_up.", "lora_down.", ".lora_A.", ".lora_B.", "lora_unet_", "lora_te", ".hada_w1_a", ".lokr_w1"):
        return Kind.lora, _lora_family(has)
    if has("control_model.", "controlnet_cond_embedding.", "controlnet_blocks.", "input_hint_block."):
        return Kind.controlnet, "" if name_other_controlnet(names) else _control_family(has)
    family = _network_family(has)
    whole = has("cond_stage_model.", "conditioner.embedders.", "text_encoders.")
    if family:
        return (Kind.checkpoint if whole else Kind.network), family
    if has(*T5_NAMES, "text_model.encoder.layers.0."):
        return Kind.text_encoder, ""
    if has("decoder.conv_in.") and has("encoder.conv_in."):
        return Kind.vae, ""
    if names & {"emb_params", "clip_l", "clip_g"}:
        return Kind.embedding, ""
    return Kind.unknown, ""


def name_other(names: Iterable[str]) -> str:
    """The family of a checkpoint that is none of ours, or an empty text."""
    text = "\n".join(names)
    return next((family for mark, family in _OTHERS if mark in text), "")


def name_other_controlnet(names: Iterable[str]) -> str:
    """What a ControlNet's file is where this version cannot run it, or an empty text."""
    text = "\n".join(names)
    return next((what for mark, what in _OTHER_CONTROLS if mark in text), "")


def find_control_row(header: Mapping[str, TensorInfo]) -> str:
    """The row of the catalog whose UNet a ControlNet's file is made for, or an empty text."""
    kind, family = classify(header)
    if kind is not Kind.controlnet:
        return ""
    if family == "sdxl":
        return "sdxl-1.0" if _CONTROL_XL in header else ""
    found = (header.get(prefix + name) for name in _CONTROL_ATTENTIONS for prefix in ("", CONTROL))
    width = next((tensor.shape[-1] for tensor in found if tensor is not None), 0)
    return {768: "sd-1.5", 1024: "sd-2.1"}.get(width, "") if family == "sd" else ""


def find_row(header: Mapping[str, TensorInfo], stem: str) -> str:
    """The row of the catalog that a single file with a denoiser is of, or an empty text.

    Names and shapes tell the architecture. What they cannot tell, how it was trained, is read from the file's name
    `stem`: Kontext has FLUX.1 [dev]'s tensors, Turbo and Lightning those of SDXL, and Stable Diffusion 2.1 predicts v
    in its large version alone.
    """
    kind, family = classify(header)
    word = stem.casefold()
    if kind not in (Kind.checkpoint, Kind.network):
        return ""
    if family == "flux":
        return _find_flux(header, word)
    if family == "sdxl-refiner":
        return "sdxl-refiner-1.0"
    fills = _inputs(header, "input_blocks.0.0.weight") == 9
    if family == "sdxl":
        trained = next((name for name in ("turbo", "lightning") if name in word), "")
        return "" if fills else (f"sdxl-{trained}" if trained else "sdxl-1.0")
    width = _inputs(header, _CROSS_ATTENTION)
    if width == 768:
        return "sd-1.5-inpainting" if fills else "sd-1.5"
    if width == 1024 and not fills:
        return "sd-2.1-base" if "base" in word or "512" in word else "sd-2.1"
    return ""


def _find_flux(header: Mapping[str, TensorInfo], word: str) -> str:
    inputs = _inputs(header, "img_in.weight") or _inputs(header, "x_embedder.weight")
    if not any("guidance_in." in name or "guidance_embedder." in name for name in header):
        return "flux.1-schnell" if inputs == 64 else ""
    if inputs == 384:
        return "flux.1-fill-dev"
    if inputs != 64:
        return ""
    return "flux.1-kontext-dev" if "kontext" in word else "flux.1-dev"


def _inputs(header: Mapping[str, TensorInfo], name: str) -> int:
    """The second size of that tensor of the denoiser; 0 where it is not there."""
    tensor = header.get(UNET + name) or header.get(name)
    return tensor.shape[1] if tensor is not None and len(tensor.shape) > 1 else 0


def _network_family(has: Callable[..., bool]) -> str:
    if has("single_stream_modulation.", "distilled_guidance_layer."):
        return ""  # FLUX.2 and Chroma have double blocks too
    if has("double_blocks.0.img_attn.", "single_transformer_blocks.0."):
        return "flux"
    if not has("model.diffusion_model.input_blocks.", "down_blocks.0.resnets.0.time_emb_proj."):
        return ""
    if has(_XL_REFINER):
        return "sdxl-refiner"
    if has(_XL_SECOND_ENCODER, "add_embedding.linear_1.", "diffusion_model.label_emb."):
        return "sdxl"
    return "sd"


def _control_family(has: Callable[..., bool]) -> str:
    if has("controlnet_x_embedder."):
        return "flux"
    if not has("controlnet_cond_embedding.", "input_hint_block."):
        return ""
    return "sdxl" if has("add_embedding.linear_1.", "label_emb.") else "sd"


def _lora_family(has: Callable[..., bool]) -> str:
    if has("double_blocks", "single_blocks", "single_transformer_blocks"):
        return "flux"
    if has("lora_te2_", "text_encoder_2."):
        return "sdxl"
    return "sd" if has("lora_te_", "lora_unet_down_blocks") else ""
