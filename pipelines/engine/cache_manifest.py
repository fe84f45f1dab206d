"""What is recorded of kept kernels: every fact that decides whether they fit this machine. Standard library only."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import cast

from pipelines.engine.shapes import ShapeKey, read_shape

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """What decides whether kernels fit.

    `engine` names what they belong to, never a checkpoint; `version` is that of what compiled them; `system` is the
    operating system without its version; `compute_capability` and `driver` are as NVIDIA writes them, empty on a CPU.
    """

    backend: str
    engine: str
    precision: str
    gpu: str
    compute_capability: str
    version: str
    system: str
    driver: str

    @property
    def name(self) -> str:
        """The name of their file."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{self.backend}-{self.engine}-{self.precision}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def fits(self, wanted: CacheFacts) -> bool:
        """Whether kernels of these facts may be used where `wanted` holds: all is equal, or an older driver made them.

        TensorRT-RTX takes those of the same major version of the driver that are not newer; so do we everywhere.
        """
        ours, theirs = asdict(self), asdict(wanted)
        if ours == theirs:
            return True
        old, new = _numbers(ours.pop("driver")), _numbers(theirs.pop("driver"))
        return ours == theirs and bool(old) and old[:1] == new[:1] and old <= new


@dataclass(frozen=True, slots=True)
class CacheManifest:
    """All that is recorded. `bytes` and `sha256` are of the file; `seconds` is what making the kernels took."""

    facts: CacheFacts
    component: str
    sha256: str
    bytes: int
    created: str
    seconds: float
    shapes: tuple[ShapeKey, ...]


def write_cache_manifest(manifest: CacheManifest) -> bytes:
    """The content of the JSON file."""
    plain = {one.name: getattr(manifest, one.name) for one in fields(CacheManifest)}
    plain |= {"facts": asdict(manifest.facts), "shapes": [shape.to_json() for shape in manifest.shapes]}
    return json.dumps({"format": _FORMAT, **plain}, indent=1).encode()


def read_cache_manifest(content: bytes) -> CacheManifest:
    """Read it back; `ValueError`, `KeyError` or `TypeError` for anything that we did not write."""
    value = _object(json.loads(content.decode("utf-8")))
    if value["format"] != _FORMAT:
        raise ValueError("another format")
    facts = _object(value["facts"])
    if set(facts) != {one.name for one in fields(CacheFacts)} or not all(
        isinstance(one, str) for one in facts.values()
    ):
        raise TypeError("other facts")
    shapes = value["shapes"]
    if not isinstance(shapes, list):
        raise TypeError("no list of shapes")
    size, seconds = value["bytes"], value["seconds"]
    if not isinstance(size, int) or not isinstance(seconds, (int, float)):
        raise TypeError("no numbers")
    return CacheManifest(
        facts=CacheFacts(**cast("dict[str, str]", facts)),
        component=str(value["component"]),
        sha256=str(value["sha256"]),
        bytes=size,
        created=str(value["created"]),
        seconds=float(seconds),
        shapes=tuple(read_shape(shape) for shape in cast("list[object]", shapes)),
    )


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return {str(key): item for key, item in cast("dict[object, object]", value).items()}


def _numbers(version: str) -> tuple[int, ...]:
    """`581.29` as numbers; empty where it is no version."""
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()
