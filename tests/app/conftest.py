from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop

from app.cli import main
from app.services import garbage
from tests.app.hub_server import HubServer

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds; far beyond what is needed, for a machine that is busy with other things


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output, which must be one JSON object on one line and nothing else."""
        assert self.out.count("\n") == 1, self.out
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


Starter = Callable[..., subprocess.Popen[bytes]]
Process = Callable[..., Outcome]


class Command(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


@pytest.fixture(scope="module", autouse=True)
def no_garbage_on_other_threads() -> Iterator[None]:
    """As in the window's process; what a module leaves is not for the threads of the next one, either."""
    with garbage.left_to_us():
        yield
        gc.collect()


@pytest.fixture(autouse=True)
def collect_garbage() -> Iterator[None]:
    yield
    garbage.collect()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile of its own for every test."""
    folder = tmp_path / "home"
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(folder))
    return folder


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub of our own, which this process and those that it starts take for the real one."""
    server = HubServer()
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_TOKEN_PATH", str(ROOT / "no such file"))  # not the developer's own login
    yield server
    server.close()


@pytest.fixture
def firstlight(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process."""

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def start() -> Starter:
    """Starts the command line as a process of its own, as a shell would."""

    def run(*arguments: str, env: dict[str, str] | None = None, **streams: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=streams.get("stdin"),
            stdout=streams.get("stdout", subprocess.PIPE),
            stderr=streams.get("stderr", subprocess.PIPE),
            preexec_fn=streams.get("preexec_fn"),
        )

    return run


@pytest.fixture
def process(start: Starter) -> Process:
    """Runs the command line as a process to its end."""

    def run(*arguments: str, **options: Any) -> Outcome:
        given, encoding = options.pop("input", None), options.pop("encoding", "utf-8")
        running = start(*arguments, **({"stdin": subprocess.PIPE} if given is not None else {}), **options)
        out, err = running.communicate(given, timeout=120)
        return Outcome(running.returncode, (out or b"").decode(encoding), (err or b"").decode(encoding))

    return run


@pytest.fixture(scope="session")
def qt_core() -> QCoreApplication:
    """The process's one application: with widgets where this system has what they need, so that all tests share it.

    pytest-qt's `qapp` and `qtbot` take the one that is there, too.
    """
    app = QCoreApplication.instance()
    if app is None:
        try:
            from PySide6.QtWidgets import QApplication

            app = QApplication([])
        except ImportError:  # a bare Linux has no libEGL
            app = QCoreApplication([])
    return app


@pytest.fixture
def wait(qt_core: QCoreApplication) -> Callable[..., None]:
    """Turn the event loop until something is so."""

    def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            qt_core.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            time.sleep(0.002)

    return until
