"""Stages 2 and 3: flow matching with both text encoders, then guidance distilled into the guidance input."""

from __future__ import annotations

import copy
import logging
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from diffusers import FluxPipeline
from torch import nn

from resources.starter.train import architecture, parallel, state
from resources.starter.train.architecture import LATENT_CHANNELS, TEXT_LENGTH
from resources.starter.train.feed import CHUNK, Canvas, CaptionIds
from resources.starter.train.muon import Muon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from diffusers import AutoencoderKL

    from resources.starter.train.compose import Painter
    from resources.starter.train.feed import Chunk

log = logging.getLogger(__name__)

NO_GUIDANCE = 1.0  # the guidance input while there is nothing to distil yet
GUIDANCE_RANGE = (1.0, 5.0)
_DROP_CAPTION = 0.1
_DECAY = 0.999
_BANK_BYTES = {"cuda": 24e9, "cpu": 0.2e9}
_DRAWS = 16  # how often a latent is drawn, on average, for each new one
_CLIP_NORM = 1.0
_AGREE_EVERY = 20  # steps between two looks at the clock

SMALL_CANVASES = (Canvas(8, 8, 0.8), Canvas(4, 16, 0.1), Canvas(16, 4, 0.1))
LARGE_CANVASES = (
    Canvas(16, 16, 0.54),
    Canvas(8, 32, 0.08),
    Canvas(32, 8, 0.08),
    Canvas(4, 64, 0.03),
    Canvas(64, 4, 0.03),
    Canvas(24, 24, 0.09),
    Canvas(18, 32, 0.05),
    Canvas(32, 18, 0.05),
    Canvas(12, 48, 0.03),
    Canvas(48, 12, 0.03),
    Canvas(6, 96, 0.03),
    Canvas(96, 6, 0.02),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """Seconds and sizes of one part of the flow training."""

    name: str
    seconds: float
    canvases: tuple[Canvas, ...]
    tokens_a_step: int  # batch size × image tokens


@dataclass(frozen=True, slots=True)
class Batch:
    """Packed, normalised latents B×T×64 and the ids of their captions."""

    canvas: Canvas
    latents: torch.Tensor
    clip_ids: torch.Tensor
    t5_ids: torch.Tensor


class Networks(nn.Module):
    """The three networks that the flow trains."""

    def __init__(self, tokenizers: Path) -> None:
        super().__init__()
        from transformers import CLIPTokenizer, T5Tokenizer

        self.transformer = architecture.transformer()
        self.text_encoder, self.text_encoder_2 = architecture.text_encoders(
            CLIPTokenizer.from_pretrained(tokenizers / "tokenizer"),
            T5Tokenizer.from_pretrained(tokenizers / "tokenizer_2"),
        )

    def encode(self, clip_ids: torch.Tensor, t5_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The pooled vector B×128 and the sequence B×32×256, as FluxPipeline makes them."""
        return self.text_encoder(clip_ids).pooler_output, self.text_encoder_2(t5_ids)[0]

    def velocity(
        self,
        x: torch.Tensor,
        sigma: torch.Tensor,
        guidance: torch.Tensor,
        text: tuple[torch.Tensor, torch.Tensor],
        canvas: Canvas,
    ) -> torch.Tensor:
        """The predicted noise - picture of packed latents B×T×64 at noise levels `sigma` (B, 0 … 1)."""
        pooled, sequence = text
        ids = FluxPipeline._prepare_latent_image_ids(1, canvas.rows, canvas.columns, x.device, x.dtype)
        return self.transformer(
            hidden_states=x,
            timestep=sigma,
            guidance=guidance,
            pooled_projections=pooled,
            encoder_hidden_states=sequence,
            txt_ids=torch.zeros(TEXT_LENGTH, 3, device=x.device, dtype=x.dtype),
            img_ids=ids,
            return_dict=False,
        )[0]


class LatentBank:
    """Recent scenes as latents, one ring for each canvas; a latent is drawn several times before it is replaced."""

    def __init__(
        self, canvases: tuple[Canvas, ...], vae: AutoencoderKL, painter: Painter, chunks: Iterator[Chunk]
    ) -> None:
        self._vae, self._painter, self._chunks = vae, painter, chunks
        self._capacity = {
            canvas: max(CHUNK, int(_BANK_BYTES[painter.device.type] * canvas.weight / (canvas.tokens * 64 * 2)))
            for canvas in canvases
        }
        self._rings: dict[Canvas, list[torch.Tensor]] = {}
        self._written: dict[Canvas, int] = dict.fromkeys(canvases, 0)
        self._due = 0.0

    @torch.no_grad()
    def refresh(self) -> None:
        """Paint, encode and store the next chunk."""
        chunk = next(self._chunks)
        canvas = chunk.canvas
        pictures = self._painter.paint(chunk.scenes, canvas.height, canvas.width)
        device = pictures.device
        with torch.autocast(device.type, torch.bfloat16):
            z = self._vae.encode(pictures.contiguous(memory_format=torch.channels_last)).latent_dist.sample()
        config = self._vae.config
        z = (z.float() - config.shift_factor) * config.scaling_factor
        packed = FluxPipeline._pack_latents(z, len(z), LATENT_CHANNELS, *z.shape[-2:]).half()
        rows = [packed, chunk.clip_ids.to(device), chunk.t5_ids.to(device)]
        if canvas not in self._rings:
            self._rings[canvas] = [r.new_empty((self._capacity[canvas], *r.shape[1:])) for r in rows]
        at = torch.arange(self._written[canvas], self._written[canvas] + len(z), device=device) % self._capacity[canvas]
        for ring, row in zip(self._rings[canvas], rows, strict=True):
            ring[at] = row
        self._written[canvas] += len(z)

    def fill(self, seconds: float) -> None:
        """Refresh until every canvas has scenes and `seconds` have passed."""
        until = time.monotonic() + seconds
        while time.monotonic() < until or any(n == 0 for n in self._written.values()):
            self.refresh()
        log.info(
            "bank: %d scenes, %s",
            sum(self._written.values()),
            {f"{c.rows}x{c.columns}": n for c, n in self._written.items()},
        )

    def draw(self, canvas: Canvas, count: int) -> Batch:
        """`count` scenes of a canvas, at random; pays its share of new ones."""
        self._due += count / _DRAWS
        while self._due >= CHUNK:
            self.refresh()
            self._due -= CHUNK
        latents, clip_ids, t5_ids = self._rings[canvas]
        present = min(self._written[canvas], self._capacity[canvas])
        at = torch.randint(present, (count,), device=latents.device)
        return Batch(canvas, latents[at].float(), clip_ids[at], t5_ids[at])


class Trainer:
    """Everything that a checkpoint holds: networks, their average, optimisers, step and time."""

    def __init__(self, folder: Path, tokenizers: Path, device: torch.device, *, compiled: bool) -> None:
        self.compiled = compiled
        self.path, self.device = folder / "flow.pt", device
        self.networks = Networks(tokenizers).to(device)
        self.average = state.Average(self.networks, Networks(tokenizers).to(device), _DECAY)
        self.optimizers = _optimizers(self.networks, fused=device.type == "cuda")
        self.step = 0
        self.spent: dict[str, float] = {}
        empty = CaptionIds(tokenizers)([""])
        self.empty_ids = tuple(ids.to(device) for ids in empty)
        self._parameters = list(self.networks.parameters())
        self._gradients = parallel.flat_gradients(self._parameters)
        saved = state.load(self.path, device)
        if saved:
            self.networks.load_state_dict(saved["networks"])
            self.average.twin.load_state_dict(saved["average"])
            for optimizer, kept in zip(self.optimizers, saved.get("optimizers", ()), strict=False):
                optimizer.load_state_dict(kept)
            self.step, self.spent = saved["step"], saved["spent"]
        if compiled:
            self.networks.transformer.compile_repeated_blocks()

    def save(self) -> None:
        """Checkpoint, on the first GPU."""
        if parallel.rank() != 0:
            return
        content: dict[str, Any] = {
            "networks": _plain(self.networks),
            "average": _plain(self.average.twin),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "step": self.step,
            "spent": self.spent,
        }
        state.save(self.path, content)

    def load_average(self) -> None:
        """Go on from the average, as the start of a stage of another kind."""
        with torch.no_grad():
            for parameter, averaged in zip(self._parameters, self.average.twin.parameters(), strict=True):
                parameter.copy_(averaged)

    def descend(self, loss: torch.Tensor, rate: float) -> None:
        """One optimiser step."""
        self._gradients.zero_()
        loss.backward()
        parallel.average_(self._gradients)
        nn.utils.clip_grad_norm_(self._parameters, _CLIP_NORM, foreach=True)
        state.set_rate(self.optimizers, rate)
        for optimizer in self.optimizers:
            optimizer.step()
        self.average.update(self.step)
        self.step += 1


def _plain(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name.replace("_orig_mod.", ""): tensor for name, tensor in module.state_dict().items()}


def _optimizers(networks: Networks, *, fused: bool) -> list[torch.optim.Optimizer]:
    """Muon for the blocks' matrices, AdamW for embeddings, modulation, norms, biases and the ends."""
    hidden: list[nn.Parameter] = []
    other: list[nn.Parameter] = []
    text: list[nn.Parameter] = []
    for name, parameter in networks.named_parameters():
        if not name.startswith("transformer."):
            text.append(parameter)
        elif "transformer_blocks" in name and parameter.ndim == 2 and ".norm" not in name:
            hidden.append(parameter)
        else:
            other.append(parameter)
    return [
        Muon(hidden, lr=4e-3, weight_decay=0.01),
        torch.optim.AdamW(other, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0, fused=fused),
        torch.optim.AdamW(text, lr=7e-4, betas=(0.9, 0.99), weight_decay=0.01, fused=fused),
    ]


def sample_sigmas(count: int, tokens: int, device: torch.device) -> torch.Tensor:
    """Noise levels in 0 … 1: logit-normal, then shifted as FluxPipeline shifts its schedule (`calculate_shift`)."""
    mu = 0.5 + (tokens - 256) * (1.15 - 0.5) / (4096 - 256)
    t = torch.sigmoid(torch.randn(count, device=device))
    return math.exp(mu) / (math.exp(mu) + (1 / t - 1))


def train(trainer: Trainer, bank: LatentBank, stage: Stage, schedule: tuple[float, float], deadline: float) -> bool:
    """Train one stage; `schedule` is the stage's share (start, end) of the whole learning-rate schedule.

    Returns whether the stage is done.
    """
    start, end = schedule

    def rate(fraction: float) -> float:
        return state.warm_then_linear(start + (end - start) * fraction, trainer.step)

    return _run(trainer, bank, stage, deadline, lambda batch: _flow_loss(trainer, batch), rate)


def _run(
    trainer: Trainer,
    bank: LatentBank,
    stage: Stage,
    deadline: float,
    loss_of: Callable[[Batch], torch.Tensor],
    rate: Callable[[float], float],
) -> bool:
    """Descend until the stage or the run is over. Returns whether the stage is done."""
    for canvas in {canvas.tokens: canvas for canvas in stage.canvases}.values():
        loss_of(_draw(bank, canvas, stage)).backward()  # compiles, before the clock runs
    clock = state.Clock(stage.seconds, deadline, trainer.spent.get(stage.name, 0.0))
    weights = torch.tensor([canvas.weight for canvas in stage.canvases])
    smooth, logged, seen = 0.0, time.monotonic(), 0
    fraction, over = clock.fraction, clock.out_of_time
    while not over:
        generator = torch.Generator().manual_seed(trainer.step)  # the same canvas on every GPU
        canvas = stage.canvases[int(torch.multinomial(weights, 1, generator=generator))]
        batch = _draw(bank, canvas, stage)
        loss = loss_of(batch)
        trainer.descend(loss, rate(fraction))
        if trainer.step % _AGREE_EVERY == 0:
            fraction, over = parallel.agree(clock.fraction, clock.out_of_time, trainer.device)
        seen += len(batch.latents)
        trainer.spent[stage.name] = clock.spent
        if trainer.step % 100 == 0:
            value, pace = loss.item(), seen * parallel.world() / (time.monotonic() - logged)
            smooth = 0.8 * smooth + 0.2 * value if smooth else value
            log.info(
                "%s step %d %.0f s  %.0f pictures/s  loss %.4f",
                stage.name,
                trainer.step,
                clock.spent,
                pace,
                smooth,
            )
            logged, seen = time.monotonic(), 0
        if clock.time_to_save():
            trainer.save()
    trainer.save()
    return fraction >= 1.0


def _draw(bank: LatentBank, canvas: Canvas, stage: Stage) -> Batch:
    return bank.draw(canvas, max(8, stage.tokens_a_step // canvas.tokens))


def _flow_loss(trainer: Trainer, batch: Batch) -> torch.Tensor:
    """Mean squared error of the velocity, one caption in ten left out."""
    x, count, device = batch.latents, len(batch.latents), trainer.device
    dropped = torch.rand(count, 1, device=device) < _DROP_CAPTION
    clip_ids, t5_ids = (
        torch.where(dropped, empty, ids)
        for empty, ids in zip(trainer.empty_ids, (batch.clip_ids, batch.t5_ids), strict=True)
    )
    noise = torch.randn_like(x)
    sigma = sample_sigmas(count, batch.canvas.tokens, device)
    noisy = torch.lerp(x, noise, sigma[:, None, None])
    guidance = torch.full((count,), NO_GUIDANCE, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        text = trainer.networks.encode(clip_ids, t5_ids)
        predicted = trainer.networks.velocity(noisy, sigma, guidance, text, batch.canvas)
    return F.mse_loss(predicted.float(), noise - x)


def distil(trainer: Trainer, bank: LatentBank, stage: Stage, deadline: float) -> bool:
    """Teach the guidance input what classifier-free guidance does (Meng et al. 2023, as in FLUX.1-dev).

    The average is both the teacher, frozen, and the start of the student; the text encoders stay as they are.
    Returns whether the stage is done.
    """
    teacher_path = trainer.path.with_name("teacher.pt")
    fresh = not teacher_path.exists()
    parallel.wait()  # all have looked before the first one writes
    if fresh:
        trainer.load_average()
        if parallel.rank() == 0:
            state.save(teacher_path, _plain(trainer.average.twin))
        parallel.wait()
    teacher = copy.deepcopy(trainer.average.twin).requires_grad_(False)
    teacher.load_state_dict(state.load(teacher_path, trainer.device) or {})
    if trainer.compiled:
        teacher.transformer.compile_repeated_blocks()

    def rate(fraction: float) -> float:
        return 0.15 * state.warm_then_linear(fraction, 10**9, hold=0.2)

    return _run(trainer, bank, stage, deadline, lambda batch: _guidance_loss(trainer, teacher, batch), rate)


def _guidance_loss(trainer: Trainer, teacher: Networks, batch: Batch) -> torch.Tensor:
    x, count, device = batch.latents, len(batch.latents), trainer.device
    noise = torch.randn_like(x)
    sigma = sample_sigmas(count, batch.canvas.tokens, device)
    noisy = torch.lerp(x, noise, sigma[:, None, None])
    low, high = GUIDANCE_RANGE
    scale = low + (high - low) * torch.rand(count, device=device)
    plain = torch.full_like(scale, NO_GUIDANCE)
    # The student keeps the unconditional answer too: an empty prompt and true CFG still need it.
    dropped = torch.rand(count, 1, 1, device=device) < _DROP_CAPTION
    with torch.autocast(device.type, torch.bfloat16):
        with torch.no_grad():
            pooled, sequence = teacher.encode(batch.clip_ids, batch.t5_ids)
            empty = tuple(t.expand(count, *t.shape[1:]) for t in teacher.encode(*trainer.empty_ids))
            with_text = teacher.velocity(noisy, sigma, plain, (pooled, sequence), batch.canvas).float()
            without = teacher.velocity(noisy, sigma, plain, empty, batch.canvas).float()
            target = without + scale[:, None, None] * (with_text - without)
            target = torch.where(dropped, without, target)
            text = torch.where(dropped[:, 0], empty[0], pooled), torch.where(dropped, empty[1], sequence)
        predicted = trainer.networks.velocity(noisy, sigma, scale, text, batch.canvas)
    return F.mse_loss(predicted.float(), target)
