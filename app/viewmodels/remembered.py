"""What stands on the Generate page, between two sessions."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from pipelines import metadata
from pipelines.errors import UnusableFile
from pipelines.request import GenerationRequest, HiresFix, Outpaint

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.viewmodels.controls import Controls
    from pipelines.request import Backend, Precision

_PAGE = "page"  # beside the request's own keys, which readers of requests pass over


@dataclass(frozen=True, slots=True)
class LoraRow:
    """A LoRA on the page; one that is off is kept there and left out of the request."""

    path: Path
    weight: float = 1.0
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class PageState:
    """What stands on the page. `request` has the prompt without the style, and no LoRAs: those are in `loras`."""

    request: GenerationRequest
    style: str = ""
    seed_locked: bool = False
    loras: tuple[LoraRow, ...] = ()


def capture(
    page: Controls,
    locate: Callable[[str], str],
    backend: Backend,
    precision: Precision,
    *,
    safety_check: bool = False,
) -> PageState:
    """What stands on `page` now; `locate` tells what a request calls a model.

    Raises:
        InvalidRequest: it cannot be drawn.
    """
    request = GenerationRequest(
        prompt=page.prompt,
        model=locate(page.model),
        width=page.width,
        height=page.height,
        num_inference_steps=page.steps,
        guidance_scale=page.guidance,
        seed=page.seed,
        negative_prompt=page.negative_prompt,
        num_images=page.count,
        scheduler=page.scheduler,
        image=page.image,
        strength=page.strength,
        upscale=page.upscale,
        backend=backend,
        precision=precision,
        safety_check=safety_check,
        refiner=locate(page.refiner) if page.refiner else "",
        refiner_start=page.refiner_start,
        controls=tuple(replace(one, model=locate(one.model)) for one in page.controls),
        **_editing(page),
    )
    return PageState(request, page.style.key, page.seed_locked, page.loras)


class _Editing(TypedDict):
    mask_image: Path | None
    mask_feather: int
    mask_area_only: bool
    outpaint: Outpaint
    hires: HiresFix | None


def _editing(page: Controls) -> _Editing:
    """What goes together: masks and margins need a start picture, margins no mask, and a second pass neither."""
    has_image = page.image is not None
    mask = page.mask_image if has_image else None
    outpaint = page.outpaint if has_image and mask is None else Outpaint()
    return {
        "mask_image": mask,
        "mask_feather": page.mask_feather if mask is not None or outpaint else 0,
        "mask_area_only": page.mask_area_only and mask is not None,
        "outpaint": outpaint,
        "hires": None if has_image else page.hires,
    }


def rows_of(request: GenerationRequest) -> tuple[LoraRow, ...]:
    """The LoRAs of a request, all switched on."""
    return tuple(LoraRow(choice.path, choice.weight) for choice in request.loras)


def to_json(state: PageState) -> str:
    """Write it as a request with one more key."""
    document = cast("dict[str, object]", json.loads(metadata.request_to_json(state.request)))
    document[_PAGE] = {
        "style": state.style,
        "seed_locked": state.seed_locked,
        "loras": [[str(row.path), row.weight, row.enabled] for row in state.loras],
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False)


def from_json(text: str) -> PageState | None:
    """Read it; a plain request will do. None where it is damaged."""
    try:
        request = metadata.request_from_json(text)
        document = cast("dict[str, object]", json.loads(text))
    except (UnusableFile, ValueError):
        return None
    own = rows_of(request)
    page = document.get(_PAGE)
    if not isinstance(page, dict):
        return PageState(request, loras=own)
    values = cast("dict[str, object]", page)
    return PageState(
        request, str(values.get("style", "")), values.get("seed_locked") is True, _rows(values.get("loras")) or own
    )


def _rows(value: object) -> tuple[LoraRow, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    rows: list[LoraRow] = []
    for item in items:
        match item:
            case [str() as path, (int() | float()) as weight, bool() as enabled]:
                rows.append(LoraRow(Path(path), float(weight), enabled))
            case _:
                pass  # of a later version, or damaged
    return tuple(rows)
