"""The engine process, spoken to over a real pipe."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from PIL import Image

from pipelines import events, worker
from pipelines.events import Failure, JobCancelled, JobFinished, JobStarted, PictureSaved, Progress, Stage
from pipelines.request import Backend, GenerationRequest
from tests.pipelines import scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds; far beyond what is needed, for a machine that is busy with other things


def request(prompt: str, **changes: object) -> GenerationRequest:
    values: dict[str, object] = {
        "prompt": prompt,
        "model": "none",
        "width": 64,
        "height": 64,
        "num_inference_steps": 4,
        "guidance_scale": 1.0,
        "seed": 3,
    }
    return GenerationRequest(**{**values, **changes})  # pyright: ignore[reportArgumentType]


@dataclass
class Child:
    process: SpawnProcess
    connection: Connection
    logged: list[worker.LogLine]

    def send(self, command: worker.Command) -> None:
        self.connection.send(command)

    def next(self) -> worker.Sent:
        """The next event of a job."""
        while True:
            assert self.connection.poll(PATIENCE), "the worker says nothing"
            message: worker.Message = self.connection.recv()
            if isinstance(message, worker.Sent):
                return message
            self.logged.append(message)

    def until(self, *kinds: type[events.Event]) -> list[events.Event]:
        """The events up to the first of one of these kinds."""
        seen: list[events.Event] = []
        while not (seen and isinstance(seen[-1], kinds)):
            seen.append(self.next().event)
        return seen

    def draw(self, prompt: str, folder: Path, job: int = 1, **changes: object) -> None:
        self.send(worker.Draw(job, request(prompt, **changes), folder))


ENDINGS = (JobFinished, JobCancelled, Failure)


def start(target: Callable[..., None]) -> Iterator[Child]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    yield Child(process, ours, [])
    ours.close()
    process.join(PATIENCE)
    assert process.exitcode is not None, "the worker did not end when its parent's end of the pipe closed"
    process.close()


@pytest.fixture
def child() -> Iterator[Child]:
    """A worker whose session does what the prompt says."""
    yield from start(scripted.main)


@pytest.fixture
def real() -> Iterator[Child]:
    yield from start(worker.main)


def test_the_parent_loads_nothing_heavy() -> None:
    code = (
        "import sys, pipelines.worker; "
        "print(*{'torch', 'diffusers', 'transformers', 'numpy', 'PIL', 'PySide6'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


def test_a_real_session_draws_with_the_fake_backend_and_then_for_real(
    real: Child, tiny_model: Path, tmp_path: Path
) -> None:
    for job, backend in enumerate((Backend.fake, Backend.eager)):
        real.draw("a red apple", tmp_path, job, model=str(tiny_model), backend=backend, num_images=2)
        seen = real.until(*ENDINGS)
        assert seen[0] == JobStarted()
        assert seen[-1] == JobFinished()
        saved = [event for event in seen if isinstance(event, PictureSaved)]
        assert [picture.seed for picture in saved] == [3, 4]
        for picture in saved:
            with Image.open(picture.path) as image:
                assert image.size == (64, 64)
    real.draw("an apple", tmp_path, 9, model=str(tmp_path / "nowhere"))
    (*_, failure) = real.until(*ENDINGS)
    assert isinstance(failure, Failure)
    assert failure.kind == "unusable_file"
    assert "Traceback" in failure.details


def test_a_cancel_is_heard_at_the_next_report_and_the_next_job_runs(child: Child, tmp_path: Path) -> None:
    child.draw("steps 1000", tmp_path)
    child.until(Progress)
    child.send(worker.Cancel(1))
    assert child.until(*ENDINGS)[-1] == JobCancelled()
    child.draw("steps 1", tmp_path, job=2)
    assert child.until(*ENDINGS)[-1] == JobFinished()


def test_a_job_that_is_cancelled_before_it_starts_is_not_drawn(child: Child, tmp_path: Path) -> None:
    child.send(worker.Cancel(5))
    child.draw("steps 3", tmp_path, job=5)
    assert child.until(*ENDINGS) == [JobStarted(), JobCancelled()]


def test_a_picture_on_disk_is_told_of_even_where_the_cancel_came_first(child: Child, tmp_path: Path) -> None:
    child.draw("save when cancelled", tmp_path)
    child.until(Progress)
    child.send(worker.Cancel(1))
    seen = child.until(*ENDINGS)
    assert [type(event) for event in seen] == [PictureSaved, JobCancelled]


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("raise MemoryError", "no_room"),
        ("raise NoRoom", "no_room"),
        ("raise InvalidRequest", "invalid_request"),
        ("raise ZeroDivisionError", "engine_failure"),
        ("raise CUDA out of memory", "no_room"),
        ("raise CUDA no kernel image", "engine_failure"),
    ],
)
def test_whatever_is_raised_crosses_as_words_and_the_next_job_runs(
    child: Child, tmp_path: Path, prompt: str, kind: str
) -> None:
    child.draw(prompt, tmp_path)
    (*_, failure) = child.until(*ENDINGS)
    assert isinstance(failure, Failure)
    assert (failure.kind, bool(failure.message)) == (kind, True)
    assert "Traceback" in failure.details
    child.draw("sessions", tmp_path, job=2)
    (*_, progress, ending) = child.until(*ENDINGS)
    assert ending == JobFinished()
    assert isinstance(progress, Progress)
    freed = kind in ("no_room", "engine_failure")
    assert progress.done == (2 if freed else 1), "what a failure left in memory is freed, and only then"


def test_a_lost_gpu_ends_the_process_after_it_is_told(child: Child, tmp_path: Path) -> None:
    child.draw("raise CUDA unspecified launch failure", tmp_path)
    (*_, failure) = child.until(*ENDINGS)
    assert isinstance(failure, Failure)
    assert failure.kind == "device_lost"
    child.process.join(PATIENCE)
    assert child.process.exitcode == 0


def test_log_records_reach_the_parent_and_bad_ones_fail_no_job(child: Child, tmp_path: Path) -> None:
    child.draw("log", tmp_path)
    assert child.until(*ENDINGS)[-1] == JobFinished()
    assert worker.LogLine(logging.WARNING, "tests.scripted", "ō 😄 is logged") in child.logged
    assert len(child.logged) == 1


def test_only_frozen_values_of_our_own_cross(child: Child, tmp_path: Path) -> None:
    """Whatever the worker sends is made of value classes and plain Python: no exception, tensor or other class."""
    allowed = ("pipelines.events", "pipelines.worker", "pathlib", "builtins", "copyreg")
    raw: list[bytes] = []
    for job, prompt in enumerate(("save", "raise ZeroDivisionError", "log")):
        child.draw(prompt, tmp_path, job)
        while True:
            data = child.connection.recv_bytes(1_000_000)
            raw.append(data)
            message = pickle.loads(data)
            if isinstance(message, worker.Sent) and isinstance(message.event, ENDINGS):
                break
    for data in raw:
        for module, name in _classes(data):
            assert module in allowed, (module, name)
            assert not name.endswith(("Error", "Exception"))


def _classes(data: bytes) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()

    class Names(pickle.Unpickler):
        def find_class(self, module_name: str, global_name: str, /) -> object:
            found.add((module_name, global_name))
            return super().find_class(module_name, global_name)

    import io

    Names(io.BytesIO(data)).load()
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_on_the_terminal_is_left_to_the_parent(child: Child, tmp_path: Path) -> None:
    child.draw("steps 20", tmp_path)
    child.until(Progress)
    assert child.process.pid is not None
    os.kill(child.process.pid, signal.SIGINT)
    assert child.until(*ENDINGS)[-1] == JobFinished()


@pytest.mark.parametrize("how", ["close", "vanish"])
def test_a_worker_whose_parent_closes_or_dies_ends_its_job_cleanly(how: str, tmp_path: Path) -> None:
    for child in start(scripted.main):
        child.draw("steps 1000", tmp_path)
        child.until(Progress)
        if how == "close":
            child.send(worker.Close())
        else:
            child.connection.close()
        began = time.monotonic()
        child.process.join(PATIENCE)
        assert child.process.exitcode == 0
        assert time.monotonic() - began < worker.ORPHAN_GRACE, "it was ended by force"


def test_a_worker_that_cannot_stop_does_not_outlive_its_parent(tmp_path: Path) -> None:
    for child in start(scripted.main):
        child.draw("hang", tmp_path)
        child.until(Progress)
        child.connection.close()
        child.process.join(PATIENCE)
        assert child.process.exitcode == 1


def test_a_native_crash_leaves_its_python_stack(tmp_path: Path) -> None:
    fault = tmp_path / "logs" / "fault.log"
    code = f"""
import ctypes, pipelines.worker
with pipelines.worker._fault_log({str(fault)!r}):
    ctypes.string_at(0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, stderr=subprocess.DEVNULL)
    assert done.returncode != 0
    assert "string_at" in fault.read_text(encoding="utf-8")


def test_rest_of_a_request_draws_the_same_pictures() -> None:
    whole = request("", seed=2**64 - 2, num_images=4)
    assert whole.rest(0) == whole
    assert whole.rest(3).seeds() == whole.seeds()[3:] == (1,)


def test_progress_of_the_script_is_as_sent(child: Child, tmp_path: Path) -> None:
    child.draw("steps 2", tmp_path, job=7)
    assert child.next() == worker.Sent(7, JobStarted())
    assert child.next() == worker.Sent(7, Progress(Stage.denoising, 0, 2))
