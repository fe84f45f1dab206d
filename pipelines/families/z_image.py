"""Z-Image. Importing this loads PyTorch, diffusers and transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.models.transformers.transformer_z_image import ZImageTransformer2DModel
from diffusers.pipelines.z_image.pipeline_z_image import ZImagePipeline
from diffusers.pipelines.z_image.pipeline_z_image_img2img import ZImageImg2ImgPipeline
from diffusers.pipelines.z_image.pipeline_z_image_inpaint import ZImageInpaintPipeline

from pipelines.families import schedulers, standins
from pipelines.families.model import Conditioning, Model

if TYPE_CHECKING:
    from torch import Tensor

    from pipelines.request import GenerationRequest


class Transformer(standins.StandIn):
    """For `ZImageTransformer2DModel`, which takes a list with a tensor for each picture."""

    in_channels = 16

    def forward(self, x: list[Tensor], t: Tensor, cap_feats: list[Tensor], **_options: object) -> tuple[list[Tensor]]:
        """The flow for each (channels, 1, height / 8, width / 8) of `x`."""
        pictures = {f"x.{i}": one for i, one in enumerate(x)}
        prompts = {f"cap_feats.{i}": one for i, one in enumerate(cap_feats)}
        outputs = self.run(**pictures, t=t, **prompts)
        return ([outputs[f"sample.{i}"] for i in range(len(x))],)


class ZImage(Model):
    """A checkpoint of Z-Image."""

    family = "z-image"
    kinds = (ZImagePipeline, ZImageImg2ImgPipeline, ZImageInpaintPipeline)
    stand_ins: ClassVar = {
        "text_encoder": (standins.TextEncoder, None),
        "transformer": (Transformer, ZImageTransformer2DModel),
        "vae": (standins.Vae, AutoencoderKL),
    }
    tokenizer_classes: ClassVar = {"tokenizer": "AutoTokenizer"}

    def encode(self, request: GenerationRequest) -> Conditioning:
        """`prompt_embeds` and `negative_prompt_embeds`, each a list of one (tokens, width)."""
        pipeline: Any = self.pipeline(ZImagePipeline, schedulers.DEFAULT)
        with torch.no_grad():
            embeds, negative = pipeline.encode_prompt(
                request.prompt,
                self.device,
                negative_prompt=request.negative_prompt,
                max_sequence_length=self.entry.max_sequence_length,
            )
        return {"prompt_embeds": embeds, "negative_prompt_embeds": negative}
