"""FLUX.1: dev, schnell, Kontext and Fill.

Importing this loads PyTorch, diffusers and transformers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, cast

import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel
from diffusers.pipelines.flux.pipeline_flux import FluxPipeline
from diffusers.pipelines.flux.pipeline_flux_fill import FluxFillPipeline
from diffusers.pipelines.flux.pipeline_flux_img2img import FluxImg2ImgPipeline
from diffusers.pipelines.flux.pipeline_flux_inpaint import FluxInpaintPipeline
from diffusers.pipelines.flux.pipeline_flux_kontext import FluxKontextPipeline
from diffusers.pipelines.flux.pipeline_flux_kontext_inpaint import FluxKontextInpaintPipeline
from torch import Tensor

from pipelines import prompts
from pipelines.families import Picture, schedulers, standins
from pipelines.families.model import Conditioning, Model, what_a_picture_is

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.catalog import Entry
    from pipelines.engine.base import Component
    from pipelines.families import Files
    from pipelines.framing import Start
    from pipelines.request import GenerationRequest
    from pipelines.sizes import RenderSize

# Classifier-free guidance away from the negative prompt, on top of the distilled guidance
TRUE_CFG_SCALE = 2.0
_VAE_FACTOR = 8
_KINDS = {
    Picture.start: (FluxPipeline, FluxImg2ImgPipeline, FluxInpaintPipeline),
    Picture.reference: (FluxKontextPipeline, FluxKontextPipeline, FluxKontextInpaintPipeline),
    Picture.fill: (FluxFillPipeline, FluxFillPipeline, FluxFillPipeline),
}


class _FluxPipeline(Protocol):
    def encode_prompt(
        self, prompt: str, *, device: torch.device, max_sequence_length: int
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class _Unpack(Protocol):
    @staticmethod
    def _unpack_latents(latents: Tensor, height: int, width: int, vae_scale_factor: int) -> Tensor: ...


class Flux(Model):
    """A FLUX.1 checkpoint.

    Raises:
        UnusableFile: a tokenizer or the scheduler of the folder cannot be loaded.
    """

    family = "flux"
    stand_ins: ClassVar = {
        "text_encoder": (standins.TextEncoder, None),
        "text_encoder_2": (standins.TextEncoder, None),
        "transformer": (standins.Transformer, FluxTransformer2DModel),
        "vae": (standins.Vae, AutoencoderKL),
    }
    tokenizer_classes: ClassVar = {"tokenizer": "CLIPTokenizer", "tokenizer_2": "T5TokenizerFast"}

    def __init__(
        self, entry: Entry, files: Files, components: Mapping[str, Component], device: str, *, previews: bool = False
    ) -> None:
        super().__init__(entry, files, components, device, previews=previews)
        self._picture = what_a_picture_is(entry)
        self.kinds = _KINDS[self._picture]

    def count_tokens(self, prompt: str) -> int:
        """How many tokens the prompt is for T5, which reads it whole."""
        return super().count_tokens(prompts.strip_weights(prompt)[0])

    def encode(self, request: GenerationRequest) -> Conditioning:
        """`prompt_embeds` (1, tokens, width) from T5, `pooled_prompt_embeds` (1, width) from CLIP."""
        pipeline = cast("_FluxPipeline", self.pipeline(FluxPipeline, schedulers.DEFAULT))
        embeds, pooled = self._encode(pipeline, prompts.strip_weights(request.prompt)[0])
        found: Conditioning = {"prompt_embeds": embeds, "pooled_prompt_embeds": pooled}
        if request.negative_prompt and self._picture is not Picture.fill:
            embeds, pooled = self._encode(pipeline, prompts.strip_weights(request.negative_prompt)[0])
            found |= {"negative_prompt_embeds": embeds, "negative_pooled_prompt_embeds": pooled}
        return found

    def _encode(self, pipeline: _FluxPipeline, prompt: str) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            embeds, pooled, _ = pipeline.encode_prompt(
                prompt, device=self.device, max_sequence_length=self.entry.max_sequence_length
            )
        return embeds, pooled

    def arguments(self, request: GenerationRequest, size: RenderSize, start: Start | None) -> dict[str, object]:
        """See `Model`."""
        found: dict[str, object] = {"true_cfg_scale": TRUE_CFG_SCALE if request.negative_prompt else 1.0}
        if self._picture is Picture.reference:
            # The size is decided already, so the area that Kontext would draw is that size's own. A picture to look
            # at alone is brought by the pipeline to one of the sizes that Kontext was trained on.
            found |= {"max_area": size.height * size.width, "_auto_resize": start is None or start.mask is None}
        return found

    def spread(self, latents: Tensor, size: RenderSize) -> Tensor:
        """(1, patches, channels) to (1, channels / 4, height / 8, width / 8)."""
        # As diffusers' own pipelines do at their end: there is no public way to unpack latents.
        unpack = cast("_Unpack", FluxPipeline)._unpack_latents  # pyright: ignore[reportPrivateUsage]
        return unpack(latents, size.height, size.width, _VAE_FACTOR)
