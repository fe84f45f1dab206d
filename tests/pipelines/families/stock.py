"""What diffusers' own pipelines draw, for comparison."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import diffusers
import numpy as np
import torch
from PIL import Image

from pipelines.families.flux import TRUE_CFG_SCALE

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.request import GenerationRequest

# By the class in model_index.json: from the prompt alone, from a start picture, and with a mask too
PIPELINES = {
    "StableDiffusionPipeline": (
        "StableDiffusionPipeline", "StableDiffusionImg2ImgPipeline", "StableDiffusionInpaintPipeline",
    ),
    "StableDiffusionInpaintPipeline": ("", "", "StableDiffusionInpaintPipeline"),
    "StableDiffusionXLPipeline": (
        "StableDiffusionXLPipeline", "StableDiffusionXLImg2ImgPipeline", "StableDiffusionXLInpaintPipeline",
    ),
    "FluxPipeline": ("FluxPipeline", "FluxImg2ImgPipeline", "FluxInpaintPipeline"),
    "FluxKontextPipeline": ("FluxKontextPipeline", "FluxKontextPipeline", "FluxKontextInpaintPipeline"),
    "FluxFillPipeline": ("", "", "FluxFillPipeline"),
    "ZImagePipeline": ("ZImagePipeline", "ZImageImg2ImgPipeline", "ZImageInpaintPipeline"),
}  # fmt: skip


def draw(
    model: Path, mode: int, request: GenerationRequest, *, tokens: int = 16, lora: Path | None = None
) -> np.ndarray:
    """Draw `request` with the pipeline number `mode`; families that read sentences read `tokens` of them."""
    class_name = json.loads((model / "model_index.json").read_text())["_class_name"]
    pipeline = getattr(diffusers, PIPELINES[class_name][mode]).from_pretrained(
        str(model), dtype=torch.float32, local_files_only=True
    )
    pipeline.set_progress_bar_config(disable=True)
    if lora is not None:
        pipeline.load_lora_weights(str(lora.parent), weight_name=lora.name)
    arguments: dict[str, Any] = {
        "num_inference_steps": request.num_inference_steps, "guidance_scale": request.guidance_scale,
        "generator": torch.Generator("cpu").manual_seed(request.seed), "return_dict": False,
        **_prompts(pipeline, class_name, request, tokens),
    }  # fmt: skip
    if "Kontext" in class_name:
        arguments |= {"max_area": request.width * request.height, "_auto_resize": mode < 2}
    if mode:
        with Image.open(request.image or "") as image:
            arguments["image"] = image.convert("RGB")
        arguments["strength"] = request.strength
    if mode == 2:
        with Image.open(request.mask_image or "") as image:
            arguments["mask_image"] = image.convert("L")
    if "Stable" not in class_name or mode != 1:
        arguments |= {"width": request.width, "height": request.height}
    if "Kontext" in class_name and mode == 1:
        del arguments["strength"]
    picture = pipeline(**arguments)[0][0]
    if mode == 2:  # what the mask leaves out stays; diffusers alone lets the VAE change it
        picture = Image.composite(picture, arguments["image"], arguments["mask_image"])
    return np.asarray(picture, np.int16)


def _prompts(pipeline: Any, class_name: str, request: GenerationRequest, tokens: int) -> dict[str, Any]:
    if "Stable" in class_name and " BREAK " in request.prompt:
        return _encode_pieces(pipeline, request)
    found: dict[str, Any] = {"prompt": request.prompt}
    if "Stable" not in class_name:
        found["max_sequence_length"] = tokens
    if "Flux" not in class_name:
        found["negative_prompt"] = request.negative_prompt or None
    elif "Fill" not in class_name:
        found |= {"negative_prompt": request.negative_prompt, "true_cfg_scale": TRUE_CFG_SCALE}
    return found


def _encode_pieces(pipeline: Any, request: GenerationRequest) -> dict[str, Any]:
    """What diffusers makes of each piece of a prompt, one after the other; of SDXL's pooled ones the first."""
    pieces = request.prompt.split(" BREAK ")
    negatives = [request.negative_prompt, *[""] * (len(pieces) - 1)]
    encoded = [
        pipeline.encode_prompt(
            prompt=one, negative_prompt=other, device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=True
        )
        for one, other in zip(pieces, negatives, strict=True)
    ]
    found = {
        "prompt_embeds": torch.cat([one[0] for one in encoded], dim=1),
        "negative_prompt_embeds": torch.cat([one[1] for one in encoded], dim=1),
    }
    if len(encoded[0]) > 2:
        found |= {"pooled_prompt_embeds": encoded[0][2], "negative_pooled_prompt_embeds": encoded[0][3]}
    return found
