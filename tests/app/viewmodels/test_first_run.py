"""What the first page says of a machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.viewmodels.first_run import Hint, judge
from pipelines.devices import Gpu, Lack, Machine, Versions

GIB = 2**30
RTX = Gpu(0, "NVIDIA GeForce RTX 4070", (8, 9), 12 * GIB, "580.10")
PLAIN = Machine(
    "Windows 11", "a CPU", 8, 32 * GIB, 20 * GIB, (), Versions("2.13", None, "0.42", "5.24", None),
    (Lack("tensorrt_rtx", "there is no NVIDIA GPU"), Lack("inductor", "there is no NVIDIA GPU")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "hints"),
    [
        (PLAIN, [Hint.no_gpu]),
        (replace(PLAIN, memory_total=8 * GIB), [Hint.no_gpu, Hint.little_memory]),
        (replace(PLAIN, gpus=(RTX,)), [Hint.gpu_idle]),
        (replace(PLAIN, gpus=(RTX,), lacks=()), [Hint.accelerated]),
        (replace(PLAIN, gpus=(replace(RTX, compute_capability=(6, 1)),)), [Hint.gpu_too_old]),
    ],
)
def test_what_is_said(machine: Machine, hints: list[Hint]) -> None:
    assert [one.hint for one in judge(machine)] == hints
