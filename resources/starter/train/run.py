"""The order of the GPU stages, and how one run hands over to the next."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import torch

from resources.starter.train import export, flow, parallel, start, vae
from resources.starter.train.compose import Painter, load_sprites
from resources.starter.train.feed import feed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from diffusers import AutoencoderKL

    from resources.starter.train.feed import Canvas, Chunk

log = logging.getLogger(__name__)

TOKENS_A_STEP = 2048 * 64  # a GPU: 2,048 pictures of 128 pixels or 512 of 256


class Run:
    """One run of the stages that train networks, until they are done or `deadline` (`time.monotonic()`) is reached."""

    def __init__(self, args: argparse.Namespace, tokenizers: Path, pictures: Path, deadline: float) -> None:
        self._args, self._tokenizers, self._deadline = args, tokenizers, deadline
        self._device = parallel.start()
        _set_up_torch(args.seed)
        self._concepts, sprites = load_sprites(pictures)
        self._painter = Painter(sprites, self._device)
        recolourable = sum(concept.hue is not None for concept in self._concepts)
        log.info("%d concepts, %d recolourable, on %s", len(self._concepts), recolourable, self._device)

    def stages(self) -> None:
        """Train what is asked for, in order; a stage that is not finished ends the run."""
        wanted = set(self._args.stages)
        if self._args.start and parallel.rank() == 0:
            start.unpack(self._args.start, self._args.work, self._tokenizers)
        parallel.wait()
        chunks = self._chunks(vae.CANVASES, 1)
        if "vae" in wanted and not self._vae(vae.train, chunks, self._args.vae_seconds):
            return
        if "decoder" in wanted and not self._vae(vae.refine, chunks, self._args.decoder_seconds):
            return
        if not wanted & {"flow", "guide", "export"}:
            return
        autoencoder = vae.finish(self._args.work, chunks, self._painter)
        compiled = self._device.type == "cuda" and not self._args.no_compile
        trainer = flow.Trainer(self._args.work, self._tokenizers, self._device, compiled=compiled)
        if "flow" in wanted and not self._flow(trainer, autoencoder):
            return
        if "guide" in wanted and not self._guide(trainer, autoencoder):
            return
        if "export" in wanted and parallel.rank() == 0:
            pipeline = export.assemble(trainer.average.twin, autoencoder, self._tokenizers)
            export.write(pipeline, self._args.out)

    def _chunks(self, canvases: Sequence[Canvas], salt: int) -> Iterator[Chunk]:
        seed = self._args.seed + salt + 100 * parallel.rank()
        return feed(self._concepts, canvases, self._tokenizers, seed=seed, workers=self._args.workers)

    def _vae(self, train: vae.Train, chunks: Iterator[Chunk], seconds: float) -> bool:
        vgg = vae.VggFeatures(vae.vgg_weights(self._args.vgg))
        return train(self._args.work, chunks, self._painter, vgg, seconds=seconds, deadline=self._deadline)

    def _bank(self, stage: flow.Stage, autoencoder: AutoencoderKL, salt: int) -> flow.LatentBank:
        bank = flow.LatentBank(stage.canvases, autoencoder, self._painter, self._chunks(stage.canvases, salt))
        bank.fill(self._args.fill_seconds)
        return bank

    def _flow(self, trainer: flow.Trainer, autoencoder: AutoencoderKL) -> bool:
        small = flow.Stage("small", self._args.small_seconds, flow.SMALL_CANVASES, TOKENS_A_STEP)
        large = flow.Stage("large", self._args.large_seconds, flow.LARGE_CANVASES, TOKENS_A_STEP)
        turn = small.seconds / (small.seconds + large.seconds)
        for stage, schedule in ((small, (0.0, turn)), (large, (turn, 1.0))):
            if trainer.spent.get(stage.name, 0.0) >= stage.seconds:
                continue
            if not flow.train(trainer, self._bank(stage, autoencoder, 2), stage, schedule, self._deadline):
                return False
        return True

    def _guide(self, trainer: flow.Trainer, autoencoder: AutoencoderKL) -> bool:
        stage = flow.Stage("guide", self._args.guide_seconds, flow.LARGE_CANVASES, TOKENS_A_STEP)
        return flow.distil(trainer, self._bank(stage, autoencoder, 3), stage, self._deadline)


def _set_up_torch(seed: int) -> None:
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # its backward read past its inputs here (torch 2.11, H200)
    torch._dynamo.config.automatic_dynamic_shapes = False  # a few fixed sizes, each compiled for itself
    torch._dynamo.config.recompile_limit = 32
    torch.manual_seed(seed + int(time.time()) + 1000 * parallel.rank())
