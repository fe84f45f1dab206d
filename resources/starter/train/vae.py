"""Stage 1: the VAE, on 128-pixel crops of 256-pixel scenes."""

from __future__ import annotations

import json
import logging
import math
import time
from typing import TYPE_CHECKING, Protocol

import torch
import torch.nn.functional as F
from torch import nn

from resources.starter.train import architecture, state
from resources.starter.train.feed import Canvas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from diffusers import AutoencoderKL

    from resources.starter.train.compose import Painter
    from resources.starter.train.feed import Chunk

log = logging.getLogger(__name__)

CANVASES = (Canvas(16, 16, 1.0),)
CROP = 128  # pixels
_RATE = 1.2e-3
_KL_WEIGHT = 1e-4  # on the mean over latent elements
_FEATURE_WEIGHT = 0.5
_LATENT_NOISE = 0.15  # of the latents' own spread: the decoder must forgive what the sampler leaves
_HALF_SCALE_SHARE = 0.25
_DECAY = 0.999


class VggFeatures(nn.Module):
    """The first three stages of VGG16 from `stlpips-pytorch`, as a perceptual loss.

    The weights belong to the shift-tolerant variant (Ghildyal and Liu, ECCV 2022): each pool is a stride-1 max pool
    followed by a fixed blur of stride 2.
    """

    _STAGES = (((0,), (2,)), ((6,), (8,)), ((12,), (14,), (16,)))
    _BLURS = (None, "net.slice2.5", "net.slice3.11")

    def __init__(self, weights: dict[str, torch.Tensor]) -> None:
        super().__init__()
        self.register_buffer("shift", weights["scaling_layer.shift"])
        self.register_buffer("scale", weights["scaling_layer.scale"])
        self._names: list[list[str]] = []
        for number, (stage, blur) in enumerate(zip(self._STAGES, self._BLURS, strict=True), start=1):
            names = [f"net.slice{number}.{index}" for (index,) in stage]
            for name in names:
                self.register_buffer(name.replace(".", "_") + "_weight", weights[f"{name}.weight"])
                self.register_buffer(name.replace(".", "_") + "_bias", weights[f"{name}.bias"])
            if blur:
                self.register_buffer(f"blur{number}", weights[f"{blur}.filt"])
            self._names.append([name.replace(".", "_") for name in names])

    def forward(self, pictures: torch.Tensor) -> list[torch.Tensor]:
        """Unit-length features of B×3×H×W pictures in -1 … 1, one tensor a stage."""
        x = (pictures - self.shift) / self.scale
        found: list[torch.Tensor] = []
        for number, names in enumerate(self._names, start=1):
            if number > 1:
                filt = getattr(self, f"blur{number}").to(x.dtype)
                x = F.max_pool2d(x, 2, stride=1)
                x = F.conv2d(F.pad(x, (1, 1, 1, 1), mode="reflect"), filt, stride=2, groups=x.shape[1])
            for name in names:
                weight, bias = getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias")
                x = F.relu(F.conv2d(x, weight.to(x.dtype), bias.to(x.dtype), padding=1))
            found.append(F.normalize(x.float(), dim=1, eps=1e-3))
        return found


def vgg_weights(path: Path | None) -> dict[str, torch.Tensor]:
    """The tensors of `VggFeatures`: from a safetensors file, else from the installed `stlpips-pytorch` package."""
    from importlib import resources

    from safetensors.torch import load_file

    if path:
        return load_file(path)
    source = resources.files("stlpips_pytorch") / "weights/vST0.0/vgg_shift_tolerant.pth"
    with resources.as_file(source) as file:
        weights = torch.load(file, map_location="cpu", weights_only=True)
    wanted = ("scaling_layer", "net.slice1", "net.slice2", "net.slice3")
    return {name: tensor for name, tensor in weights.items() if name.startswith(wanted)}


class Train(Protocol):
    """What `train` and `refine` have in common."""

    def __call__(
        self,
        folder: Path,
        chunks: Iterator[Chunk],
        painter: Painter,
        vgg: VggFeatures,
        *,
        seconds: float,
        deadline: float,
    ) -> bool:
        """Train until the stage or the run is over; return whether the stage is done."""
        ...


def train(
    folder: Path,
    chunks: Iterator[Chunk],
    painter: Painter,
    vgg: VggFeatures,
    *,
    seconds: float,
    deadline: float,
) -> bool:
    """Train until the stage or the run is over; writes `vae.pt` under `folder`. Returns whether the stage is done."""
    device = painter.device
    model = architecture.vae().to(device, memory_format=torch.channels_last)
    average = state.Average(model, architecture.vae().to(device), _DECAY)
    optimizer = torch.optim.AdamW(
        model.parameters(), _RATE, betas=(0.9, 0.99), weight_decay=0.0, fused=device.type == "cuda"
    )
    saved, step, spent = state.load(folder / "vae.pt", device), 0, 0.0
    if saved and "optimizer" in saved:
        model.load_state_dict(saved["model"])
        average.twin.load_state_dict(saved["average"])
        optimizer.load_state_dict(saved["optimizer"])
        step, spent = saved["step"], saved["spent"]
    vgg = vgg.to(device, memory_format=torch.channels_last)
    clock = state.Clock(seconds, deadline, spent)

    def checkpoint() -> None:
        state.save(
            folder / "vae.pt",
            {
                "model": model.state_dict(),
                "average": average.twin.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step,
                "spent": clock.spent,
            },
        )

    logged = time.monotonic()
    while not clock.out_of_time:
        x = _crops(painter, next(chunks))
        state.set_rate([optimizer], state.warm_then_cosine(clock.fraction, step))
        half_scale = torch.rand(()).item() < _HALF_SCALE_SHARE
        parts = _losses(model, vgg, x.contiguous(memory_format=torch.channels_last), half_scale)
        loss = parts[0] + parts[1] + _FEATURE_WEIGHT * parts[2] + _KL_WEIGHT * parts[3]
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average.update(step)
        step += 1
        if step % 200 == 0:
            shown = " ".join(f"{p:.4f}" for p in torch.stack([p.detach() for p in parts]).tolist())
            pace = 200 / (time.monotonic() - logged)
            logged = time.monotonic()
            log.info(
                "vae step %d %.0f s  %.1f steps/s  l1, edges, features, kl: %s",
                step,
                clock.spent,
                pace,
                shown,
            )
        if clock.time_to_save():
            checkpoint()
    checkpoint()
    return clock.finished


def _crops(painter: Painter, chunk: Chunk) -> torch.Tensor:
    """One random crop of each scene of a chunk."""
    x = painter.paint(chunk.scenes, chunk.canvas.height, chunk.canvas.width)
    dy, dx = (int(torch.randint(0, side - CROP + 1, ())) for side in x.shape[-2:])
    return x[..., dy : dy + CROP, dx : dx + CROP]


def _losses(
    model: AutoencoderKL, vgg: VggFeatures, x: torch.Tensor, half_scale: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """L1, L1 of edges, feature distance, KL, of a batch B×3×128×128 in -1 … 1.

    At half scale the latents are shrunk and must decode to the shrunk picture (EQ-VAE, Kouzelis et al. 2025): latents
    that behave like small pictures are easier to learn to draw, and one model serves several sizes.
    """
    with torch.autocast(x.device.type, torch.bfloat16):
        posterior = model.encode(x).latent_dist
        z = posterior.sample()
        if half_scale:
            z, x = F.avg_pool2d(z, 2), F.avg_pool2d(x, 2)
    kl = 0.5 * (posterior.mean.float() ** 2 + posterior.var.float() - 1 - posterior.logvar.float()).mean()
    return (*_decoder_losses(model, vgg, z, x), kl)


def _decoder_losses(
    model: AutoencoderKL, vgg: VggFeatures, z: torch.Tensor, x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """L1, L1 of edges and feature distance of latents, made a little noisy, against the pictures they stand for."""
    with torch.autocast(x.device.type, torch.bfloat16):
        spread = z.detach().float().std()
        amount = torch.rand(len(z), 1, 1, 1, device=z.device).square() * _LATENT_NOISE * spread
        y = model.decode(z + amount * torch.randn_like(z)).sample
        features = torch.stack(
            [((a - b.detach()) ** 2).sum(1).mean() for a, b in zip(vgg(y), vgg(x), strict=True)]
        ).sum()
    y = y.float()
    edges = (_down(y) - _down(x)).abs().mean() + (_right(y) - _right(x)).abs().mean()
    return (y - x).abs().mean(), edges, features


def _down(x: torch.Tensor) -> torch.Tensor:
    return x[..., 1:, :] - x[..., :-1, :]


def _right(x: torch.Tensor) -> torch.Tensor:
    return x[..., :, 1:] - x[..., :, :-1]


def refine(
    folder: Path,
    chunks: Iterator[Chunk],
    painter: Painter,
    vgg: VggFeatures,
    *,
    seconds: float,
    deadline: float,
) -> bool:
    """Train the decoder on, with the encoder frozen, so that the latents and what was learnt of them stay valid.

    Writes `decoder.pt`. Returns whether the stage is done.
    """
    device = painter.device
    model = load(folder, device)
    twin = architecture.vae().decoder.to(device)
    average = state.Average(model.decoder, twin, 0.9995)
    model.decoder.requires_grad_(True).train()
    optimizer = torch.optim.AdamW(
        model.decoder.parameters(),
        0.6 * _RATE,
        betas=(0.9, 0.99),
        weight_decay=0.0,
        fused=device.type == "cuda",
    )
    saved, step, spent = state.load(folder / "decoder.pt", device), 0, 0.0
    if saved:
        model.decoder.load_state_dict(saved["model"])
        twin.load_state_dict(saved["average"])
        optimizer.load_state_dict(saved["optimizer"])
        step, spent = saved["step"], saved["spent"]
    vgg = vgg.to(device, memory_format=torch.channels_last)
    clock = state.Clock(seconds, deadline, spent)

    def checkpoint() -> None:
        content = {
            "model": model.decoder.state_dict(),
            "average": twin.state_dict(),
            "optimizer": optimizer.state_dict(),
            "step": step,
            "spent": clock.spent,
        }
        state.save(folder / "decoder.pt", content)

    while not clock.out_of_time:
        x = _crops(painter, next(chunks)).contiguous(memory_format=torch.channels_last)
        state.set_rate([optimizer], state.warm_then_cosine(clock.fraction, step))
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            z = model.encode(x).latent_dist.sample()
        parts = _decoder_losses(model, vgg, z, x)
        loss = parts[0] + parts[1] + _FEATURE_WEIGHT * parts[2]
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.decoder.parameters(), 1.0)
        optimizer.step()
        average.update(step)
        step += 1
        if step % 500 == 0:
            shown = " ".join(f"{p:.4f}" for p in torch.stack([p.detach() for p in parts]).tolist())
            log.info("decoder step %d %.0f s  l1, edges, features: %s", step, clock.spent, shown)
        if clock.time_to_save():
            checkpoint()
    checkpoint()
    return clock.finished


def load(folder: Path, device: torch.device) -> AutoencoderKL:
    """The averaged VAE that `train` wrote, frozen."""
    saved = state.load(folder / "vae.pt", device)
    if saved is None:
        raise FileNotFoundError(f"{folder / 'vae.pt'} is missing: run the stage vae first")
    model = architecture.vae().to(device, memory_format=torch.channels_last).eval().requires_grad_(False)
    model.load_state_dict(saved["average"])
    return model


@torch.no_grad()
def finish(folder: Path, chunks: Iterator[Chunk], painter: Painter) -> AutoencoderKL:
    """The averaged VAE with its latents' shift and scale set, as FLUX.1's config has them.

    They are measured once and kept in `latents.json`: every later stage must see the same latents.
    """
    model = load(folder, painter.device)
    kept = folder / "latents.json"
    if not kept.exists():
        z = torch.cat([_encode(model, painter, next(chunks)) for _ in range(16)])
        kept.write_text(json.dumps({"shift_factor": z.mean().item(), "scaling_factor": 1 / z.std().item()}))
    model.register_to_config(**json.loads(kept.read_text()))
    refined = state.load(folder / "decoder.pt", painter.device)
    if refined:
        model.decoder.load_state_dict(refined["average"])
    chunk = next(chunks)
    x = painter.paint(chunk.scenes, chunk.canvas.height, chunk.canvas.width)[:64]
    y = model.decode(model.encode(x).latent_dist.sample()).sample.clamp(-1, 1)
    psnr = -10 * math.log10(((y - x) / 2).square().mean().item())
    log.info("vae: %.2f dB PSNR on fresh 256-pixel scenes; %s", psnr, kept.read_text())
    return model


def _encode(model: AutoencoderKL, painter: Painter, chunk: Chunk) -> torch.Tensor:
    x = painter.paint(chunk.scenes, chunk.canvas.height, chunk.canvas.width)
    return model.encode(x).latent_dist.sample()
