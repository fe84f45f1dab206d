"""Stable Diffusion 1.x and 2.x, with noise or v predicted.

Importing this loads PyTorch, diffusers and transformers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion_img2img import StableDiffusionImg2ImgPipeline
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion_inpaint import StableDiffusionInpaintPipeline
from transformers import CLIPTextModel

from pipelines.families import standins
from pipelines.families.clip import Clip, ClipTokenizer
from pipelines.families.noise import NoiseModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.catalog import Entry
    from pipelines.engine.base import Component
    from pipelines.families import Files
    from pipelines.families.model import Conditioning
    from pipelines.request import GenerationRequest


class StableDiffusion(NoiseModel):
    """A checkpoint of Stable Diffusion 1.x or 2.x.

    Raises:
        UnusableFile: the tokenizer or the scheduler of the folder cannot be loaded.
    """

    family = "sd"
    kinds = (StableDiffusionPipeline, StableDiffusionImg2ImgPipeline, StableDiffusionInpaintPipeline)

    stand_ins: ClassVar = {
        "text_encoder": (standins.TextEncoder, CLIPTextModel),
        "unet": (standins.UNet, UNet2DConditionModel),
        "vae": (standins.Vae, AutoencoderKL),
    }

    def __init__(
        self, entry: Entry, files: Files, components: Mapping[str, Component], device: str, *, previews: bool = False
    ) -> None:
        super().__init__(entry, files, components, device, previews=previews)
        tokenizer = cast("ClipTokenizer", self.tokenizers["tokenizer"])
        self._clip = Clip(tokenizer, cast("standins.TextEncoder", self.parts["text_encoder"]))

    def encode(self, request: GenerationRequest) -> Conditioning:
        """`prompt_embeds` and `negative_prompt_embeds`, both (1, 77 x chunks, width)."""
        chunks, negative = self._clip.split(request.prompt), self._clip.split(request.negative_prompt)
        count = max(len(chunks), len(negative))
        with torch.no_grad():
            return {
                "prompt_embeds": self._clip.encode(chunks, count)[0],
                "negative_prompt_embeds": self._clip.encode(negative, count)[0],
            }

    def extras(self) -> dict[str, object]:
        """See `Model`."""
        off = {"safety_checker": None, "feature_extractor": None, "requires_safety_checker": False}
        return {**super().extras(), **off}
