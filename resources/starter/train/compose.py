"""Paints scenes as batches of tensors, on whatever device the sprites lie."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from resources.starter.train.concepts import STYLES, Concept, load_concepts
from resources.starter.train.scenes import MAX_OBJECTS, Ground, Scene

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SPRITE_SIDE = 256
_MIPS = 4  # 256, 128, 64, 32 pixels: a sprite is never shrunk more than twofold by bilinear sampling
_HUE_WINDOW = 25.0  # degrees
_HUE_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class SceneBatch:
    """Scenes as arrays: B scenes of `MAX_OBJECTS` slots, -1 in `sprite` where a slot is empty."""

    sprite: torch.Tensor  # B×4, int64
    place: torch.Tensor  # B×4×5: x, y, size, mirror, hue shift in degrees
    ground: torch.Tensor  # B, int64
    colours: torch.Tensor  # B×2×3, RGB in 0 … 1
    phase: torch.Tensor  # B
    shadow: torch.Tensor  # B, bool

    @classmethod
    def pack(cls, scenes: Sequence[Scene]) -> SceneBatch:
        """Turn scenes into CPU tensors."""
        sprite = np.full((len(scenes), MAX_OBJECTS), -1, np.int64)
        place = np.zeros((len(scenes), MAX_OBJECTS, 5), np.float32)
        for row, scene in enumerate(scenes):
            for slot, p in enumerate(scene.objects):
                sprite[row, slot] = p.sprite
                place[row, slot] = (p.x, p.y, p.size, p.mirror, p.hue_shift)
        return cls(
            sprite=torch.from_numpy(sprite),
            place=torch.from_numpy(place),
            ground=torch.tensor([int(s.ground) for s in scenes]),
            colours=torch.tensor([(s.first, s.second) for s in scenes], dtype=torch.float32),
            phase=torch.tensor([s.phase for s in scenes], dtype=torch.float32),
            shadow=torch.tensor([s.shadow for s in scenes]),
        )

    def to(self, device: torch.device | str) -> SceneBatch:
        """The same batch on another device."""
        names = ("sprite", "place", "ground", "colours", "phase", "shadow")
        return SceneBatch(**{name: getattr(self, name).to(device, non_blocking=True) for name in names})


def load_sprites(folder: Path) -> tuple[list[Concept], torch.Tensor]:
    """Read an unpacked pack.

    Returns:
        The concepts, with their hues measured, and their pictures as uint8 RGBA N×4×256×256, N = concepts × styles.
    """
    concepts = load_concepts(folder)
    paths = [folder / style / f"{concept.key}.webp" for concept in concepts for style in STYLES]
    with ThreadPoolExecutor() as pool:
        arrays = list(pool.map(_read_rgba, paths))
    sprites = torch.from_numpy(np.stack(arrays)).permute(0, 3, 1, 2).contiguous()
    hues = [_shared_hue(arrays[i * len(STYLES) : (i + 1) * len(STYLES)]) for i in range(len(concepts))]
    return [replace(c, hue=hue) for c, hue in zip(concepts, hues, strict=True)], sprites


def _read_rgba(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGBA"))


def _shared_hue(styles: Sequence[np.ndarray]) -> float | None:
    """The hue (degrees) of most saturated pixels, where one hue holds for every style of a concept."""
    found: list[float] = []
    for rgba in styles:
        small = rgba[::4, ::4].reshape(-1, 4).astype(np.float32) / 255
        high, low = small[:, :3].max(1), small[:, :3].min(1)
        vivid = (small[:, 3] > 0.5) & (high - low > 0.25 * np.maximum(high, 1e-6)) & (high > 0.2)
        if vivid.sum() < 0.35 * (small[:, 3] > 0.5).sum():
            return None
        hues = np.radians(_hue(small[vivid, :3]))
        centre = math.degrees(math.atan2(np.sin(hues).sum(), np.cos(hues).sum())) % 360
        distance = np.abs((np.degrees(hues) - centre + 180) % 360 - 180)
        if (distance <= _HUE_WINDOW).mean() < _HUE_SHARE:
            return None
        found.append(centre)
    spread = max(abs((hue - found[0] + 180) % 360 - 180) for hue in found)
    return found[0] if spread <= _HUE_WINDOW else None


def _hue(rgb: np.ndarray) -> np.ndarray:
    """HSV hue in degrees of N×3 colours that are not gray."""
    high, low = rgb.max(1), rgb.min(1)
    r, g, b = rgb.T
    sector = np.select(
        [high == r, high == g],
        [(g - b) / (high - low) % 6, (b - r) / (high - low) + 2],
        (r - g) / (high - low) + 4,
    )
    return 60 * sector


class Painter:
    """Holds the sprites as premultiplied mip levels and paints batches (CPU tensors) with them."""

    def __init__(self, sprites: torch.Tensor, device: torch.device | str) -> None:
        """Take uint8 RGBA sprites N×4×256×256. Colours are premultiplied by alpha, or shrinking makes dark fringes."""
        levels: list[list[torch.Tensor]] = [[] for _ in range(_MIPS)]
        for chunk in sprites.split(256):
            level = chunk.to(device).half() / 255
            level = torch.cat((level[:, :3] * level[:, 3:], level[:, 3:]), 1)
            for collected in levels:
                collected.append(level)
                level = F.avg_pool2d(level, 2)
        self._mips = [torch.cat(level) for level in levels]
        self.device = torch.device(device)

    @torch.no_grad()
    def paint(self, batch: SceneBatch, height: int, width: int) -> torch.Tensor:
        """Paint B scenes: float32 B×3×height×width in -1 … 1."""
        canvas = _paint_ground(batch.to(self.device), batch.ground, height, width)
        for slot in range(MAX_OBJECTS):
            rows = (batch.sprite[:, slot] >= 0).nonzero().squeeze(1)
            if len(rows) == 0:
                continue
            layer = self._layer(batch.sprite[rows, slot], batch.place[rows, slot], height, width)
            shadow = batch.shadow[rows].to(self.device)[:, None, None, None]
            shade = _soft_shadow(layer[:, 3:]) * 0.35 * shadow
            rows = rows.to(self.device)
            canvas[rows] = layer[:, :3] + canvas[rows] * (1 - shade) * (1 - layer[:, 3:])
        return canvas.clamp_(0, 1) * 2 - 1

    def _layer(self, sprite: torch.Tensor, place: torch.Tensor, height: int, width: int) -> torch.Tensor:
        """Each sprite alone on a transparent canvas: premultiplied R×4×height×width."""
        # Which rows go where is decided on the CPU: asking the GPU would stall it.
        pixels = place[:, 2] * min(height, width)
        level = (SPRITE_SIDE / pixels).log2().floor().clamp(0, _MIPS - 1).long()
        scale_x, scale_y = width / pixels * (1 - 2 * place[:, 3]), height / pixels
        theta = torch.zeros(len(sprite), 2, 3)
        theta[:, 0, 0], theta[:, 1, 1] = scale_x, scale_y
        theta[:, 0, 2], theta[:, 1, 2] = -scale_x * (2 * place[:, 0] - 1), -scale_y * (2 * place[:, 1] - 1)
        out = torch.zeros(len(sprite), 4, height, width, device=self.device)
        for number, mip in enumerate(self._mips):
            rows = (level == number).nonzero().squeeze(1)
            if len(rows) == 0:
                continue
            grid = F.affine_grid(theta[rows].to(self.device), [len(rows), 4, height, width], align_corners=False)
            pictures = mip[sprite[rows].to(self.device)].float()
            out[rows.to(self.device)] = F.grid_sample(pictures, grid, align_corners=False)
        turned = (place[:, 4] != 0).nonzero().squeeze(1)
        if len(turned):
            angles, turned = place[turned, 4].to(self.device), turned.to(self.device)
            out[turned, :3] = turn_hue(out[turned, :3], angles)
        return out


def turn_hue(rgb: torch.Tensor, degrees: torch.Tensor) -> torch.Tensor:
    """Rotate the HSV hue of B×3×H×W pictures by B angles; premultiplied colours stay premultiplied."""
    high, low = rgb.amax(1), rgb.amin(1)
    chroma = (high - low).clamp_min(1e-6)
    r, g, b = rgb.unbind(1)
    sector = torch.where(
        high == r, ((g - b) / chroma) % 6, torch.where(high == g, (b - r) / chroma + 2, (r - g) / chroma + 4)
    )
    sector = (sector + degrees[:, None, None] / 60) % 6
    # https://en.wikipedia.org/wiki/HSL_and_HSV#HSV_to_RGB_alternative
    k = torch.stack([(n + sector) % 6 for n in (5, 3, 1)], 1)
    return high[:, None] - (high - low)[:, None] * torch.minimum(k, 4 - k).clamp(0, 1)


def _soft_shadow(alpha: torch.Tensor) -> torch.Tensor:
    """A blurred copy of B×1×H×W coverage, moved down a little."""
    side = min(alpha.shape[-2:])
    small = F.avg_pool2d(alpha, 4)
    radius = max(1, side // 64)
    for _ in range(2):
        small = F.avg_pool2d(small, 2 * radius + 1, stride=1, padding=radius)
    blurred = F.interpolate(small, size=alpha.shape[-2:], mode="bilinear", align_corners=False)
    drop = side // 24
    return F.pad(blurred, (0, 0, drop, 0))[..., : alpha.shape[-2], :]


def _paint_ground(batch: SceneBatch, grounds: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """The backgrounds: float32 B×3×height×width in 0 … 1. `grounds` is `batch.ground` on the CPU."""
    device = batch.colours.device
    side = min(height, width)
    y = torch.linspace(0, 1, height, device=device)[None, :, None]
    across = torch.arange(width, device=device)[None, None, :] / side
    down = torch.arange(height, device=device)[None, :, None] / side
    first, second = (batch.colours[:, i, :, None, None] for i in (0, 1))
    canvas = first.expand(-1, -1, height, width).clone()
    painters = {
        Ground.gradient: lambda r: first[r] + (second[r] - first[r]) * y,
        Ground.grass: lambda r: _horizon(
            r, batch, y, ((0.38, 0.68, 0.96), (0.78, 0.91, 1.0)), ((0.45, 0.74, 0.33), (0.25, 0.55, 0.22))
        ),
        Ground.beach: lambda r: _horizon(
            r, batch, y, ((0.45, 0.78, 0.97), (0.10, 0.55, 0.80)), ((0.97, 0.88, 0.66), (0.90, 0.76, 0.50))
        ),
        Ground.snow: lambda r: _horizon(
            r, batch, y, ((0.68, 0.80, 0.92), (0.86, 0.93, 0.98)), ((1.0, 1.0, 1.0), (0.87, 0.92, 0.98))
        ),
        Ground.night: lambda r: _night(r, batch, y, across, down),
        Ground.stripes: lambda r: _mix(r, first, second, ((across + down) * 3 + batch.phase[r, None, None]) % 1 < 0.5),
        Ground.dots: lambda r: _mix(r, first, second, _dots(across * 5 + batch.phase[r, None, None], down * 5)),
    }
    for ground, paint in painters.items():
        rows = (grounds == ground).nonzero().squeeze(1)
        if len(rows):
            rows = rows.to(device)
            canvas[rows] = paint(rows)
    return canvas


_Shades = tuple[tuple[float, float, float], tuple[float, float, float]]


def _horizon(rows: torch.Tensor, batch: SceneBatch, y: torch.Tensor, sky: _Shades, land: _Shades) -> torch.Tensor:
    """Two gradients that meet at a line between 50 and 70 % of the height."""
    line = 0.5 + 0.2 * batch.phase[rows, None, None]
    sky_colours, land_colours = (torch.tensor(c, device=y.device)[:, None, :, None, None] for c in (sky, land))
    upper = sky_colours[0] + (sky_colours[1] - sky_colours[0]) * (y / line)[:, None]
    lower = land_colours[0] + (land_colours[1] - land_colours[0]) * ((y - line) / (1 - line))[:, None]
    return torch.where((y < line)[:, None], upper, lower)


def _night(
    rows: torch.Tensor, batch: SceneBatch, y: torch.Tensor, across: torch.Tensor, down: torch.Tensor
) -> torch.Tensor:
    """Deep blue with a few round stars, one at a random place in each cell of a grid."""
    top, bottom = (
        torch.tensor(c, device=y.device)[None, :, None, None] for c in ((0.03, 0.04, 0.16), (0.13, 0.13, 0.36))
    )
    sky = top + (bottom - top) * y[:, None]
    cell_x, cell_y = (across * 6).floor(), (down * 6).floor()
    seed = batch.phase[rows, None, None] * 91.7 + cell_x * 12.9898 + cell_y * 78.233
    jitter_x, jitter_y, bright = ((torch.sin(seed * k) * 43758.5453) % 1 for k in (1.0, 1.7, 2.3))
    distance = torch.hypot(across * 6 - cell_x - 0.2 - 0.6 * jitter_x, down * 6 - cell_y - 0.2 - 0.6 * jitter_y)
    glow = ((0.04 + 0.07 * bright - distance) * 25).clamp(0, 1) * (bright > 0.35)
    return sky + (1 - sky) * glow[:, None]


def _dots(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.hypot(x % 1 - 0.5, y % 1 - 0.5) < 0.27


def _mix(rows: torch.Tensor, first: torch.Tensor, second: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.where(mask[:, None], first[rows], second[rows])
