"""Stand-ins for the networks inside diffusers' pipelines: the same call signatures, run by our components.

The pipeline around them works in fp32 throughout, so that noise and scheduler are the same on every device; a
component casts to its own precision.
"""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Protocol, cast

import torch
from diffusers.configuration_utils import FrozenDict
from diffusers.models.autoencoders.vae import DecoderOutput, DiagonalGaussianDistribution
from diffusers.models.modeling_outputs import AutoencoderKLOutput
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutputWithPooling

from pipelines.catalog import read_json
from pipelines.errors import EngineFailure
from pipelines.families import tiling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pipelines.engine.base import Component


class _Split(Protocol):
    def __call__(self, tensor: Tensor, run: Callable[[Tensor], Tensor], side: int, factor: int, /) -> Tensor: ...


class NotFinite(EngineFailure):
    """A component gave values that are no numbers, as fp16 does where it overflows."""

    def __init__(self, component: str) -> None:
        super().__init__(f"The {component} overflowed and gave no picture.", "Use --precision fp32 or bf16.")
        self.component = component


def read_config(network: type[torch.nn.Module], folder: Path) -> dict[str, object]:
    """The configuration in a component's folder, whole.

    Raises:
        UnusableFile: it is missing or damaged.
    """
    config = read_json(folder / "config.json")
    described = getattr(network, "config_class", None)  # transformers: such a file holds what is not the default
    if described is not None:
        return cast("dict[str, object]", described(**config).to_dict())
    return full_config(network, config)


def full_config(network: type[torch.nn.Module], config: Mapping[str, object]) -> dict[str, object]:
    """`config` with the defaults of the network's constructor for what it leaves out."""
    parameters = inspect.signature(network.__init__).parameters.values()
    defaults = {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}
    return {**defaults, **config}


class StandIn(torch.nn.Module):
    """What the pipelines ask of any network: its configuration, its precision and where its inputs go."""

    def __init__(self, component: Component, config: Mapping[str, object], device: str) -> None:
        super().__init__()
        self.component = component
        self.config = FrozenDict(config)
        self._numbers = config
        self.device = torch.device(device)
        self.dtype = torch.float32

    def number(self, key: str) -> float:
        """The value in the configuration; 0 where it is None."""
        return float(str(self._numbers.get(key) or 0.0))

    def run(self, **tensors: Tensor | None) -> dict[str, Tensor]:
        """Call the component with those that are given."""
        return self.component({name: tensor for name, tensor in tensors.items() if tensor is not None})


class TextEncoder(StandIn):
    """For `CLIPTextModel`, `T5EncoderModel` and others that encode text."""

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, *, output_hidden_states: bool = False
    ) -> BaseModelOutputWithPooling:
        """Encode token numbers, (batch, tokens); of the hidden states the last two."""
        outputs = self.run(input_ids=input_ids, attention_mask=attention_mask)
        last = cast("torch.FloatTensor", outputs["last_hidden_state"])
        penultimate = cast("torch.FloatTensor | None", outputs.get("penultimate"))
        return BaseModelOutputWithPooling(
            last_hidden_state=last,
            hidden_states=None if penultimate is None else (penultimate, last),
            pooler_output=cast("torch.FloatTensor | None", outputs.get("pooler_output")),
        )


class Transformer(StandIn):
    """For `FluxTransformer2DModel`."""

    def cache_context(self, name: str) -> AbstractContextManager[None]:
        """diffusers' caches between steps: none here."""
        return nullcontext()

    def forward(  # noqa: PLR0913 # diffusers' signature
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        guidance: Tensor | None,
        pooled_projections: Tensor,
        encoder_hidden_states: Tensor,
        txt_ids: Tensor,
        img_ids: Tensor,
        joint_attention_kwargs: object = None,
        *,
        return_dict: bool = False,
    ) -> tuple[Tensor]:
        """The flow, of the same shape as `hidden_states`: (batch, patches, channels)."""
        outputs = self.run(
            hidden_states=hidden_states,
            timestep=timestep,
            guidance=guidance,
            pooled_projections=pooled_projections,
            encoder_hidden_states=encoder_hidden_states,
            txt_ids=txt_ids,
            img_ids=img_ids,
        )
        return (outputs["sample"],)


class UNet(StandIn):
    """For `UNet2DConditionModel`."""

    def __init__(self, component: Component, config: Mapping[str, object], device: str) -> None:
        super().__init__(component, config, device)
        # SDXL's pipelines compare the width of their size embeddings with what the network takes.
        width = config.get("projection_class_embeddings_input_dim")
        self.add_embedding = SimpleNamespace(linear_1=SimpleNamespace(in_features=width))

    def forward(  # noqa: PLR0913 # diffusers' signature
        self,
        sample: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        *,
        timestep_cond: Tensor | None = None,
        cross_attention_kwargs: object = None,
        added_cond_kwargs: Mapping[str, Tensor] | None = None,
        down_block_additional_residuals: Sequence[Tensor] | None = None,
        mid_block_additional_residual: Tensor | None = None,
        return_dict: bool = False,
    ) -> tuple[Tensor]:
        """What `sample` (batch, channels, height / 8, width / 8) holds of noise, or v.

        With SDXL's two additions, and what ControlNets add to each block.
        """
        residuals = enumerate(down_block_additional_residuals or ())
        outputs = self.run(
            sample=sample,
            timestep=timestep.expand(sample.shape[0]),
            encoder_hidden_states=encoder_hidden_states,
            timestep_cond=timestep_cond,
            mid_block_additional_residual=mid_block_additional_residual,
            **{f"down_block_additional_residuals.{i}": one for i, one in residuals},
            **(added_cond_kwargs or {}),
        )
        return (outputs["sample"],)


class Vae(StandIn):
    """For `AutoencoderKL`. `tile` is the side in pixels of the tiles that it works in; 0: whole pictures.

    There is no slicing of batches, as diffusers has it: a session draws pictures one by one, so no batch has two.
    """

    tile = 0
    _factor = 8

    def encode(self, x: Tensor) -> AutoencoderKLOutput:
        """Pictures (batch, 3, height, width) in -1 … 1 to distributions of latents.

        Raises:
            NotFinite: it overflowed.
        """
        moments = self._in_tiles(x, tiling.encode, lambda one: self.run(x=one)["parameters"], self.tile)
        if not bool(torch.isfinite(moments).all()):
            raise NotFinite("vae")
        return AutoencoderKLOutput(latent_dist=DiagonalGaussianDistribution(moments))

    def sample(self, z: Tensor) -> Tensor:
        """Latents (batch, channels, height, width) to pictures in -1 … 1, eight times as wide and high."""
        tile = self.tile // self._factor
        return self._in_tiles(z, tiling.decode, lambda one: self.run(z=one)["sample"], tile)

    def _in_tiles(self, tensor: Tensor, split: _Split, run: Callable[[Tensor], Tensor], side: int) -> Tensor:
        """Run on tiles where there are any and the tensor is larger than one of `side`."""
        if not side or max(tensor.shape[2:]) <= side:
            return run(tensor)
        return split(tensor, run, self.tile, self._factor)

    def decode(self, z: Tensor, *, return_dict: bool = True, generator: object = None) -> DecoderOutput | tuple[Tensor]:
        """Latents (batch, channels, height, width) to pictures in -1 … 1, eight times as wide and high."""
        sample = self.sample(z)
        return DecoderOutput(sample=sample) if return_dict else (sample,)
