"""Little scenes with their captions: what is where on which background, drawn at random.

A scene is numbers only; `compose` paints it. Sizes and places are fractions, so one scene fits any canvas.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from resources.starter.train.concepts import HUES, NUMBER_WORDS, PALETTE, STYLES, Concept, held_out

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_OBJECTS = 4
_STYLE_PHRASES = {
    "3d": ("3d render", "3d icon", "3d emoji"),
    "flat": ("flat icon", "flat design", "flat vector"),
    "noto": ("cartoon", "cartoon drawing", "comic style"),
}
_COUNT_WORDS = {2: "two", 3: "three", 4: "four"}


class Ground(IntEnum):
    """Backgrounds that `compose` can paint; `first` and `second` are their two colours."""

    plain = 0
    gradient = 1
    grass = 2
    night = 3
    beach = 4
    snow = 5
    stripes = 6
    dots = 7


_GROUND_PHRASES: dict[Ground, tuple[str, ...]] = {
    Ground.grass: ("on grass under a blue sky", "on green grass", "in a meadow", "on a lawn"),
    Ground.night: (
        "in the night sky with stars",
        "at night under the stars",
        "on a starry night sky",
        "in space",
    ),
    Ground.beach: ("on the beach", "on a sandy beach by the sea", "on sand by the ocean"),
    Ground.snow: ("in the snow", "on snow, winter", "on a snowy field"),
}


@dataclass(slots=True)
class Placed:
    """A sprite on the canvas: centre as a fraction of width and height, size as a fraction of the shorter side."""

    sprite: int
    x: float
    y: float
    size: float
    mirror: bool = False
    hue_shift: float = 0.0  # degrees


@dataclass(slots=True)
class Scene:
    """One picture to paint and the words for it. Colours are RGB in 0 … 1; `phase` places stripes, stars and dots."""

    caption: str
    ground: Ground
    first: tuple[float, ...]
    second: tuple[float, ...]
    objects: list[Placed] = field(default_factory=list[Placed])
    phase: float = 0.0
    shadow: bool = False


class SceneSampler:
    """Draws scenes for one canvas shape after another; the same seed gives the same scenes."""

    def __init__(self, concepts: Sequence[Concept], seed: int) -> None:
        self._concepts = concepts
        self._random = random.Random(seed)
        self._recolourable = [i for i, c in enumerate(concepts) if c.hue is not None]
        self._countable = [
            i for i, c in enumerate(concepts) if not NUMBER_WORDS & set(c.label.split()) and not c.label.endswith("s")
        ]

    def sample(self, aspect: float) -> Scene:
        """One scene for a canvas of width / height = `aspect`."""
        rng = self._random
        style, style_phrase = self._style()
        kind = rng.random()
        if kind < 0.60:
            scene, subject, keys = self._single(style, aspect)
        elif kind < 0.80:
            scene, subject, keys = self._pair(style, aspect)
        elif kind < 0.90 or not self._recolourable:
            scene, subject, keys = self._several(style, aspect)
        else:
            scene, subject, keys = self._recoloured(style, aspect)
        place = self._background(scene, keys)
        scene.caption = self._caption(subject, style_phrase, place)
        scene.shadow = rng.random() < 0.35
        return scene

    def _style(self) -> tuple[str, str]:
        rng = self._random
        if rng.random() < 0.5:
            style = rng.choice(STYLES)
            return style, rng.choice(_STYLE_PHRASES[style])
        return ("3d" if rng.random() < 2 / 3 else rng.choice(STYLES[1:])), ""

    # Subjects: each returns the scene, the words for its objects, and the keys that decide held-out pairs.

    def _single(self, style: str, aspect: float) -> tuple[Scene, str, list[str]]:
        rng = self._random
        index = rng.randrange(len(self._concepts))
        concept = self._concepts[index]
        size, adjective = rng.uniform(0.62, 0.88), ""
        if rng.random() < 0.2:
            small = rng.random() < 0.5
            size = rng.uniform(0.38, 0.5) if small else rng.uniform(0.86, 0.96)
            adjective = rng.choice(("small ", "tiny ", "little ") if small else ("large ", "big ", "huge "))
        if rng.random() < 0.06 and concept.hue is not None and concept.noun == concept.label:
            adjective += f"{_nearest_hue(concept.hue)} "
        x, y = self._spot(size, aspect)
        placed = Placed(self._sprite(index, style), x, y, size, mirror=self._mirror(concept))
        return _blank([placed]), _with_article(adjective + self._name(concept), rng), [concept.key]

    def _pair(self, style: str, aspect: float) -> tuple[Scene, str, list[str]]:
        rng = self._random
        while True:
            a, b = rng.sample(range(len(self._concepts)), 2)
            if not held_out("pair", self._concepts[a].key, self._concepts[b].key):
                break
        relation = rng.choice(("and", "and", "left", "right", "above", "below"))
        if relation == "and":
            upright = aspect < 0.7 or (aspect < 1.3 and rng.random() < 0.2)
        else:
            upright = relation in ("above", "below")
        names = [_with_article(self._name(self._concepts[i]), rng) for i in (a, b)]
        words = {
            "and": (" and ",),
            "left": (" to the left of ", " left of "),
            "right": (" to the right of ", " right of "),
            "above": (" above ", " on top of "),
            "below": (" below ", " under "),
        }[relation]
        subject = rng.choice(words).join(names)
        order = [b, a] if relation in ("right", "below") else [a, b]  # from the left, or from the top
        spots, size = _row(2, 1 / aspect if upright else aspect, rng)
        objects = [
            Placed(
                self._sprite(index, style),
                *((0.5 + rng.uniform(-0.04, 0.04), spot) if upright else (spot, 0.5 + rng.uniform(-0.04, 0.04))),
                size * rng.uniform(0.92, 1.0),
                mirror=self._mirror(self._concepts[index]),
            )
            for index, spot in zip(order, spots, strict=True)
        ]
        return _blank(objects), subject, [self._concepts[a].key, self._concepts[b].key]

    def _several(self, style: str, aspect: float) -> tuple[Scene, str, list[str]]:
        rng = self._random
        index = rng.choice(self._countable)
        concept, count = self._concepts[index], rng.choice((2, 3, 4))
        sprite, mirror = self._sprite(index, style), self._mirror(concept)
        if 0.6 <= aspect <= 1.7 and count == 4:
            size = rng.uniform(0.36, 0.44)
            spots = [(x, y) for y in (0.27, 0.73) for x in (0.27, 0.73)]
        else:
            upright = aspect < 0.75
            along, size = _row(count, 1 / aspect if upright else aspect, rng)
            spots = [(0.5, s) if upright else (s, 0.5) for s in along]
        jitter = 0.015
        objects = [
            Placed(
                sprite,
                x + rng.uniform(-jitter, jitter),
                y + rng.uniform(-jitter, jitter),
                size,
                mirror=mirror,
            )
            for x, y in spots
        ]
        return _blank(objects), f"{_COUNT_WORDS[count]} {_plural(concept.label)}", [concept.key]

    def _recoloured(self, style: str, aspect: float) -> tuple[Scene, str, list[str]]:
        rng = self._random
        while True:
            index, colour = rng.choice(self._recolourable), rng.choice(tuple(HUES))
            concept = self._concepts[index]
            if not held_out("recolour", concept.key, colour):
                break
        assert concept.hue is not None
        size = rng.uniform(0.62, 0.88)
        x, y = self._spot(size, aspect)
        placed = Placed(self._sprite(index, style), x, y, size, self._mirror(concept), HUES[colour] - concept.hue)
        return _blank([placed]), _with_article(f"{colour} {concept.noun}", rng), [concept.key]

    def _background(self, scene: Scene, keys: list[str]) -> str:
        """Choose the background of `scene` and return the words for it, empty where the caption leaves it open."""
        rng = self._random
        scene.phase = rng.random()
        kind = rng.random()
        if kind < 0.55:
            name = rng.choice(tuple(PALETTE))
            while any(held_out("background", key, name) for key in keys):
                name = rng.choice(tuple(PALETTE))
            scene.first = scene.second = _near(PALETTE[name], rng)
            return rng.choice(
                (f"on a {name} background", f"{name} background", f"on {name}", f"in front of a {name} wall")
            )
        if kind < 0.62:
            one, two = rng.sample(tuple(PALETTE), 2)
            scene.ground, scene.first, scene.second = (
                Ground.gradient,
                _near(PALETTE[one], rng),
                _near(PALETTE[two], rng),
            )
            return f"on a {one} and {two} gradient background"
        if kind < 0.84:
            scene.ground = rng.choice(tuple(_GROUND_PHRASES))
            return rng.choice(_GROUND_PHRASES[scene.ground])
        if kind < 0.90:
            one, two = rng.sample(tuple(PALETTE), 2)
            scene.ground = rng.choice((Ground.stripes, Ground.dots))
            scene.first, scene.second = _near(PALETTE[one], rng), _near(PALETTE[two], rng)
            pattern = "striped" if scene.ground is Ground.stripes else "polka dot"
            return f"on a {one} and {two} {pattern} background"
        # No word about it: white, or a soft gradient of one light colour.
        tint = rng.choice(tuple(PALETTE.values()))
        pale = tuple(0.72 + 0.28 * channel / 255 for channel in tint)
        scene.ground, scene.first, scene.second = Ground.gradient, (0.98, 0.98, 0.98), pale
        return ""

    def _caption(self, subject: str, style_phrase: str, place: str) -> str:
        rng = self._random
        tail = f" {place}" if place else ""
        if place and rng.random() < 0.25:
            tail = f", {place}"
        if not style_phrase:
            return subject + tail
        form = rng.random()
        if form < 0.4:
            return f"{_with_article(style_phrase, rng)} of {subject}{tail}"
        if form < 0.7:
            return f"{subject}{tail}, {style_phrase}"
        return f"{style_phrase}, {subject}{tail}" if form < 0.85 else f"{subject} {tail.strip()} {style_phrase}".strip()

    def _name(self, concept: Concept) -> str:
        if len(concept.names) == 1 or self._random.random() < 0.8:
            return concept.label
        return self._random.choice(concept.names[1:])

    def _sprite(self, concept: int, style: str) -> int:
        return concept * len(STYLES) + STYLES.index(style)

    def _mirror(self, concept: Concept) -> bool:
        directed = concept.has_text or any(word in concept.label for word in ("left", "right", "letter", "button"))
        return not directed and self._random.random() < 0.5

    def _spot(self, size: float, aspect: float) -> tuple[float, float]:
        """Near the middle; on a long canvas anywhere along it, for a strip of sky is a picture too."""
        rng = self._random
        slack_x, slack_y = (max(0.0, 1 - size / max(s, 1.0)) / 2 for s in (aspect, 1 / aspect))
        dx = rng.uniform(-1, 1) * min(slack_x, 0.05 if aspect < 1.5 else 0.2)
        dy = rng.uniform(-1, 1) * min(slack_y, 0.05 if aspect > 1 / 1.5 else 0.2)
        return 0.5 + dx, 0.5 + dy


def _blank(objects: list[Placed]) -> Scene:
    white = (0.98, 0.98, 0.98)
    return Scene("", Ground.plain, white, white, objects)


def _row(count: int, length: float, rng: random.Random) -> tuple[list[float], float]:
    """Centres (fractions of the long side) and size (fraction of the shorter side) of `count` things in a row.

    `length` is the row's side divided by the other side.
    """
    share = length / count if length >= 1 else 1 / count  # of the shorter side, for each thing
    size = min(0.8, 0.94 * share) * rng.uniform(0.88, 1.0)
    pitch = min(1 / count, 1.25 * size / max(length, 1.0))  # stay together on a long canvas
    return [0.5 + (i - (count - 1) / 2) * pitch for i in range(count)], size


def _near(colour: tuple[int, int, int], rng: random.Random) -> tuple[float, ...]:
    return tuple(min(1.0, max(0.0, channel / 255 + rng.uniform(-0.02, 0.02))) for channel in colour)


def _nearest_hue(degrees: float) -> str:
    return min(HUES, key=lambda name: abs((HUES[name] - degrees + 180) % 360 - 180))


def _with_article(words: str, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return words
    if rng.random() < 0.1:
        return f"the {words}"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and len(noun) > 1 and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
