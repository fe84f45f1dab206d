from __future__ import annotations

import os
import re
import select
import sys
from pathlib import Path

import pytest

from app.interrupt import Interrupt
from app.progress import Reporter
from app.terminal import Terminal
from pipelines.errors import Cancelled
from pipelines.events import Failure, Notice, PictureSaved, PlanChosen, Progress, Stage

PICTURE = PictureSaved(Path("a.png"), 7, 64, 64, 1.0)
EVENTS = [
    PlanChosen("vae", "eager", "fp32", "on the CPU"),
    PlanChosen("transformer", "eager", "fp32", "on the CPU"),
    PlanChosen("text_encoder", "eager", "fp16", "asked for"),
    Progress(Stage.loading, 1, 5, "[bold]vae"),  # brackets are text, not rich's markup
    Notice("Drawn at 256x256 and\nenlarged."),
    Progress(Stage.denoising, 3, 20, "step"),
    PICTURE,
    Failure("error", "arrives as an exception", ""),
]


def test_what_is_reported_is_kept_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    with Reporter(Terminal(wants_json=False), Interrupt()) as report:
        for event in EVENTS:
            report(event)
    assert [plan.component for plan in report.plans] == ["vae", "transformer", "text_encoder"]
    assert report.notices == [EVENTS[4]]
    assert report.pictures == [PICTURE]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "firstlight: eager, fp32: on the CPU",
        "firstlight: eager, fp16: asked for",
        "firstlight: Drawn at 256x256 and\\nenlarged.",
    ]


def test_the_report_after_ctrl_c_stops_the_run_but_keeps_the_picture() -> None:
    interrupt = Interrupt()
    report = Reporter(Terminal(wants_json=True), interrupt)
    interrupt.requested = True
    with pytest.raises(Cancelled):
        report(PICTURE)
    assert report.pictures == [PICTURE]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_person_sees_a_bar(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    ours, theirs = os.openpty()
    monkeypatch.setenv("TERM", "xterm")
    with open(theirs, "w", encoding=encoding) as screen:  # noqa: PTH123  # a descriptor, not a path
        monkeypatch.setattr(sys, "stderr", screen)
        with Reporter(Terminal(wants_json=False), Interrupt(), count=3) as report:
            for event in EVENTS:
                report(event)
        shown = _read_all(ours)
    os.close(ours)
    assert "Drawing" in shown
    assert "3/20 step picture 1 of 3" in shown
    assert "Drawn at 256x256" in shown
    assert "Traceback" not in shown


def test_a_screen_that_is_gone_does_not_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    ours, theirs = os.openpty()
    with open(theirs, "w", encoding="utf-8") as screen:  # noqa: PTH123
        monkeypatch.setattr(sys, "stderr", screen)
        with Reporter(Terminal(wants_json=False), Interrupt()) as report:
            os.close(ours)  # the window is closed: writing fails from now on
            for event in EVENTS:
                report(event)
    assert report.pictures == [PICTURE]


def _read_all(descriptor: int) -> str:
    data = b""
    while select.select([descriptor], [], [], 0.2)[0]:
        data += os.read(descriptor, 65536)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode("utf-8", "replace"))  # without colours
