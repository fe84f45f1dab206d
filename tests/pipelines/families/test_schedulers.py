"""Schedulers by name."""

from __future__ import annotations

import pytest
from diffusers.schedulers.scheduling_flow_match_euler_discrete import FlowMatchEulerDiscreteScheduler

from pipelines.errors import InvalidRequest
from pipelines.families import schedulers

DYNAMIC = {"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3.0, "use_dynamic_shifting": True}
STATIC = {"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 1.0, "use_dynamic_shifting": False}


def test_the_default_is_the_models_own() -> None:
    scheduler = schedulers.build("default", DYNAMIC)
    assert isinstance(scheduler, FlowMatchEulerDiscreteScheduler)
    assert scheduler.config["shift"] == 3.0


@pytest.mark.parametrize("config", [DYNAMIC, STATIC], ids=["dev", "schnell"])
@pytest.mark.parametrize("name", schedulers.names())
def test_every_name_builds(name: str, config: dict[str, object]) -> None:
    scheduler = schedulers.build(name, config)
    if name != "default":
        assert type(scheduler).__name__ == f"{name}Scheduler"


@pytest.mark.parametrize(
    "name", ["flowmatcheulerdiscrete", "FlowMatchEulerDiscreteScheduler", "UNIPCMULTISTEP", "Default"]
)
def test_names_are_read_kindly(name: str) -> None:
    schedulers.check(name, from_picture=False)


def test_an_unknown_name_is_refused_with_the_list() -> None:
    with pytest.raises(InvalidRequest) as caught:
        schedulers.check("UniPCMultistp", from_picture=False)
    assert "Did you mean UniPCMultistep?" in caught.value.action
    for name in schedulers.names():
        assert name in caught.value.action


def test_some_cannot_begin_with_a_picture() -> None:
    schedulers.check("FlowMatchEulerDiscrete", from_picture=True)
    schedulers.check("default", from_picture=True)
    with pytest.raises(InvalidRequest, match="cannot begin with a start picture"):
        schedulers.check("DPMSolverMultistep", from_picture=True)
