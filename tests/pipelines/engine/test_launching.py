"""When calls become CUDA graphs. There is no GPU here: the host and the GPU that it waits for are played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from pipelines.engine import launching
from pipelines.engine.launching import Launching
from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

INPUTS = {"x": torch.zeros(1)}


class Played:
    """A host that launches for 5 ms, and a GPU that is busy for so many seconds after that. `waits` are for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: float = 0.0) -> None:
        self._now = 0.0
        self._busy = busy
        self.waits: list[str] = []
        monkeypatch.setattr(launching.time, "perf_counter", lambda: self._now)
        monkeypatch.setattr(torch.cuda, "synchronize", self._wait)
        monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: (0, 1))

    def call(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        self._now += 0.005
        return {"y": inputs["x"] + 1}

    def _wait(self, device: str) -> None:
        self.waits.append(device)
        self._now += self._busy


@pytest.mark.parametrize(("busy", "pays"), [(0.0, True), (0.004, True), (0.006, False)])
def test_a_graph_pays_where_the_gpu_waits_for_the_host(
    monkeypatch: pytest.MonkeyPatch, busy: float, pays: bool
) -> None:
    played = Played(monkeypatch, busy)
    calls = Launching("cuda:0")
    for _ in range(3):
        assert calls.call("key", played.call, INPUTS)["y"] == 1
    assert calls.pays("key") is pays
    assert played.waits == ["cuda:0"] * 2  # round the second call only: the first loads things, others are not held up
    calls.forget("key")
    assert not calls.pays("key")


def test_on_a_cpu_nothing_is_measured_or_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    calls = Launching("cpu")
    for _ in range(3):
        calls.call("key", played.call, INPUTS)
    assert not calls.pays("key")
    assert not played.waits


def test_a_call_that_cannot_be_captured_is_refused_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    made: list[object] = []

    class NoGraph:
        def __init__(self, *arguments: object) -> None:
            made.append(arguments)

        def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
            raise EngineFailure("The steps cannot be captured as a graph.", "")

    monkeypatch.setattr(launching, "Graph", NoGraph)
    calls = Launching("cuda:0")
    for _ in range(2):
        calls.call("key", played.call, INPUTS)
    with pytest.raises(EngineFailure):
        calls.replay("key", played.call, INPUTS)
    calls.refuse("key")
    assert not calls.pays("key")
    assert calls.call("key", played.call, INPUTS)["y"] == 1
    assert len(made) == 1
