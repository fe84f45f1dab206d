"""The settings that travel inside a picture, exact, as JSON.

The JSON is plain ASCII, so it passes through any text chunk unharmed; other tools' texts are read and
written by `pipelines.a1111` and `pipelines.comfyui`.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import NoReturn, TypeVar, cast

from pipelines.errors import FirstlightError, UnusableFile
from pipelines.request import (
    Backend,
    ControlChoice,
    GenerationRequest,
    HiresFix,
    LoraChoice,
    Outpaint,
    Precision,
)

FORMAT = 1  # raised when a reader of the old format would misunderstand the new one

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Enum)


@dataclass(frozen=True, slots=True)
class Record:
    """How one picture was made.

    Args:
        request: remakes exactly this picture, so its `num_images` is 1 and its seed is this picture's own.
        app_version: Firstlight's version.
        backend: what really ran (never `auto`), and so for `precision` and `device`.
        created: ISO 8601 with an offset, from `timestamp`.
        notes: further facts as (name, text), such as the size it was drawn at; names are unique.

    Raises:
        ValueError: the caller's mistake: several pictures in one record, or a note twice.
    """

    request: GenerationRequest
    app_version: str
    backend: str
    precision: str
    device: str
    created: str
    notes: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.request.num_images != 1:
            raise ValueError("a record tells of one picture: replace seed and num_images first")
        if len(dict(self.notes)) != len(self.notes):
            raise ValueError("a note's name occurs twice")


def timestamp() -> str:
    """The time now for `Record.created`: ISO 8601, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def to_json(record: Record) -> str:
    """Write `record` as one line of ASCII JSON; `from_json` gives it back equal.

    Half of a surrogate pair that stands alone (an undecodable byte of a file name) is kept; two that stand
    together come back as the one character that they mean in UTF-16.
    """
    document = {
        "firstlight": FORMAT,
        "request": _request_document(record.request),
        "app_version": record.app_version,
        "backend": record.backend,
        "precision": record.precision,
        "device": record.device,
        "created": record.created,
        "notes": dict(record.notes),
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False)


def from_json(text: str) -> Record:
    """Read what `to_json` wrote.

    Raises:
        UnusableFile: not such JSON, or written by a later Firstlight in a format not known here.
    """
    try:
        document: object = json.loads(text, parse_constant=_refuse_constant)
        return _record(_object(document))
    except FirstlightError as error:
        raise _damaged(str(error)) from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _damaged(str(error)) from error


def request_to_json(request: GenerationRequest) -> str:
    """Write a request alone, of any number of pictures, as one line of ASCII JSON."""
    return json.dumps(_request_document(request), ensure_ascii=True, allow_nan=False)


def request_from_json(text: str) -> GenerationRequest:
    """Read what `request_to_json` wrote.

    Raises:
        UnusableFile: not such JSON, or with a value that is not known here.
    """
    try:
        return _request(_object(json.loads(text, parse_constant=_refuse_constant)))
    except FirstlightError as error:
        raise _damaged(str(error)) from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _damaged(str(error)) from error


def _request_document(request: GenerationRequest) -> dict[str, object]:
    return cast("dict[str, object]", _plain(request))


def _damaged(reason: str) -> UnusableFile:
    return UnusableFile(f"The settings in the picture cannot be read: {reason.rstrip('.')}.")


def _plain(value: object) -> object:
    """Turn a request, or a field of one, into what JSON has."""
    match value:
        case Enum():
            return value.name
        case Path():
            return str(value)
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        case tuple():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case _:
            return value


def _record(document: dict[str, object]) -> Record:
    version = _get(document, "firstlight", int)
    if version > FORMAT:
        raise ValueError(f"they are of format {version}, from a later Firstlight; this one knows {FORMAT}")
    notes = _object(document.get("notes", {}))
    return Record(
        request=_request(_object(document.get("request"))),
        app_version=_get(document, "app_version", str),
        backend=_get(document, "backend", str),
        precision=_get(document, "precision", str),
        device=_get(document, "device", str),
        created=_get(document, "created", str),
        notes=tuple((name, _get(notes, name, str)) for name in notes),
    )


def _request(document: dict[str, object]) -> GenerationRequest:
    # A field that an older Firstlight did not write takes the default that the class gives it.
    defaults = {f.name: _plain(f.default) for f in fields(GenerationRequest) if f.default is not MISSING}
    data = defaults | document
    return GenerationRequest(
        prompt=_get(data, "prompt", str),
        model=_get(data, "model", str),
        width=_get(data, "width", int),
        height=_get(data, "height", int),
        num_inference_steps=_get(data, "num_inference_steps", int),
        guidance_scale=_number(data, "guidance_scale"),
        seed=_get(data, "seed", int),
        negative_prompt=_get(data, "negative_prompt", str),
        num_images=_get(data, "num_images", int),
        scheduler=_get(data, "scheduler", str),
        loras=_loras(data),
        image=_path(data, "image"),
        strength=_number(data, "strength"),
        mask_image=_path(data, "mask_image"),
        upscale=_get(data, "upscale", int),
        backend=_choice(data, "backend", Backend),
        precision=_choice(data, "precision", Precision),
        mask_feather=_get(data, "mask_feather", int),
        mask_area_only=_flag(data, "mask_area_only"),
        outpaint=_outpaint(data),
        hires=_hires(data),
        refiner=_get(data, "refiner", str),
        refiner_start=_number(data, "refiner_start"),
        controls=_controls(data),
        safety_check=_flag(data, "safety_check"),
    )


def _loras(data: dict[str, object]) -> tuple[LoraChoice, ...]:
    items = _objects(data, "loras")
    return tuple(LoraChoice(Path(_get(item, "path", str)), _number(item, "weight")) for item in items)


def _outpaint(data: dict[str, object]) -> Outpaint:
    margins = _object(data.get("outpaint"))
    left, top, right, bottom = (_get(margins, side, int) for side in ("left", "top", "right", "bottom"))
    return Outpaint(left, top, right, bottom)


def _hires(data: dict[str, object]) -> HiresFix | None:
    if data.get("hires") is None:
        return None
    values = _object(data["hires"])
    return HiresFix(_number(values, "scale"), _number(values, "strength"), _get(values, "num_inference_steps", int))


def _controls(data: dict[str, object]) -> tuple[ControlChoice, ...]:
    return tuple(
        ControlChoice(
            model=_get(item, "model", str),
            image=Path(_get(item, "image", str)),
            weight=_number(item, "weight"),
            start=_number(item, "start"),
            end=_number(item, "end"),
            preprocessor=_get(item, "preprocessor", str),
        )
        for item in _objects(data, "controls")
    )


def _objects(data: dict[str, object], key: str) -> list[dict[str, object]]:
    return [_object(item) for item in cast("list[object]", _get(data, key, list))]


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError("a JSON object is missing")
    return cast("dict[str, object]", value)  # JSON has no keys but strings


def _get(data: dict[str, object], key: str, kind: type[_T]) -> _T:
    value = data.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):  # JSON's true is not the number 1
        raise TypeError(f"{key!r} is missing or of the wrong kind")
    return value


def _flag(data: dict[str, object], key: str) -> bool:
    value = data.get(key)
    if not isinstance(value, bool):
        raise TypeError(f"{key!r} is missing or of the wrong kind")
    return value


def _number(data: dict[str, object], key: str) -> float:
    value = data.get(key)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else _get(data, key, float)


def _path(data: dict[str, object], key: str) -> Path | None:
    return None if data.get(key) is None else Path(_get(data, key, str))


def _choice(data: dict[str, object], key: str, choices: type[_E]) -> _E:
    name = _get(data, key, str)
    if name not in choices.__members__:
        raise ValueError(f"{key} {name!r} is not known to this Firstlight")
    return choices[name]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
