"""ControlNets beside the denoiser, inside diffusers' own pipelines for them.

Importing this loads PyTorch and diffusers; it is loaded with the first ControlNet.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from diffusers.models.controlnets.controlnet import ControlNetModel
from diffusers.models.controlnets.multicontrolnet import MultiControlNetModel
from diffusers.pipelines.controlnet.pipeline_controlnet import StableDiffusionControlNetPipeline
from diffusers.pipelines.controlnet.pipeline_controlnet_img2img import StableDiffusionControlNetImg2ImgPipeline
from diffusers.pipelines.controlnet.pipeline_controlnet_inpaint import StableDiffusionControlNetInpaintPipeline
from diffusers.pipelines.controlnet.pipeline_controlnet_inpaint_sd_xl import (
    StableDiffusionXLControlNetInpaintPipeline,
)
from diffusers.pipelines.controlnet.pipeline_controlnet_sd_xl import StableDiffusionXLControlNetPipeline
from diffusers.pipelines.controlnet.pipeline_controlnet_sd_xl_img2img import (
    StableDiffusionXLControlNetImg2ImgPipeline,
)
from torch import Tensor

from pipelines.families.standins import StandIn, read_config

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PIL import Image

    from pipelines.engine.base import Component
    from pipelines.families.model import Pass
    from pipelines.request import ControlChoice

# By family, in the order of `Model.kinds`
KINDS: dict[str, tuple[type, type, type]] = {
    "sd": (
        StableDiffusionControlNetPipeline,
        StableDiffusionControlNetImg2ImgPipeline,
        StableDiffusionControlNetInpaintPipeline,
    ),
    "sdxl": (
        StableDiffusionXLControlNetPipeline,
        StableDiffusionXLControlNetImg2ImgPipeline,
        StableDiffusionXLControlNetInpaintPipeline,
    ),
}


class ControlNet(StandIn):
    """For `ControlNetModel`."""

    def forward(
        self,
        sample: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        controlnet_cond: Tensor,
        added_cond_kwargs: Mapping[str, Tensor] | None,
    ) -> list[Tensor]:
        """What it adds to each of the UNet's blocks, the middle one last, at a weight of 1.

        `controlnet_cond` is the picture, (batch, 3, height, width) in 0 … 1.
        """
        outputs = self.run(
            sample=sample,
            timestep=timestep.expand(sample.shape[0]),
            encoder_hidden_states=encoder_hidden_states,
            controlnet_cond=controlnet_cond,
            **(added_cond_kwargs or {}),
        )
        down = [outputs[f"down_block_res_samples.{i}"] for i in range(len(outputs) - 1)]
        return [*down, outputs["mid_block_res_sample"]]


@dataclass(frozen=True, slots=True)
class Control:
    """A ControlNet at work: `picture` is what it follows, of the size that is drawn."""

    choice: ControlChoice
    network: ControlNet
    picture: Image.Image


class ControlNets(MultiControlNetModel):
    """For diffusers' own class for several: here, those that do not act in a step are not run."""

    @property
    def dtype(self) -> torch.dtype:
        """As that of `StandIn`."""
        return torch.float32

    @property
    def device(self) -> torch.device:
        """As that of `StandIn`."""
        return cast("ControlNet", self.nets[0]).device

    def forward(  # noqa: PLR0913 # pyright: ignore[reportIncompatibleMethodOverride] # what of diffusers' is used
        self,
        sample: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        controlnet_cond: Sequence[Tensor],
        conditioning_scale: Sequence[float],
        *,
        added_cond_kwargs: Mapping[str, Tensor] | None = None,
        guess_mode: bool = False,
        return_dict: bool = False,
    ) -> tuple[list[Tensor] | None, Tensor | None]:
        """The sums of what all add to the down blocks, and to the middle one; None where none acts.

        diffusers sets `guess_mode` where a network adds one value for the whole picture, and needs values then.
        """
        found = [
            [scale * one for one in net(sample, timestep, encoder_hidden_states, picture, added_cond_kwargs)]
            for net, picture, scale in zip(self.nets, controlnet_cond, conditioning_scale, strict=True)
            if scale or guess_mode
        ]
        if not found:
            return None, None
        *down, middle = (functools.reduce(torch.add, parts) for parts in zip(*found, strict=True))
        return down, middle


def hold(choice: ControlChoice, component: Component, folder: Path, picture: Image.Image, device: str) -> Control:
    """A ControlNet whose configuration is in `folder`, and the picture that it follows, of the size that is drawn."""
    return Control(choice, ControlNet(component, read_config(ControlNetModel, folder), device), picture)


def arguments(work: Pass) -> dict[str, object]:
    """What the pipelines want besides: lists, one value for each ControlNet."""
    choices = [control.choice for control in work.controls]
    return {
        # Without a start picture, this is the one picture that the pipelines are given
        "image" if work.start is None else "control_image": [control.picture for control in work.controls],
        "controlnet_conditioning_scale": [float(choice.weight) for choice in choices],
        "control_guidance_start": [float(choice.start) for choice in choices],
        "control_guidance_end": [float(choice.end) for choice in choices],
    }
