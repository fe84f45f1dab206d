"""Builds the judge's gallery, and measures the judge itself on real scenes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from resources.starter.judge import Gallery, Judge, border_colour, sharpness
from resources.starter.train.compose import Painter, SceneBatch, load_sprites
from resources.starter.train.concepts import PALETTE, STYLES
from resources.starter.train.scenes import Ground, SceneSampler

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

_SHARE = 0.85  # of the side: how large a sprite lies on its white card
_SIDE = 256  # pixels


def build(pictures: Path, out: Path) -> None:
    """Write the gallery of an unpacked pack to `out` and log what the judge makes of 300 real single scenes."""
    concepts, sprites = load_sprites(pictures)
    judge = Judge()
    cards = [_card(sprite.permute(1, 2, 0).numpy()) for sprite in sprites]
    labels = [concept.label for concept in concepts for _ in STYLES]
    gallery = Gallery.build(judge.features(cards), labels, STYLES * len(concepts))
    gallery.save(out)
    sampler = SceneSampler(concepts, seed=1)
    scenes = [sampler.sample(1.0) for _ in range(1500)]
    scenes = [s for s in scenes if len(s.objects) == 1 and s.ground is Ground.plain and s.objects[0].hue_shift == 0][
        :300
    ]
    painted = Painter(sprites, "cpu").paint(SceneBatch.pack(scenes), _SIDE, _SIDE)
    pixels = ((painted.permute(0, 2, 3, 1) + 1) * 127.5).round().byte().numpy()
    real = [Image.fromarray(picture) for picture in pixels]
    nearest = Gallery.load(out).nearest(judge.features(real))
    truth = [labels[s.objects[0].sprite] for s in scenes]
    first = np.mean([t == n[0] for t, n in zip(truth, nearest, strict=True)])
    fifth = np.mean([t in n for t, n in zip(truth, nearest, strict=True)])
    named = np.mean([border_colour(p, PALETTE) in s.caption for p, s in zip(real, scenes, strict=True)])
    sharp = np.median([sharpness(p) for p in real])
    log.info(
        "judge on %d real scenes: R@1 %.3f, R@5 %.3f, background %.3f, sharpness %.4f",
        len(real),
        first,
        fifth,
        named,
        sharp,
    )


def _card(rgba: np.ndarray) -> Image.Image:
    side = round(_SIDE * _SHARE)
    sprite = Image.fromarray(rgba).resize((side, side), Image.Resampling.LANCZOS)
    card = Image.new("RGB", (_SIDE, _SIDE), "white")
    card.paste(sprite, ((_SIDE - side) // 2,) * 2, sprite)
    return card
