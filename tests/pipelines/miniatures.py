"""Models of random weights in the true layout of every family, small enough to draw in a blink."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import resources
from tests.conftest import make_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SD_VAE = {
    "down_block_types": ["DownEncoderBlock2D"] * 4,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
    "block_out_channels": [8, 8, 8, 8],
    "layers_per_block": 1,
    "latent_channels": 4,
    "norm_num_groups": 4,
    "scaling_factor": 0.18215,
}
SD_BLOCKS = (
    ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"],
    ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3,
)
XL_BLOCKS = (
    ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
    ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"],
)
REFINER_BLOCKS = (
    ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
    ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"],
)
PNDM = {"beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "steps_offset": 1}
WIDTH = 32  # of every text encoder


@dataclass(frozen=True, slots=True)
class Miniature:
    """One kind of model. `has` what its pipeline can do beside drawing from the prompt alone."""

    name: str
    model_class: str
    from_prompt: bool = True
    from_picture: bool = True


MINIATURES = (
    Miniature("sd15", "StableDiffusionPipeline"),
    Miniature("sd15-inpainting", "StableDiffusionInpaintPipeline", from_prompt=False, from_picture=False),
    Miniature("sd21", "StableDiffusionPipeline"),
    Miniature("sd21-v", "StableDiffusionPipeline"),
    Miniature("sdxl", "StableDiffusionXLPipeline"),
    Miniature("sdxl-turbo", "StableDiffusionXLPipeline"),
    Miniature("flux", "FluxPipeline"),
    Miniature("kontext", "FluxKontextPipeline"),
    Miniature("fill", "FluxFillPipeline", from_prompt=False, from_picture=False),
    Miniature("z-image", "ZImagePipeline"),
)
REFINER = Miniature("sdxl-refiner", "StableDiffusionXLImg2ImgPipeline", from_prompt=False)


def make(kind: Miniature, folder: Path) -> Path:
    """Write it and return its folder."""
    if kind.name.startswith("sd"):
        _make_stable_diffusion(kind, folder)
    elif kind.name == "z-image":
        _make_z_image(folder)
    else:
        _make_flux(kind, folder)
    return folder


def make_controlnet(model: Path, folder: Path, seed: int = 7) -> Path:
    """A ControlNet for a model of Stable Diffusion, which adds something: those that were not trained add zeros."""
    import torch
    from diffusers.models.controlnets.controlnet import ControlNetModel
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

    unet = cast("UNet2DConditionModel", UNet2DConditionModel.from_pretrained(str(model / "unet")))
    torch.manual_seed(seed)
    network = ControlNetModel.from_unet(unet, load_weights_from_unet=False)
    for name, parameter in network.named_parameters():
        if not parameter.any() and name.endswith("weight"):
            torch.nn.init.normal_(parameter, std=0.1)
    network.save_pretrained(folder)
    return folder


def _make_flux(kind: Miniature, folder: Path) -> None:
    import torch
    from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel

    make_tiny_model(folder)
    index = json.loads((folder / "model_index.json").read_text())
    index["_class_name"] = kind.model_class
    (folder / "model_index.json").write_text(json.dumps(index))
    (folder / "starter.json").unlink()
    if kind.name == "fill":
        shutil.rmtree(folder / "transformer")
        torch.manual_seed(3)
        FluxTransformer2DModel(
            in_channels=384, out_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=32,
            num_attention_heads=1, joint_attention_dim=32, pooled_projection_dim=32, guidance_embeds=True,
            axes_dims_rope=(8, 12, 12),
        ).save_pretrained(folder / "transformer")  # fmt: skip


def _make_z_image(folder: Path) -> None:
    import torch
    from diffusers.models.transformers.transformer_z_image import ZImageTransformer2DModel
    from transformers import Qwen2Tokenizer, Qwen3Config, Qwen3Model

    make_tiny_model(folder)
    (folder / "starter.json").unlink()
    for name in ("tokenizer", "tokenizer_2", "text_encoder", "text_encoder_2", "transformer"):
        shutil.rmtree(folder / name)
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 324))]
    vocab = {letter: number for number, letter in enumerate([*letters, "<|endoftext|>"])}
    tokenizer = Qwen2Tokenizer(vocab=vocab, merges=[], pad_token="<|endoftext|>", model_max_length=512)
    tokenizer.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    tokenizer.save_pretrained(folder / "tokenizer")
    torch.manual_seed(5)
    Qwen3Model(
        Qwen3Config(
            vocab_size=len(vocab), hidden_size=WIDTH, intermediate_size=WIDTH, num_hidden_layers=2,
            num_attention_heads=2, num_key_value_heads=1, head_dim=16,
        )
    ).save_pretrained(folder / "text_encoder")  # fmt: skip
    ZImageTransformer2DModel(
        in_channels=16, dim=32, n_layers=1, n_refiner_layers=1, n_heads=1, n_kv_heads=1, cap_feat_dim=WIDTH,
        axes_dims=[8, 12, 12], axes_lens=[1024, 64, 64],
    ).save_pretrained(folder / "transformer")  # fmt: skip
    index = json.loads((folder / "model_index.json").read_text())
    index |= {
        "_class_name": "ZImagePipeline", "text_encoder": ["transformers", "Qwen3Model"],
        "tokenizer": ["transformers", "Qwen2Tokenizer"], "transformer": ["diffusers", "ZImageTransformer2DModel"],
    }  # fmt: skip
    kept = {name: value for name, value in index.items() if not name.endswith("_2")}
    (folder / "model_index.json").write_text(json.dumps(kept))


def _make_stable_diffusion(kind: Miniature, folder: Path) -> None:
    import torch
    from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL

    is_xl, refines = kind.name.startswith("sdxl"), kind.name == "sdxl-refiner"
    torch.manual_seed(2 if refines else 1)
    if not refines:
        _write_encoder(folder, "", with_projection=False)
    if is_xl:
        _write_encoder(folder, "_2", with_projection=True)
    _write_unet(kind, folder)
    config = {**SD_VAE, "scaling_factor": 0.13025, "force_upcast": True} if is_xl else SD_VAE
    cast("AutoencoderKL", AutoencoderKL.from_config(config)).save_pretrained(folder / "vae")
    _write_scheduler(kind, folder)
    names = ["text_encoder", "tokenizer", "unet", "vae", "scheduler"]
    libraries: dict[str, list[str | None]] = {
        "text_encoder": ["transformers", "CLIPTextModel"],
        "tokenizer": ["transformers", "CLIPTokenizer"],
        "unet": ["diffusers", "UNet2DConditionModel"],
        "vae": ["diffusers", "AutoencoderKL"],
        "scheduler": ["diffusers", _scheduler(kind)],
    }
    if is_xl:
        libraries["text_encoder_2"] = ["transformers", "CLIPTextModelWithProjection"]
        libraries["tokenizer_2"] = ["transformers", "CLIPTokenizer"]
    else:
        libraries["safety_checker"] = libraries["feature_extractor"] = [None, None]
    assert libraries.keys() >= set(names)
    index: dict[str, object] = {"_class_name": kind.model_class, "_diffusers_version": "0.42.1", **libraries}
    if refines:
        index |= {"text_encoder": [None, None], "tokenizer": [None, None]}
        index |= {"requires_aesthetics_score": True, "force_zeros_for_empty_prompt": False}
    (folder / "model_index.json").write_text(json.dumps(index), encoding="utf-8")


def _write_encoder(folder: Path, suffix: str, *, with_projection: bool) -> None:
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

    tokens = folder / f"tokenizer{suffix}"
    shutil.copytree(resources.folder() / "starter" / "tokenizer", tokens)
    tokenizer = CLIPTokenizer.from_pretrained(str(tokens), local_files_only=True)
    config = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        projection_dim=WIDTH,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = CLIPTextModelWithProjection if with_projection else CLIPTextModel
    model(config).save_pretrained(folder / f"text_encoder{suffix}")


def _write_unet(kind: Miniature, folder: Path) -> None:
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

    is_xl, refines = kind.name.startswith("sdxl"), kind.name == "sdxl-refiner"
    down, up = REFINER_BLOCKS if refines else XL_BLOCKS if is_xl else SD_BLOCKS
    options: dict[str, object] = {
        "sample_size": 8,
        "in_channels": 9 if "inpainting" in kind.name else 4,
        "out_channels": 4,
        "layers_per_block": 1,
        "block_out_channels": (8, 16, 16) if is_xl and not refines else (8, 16, 16, 16),
        "down_block_types": tuple(down),
        "up_block_types": tuple(up),
        "cross_attention_dim": 2 * WIDTH if is_xl and not refines else WIDTH,
        "attention_head_dim": 4,
        "norm_num_groups": 4,
    }
    if is_xl:
        options |= {
            "addition_embed_type": "text_time",
            "addition_time_embed_dim": 8,
            "transformer_layers_per_block": 1 if refines else (1, 1, 2),
            "projection_class_embeddings_input_dim": (5 if refines else 6) * 8 + WIDTH,
        }
    if is_xl or kind.name.startswith("sd21"):
        options["use_linear_projection"] = True
    UNet2DConditionModel(**options).save_pretrained(folder / "unet")  # pyright: ignore[reportArgumentType]


def _scheduler(kind: Miniature) -> str:
    return {
        "sd21-v": "DDIMScheduler",
        "sdxl": "EulerDiscreteScheduler",
        "sdxl-refiner": "EulerDiscreteScheduler",
        "sdxl-turbo": "EulerAncestralDiscreteScheduler",
    }.get(kind.name, "PNDMScheduler")


def _write_scheduler(kind: Miniature, folder: Path) -> None:
    import diffusers

    options = dict(PNDM)
    if kind.name == "sd21-v":
        options |= {"prediction_type": "v_prediction", "clip_sample": False, "set_alpha_to_one": False}
    if kind.name == "sdxl-turbo":
        options |= {"timestep_spacing": "trailing"}
    if _scheduler(kind) == "PNDMScheduler":
        options |= {"skip_prk_steps": True, "set_alpha_to_one": False}
    getattr(diffusers, _scheduler(kind))(**options).save_pretrained(folder / "scheduler")
