"""What is particular about each family of models. This table is light; a family's module loads PyTorch.

A new family is a row here, a module with a subclass of `model.Model`, and rows in `resources/catalog.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Picture(Enum):
    """What a start picture is to a pipeline."""

    start = "start"  # where denoising begins: image to image, and with a mask inpainting
    reference = "reference"  # something to look at: FLUX.1 Kontext
    fill = "fill"  # it and a mask are needed: networks that were trained to fill


@dataclass(frozen=True, slots=True)
class Family:
    """A family.

    `module` holds its subclass of `model.Model`, called `class_name`. `networks` maps each component to the library
    and class that model_index.json must name, and `denoiser` is the one that is called in each step. `pictures` says
    for each pipeline class what a start picture is to it. `classifier_free`: guidance is the way from the negative
    prompt to the prompt, both in one batch; otherwise the network is told the guidance. `weighs_words`: the weights of
    A1111's prompts count. `activations` is what the denoiser holds while it works, as `memory` counts it. `controls`:
    it takes ControlNets. `refiner`: the family that may go on where it stops. `from_prompt`: it needs no picture.
    """

    name: str
    title: str
    module: str
    class_name: str
    networks: dict[str, tuple[str, str]] = field(hash=False)
    denoiser: str
    pictures: dict[str, Picture] = field(hash=False)
    classifier_free: bool
    weighs_words: bool
    activations: float
    controls: bool = False
    refiner: str = ""
    from_prompt: bool = True


@dataclass(frozen=True, slots=True)
class Files:
    """Where a model's small files are: a folder as diffusers has it, and tokenizers that lie elsewhere."""

    folder: Path
    tokenizers: Mapping[str, Path] = field(default_factory=dict[str, "Path"], hash=False)

    def tokenizer(self, name: str) -> Path:
        """The folder of the tokenizer of that name."""
        return self.tokenizers.get(name, self.folder / name)


_CLIP = ("transformers", "CLIPTextModel")
_VAE = ("diffusers", "AutoencoderKL")
_UNET = ("diffusers", "UNet2DConditionModel")

FLUX = Family(
    name="flux",
    title="FLUX.1",
    module="pipelines.families.flux",
    class_name="Flux",
    networks={
        "text_encoder": _CLIP,
        "text_encoder_2": ("transformers", "T5EncoderModel"),
        "transformer": ("diffusers", "FluxTransformer2DModel"),
        "vae": _VAE,
    },
    denoiser="transformer",
    pictures={
        "FluxPipeline": Picture.start,
        "FluxKontextPipeline": Picture.reference,
        "FluxFillPipeline": Picture.fill,
    },
    classifier_free=False,
    weighs_words=False,
    activations=26,
)
SD = Family(
    name="sd",
    title="Stable Diffusion",
    module="pipelines.families.sd",
    class_name="StableDiffusion",
    networks={"text_encoder": _CLIP, "unet": _UNET, "vae": _VAE},
    denoiser="unet",
    pictures={"StableDiffusionPipeline": Picture.start, "StableDiffusionInpaintPipeline": Picture.fill},
    classifier_free=True,
    weighs_words=True,
    activations=90,
    controls=True,
)
SDXL = Family(
    name="sdxl",
    title="SDXL",
    module="pipelines.families.sdxl",
    class_name="StableDiffusionXL",
    networks={
        "text_encoder": _CLIP,
        "text_encoder_2": ("transformers", "CLIPTextModelWithProjection"),
        "unet": _UNET,
        "vae": _VAE,
    },
    denoiser="unet",
    pictures={"StableDiffusionXLPipeline": Picture.start, "StableDiffusionXLInpaintPipeline": Picture.fill},
    classifier_free=True,
    weighs_words=True,
    activations=75,
    controls=True,
    refiner="sdxl-refiner",
)
SDXL_REFINER = Family(
    name="sdxl-refiner",
    title="SDXL refiner",
    module="pipelines.families.sdxl",
    class_name="Refiner",
    networks={name: SDXL.networks[name] for name in ("text_encoder_2", "unet", "vae")},
    denoiser="unet",
    pictures={"StableDiffusionXLImg2ImgPipeline": Picture.start},
    classifier_free=True,
    weighs_words=True,
    activations=75,
    from_prompt=False,
)
Z_IMAGE = Family(
    name="z-image",
    title="Z-Image",
    module="pipelines.families.z_image",
    class_name="ZImage",
    networks={
        "text_encoder": ("transformers", "Qwen3Model"),
        "transformer": ("diffusers", "ZImageTransformer2DModel"),
        "vae": _VAE,
    },
    denoiser="transformer",
    pictures={"ZImagePipeline": Picture.start},
    classifier_free=True,
    weighs_words=False,
    activations=26,
)
FAMILIES = {family.name: family for family in (FLUX, SD, SDXL, SDXL_REFINER, Z_IMAGE)}
