"""What the model learns to draw: concepts, their names, colours, and the pairs kept out of training."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

STYLES = ("3d", "flat", "noto")
"""Folder names in the pack. Captions call them "3d render", "flat icon" and "cartoon"."""

# Far enough apart that the nearest one to a picture's border is a fair reading of its background.
PALETTE: dict[str, tuple[int, int, int]] = {
    "red": (214, 48, 49),
    "orange": (243, 146, 55),
    "yellow": (250, 214, 70),
    "green": (76, 175, 80),
    "blue": (52, 110, 220),
    "purple": (128, 70, 180),
    "pink": (244, 150, 190),
    "brown": (121, 85, 61),
    "black": (30, 30, 34),
    "white": (250, 250, 250),
    "gray": (150, 152, 156),
    "turquoise": (60, 190, 195),
    "light blue": (150, 205, 245),
    "beige": (232, 214, 180),
}

HUES: dict[str, int] = {
    "red": 0,
    "orange": 28,
    "yellow": 52,
    "green": 120,
    "turquoise": 178,
    "blue": 218,
    "purple": 272,
    "pink": 325,
}
"""Degrees; what a recoloured object is turned to."""

NUMBER_WORDS = frozenset({"one", "two", "three", "four", "five", "double", "2nd", "1st", "3rd"})
# What a toy model had better not spend itself on: signs, paperwork, and kinds that differ in a stroke.
_LEFT_OUT_SUBGROUPS = frozenset(
    [
        "face-neutral-skeptical",
        "face-sleepy",
        "face-concerned",
        "face-hand",
        "face-unwell",
        "face-affection",
        "emotion",
        "person-activity",
        "person-sport",
        "place-map",
        "place-religious",
        "hotel",
        "geometric",
        "zodiac",
        "mail",
        "office",
        "money",
        "sound",
        "book-paper",
        "medical",
        "lock",
        "phone",
        "other-object",
        "writing",
        "time",
    ]
)
_LEFT_OUT_WORDS = frozenset(
    [
        "waxing",
        "waning",
        "quarter",
        "gibbous",
        "behind",
        "oncoming",
        "japanese",
        "wheelchair",
        "ticket",
        "tickets",
        "grinning",
        "squinting",
        "departure",
        "arrival",
        "station",
        "metro",
        "monorail",
        "railway",
        "tramway",
        "motorway",
        "barrel",
        "traffic",
        "stop",
        "construction",
        "seat",
        "japan",
        "tokyo",
        "love",
        "post",
        "bank",
        "convenience",
        "department",
        "building",
        "brick",
        "rock",
        "classical",
        "clothes",
        "sari",
        "vest",
        "briefs",
        "pick",
        "reminder",
        "moon-viewing",
        "suit",
        "mahjong",
        "flower-playing",
        "goal",
        "flying",
        "level",
        "control",
        "dvd",
        "disk",
        "trackball",
        "pager",
        "clamp",
        "link",
        "chains",
        "hook",
        "safety",
        "razor",
        "mouse-trap",
        "elevator",
        "plunger",
        "roll",
        "camera-flash",
        "videocassette",
        "projector",
        "frames",
        "diya",
        "thong",
        "bus-stop",
        "fuel",
        "oil",
        "without",
        "decoration",
        "exclamation",
        "revolving",
        "growing",
        "beating",
        "sparkling",
        "mending",
        "ribbon",
        "light-rail",
        "person-feeding",
        "breast-feeding",
        "pregnant",
        "skullcap",
        "veil",
        "turban",
        "feeding",
        "tuxedo",
        "health",
        "technologist",
        "tanabata",
        "pine",
        "dolls",
        "streamer",
        "ceremony",
        "envelope",
        "card",
        "cards",
        "identification",
        "oden",
        "narutomaki",
        "dango",
        "fishcake",
        "swirl",
        "beverage",
        "glass-of",
        "tumbler",
        "chopsticks",
        "canned",
        "rice-cracker",
        "falafel",
        "flatbread",
        "tamale",
        "fondue",
        "paw",
        "feather",
        "wing",
        "nest",
        "coral",
        "worm",
        "microbe",
        "mosquito",
        "cockroach",
        "cotton",
        "shell",
        "turtle-dove",
        "hyacinth",
        "mouth",
        "see-no-evil",
        "hear-no-evil",
        "speak-no-evil",
        "wry",
        "pouting",
        "weary",
        "symbols",
        "steam",
        "medal",
        "military",
        "speed",
        "speedboat",
        "trolleybus",
        "minibus",
        "sport",
        "articulated",
        "auto",
        "kick",
        "hourglass",
        "alembic",
        "petri",
        "dna",
        "test",
        "x-ray",
        "antenna",
        "low",
        "plug",
        "carpentry",
        "nut",
        "pickaxe",
        "cane",
        "label",
    ]
)
_SHARED_NAME_LIMIT = 3  # a keyword that fits more concepts than this names none of them


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing to draw, in three styles.

    `names[0]` is the Unicode short name; the others are keywords that few concepts share. `hue` (degrees) is set where
    nearly all saturated pixels have one hue, so that turning it gives a believable recolouring.
    """

    key: str
    names: tuple[str, ...]
    group: str
    hue: float | None = None
    has_text: bool = False

    @property
    def label(self) -> str:
        """The Unicode short name, lower case."""
        return self.names[0]

    @property
    def noun(self) -> str:
        """The label without a leading colour word: `red apple` → `apple`."""
        first, _, rest = self.label.partition(" ")
        return rest if rest and first in PALETTE else self.label


def load_concepts(folder: Path) -> list[Concept]:
    """The concepts of an unpacked pack that the model is to learn, in the order of its `captions.json`."""
    rows = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    rows = [row for row in rows if not _left_out(row)]
    uses = Counter(word for row in rows for word in {*row["tags"], *row["kw"]})
    labels = {row["label"] for row in rows}
    return [
        Concept(
            key=row["k"],
            names=(row["label"], *_aliases(row, uses, labels)),
            group=row["group"],
            has_text=row["sub"]
            in ("time", "book-paper", "mail", "computer", "phone", "zodiac", "money", "award-medal"),
        )
        for row in rows
    ]


def _left_out(row: dict[str, Any]) -> bool:
    words = row["label"].replace("-", " ").split()
    return row["sub"] in _LEFT_OUT_SUBGROUPS or not _LEFT_OUT_WORDS.isdisjoint([*words, row["label"].replace(" ", "-")])


def _aliases(row: dict[str, Any], uses: Counter[str], labels: set[str]) -> list[str]:
    words = sorted({*row["tags"], *row["kw"]})
    return [
        word
        for word in words
        if uses[word] <= _SHARED_NAME_LIMIT and word not in labels and len(word) > 2 and word.isascii()
    ]


def held_out(kind: str, first: str, second: str) -> bool:
    """Whether a pair is kept out of training, one in twenty, so that tests can ask for what was never seen.

    Kinds: `background` (concept key, colour name), `recolour` (concept key, colour name), `pair` (two concept keys, in
    either order).
    """
    if kind == "pair":
        first, second = sorted((first, second))
    return zlib.crc32(f"{kind}/{first}/{second}".encode()) % 20 == 0
