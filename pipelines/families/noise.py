"""What the families share whose networks predict noise or v, for classifier-free guidance: all Stable Diffusion.

Importing this loads PyTorch and diffusers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines.families.model import Model, Pipeline

if TYPE_CHECKING:
    from torch import Tensor

    from pipelines.previews import Scheduler
    from pipelines.sizes import RenderSize


@dataclass(frozen=True, slots=True)
class _Levels:
    """A schedule as `previews.Scheduler` wants it."""

    sigmas: Tensor
    step_index: int | None


class NoiseModel(Model):
    """Prompts of any length; latents as the VAE has them."""

    def count_tokens(self, prompt: str) -> int:
        """See `Model`: prompts of any length are read."""
        return 0

    def look(self, pipeline: Pipeline, latents: Tensor, size: RenderSize, step: int) -> tuple[Tensor, Scheduler]:
        """See `Model`. Noise is added up here, as with flows, where most schedulers mix it in, picture fading."""
        scheduler: Any = pipeline.scheduler
        if not hasattr(scheduler, "sigmas"):
            index = len(scheduler.timesteps) - pipeline.num_timesteps + step + 1
            scheduler = _Levels(_noise_levels(scheduler), index)
        elif scheduler.init_noise_sigma != 1.0:  # Euler and its kin add up themselves
            return latents, scheduler
        index = scheduler.step_index
        if index is None or index >= len(scheduler.sigmas):
            return latents, cast("Scheduler", _Levels(torch.zeros(0), None))
        sigma = float(scheduler.sigmas[index])
        return latents * (1 + sigma**2) ** 0.5, cast("Scheduler", scheduler)


def _noise_levels(scheduler: Any) -> Tensor:
    """The levels of a scheduler that only knows its timesteps: noise over picture before each, and none at the end."""
    kept = cast("Tensor", scheduler.alphas_cumprod)[scheduler.timesteps.long().cpu()]
    return torch.cat([((1 - kept) / kept).sqrt(), torch.zeros(1)])
