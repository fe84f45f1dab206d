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


UNET = "model.diffusion_model."  # what A1111 and ComfyUI put before the denoiser's own names
_CROSS_ATTENTION = "input_blocks.2.1.transformer_blocks.0.attn2.to_k.weight"  # SD's first: its inputs tell 1 from 2
_XL_SECOND_ENCODER = "conditioner.embedders.1."
# Other families, to say by name what cannot be drawn with
_OTHERS = (
    ("joint_blocks.", "Stable Diffusion 3"),
    ("single_stream_modulation.", "FLUX.2"),
    ("distilled_guidance_layer.", "Chroma"),
    ("cap_embedder.", "Z-Image or Lumina 2"),
    ("double_stream_blocks.", "HiDream"),
    ("transformer_blocks.0.img_mod.", "Qwen-Image"),
    ("conditioner.embedders.0.model.", "the SDXL refiner"),
)


def classify(tensors: Iterable[str]) -> tuple[Kind, str]:
    """What a file is and its family ("" where unknown), by its tensors' names."""
    names = set(tensors)
    text = "\n".join(names)  # one search in a long text is much faster than many in short ones

    def has(*parts: str) -> bool:
        return any(part in text for part in parts)

    if has("lora_up.", "lora_down.", ".lora_A.", ".lora_B.", "lora_unet_", "lora_te", ".hada_w1_a", ".lokr_w1"):
        return Kind.lora, _lora_family(has)
    if has("control_model.", "controlnet_cond_embedding.", "controlnet_blocks."):
        return Kind.controlnet, ""
    family = _network_family(has)
    whole = has("cond_stage_model.", "conditioner.embedders.", "text_encoders.")
    if family:
        return (Kind.checkpoint if whole else Kind.network), family
    if has("encoder.block.0.layer.0.SelfAttention.", "text_model.encoder.layers.0."):
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
    if has(_XL_SECOND_ENCODER, "add_embedding.linear_1.", "diffusion_model.label_emb."):
        return "sdxl"
    return "sd"


def _lora_family(has: Callable[..., bool]) -> str:
    if has("double_blocks", "single_blocks", "single_transformer_blocks"):
        return "flux"
    if has("lora_te2_", "text_encoder_2."):
        return "sdxl"
    return "sd" if has("lora_te_", "lora_unet_down_blocks") else ""
