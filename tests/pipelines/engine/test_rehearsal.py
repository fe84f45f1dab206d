"""The fake backend on the adaptive policy: every state and every fault, as the window sees them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import torch

from pipelines.engine.base import Places
from pipelines.engine.fake import FakeComponent
from pipelines.engine.rehearsal import Fault, Rehearsal, Script, read_script
from pipelines.errors import EngineFailure, InvalidRequest
from pipelines.events import CacheRead, Kernels, KernelsChanged

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Recorder

GENERIC, SPECIALISING, SPECIALISED, GRAPH = Kernels


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "engines", tmp_path / "kernels")


def rehearse(events: Recorder, places: Places | None, script: Script, sides: tuple[int, ...] = (8,)) -> Rehearsal:
    """Call it with each size often enough for a whole life."""
    component = FakeComponent("vae", {"block_out_channels": [1, 1, 1, 1]})
    rehearsal = Rehearsal(component, "vae", events, places, script)
    for side in sides:
        for pause in (0.0, 0.0, 3 * script.making, 0.0, 0.0, 0.0):
            time.sleep(pause)
            assert rehearsal({"z": torch.zeros(1, 16, side, side)})["sample"].shape == (1, 3, 8 * side, 8 * side)
    return rehearsal


def states(events: Recorder, words: str = "64x64") -> list[Kernels]:
    changed = [event.kernels for event in events.of(KernelsChanged) if event.shape == words]
    return [one for place, one in enumerate(changed) if changed[place - 1 : place] != [one]]


def test_every_size_lives_its_whole_life_and_the_next_launch_starts_specialised(
    events: Recorder, places: Places
) -> None:
    sides = (8, 16, 24, 32, 40)
    rehearse(events, places, Script(making=0.03), sides).close()
    for side in sides:
        assert states(events, f"{8 * side}x{8 * side}") == [GENERIC, SPECIALISING, SPECIALISED, GRAPH]
    assert events.of(CacheRead) == [CacheRead("vae", hit=False, reason="there is none yet")]
    events.events.clear()
    rehearse(events, places, Script(making=0.03), sides)
    for side in sides:
        assert states(events, f"{8 * side}x{8 * side}") == [SPECIALISED, GRAPH]
    assert events.of(CacheRead) == [CacheRead("vae", hit=True)]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.making, "compiler of the script fails"),
        (Fault.compare, "differ by 0.5"),
        (Fault.breaking, "script break"),
    ],
)
def test_a_fault_leaves_generic_kernels_and_says_so(events: Recorder, places: Places, fault: Fault, said: str) -> None:
    rehearse(events, places, Script(making=0.03, fault=fault))
    last = events.of(KernelsChanged)[-1]
    assert last.kernels is GENERIC
    assert said in last.reason


def test_rejected_kernels_are_told_and_made_anew(events: Recorder, places: Places) -> None:
    rehearse(events, places, Script(making=0.03))
    events.events.clear()
    rehearse(events, places, Script(making=0.03, fault=Fault.rejecting))
    assert events.of(CacheRead) == [CacheRead("vae", hit=False, reason="it was set aside: the script says so")]
    assert states(events) == [GENERIC, SPECIALISING, SPECIALISED, GRAPH]


def test_nothing_is_kept_without_a_place(events: Recorder) -> None:
    rehearse(events, None, Script(making=0.03)).close()
    assert states(events) == [GENERIC, SPECIALISING, SPECIALISED, GRAPH]
    assert events.of(CacheRead) == []


def test_a_closed_rehearsal_refuses(events: Recorder) -> None:
    rehearsal = rehearse(events, None, Script(making=0.01))
    rehearsal.close()
    rehearsal.close()
    with pytest.raises(EngineFailure, match="closed"):
        rehearsal({"z": torch.zeros(1, 16, 8, 8)})


def test_scripts_are_read() -> None:
    assert read_script("") == Script()
    assert read_script("making=2 generic=0.1 own=0.05 fault=compare") == Script(0.1, 0.05, 2.0, Fault.compare)
    for text in ("making=long", "fault=other", "speed=3", "making"):
        with pytest.raises(InvalidRequest, match="FIRSTLIGHT_FAKE"):
            read_script(text)
