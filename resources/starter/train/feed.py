"""Scenes and their token ids, made by worker processes while the GPU trains."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from resources.starter.train.architecture import CLIP_LENGTH, PATCH, TEXT_LENGTH, VAE_FACTOR
from resources.starter.train.compose import SceneBatch
from resources.starter.train.scenes import SceneSampler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from resources.starter.train.concepts import Concept

CHUNK = 128  # scenes
TOKEN_PIXELS = VAE_FACTOR * PATCH


@dataclass(frozen=True, slots=True)
class Canvas:
    """A picture size in transformer tokens (16 pixels each) and how often it is drawn."""

    rows: int
    columns: int
    weight: float

    @property
    def tokens(self) -> int:
        """Image tokens of this size."""
        return self.rows * self.columns

    @property
    def height(self) -> int:
        """Pixels."""
        return self.rows * TOKEN_PIXELS

    @property
    def width(self) -> int:
        """Pixels."""
        return self.columns * TOKEN_PIXELS


@dataclass(frozen=True, slots=True)
class Chunk:
    """`CHUNK` scenes for one canvas, with CLIP ids (CHUNK×77) and T5 ids (CHUNK×32)."""

    canvas: Canvas
    scenes: SceneBatch
    clip_ids: torch.Tensor
    t5_ids: torch.Tensor


class CaptionIds:
    """Turns captions into the ids that FluxPipeline would make of them."""

    def __init__(self, tokenizers: Path) -> None:
        from transformers import CLIPTokenizer, T5Tokenizer

        self._clip = CLIPTokenizer.from_pretrained(tokenizers / "tokenizer")
        self._t5 = T5Tokenizer.from_pretrained(tokenizers / "tokenizer_2")

    def __call__(self, captions: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """CLIP ids B×77 and T5 ids B×32, int64, padded and cut."""

        def ids(tokenizer: object, length: int) -> torch.Tensor:
            rows = tokenizer(captions, padding="max_length", max_length=length, truncation=True)  # type: ignore[operator]
            return torch.tensor(rows.input_ids)

        return ids(self._clip, CLIP_LENGTH), ids(self._t5, TEXT_LENGTH)


class _Scenes(IterableDataset[Chunk]):
    def __init__(self, concepts: Sequence[Concept], canvases: Sequence[Canvas], tokenizers: Path, seed: int) -> None:
        self._concepts, self._canvases, self._tokenizers, self._seed = concepts, canvases, tokenizers, seed

    def __iter__(self) -> Iterator[Chunk]:
        torch.set_num_threads(1)
        worker = get_worker_info()
        seed = self._seed * 1000 + (worker.id if worker else 0)
        rng, sampler, ids = (
            random.Random(seed),
            SceneSampler(self._concepts, seed),
            CaptionIds(self._tokenizers),
        )
        while True:
            (canvas,) = rng.choices(self._canvases, weights=[c.weight for c in self._canvases])
            scenes = [sampler.sample(canvas.width / canvas.height) for _ in range(CHUNK)]
            yield Chunk(canvas, SceneBatch.pack(scenes), *ids([scene.caption for scene in scenes]))


def feed(
    concepts: Sequence[Concept], canvases: Sequence[Canvas], tokenizers: Path, *, seed: int, workers: int
) -> Iterator[Chunk]:
    """Chunks without end; `seed` should differ between runs that resume, or they see the same scenes again."""
    loader = DataLoader(
        _Scenes(concepts, canvases, tokenizers, seed),
        batch_size=None,
        num_workers=workers,
        prefetch_factor=8 if workers else None,
    )
    return iter(loader)
