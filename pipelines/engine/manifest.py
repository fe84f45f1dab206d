"""What is recorded of a built engine: every fact that decides whether it may be used. Standard library only."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FORMAT = 1
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides whether an engine fits: never the checkpoint.

    `profile` says the ranges of all inputs in words, `target` is the compute capability or `portable`.
    """

    architecture: str
    precision: str
    mode: str
    target: str
    profile: str
    rtx_version: str
    export_version: int

    @property
    def folder_name(self) -> str:
        """The name in the store. What is not the usual is added, so that both kinds can be kept."""
        special = "".join(f"-{word}" for word in (self.mode, self.target) if word not in ("placeholder", "portable"))
        return f"{self.architecture}-{self.precision}{special}-{self.rtx_version}-{self.export_version}"


_WORDS = {
    "architecture": "another architecture",
    "precision": "another precision",
    "mode": "another way of holding weights",
    "target": "other GPUs",
    "profile": "other sizes",
    "rtx_version": "another version of TensorRT-RTX",
    "export_version": "another version of the exporter",
}


@dataclass(frozen=True, slots=True)
class Details:
    """What else is known of a build. Times in seconds, `peak_memory` in bytes; `weights` maps name to its kind."""

    part: str
    reason: str
    export_seconds: float
    build_seconds: float
    peak_memory: int
    graph_sha256: str
    weights: Mapping[str, str]
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that is recorded of an engine. `sha256` and `stored_bytes` are of the file, `plan_bytes` of the plan."""

    facts: Facts
    details: Details
    sha256: str
    stored_bytes: int
    plan_bytes: int
    created: str


def write_manifest(manifest: Manifest) -> bytes:
    """The content of manifest.json."""
    return json.dumps({"format": _FORMAT, **asdict(manifest)}, indent=1).encode()


def explain_miss(wanted: Facts, there: list[Facts]) -> str:
    """Which facts differ in the engine that comes closest, in words."""
    alike = [facts for facts in there if facts.architecture == wanted.architecture]
    if not alike:
        return f"no engine of {wanted.architecture} was built"
    nearest = min(alike, key=lambda facts: len(_differences(wanted, facts)))
    said = [
        f"for {_WORDS[name]} ({getattr(nearest, name)}, not {getattr(wanted, name)})"
        for name in _differences(wanted, nearest)
    ]
    return f"the engine of {wanted.architecture} was built {' and '.join(said)}"


def _differences(one: Facts, other: Facts) -> list[str]:
    return [field.name for field in fields(Facts) if getattr(one, field.name) != getattr(other, field.name)]


def read_manifest(file: Path) -> Manifest:
    """Read it back; `ValueError`, `KeyError` or `TypeError` for anything that we did not write."""
    value = _object(json.loads(file.read_text(encoding="utf-8")))
    if value.pop("format") != _FORMAT:
        raise ValueError("another format")
    facts, details = _object(value["facts"]), _object(value["details"])
    for name in ("weights", "versions"):
        details[name] = {key: str(word) for key, word in _object(details[name]).items()}
    manifest = Manifest(**{**value, "facts": _typed(Facts, facts), "details": _typed(Details, details)})  # pyright: ignore[reportArgumentType] # checked below
    _typed(Manifest, {field.name: getattr(manifest, field.name) for field in fields(Manifest)})
    return manifest


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return {str(key): item for key, item in cast("dict[object, object]", value).items()}


_TYPES: Mapping[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}


def _typed(kind: Callable[..., _Made], values: Mapping[str, object]) -> _Made:
    """Make a dataclass of plain values, with their types checked."""
    for field in fields(cast("type", kind)):
        allowed = _TYPES.get(str(field.type))
        if allowed and (not isinstance(values[field.name], allowed) or isinstance(values[field.name], bool)):
            raise TypeError(f"{field.name} is no {field.type}")
    return kind(**values)
