"""The queue, with a real library file and a real engine process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from app.services.database import open_library
from app.services.engine_client import EngineClient
from app.services.job_store import ENDED, Job, JobState, JobStore
from app.services.jobs import KILLED, Drawn, Jobs
from pipelines.events import Event, Failure, Progress
from pipelines.request import SEED_MAX, Backend, GenerationRequest, LoraChoice
from tests.pipelines import scripted
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    Wait = Callable[..., None]

ROOT = Path(__file__).parents[3]
QUEUED = (JobState.queued,)
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = open_library(tmp_path / "library.sqlite")
    assert opened.notice == ""
    yield opened.connection
    opened.connection.close()


@pytest.fixture
def store(connection: sqlite3.Connection) -> JobStore:
    return JobStore(connection)


class Listener(QObject):
    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.added: list[int] = []
        self.changed: list[int] = []
        self.removed: list[int] = []
        self.paused: list[bool] = []
        self.drawn: list[Drawn] = []
        self.problems: list[Failure] = []
        self.progress: list[Event] = []
        jobs.added.connect(self.added.append)
        jobs.changed.connect(self.changed.append)
        jobs.removed.connect(self.removed.append)
        jobs.paused_changed.connect(self.paused.append)
        jobs.drawn.connect(self.drawn.append)
        jobs.problem.connect(self.problems.append)
        jobs._engine.reported.connect(self.hear)

    def hear(self, job: int, event: Event) -> None:
        if isinstance(event, Progress):
            self.progress.append(event)


class Bench:
    def __init__(self, store: JobStore, wait: Wait, folder: Path) -> None:
        self.engine = EngineClient(None, scripted.main)
        self.store = store
        self.jobs = Jobs(store, self.engine)
        self.heard = Listener(self.jobs)
        self.folder = folder
        self.wait = wait
        self.engine.start()

    def submit(self, prompt: str, **changes: object) -> int:
        return self.jobs.submit(request(prompt, **changes), self.folder)

    def job(self, number: int) -> Job:
        job = self.store.get(number)
        assert job is not None
        return job

    def until(self, number: int, *states: JobState) -> Job:
        self.wait(lambda: self.job(number).state in states)
        return self.job(number)

    def close(self) -> None:
        self.engine.close()
        self.jobs.close()


@pytest.fixture
def bench(store: JobStore, wait: Wait, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(store, wait, tmp_path)
    yield bench
    bench.close()


# The store


def test_a_job_comes_back_as_it_was_given(store: JobStore) -> None:
    odd = GenerationRequest(
        prompt="ō 😄 \n \ud83d 'quoted' %s",
        model="starter",
        width=200,
        height=500,
        num_inference_steps=3,
        guidance_scale=3.5,
        seed=SEED_MAX,
        num_images=4,
        loras=(LoraChoice(Path("a b.safetensors"), -0.5),),
        image=Path("über.png"),
        backend=Backend.fake,
    )
    folder = Path(os.fsdecode(b"/tmp/\xff not text")) if os.name == "posix" else Path("C:/x")
    job = store.get(store.add(odd, folder))
    assert job is not None
    assert (job.request, job.folder, job.state, job.failure) == (odd, folder, JobState.queued, None)
    assert job.title.startswith("ō 😄 ")
    store.end(job.id, JobState.failed, Failure("k", "half of a pair \udc00", "do", "details"))
    failed = store.get(job.id)
    assert failed is not None
    assert failed.failure == Failure("k", "half of a pair ?", "do", "details")


def test_order_pages_and_counts(store: JobStore) -> None:
    numbers = [store.add(request(str(n)), Path()) for n in range(5)]
    store.move(numbers[3], first=True)
    store.move(numbers[0], first=False)
    assert [job.title for job in store.page(QUEUED, 0, 9)] == ["3", "1", "2", "4", "0"]
    assert [job.title for job in store.page(QUEUED, 1, 2)] == ["1", "2"]
    store.start(numbers[3])
    store.end(numbers[1], JobState.done)
    assert (store.count(QUEUED), store.count(ENDED)) == (3, 1)
    store.remove(numbers[2])
    assert store.count(QUEUED) == 3, "what still waits is cancelled first"
    assert store.cancel_queued() == 3
    assert store.remove_ended() == 4
    assert store.get(numbers[1]) is None
    first = store.first_queued()
    assert first is None


def test_a_number_is_never_given_twice(store: JobStore) -> None:
    job = store.add(request("a"), Path())
    store.end(job, JobState.done)
    store.remove(job)
    assert store.add(request("b"), Path()) > job


def test_a_request_of_a_later_version_is_no_obstacle(bench: Bench, connection: sqlite3.Connection) -> None:
    bench.jobs.pause()
    strange, good = bench.submit("steps 1"), bench.submit("steps 1")
    document = {**json.loads(connection.execute("SELECT request FROM jobs").fetchone()[0]), "backend": "quantum"}
    connection.execute("UPDATE jobs SET request = ? WHERE id = ?", (json.dumps(document), strange))
    bench.jobs.resume()
    bench.until(good, JobState.done)
    failed = bench.job(strange)
    assert failed.state is JobState.failed
    assert failed.request is None
    assert failed.title == ""
    assert failed.failure is not None
    assert "later version" in failed.failure.message


def test_ten_thousand_jobs_stay_fast(tmp_path: Path) -> None:
    file = tmp_path / "large.sqlite"
    connection = open_library(file).connection
    JobStore(connection).add(request("a prompt of ordinary length, with some words in it"), tmp_path)
    connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
        "INSERT INTO jobs (position, state, request, folder, created) "
        "SELECT i, 'queued', request, folder, created FROM n, jobs WHERE jobs.id = 1"
    )
    connection.close()
    began = time.perf_counter()
    connection = open_library(file).connection
    store = JobStore(connection)
    assert store.count(QUEUED) == 10_000
    assert store.restore(KILLED) == []
    opened = time.perf_counter() - began
    began = time.perf_counter()
    assert len(store.page(QUEUED, 9_900, 100)) == 100
    page = time.perf_counter() - began
    began = time.perf_counter()
    store.add(request("one more"), tmp_path)
    add = time.perf_counter() - began
    connection.close()
    print(f"10,000 jobs: open {opened:.3f} s, last page {page * 1000:.1f} ms, add {add * 1000:.1f} ms")  # noqa: T201
    assert opened < 1.0
    assert page < 0.1
    assert add < 0.1


# The queue


def test_jobs_are_drawn_in_order_and_their_pictures_told(bench: Bench) -> None:
    first, second = bench.submit("save", num_images=2, seed=7), bench.submit("save", seed=20)
    bench.until(second, JobState.done)
    assert bench.heard.added == [first, second]
    assert [(drawn.job, drawn.picture.seed) for drawn in bench.heard.drawn] == [(first, 7), (first, 8), (second, 20)]
    assert bench.heard.drawn[1].request == request("save", seed=8)
    done = bench.job(first)
    assert (done.state, done.pictures) == (JobState.done, 2)
    assert done.ended is not None
    assert done.started is not None
    assert done.created <= done.started <= done.ended


def test_cancel_while_queued_and_while_running(bench: Bench) -> None:
    running, waiting, last = bench.submit("steps 1000"), bench.submit("steps 1"), bench.submit("steps 1")
    bench.until(running, JobState.running)
    bench.jobs.cancel(waiting)
    assert bench.job(waiting).state is JobState.cancelled
    bench.jobs.cancel(running)
    bench.until(running, JobState.cancelled)
    bench.until(last, JobState.done)
    assert bench.job(running).failure is None
    bench.jobs.cancel(last)
    assert bench.job(last).state is JobState.done


def test_cancel_all(bench: Bench) -> None:
    numbers = [bench.submit("steps 1000") for _ in range(3)]
    bench.jobs.cancel_all()
    for number in numbers:
        bench.until(number, JobState.cancelled)


def test_pause_lets_the_running_job_end(bench: Bench) -> None:
    running, waiting = bench.submit("steps 10"), bench.submit("steps 1")
    bench.jobs.pause()
    bench.until(running, JobState.done)
    assert bench.job(waiting).state is JobState.queued
    bench.jobs.resume()
    bench.until(waiting, JobState.done)
    assert bench.heard.paused == [True, False]


@posix
def test_a_job_that_kills_the_process_is_marked_and_set_aside_the_second_time(bench: Bench) -> None:
    guilty, innocent = bench.submit("kill"), bench.submit("steps 1")
    bench.until(innocent, JobState.done)
    failed = bench.job(guilty)
    assert (failed.state, failed.deaths) == (JobState.failed, 1)
    assert failed.failure is not None
    assert "while it was loading transformer" in failed.failure.message
    bench.jobs.retry(guilty)
    aside = bench.until(guilty, JobState.set_aside)
    assert aside.deaths == 2
    assert bench.jobs.restore().queued == 0, "never retried at start"
    assert bench.job(guilty).state is JobState.set_aside


def test_a_failed_job_says_why_and_can_be_tried_again(bench: Bench) -> None:
    job = bench.submit("raise NoRoom")
    failed = bench.until(job, JobState.failed)
    assert failed.failure is not None
    assert (failed.failure.kind, failed.failure.message) == ("no_room", "There is no room.")
    other = bench.submit("steps 1000")
    bench.jobs.retry(job)
    assert bench.job(job).failure is None
    bench.jobs.cancel(other)
    bench.until(job, JobState.failed)
    bench.jobs.remove(job)
    assert bench.heard.removed == [job]
    bench.until(other, JobState.cancelled)
    bench.jobs.remove_ended()
    assert bench.store.count(tuple(JobState)) == 0


def test_a_library_that_cannot_be_written_pauses_the_queue_and_is_told(
    bench: Bench, connection: sqlite3.Connection
) -> None:
    bench.jobs.pause()
    bench.submit("steps 1")
    connection.execute("PRAGMA query_only = ON")
    bench.jobs.resume()
    (problem,) = bench.heard.problems
    assert problem.kind == "unusable_file"
    assert bench.jobs.paused
    connection.execute("PRAGMA query_only = OFF")
    bench.jobs.resume()
    bench.wait(lambda: bench.store.count((JobState.done,)) == 1)


def test_an_orderly_end_is_no_death_and_loses_no_picture(
    store: JobStore, wait: Wait, tmp_path: Path, connection: sqlite3.Connection
) -> None:
    bench = Bench(store, wait, tmp_path)
    job = bench.submit("save when cancelled", num_images=3)
    wait(lambda: bench.heard.progress)  # it saves the first in half a second, and is told to close by then
    bench.close()
    left = bench.job(job)
    assert (left.state, left.deaths) == (JobState.queued, 0)
    assert left.pictures == len(bench.heard.drawn) == len(list(tmp_path.glob("*.png"))) == 1


APP = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QObject
from app.services.database import open_library
from app.services.engine_client import EngineClient
from app.services.job_store import JobStore
from app.services.jobs import Jobs
from tests.pipelines import scripted
from tests.pipelines.test_worker import request
app = QCoreApplication([])
folder = Path(sys.argv[1])
engine = EngineClient(None, scripted.main)
jobs = Jobs(JobStore(open_library(folder / "library.sqlite").connection), engine)
class Teller(QObject):
    def tell(self, job, event):
        print(job, engine._process.pid, flush=True)
teller = Teller()
engine.reported.connect(teller.tell)
engine.start()
restored = jobs.restore()
if not restored.queued:
    for n in range(20):
        jobs.submit(request("steps 1000" if n == 0 else "steps 1"), folder)
jobs.resume()
app.exec()
"""


@posix
def test_the_app_is_killed_twice_with_twenty_jobs_queued(tmp_path: Path) -> None:
    """All are there and paused; the one that was running each time is set aside and named, the others are not."""
    for deaths in (1, 2):
        app = subprocess.Popen([sys.executable, "-c", APP, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert app.stdout is not None
        job, pid = app.stdout.readline().split()
        assert int(job) == 1
        app.kill()
        app.wait()
        app.stdout.close()
        end = time.monotonic() + 10
        while Path(f"/proc/{int(pid)}/cmdline").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert not Path(f"/proc/{int(pid)}").exists() or not Path(f"/proc/{int(pid)}/cmdline").read_bytes()
        opened = open_library(tmp_path / "library.sqlite")
        store = JobStore(opened.connection)
        states = [job.state for job in store.page(tuple(JobState), 0, 99)]
        assert states == [JobState.running, *[JobState.queued] * 19]
        if deaths == 2:
            engine = EngineClient(None, scripted.main)
            jobs = Jobs(store, engine)
            restored = jobs.restore()
            (aside,) = restored.set_aside
            assert (aside.id, aside.title, aside.deaths) == (1, "steps 1000", 2)
            assert aside.failure == KILLED
            assert restored.queued == 19
            assert jobs.paused
            assert jobs.running is None
            engine.close()
        opened.connection.close()
