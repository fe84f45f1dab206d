"""diffusers' schedulers, by the names of their classes with or without `Scheduler`, and two variants of them."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT = "default"  # what the model's own folder says
_SUFFIX = "Scheduler"
_FLOW: dict[str, object] = {
    "use_flow_sigmas": True,
    "prediction_type": "flow_prediction",
    "use_dynamic_shifting": True,
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A choice: diffusers' class and what of the model's configuration it changes."""

    class_name: str
    overrides: dict[str, object] = field(default_factory=dict[str, object], hash=False)
    from_picture: bool = True


# For flow matching. Those that are not diffusers' own for it have no `scale_noise` to begin from a picture with.
_FLOW_ROWS = {
    "FlowMatchEulerDiscrete": _Row("FlowMatchEulerDiscreteScheduler"),
    "DPMSolverMultistep": _Row("DPMSolverMultistepScheduler", _FLOW, from_picture=False),
    "DPMSolverSinglestep": _Row("DPMSolverSinglestepScheduler", _FLOW, from_picture=False),
    "UniPCMultistep": _Row("UniPCMultistepScheduler", _FLOW, from_picture=False),
}
_KARRAS: dict[str, object] = {"use_karras_sigmas": True}
# For networks that predict noise or v. Those that need another package (LMS: scipy; DPM++ SDE: torchsde) are left out.
_NOISE_ROWS = {
    "EulerDiscrete": _Row("EulerDiscreteScheduler"),
    "EulerDiscreteKarras": _Row("EulerDiscreteScheduler", _KARRAS),
    "EulerAncestralDiscrete": _Row("EulerAncestralDiscreteScheduler"),
    "DDIM": _Row("DDIMScheduler"),
    "PNDM": _Row("PNDMScheduler", {"skip_prk_steps": True}),
    "DPMSolverMultistep": _Row("DPMSolverMultistepScheduler"),
    "DPMSolverMultistepKarras": _Row("DPMSolverMultistepScheduler", _KARRAS),
    "DPMSolverMultistepSDEKarras": _Row(
        "DPMSolverMultistepScheduler", {**_KARRAS, "algorithm_type": "sde-dpmsolver++"}
    ),
    "DPMSolverSinglestep": _Row("DPMSolverSinglestepScheduler", {"lower_order_final": True}),
    "HeunDiscrete": _Row("HeunDiscreteScheduler"),
    "KDPM2Discrete": _Row("KDPM2DiscreteScheduler"),
    "KDPM2AncestralDiscrete": _Row("KDPM2AncestralDiscreteScheduler"),
    "DEISMultistep": _Row("DEISMultistepScheduler", {"algorithm_type": "deis"}),
    "UniPCMultistep": _Row("UniPCMultistepScheduler"),
    "LCM": _Row("LCMScheduler"),
    "TCD": _Row("TCDScheduler"),
}
_FLOW_FAMILY = "flux"
_FLOW_FAMILIES = ("flux", "z-image")


class _SchedulerClass(Protocol):
    def from_config(self, config: Mapping[str, object], **overrides: object) -> object: ...


def names(family: str = _FLOW_FAMILY) -> tuple[str, ...]:
    """The names to choose from for a family, short."""
    return (DEFAULT, *_rows(family))


def check(name: str, *, from_picture: bool, family: str = _FLOW_FAMILY) -> None:
    """Refuse a scheduler that does not exist for the family, or cannot begin with a start picture.

    Raises:
        InvalidRequest: with the names that can be used.
    """
    short = _find(name, family)
    if short is None:
        close = difflib.get_close_matches(name, names(family), n=1)
        hint = f"Did you mean {close[0]}? " if close else ""
        raise InvalidRequest(
            f"There is no scheduler {name!r} for this model.", f"{hint}Use one of: {', '.join(names(family))}."
        )
    if from_picture and short != DEFAULT and not _rows(family)[short].from_picture:
        usable = ", ".join((DEFAULT, *(one for one, row in _rows(family).items() if row.from_picture)))
        raise InvalidRequest(f"The scheduler {name} cannot begin with a start picture.", f"Use one of: {usable}.")


def build(name: str, config: Mapping[str, object], family: str = _FLOW_FAMILY) -> object:
    """A fresh scheduler of that name for a model whose own scheduler has `config`.

    Raises:
        InvalidRequest: there is no such scheduler.
    """
    check(name, from_picture=False, family=family)
    short = _find(name, family)
    row = _rows(family).get(short or DEFAULT)
    if row is None:
        own = "FlowMatchEulerDiscreteScheduler" if family in _FLOW_FAMILIES else "PNDMScheduler"
        row = _Row(str(config.get("_class_name", own)))
    overrides = dict(row.overrides)
    if family == "sd":
        # diffusers' own pipelines correct configurations from before these two existed, with a warning.
        overrides |= {"steps_offset": 1, "clip_sample": False}
    elif family in _FLOW_FAMILIES and overrides and not config.get("use_dynamic_shifting", False):
        # The pipeline always passes a shift that grows with the size; models like FLUX.1 [schnell] have none.
        overrides |= {"base_shift": 0.0, "max_shift": 0.0}
    scheduler = cast("_SchedulerClass", getattr(importlib.import_module("diffusers"), row.class_name))
    return scheduler.from_config(config, **overrides)


def _rows(family: str) -> dict[str, _Row]:
    return _FLOW_ROWS if family in _FLOW_FAMILIES else _NOISE_ROWS


def _find(name: str, family: str) -> str | None:
    """The short name that is meant."""
    wanted = name.removesuffix(_SUFFIX).casefold()
    if wanted == DEFAULT:
        return DEFAULT
    return next((short for short in _rows(family) if short.casefold() == wanted), None)
