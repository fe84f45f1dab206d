"""The queue of downloads as the page shows it, against the real server."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app.services.queue import State
from app.services.registry import Model
from app.viewmodels.downloads import DownloadQueue
from tests.app.conftest import ROOT
from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture
from tests.app.viewmodels.model_parts import Ear, given, open_services

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIZE = 3_000_000


def fill(hub: HubServer, *names: str) -> None:
    for name in names:
        hub.repositories[name] = {
            "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
            "transformer/x.safetensors": safetensors(SIZE + len(name)),
        }


@pytest.fixture
def queue(hub: HubServer, home: Path, wait: Callable[..., None]) -> Iterator[DownloadQueue]:
    made = DownloadQueue(open_services(given(home, hub)).downloads)
    yield made
    hub.release.set()
    made.close()


def states(queue: DownloadQueue) -> dict[str, State]:
    return {row.name: row.download.state for row in queue.rows}


def test_two_downloads_become_models_one_after_the_other(
    hub: HubServer, queue: DownloadQueue, wait: Callable[..., None]
) -> None:
    fill(hub, "maker/one", "maker/two")
    done = Ear(queue.finished)
    queue.add("maker/one")
    queue.add("maker/two")
    wait(lambda: len(done.heard) == 2 and not queue.running)
    assert [model.name for model in done.heard if isinstance(model, Model)] == ["one", "two"]
    wait(lambda: queue.rows == ())


def test_speed_time_left_pause_and_resume(hub: HubServer, queue: DownloadQueue, wait: Callable[..., None]) -> None:
    fill(hub, "maker/one")
    hub.slow = 0.05
    done = Ear(queue.finished)
    queue.add("maker/one")
    wait(lambda: queue.rows and queue.rows[0].done > 500_000 and queue.rows[0].seconds_left)
    row = queue.rows[0]
    assert 0 < row.done < (row.total or 0)
    assert row.download.state is State.running
    queue.pause("one")
    wait(lambda: states(queue) == {"one": State.paused} and not queue.running)
    assert queue.rows[0].done > 0
    assert queue.rows[0].total == row.total
    sent = hub.sent
    hub.slow = 0.0
    queue.resume("one")
    wait(lambda: done.heard)
    assert hub.sent - sent < SIZE - 300_000  # what had arrived was not fetched again


def test_cancel_deletes_what_has_arrived(
    hub: HubServer, queue: DownloadQueue, home: Path, wait: Callable[..., None]
) -> None:
    fill(hub, "maker/one", "maker/two")
    hub.holds = [100_000]
    queue.add("maker/one")
    queue.add("maker/two")
    wait(hub.held.is_set)
    queue.cancel("one")
    hub.release.set()
    wait(lambda: not queue.running and queue.rows == ())
    assert [path.name for path in (home / "data" / "models").iterdir()] == ["two"]


def test_the_next_session_says_what_is_left_and_waits_to_be_told(
    hub: HubServer, queue: DownloadQueue, home: Path, wait: Callable[..., None]
) -> None:
    fill(hub, "maker/one", "maker/two")
    hub.slow = 0.05
    queue.add("maker/one")
    queue.add("maker/two")
    wait(lambda: queue.rows and queue.rows[0].done > 100_000)
    queue.close()  # the window closes in the middle
    hub.slow = 0.0
    again = DownloadQueue(open_services(given(home, hub)).downloads)
    again.restore()
    wait(lambda: again.rows)
    assert again.left_over == 2
    assert not again.running
    assert again.rows[0].done > 0
    assert State.running not in states(again).values()
    done = Ear(again.finished)
    again.go_on()
    wait(lambda: len(done.heard) == 2)
    assert again.left_over == 0
    again.close()


@pytest.mark.parametrize(
    ("token", "denial"), [("", "no token"), ("bad", "bad token"), ("narrow", "no scope"), ("new", "no licence")]
)
def test_the_four_refusals_are_told_apart(
    hub: HubServer,
    home: Path,
    wait: Callable[..., None],
    token: str,
    denial: str,
    keys: object,  # noqa: F811
) -> None:
    fill(hub, "maker/one")
    hub.gated, hub.gate.without_scope, hub.gate.without_licence = {"maker/one"}, {"narrow"}, {"new"}
    services = open_services(given(home, hub))
    if token:
        services.tokens.store(services.hub.host, token)
    queue = DownloadQueue(services.downloads)
    queue.add("maker/one")
    wait(lambda: states(queue) == {"one": State.failed} and not queue.running)
    download = queue.rows[0].download
    assert download.denial == denial
    assert download.page.startswith(hub.endpoint)
    hub.gate.admitted = {"good"}
    services.tokens.store(services.hub.host, "good")
    queue.resume("one")
    done = Ear(queue.finished)
    wait(lambda: done.heard)
    queue.close()


def test_another_firstlight_is_told(
    hub: HubServer, queue: DownloadQueue, home: Path, wait: Callable[..., None]
) -> None:
    import filelock

    fill(hub, "maker/one")
    problems = Ear(queue.problem)
    (home / "data").mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(home / "data" / "downloads.lock"):
        queue.add("maker/one")
        wait(lambda: problems.heard and not queue.running)
    assert "Another Firstlight" in str(problems.heard[0])
    wait(lambda: states(queue) == {"one": State.paused})


def test_what_cannot_be_queued_is_told(queue: DownloadQueue, wait: Callable[..., None]) -> None:
    problems = Ear(queue.problem)
    queue.add("starter")
    wait(lambda: problems.heard)
    assert "part of Firstlight" in str(problems.heard[0])


def test_a_server_that_hangs_does_not_hold_the_window(
    hub: HubServer, queue: DownloadQueue, wait: Callable[..., None]
) -> None:
    import time

    fill(hub, "maker/one")
    hub.holds = [100_000]
    queue.add("maker/one")
    wait(hub.held.is_set)
    began = time.monotonic()
    queue.close()
    assert time.monotonic() - began < 4


def test_the_window_downloads_though_its_process_is_offline(hub: HubServer, home: Path) -> None:
    """HF_HUB_OFFLINE is set for the engine process, before any library is loaded; a user's own is obeyed."""
    fill(hub, "maker/one")
    code = (
        "import os; given = dict(os.environ)\n"
        "from app import composition; from app.folders import find_folders\n"
        "composition.prepare_process(); assert os.environ['HF_HUB_OFFLINE'] == '1'\n"
        "services = composition.open_models(find_folders(given), given)\n"
        "services.downloads.add('maker/one')\n"
        "(outcome,) = services.downloads.run(lambda event: None)\n"
        "print(outcome.model.name if outcome.model else outcome.failure)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FIRSTLIGHT_HOME": str(home)}
    environment.pop("HF_HUB_OFFLINE", None)

    def run(**more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env={**environment, **more}, capture_output=True, text=True, timeout=120)

    first = run()
    assert (first.stdout.strip(), first.returncode) == ("one", 0), first.stderr
    own = run(HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE is set" in own.stderr
