"""SDXL: base, turbo, Lightning and what was trained on them, and the refiner.

Importing this loads PyTorch, diffusers and transformers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel
from diffusers.pipelines.stable_diffusion_xl.pipeline_stable_diffusion_xl import StableDiffusionXLPipeline
from diffusers.pipelines.stable_diffusion_xl.pipeline_stable_diffusion_xl_img2img import (
    StableDiffusionXLImg2ImgPipeline,
)
from diffusers.pipelines.stable_diffusion_xl.pipeline_stable_diffusion_xl_inpaint import (
    StableDiffusionXLInpaintPipeline,
)
from transformers import CLIPTextModel, CLIPTextModelWithProjection

from pipelines.families import standins
from pipelines.families.clip import Chunk, Clip, ClipTokenizer
from pipelines.families.noise import NoiseModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from pipelines.catalog import Entry
    from pipelines.engine.base import Component
    from pipelines.families import Files
    from pipelines.families.model import Conditioning
    from pipelines.request import GenerationRequest

_ZEROS = "force_zeros_for_empty_prompt"


class StableDiffusionXL(NoiseModel):
    """A checkpoint of SDXL.

    Raises:
        UnusableFile: a tokenizer or the scheduler of the folder cannot be loaded.
    """

    family = "sdxl"
    kinds = (StableDiffusionXLPipeline, StableDiffusionXLImg2ImgPipeline, StableDiffusionXLInpaintPipeline)

    stand_ins: ClassVar = {
        "text_encoder": (standins.TextEncoder, CLIPTextModel),
        "text_encoder_2": (standins.TextEncoder, CLIPTextModelWithProjection),
        "unet": (standins.UNet, UNet2DConditionModel),
        "vae": (standins.Vae, AutoencoderKL),
    }
    tokenizer_classes: ClassVar = {"tokenizer": "CLIPTokenizer", "tokenizer_2": "CLIPTokenizer"}
    suffixes: ClassVar[tuple[str, ...]] = ("", "_2")  # of its text encoders' names

    def __init__(
        self, entry: Entry, files: Files, components: Mapping[str, Component], device: str, *, previews: bool = False
    ) -> None:
        super().__init__(entry, files, components, device, previews=previews)
        self._clips = [
            Clip(
                cast("ClipTokenizer", self.tokenizers[f"tokenizer{suffix}"]),
                cast("standins.TextEncoder", self.parts[f"text_encoder{suffix}"]),
                penultimate=True,
            )
            for suffix in self.suffixes
        ]

    def encode(self, request: GenerationRequest) -> Conditioning:
        """Embeddings (1, 77 x chunks, width) of the encoders side by side, and the last one's pooled ones.

        No negative prompt is zeros for the checkpoints that were trained with those.
        """
        texts = (request.prompt, request.negative_prompt)
        # Two tokenizers may count differently, so each prompt has as many chunks as the longest.
        chunks = [[clip.split(text) for clip in self._clips] for text in texts]
        count = max(len(one) for both in chunks for one in both)
        with torch.no_grad():
            embeds, pooled = self._encode(chunks[0], count)
            if not request.negative_prompt and self.index.get(_ZEROS, True):
                negative, negative_pooled = torch.zeros_like(embeds), torch.zeros_like(pooled)
            else:
                negative, negative_pooled = self._encode(chunks[1], count)
        return {
            "prompt_embeds": embeds,
            "pooled_prompt_embeds": pooled,
            "negative_prompt_embeds": negative,
            "negative_pooled_prompt_embeds": negative_pooled,
        }

    def _encode(self, chunks: list[tuple[Chunk, ...]], count: int) -> tuple[Tensor, Tensor]:
        encoded = [clip.encode(one, count) for clip, one in zip(self._clips, chunks, strict=True)]
        pooled = encoded[-1][1]
        assert pooled is not None, "a text encoder with a projection pools"
        return torch.cat([embeds for embeds, _ in encoded], dim=-1), pooled

    def extras(self) -> dict[str, object]:
        """See `Model`."""
        return {
            **super().extras(),
            "force_zeros_for_empty_prompt": bool(self.index.get(_ZEROS, True)),
            "add_watermarker": False,
        }


class Refiner(StableDiffusionXL):
    """The second half of SDXL, for the last steps: it knows the second text encoder alone, and how good a picture is.

    Raises:
        UnusableFile: the tokenizer or the scheduler of the folder cannot be loaded.
    """

    family = "sdxl-refiner"
    kinds = (StableDiffusionXLImg2ImgPipeline, StableDiffusionXLImg2ImgPipeline, StableDiffusionXLInpaintPipeline)

    stand_ins: ClassVar = {name: kind for name, kind in StableDiffusionXL.stand_ins.items() if name != "text_encoder"}
    tokenizer_classes: ClassVar = {"tokenizer_2": "CLIPTokenizer"}
    suffixes = ("_2",)

    def extras(self) -> dict[str, object]:
        """See `Model`."""
        scored = bool(self.index.get("requires_aesthetics_score", False))
        return {**super().extras(), "text_encoder": None, "tokenizer": None, "requires_aesthetics_score": scored}
