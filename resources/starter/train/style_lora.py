"""`python -m resources.starter.train.style_lora`: the little LoRA that makes the starter model draw pixel art.

It trains on scenes as the model itself did, each shrunk to 32x32 pixels of 16 colours: minutes on two CPU cores.
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import FluxPipeline
from peft import LoraConfig, get_peft_model_state_dict
from PIL import Image

from resources.starter.train import state
from resources.starter.train.architecture import LATENT_CHANNELS
from resources.starter.train.compose import Painter, load_sprites
from resources.starter.train.feed import Canvas, CaptionIds, Chunk, feed
from resources.starter.train.flow import GUIDANCE_RANGE, Batch, Networks, sample_sigmas
from resources.starter.train.start import unpack

STARTER = Path(__file__).parents[1]
RANK = 4
_LAYERS = ("to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj", "to_add_out")
_CANVAS = Canvas(16, 16, 1.0)
_PIXELS, _COLOURS = 32, 16
_BATCH = 8
_RATE = 2e-3
log = logging.getLogger("starter.style_lora")


def main() -> None:
    """Train for the time given and write the file."""
    parser = argparse.ArgumentParser(prog="python -m resources.starter.train.style_lora", description=__doc__)
    parser.add_argument("--pictures", type=Path, required=True, help="the unpacked pack.tar")
    parser.add_argument("--work", type=Path, default=Path("build/style_lora"))
    parser.add_argument("--out", type=Path, default=STARTER / "loras")
    parser.add_argument("--chunks", type=int, default=3, help="of 128 scenes")
    parser.add_argument("--seconds", type=float, default=420)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.manual_seed(0)
    networks = _load(args.work)
    bank = _encode(args.pictures, args.chunks)
    train(networks, bank, args.seconds)
    args.out.mkdir(parents=True, exist_ok=True)
    layers = {name: tensor.half() for name, tensor in get_peft_model_state_dict(networks.transformer).items()}
    FluxPipeline.save_lora_weights(args.out, layers, weight_name="pixel_art.safetensors")


def _load(work: Path) -> Networks:
    """The shipped networks, with a LoRA that does nothing yet on the transformer's attention."""
    unpack(STARTER, work, STARTER)
    networks = Networks(STARTER)
    saved = state.load(work / "flow.pt", "cpu")
    if saved is None:
        raise SystemExit(f"{work} has no flow.pt")
    networks.load_state_dict(saved["networks"])
    networks.requires_grad_(requires_grad=False)
    networks.transformer.add_adapter(LoraConfig(r=RANK, lora_alpha=RANK, target_modules=list(_LAYERS)))
    return networks


@torch.no_grad()
def _encode(pictures: Path, chunks: int) -> Batch:
    """Scenes as pixel art: packed, normalised latents and the ids of their captions."""
    pipeline = FluxPipeline.from_pretrained(STARTER, transformer=None, text_encoder=None, text_encoder_2=None)
    vae = pipeline.vae.float()
    concepts, sprites = load_sprites(pictures)
    painter = Painter(sprites, "cpu")
    scenes = feed(concepts, [_CANVAS], STARTER, seed=7, workers=0)
    rows = [_latents(next(scenes), painter, vae) for _ in range(chunks)]
    return Batch(_CANVAS, *(torch.cat(column) for column in zip(*rows, strict=True)))


def _latents(chunk: Chunk, painter: Painter, vae: torch.nn.Module) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    painted = torch.stack([pixelate(one) for one in painter.paint(chunk.scenes, _CANVAS.height, _CANVAS.width)])
    z = torch.cat([vae.encode(some).latent_dist.mean for some in painted.split(16)])
    z = (z - vae.config.shift_factor) * vae.config.scaling_factor
    packed = FluxPipeline._pack_latents(z, len(z), LATENT_CHANNELS, *z.shape[-2:])
    return packed, chunk.clip_ids, chunk.t5_ids


def pixelate(picture: torch.Tensor) -> torch.Tensor:
    """A picture 3xHxW in -1 ... 1 as pixel art: its shorter side `_PIXELS` squares, `_COLOURS` colours."""
    height, width = picture.shape[1:]
    factor = min(height, width) // _PIXELS
    small = F.avg_pool2d(picture[None], factor)[0]
    image = Image.fromarray(((small + 1) * 127.5).round().byte().permute(1, 2, 0).numpy())
    reduced = np.asarray(image.quantize(_COLOURS, dither=Image.Dither.NONE).convert("RGB"))
    small = torch.from_numpy(reduced.copy()).permute(2, 0, 1) / 127.5 - 1
    return small.repeat_interleave(factor, 1).repeat_interleave(factor, 2)


def train(networks: Networks, bank: Batch, seconds: float) -> None:
    """Flow matching on the LoRA alone, at every guidance that the model knows, one caption in ten left out."""
    parameters = [one for one in networks.transformer.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=_RATE, weight_decay=0.0)
    empty = CaptionIds(STARTER)([""])
    began = time.monotonic()
    step, smooth = 0, 0.0
    while (fraction := (time.monotonic() - began) / seconds) < 1:
        at = torch.randint(len(bank.latents), (_BATCH,))
        x, dropped = bank.latents[at], torch.rand(_BATCH, 1) < 0.1
        ids = (
            torch.where(dropped, none, some[at]) for none, some in zip(empty, (bank.clip_ids, bank.t5_ids), strict=True)
        )
        with torch.no_grad():
            text = networks.encode(*ids)
        noise = torch.randn_like(x)
        sigma = sample_sigmas(_BATCH, _CANVAS.tokens, x.device)
        guidance = torch.empty(_BATCH).uniform_(*GUIDANCE_RANGE)
        predicted = networks.velocity(torch.lerp(x, noise, sigma[:, None, None]), sigma, guidance, text, _CANVAS)
        loss = F.mse_loss(predicted, noise - x)
        state.set_rate([optimizer], state.warm_then_cosine(fraction, step, warmup=20))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        smooth = 0.95 * smooth + 0.05 * float(loss) if smooth else float(loss)
        if step % 20 == 0:
            log.info("step %d  %.0f s  loss %.4f", step, time.monotonic() - began, smooth)


if __name__ == "__main__":
    main()
