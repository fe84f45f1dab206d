"""A deterministic stand-in for every network: for demos and tests. It draws colours, never a real picture.

It reads the component's config.json and no weights. Every output depends on every input that shapes a picture
(prompt, noise, step, guidance), so that a test can see whether a value arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional as F

from pipelines.catalog import read_json
from pipelines.engine import rehearsal
from pipelines.engine.rehearsal import Rehearsal
from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.engine.base import ComponentSpec, Places, Plan
    from pipelines.engine.rehearsal import Script
    from pipelines.events import Report

_QUIET = -30.0  # log of the latents' variance: encoding adds no noise that could be seen


class FakeComponent:
    """The stand-in for the network whose config.json is `config`."""

    def __init__(self, name: str, config: Mapping[str, object]) -> None:
        self._name = name
        self._config = config
        self._closed = False

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        if self._closed:
            raise EngineFailure(f"The {self._name} was closed.", "Report this: it is a fault of Firstlight.")
        if "z" in tensors:
            return {"sample": self._decode(tensors["z"].float())}
        if "x" in tensors:
            return {"parameters": self._encode(tensors["x"].float())}
        if "controlnet_cond" in tensors:
            middle = tensors["controlnet_cond"].float().mean(dim=(1, 2, 3), keepdim=True)
            return {"down_block_res_samples.0": middle, "mid_block_res_sample": middle}
        if "input_ids" in tensors:
            return self._embed(tensors["input_ids"])
        if "sample" in tensors:
            return {"sample": _sweep_to_colour(tensors)}
        return {"sample": _pull_to_colour(tensors)}

    def close(self) -> None:
        """See `Component`."""
        self._closed = True

    def _size(self, *names: str) -> int:
        return next((int(str(self._config[name])) for name in names if name in self._config), 1)

    def _factor(self) -> int:
        blocks = self._config.get("block_out_channels")
        return 2 ** (len(blocks) - 1) if isinstance(blocks, list) else 8  # pyright: ignore[reportUnknownArgumentType]

    def _decode(self, z: Tensor) -> Tensor:
        return F.interpolate(torch.tanh(z[:, :3]), scale_factor=float(self._factor()), mode="nearest")

    def _encode(self, x: Tensor) -> Tensor:
        channels = self._size("latent_channels")
        small = torch.atanh(F.avg_pool2d(x, self._factor()).clamp(-0.99, 0.99))
        mean = small.repeat(1, -(-channels // small.shape[1]), 1, 1)[:, :channels]
        return torch.cat([mean, torch.full_like(mean, _QUIET)], dim=1)

    def _embed(self, ids: Tensor) -> dict[str, Tensor]:
        """Sines of token numbers: each token has its own direction."""
        width = self._size("d_model", "hidden_size")
        frequency = torch.arange(1, width + 1, dtype=torch.float32)
        hidden = torch.sin(ids.float().unsqueeze(-1) * frequency)
        pooled = hidden.mean(dim=1)
        projected = pooled.repeat(1, -(-self._size("projection_dim") // width))[:, : self._size("projection_dim")]
        return {
            "last_hidden_state": hidden,
            "penultimate": hidden,
            "pooler_output": pooled,
            "text_embeds": projected,
        }


class FakeLoader:
    """The `fake` backend. `script` is what it rehearses of the adaptive engine; by default what the user has set."""

    def __init__(self, places: Places | None = None, script: Script | None = None) -> None:
        self._places = places
        self._script = script

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> Rehearsal:
        """See `ComponentLoader`. `plan` changes nothing: there is one way to pretend."""
        component = FakeComponent(spec.name, read_json(spec.folder / "config.json"))
        script = self._script or rehearsal.from_environment()
        return Rehearsal(component, spec.name, report, self._places, script)


def _sweep_to_colour(tensors: Mapping[str, Tensor]) -> Tensor:
    """The noise in a sample whose picture is a plain colour of the prompt: all of it but that colour."""
    sample, prompt = tensors["sample"].float(), tensors["encoder_hidden_states"].float()
    seeds = prompt.mean(dim=1)
    if "text_embeds" in tensors:
        seeds = seeds + tensors["text_embeds"].float().mean(dim=1, keepdim=True)
    sample = sample[:, :4]  # networks that fill are given mask and picture too
    colour = seeds.repeat(1, -(-sample.shape[1] // seeds.shape[1]))[:, : sample.shape[1], None, None]
    if "mid_block_additional_residual" in tensors:
        colour = colour + tensors["mid_block_additional_residual"].float()
    return sample - 0.2 * torch.tanh(8 * colour)


def _pull_to_colour(tensors: Mapping[str, Tensor]) -> Tensor:
    """A flow (noise - picture) that ends in a plain colour of the prompt and keeps a little of the noise."""
    hidden, prompt = tensors["hidden_states"].float(), tensors["encoder_hidden_states"].float()
    strength = 1.0 + tensors["guidance"].float().mean() / 100 if "guidance" in tensors else torch.tensor(1.0)
    seeds = prompt.mean(dim=1) + tensors["pooled_projections"].float().mean(dim=1, keepdim=True)
    channels = hidden.shape[-1]
    colour = seeds.repeat(1, -(-channels // seeds.shape[1]))[:, :channels].unsqueeze(1)
    return (0.9 * hidden - torch.tanh(8 * colour * strength)) * (0.5 + tensors["timestep"].float().mean() / 2)
