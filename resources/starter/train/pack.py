"""Stage 0: pictures and names out of five npm packages into one tar of 20 MB.

Kept are emoji that all three sets draw and that Microsoft's and Google's repositories really hold; flags, skin tones,
clock faces, families and most symbols are left out. Licences: see the model card.
"""

from __future__ import annotations

import io
import json
import logging
import shutil
import subprocess
import tarfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PIL import Image

from resources.starter.train.concepts import STYLES

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

_PACKAGES = {
    "3d": "@lobehub/fluent-emoji-3d@1.1.0",
    "flat": "@iconify-json/fluent-emoji-flat@1.2.6",
    "noto": "@iconify-json/noto@1.2.9",
    "names": "emojibase-data@17.0.0",
    "keywords": "emojilib@4.0.3",
}
_SIDE = 256  # pixels
_QUALITY = 90  # of WebP
_WHOLE_GROUPS = frozenset({0, 3, 4, 5, 6, 7})  # smileys, animals, food, travel, activities, objects
_PEOPLE, _SYMBOLS = 1, 8
_PEOPLE_SUBGROUPS = frozenset({"person-role", "person-fantasy", "person-activity", "person-sport"})
_SYMBOL_SUBGROUPS = frozenset({"geometric", "weather", "zodiac"})
_GENDERED = frozenset({"man", "woman", "men", "women"})


def build(folder: Path, out: Path) -> None:
    """Fetch the packages into `folder` with `npm pack` (nothing of theirs is run) and write the pack to `out`.

    Raises:
        FileNotFoundError: npm is not installed.
        subprocess.CalledProcessError: a package cannot be fetched.
    """
    sets = _Sets({name: _fetch(package, folder / name) for name, package in _PACKAGES.items()})
    rows = [row for row in sets.names if sets.keeps(row)]
    jobs = [(sets, style, key(row["hexcode"])) for row in rows for style in STYLES]
    with ProcessPoolExecutor() as pool:
        pictures = list(pool.map(_picture, jobs, chunksize=16))
    captions = [sets.caption(row) for row in rows]
    with tarfile.open(out, "w") as archive:
        for (_, style, name), picture in zip(jobs, pictures, strict=True):
            _add(archive, f"{style}/{name}.webp", picture)
        _add(archive, "captions.json", json.dumps(captions, ensure_ascii=False).encode())
    log.info("%d concepts, %d pictures, %.1f MB", len(rows), len(pictures), out.stat().st_size / 1e6)


def key(codepoints: str) -> str:
    """Codepoints as all five packages can be joined by: lower case, without the variation selector."""
    return "-".join(part for part in codepoints.lower().split("-") if part != "fe0f")


def _fetch(package: str, folder: Path) -> Path:
    if not (folder / "package").exists():
        npm = shutil.which("npm")
        if npm is None:
            raise FileNotFoundError("npm is needed to fetch the emoji packages: install Node.js, or give --pack")
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", "--ignore-scripts", "--silent", package]
        name = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(folder / name) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


@dataclass(frozen=True)
class _Sets:
    """The five unpacked packages."""

    folders: dict[str, Path]

    @cached_property
    def names(self) -> list[dict[str, Any]]:
        return self._json("names", "en/data.json")

    @cached_property
    def _groups(self) -> dict[str, dict[str, str]]:
        return self._json("names", "meta/groups.json")

    @cached_property
    def _keywords(self) -> dict[str, list[str]]:
        return self._json("keywords", "dist/emoji-en-US.json")

    @cached_property
    def _renders(self) -> dict[str, Path]:
        return {key(path.stem): path for path in (self.folders["3d"] / "assets").glob("*.webp")}

    @cached_property
    def _slugs(self) -> dict[str, dict[str, str]]:
        return {s: {key(k): v for k, v in self._json(s, "chars.json").items()} for s in ("flat", "noto")}

    @cached_property
    def _icons(self) -> dict[str, dict[str, Any]]:
        return {style: self._json(style, "icons.json") for style in ("flat", "noto")}

    def _json(self, package: str, path: str) -> Any:
        return json.loads((self.folders[package] / path).read_text(encoding="utf-8"))

    def keeps(self, row: dict[str, Any]) -> bool:
        """Whether an emoji is one of ours. A 3D picture that Fluent flat lacks is not Microsoft's."""
        name, label, group = key(row["hexcode"]), row["label"].lower(), row.get("group")
        if name not in self._renders or any(name not in slugs for slugs in self._slugs.values()):
            return False
        if "o’clock" in label or "-thirty" in label:
            return False
        subgroup = self._groups["subgroups"].get(str(row.get("subgroup")), "")
        if group == _PEOPLE:
            joined = subgroup != "person-role" and "200d" in name.split("-")[1:2]
            return subgroup in _PEOPLE_SUBGROUPS and _GENDERED.isdisjoint(label.split()) and not joined
        return group in _WHOLE_GROUPS or (group == _SYMBOLS and subgroup in _SYMBOL_SUBGROUPS)

    def caption(self, row: dict[str, Any]) -> dict[str, Any]:
        """What `concepts.load_concepts` reads."""
        return {
            "k": key(row["hexcode"]),
            "label": row["label"].lower(),
            "group": self._groups["groups"][str(row["group"])],
            "sub": self._groups["subgroups"][str(row["subgroup"])],
            "tags": row.get("tags", []),
            "kw": [word.replace("_", " ") for word in self._keywords.get(row["emoji"], [])],
        }

    def picture(self, style: str, name: str) -> Image.Image:
        """An emoji as RGBA 256×256."""
        if style == "3d":
            with Image.open(self._renders[name]) as picture:
                rgba = picture.convert("RGBA")
            return rgba.crop((0, rgba.height - _SIDE, _SIDE, rgba.height))  # four are 264 high
        return self._render(style, self._slugs[style][name])

    def _render(self, style: str, slug: str) -> Image.Image:
        import resvg_py  # pyright: ignore[reportMissingImports]  (extra `train`)

        icons = self._icons[style]
        while slug not in icons["icons"]:
            slug = icons["aliases"][slug]["parent"]
        icon = icons["icons"][slug]
        box = [icon.get(side, icons.get(side, default)) for side, default in (("left", 0), ("top", 0))]
        box += [icon.get(side, icons.get(side, 16)) for side in ("width", "height")]
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="{" ".join(map(str, box))}" width="{_SIDE}" height="{_SIDE}">{icon["body"]}</svg>'
        )
        png = bytes(resvg_py.svg_to_bytes(svg_string=svg))
        return Image.open(io.BytesIO(png)).convert("RGBA").resize((_SIDE, _SIDE))


def _picture(job: tuple[_Sets, str, str]) -> bytes:
    sets, style, name = job
    data = io.BytesIO()
    sets.picture(style, name).save(data, "WEBP", quality=_QUALITY, method=4)
    return data.getvalue()


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))
