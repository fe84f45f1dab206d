from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex

from app.services.database import transaction
from app.services.job_store import JobState
from app.viewmodels.queue import Queue, QueueRole
from app.viewmodels.run import Run
from tests.app.viewmodels.conftest import Bench
from tests.pipelines import scripted

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("PySide6.QtTest", reason="needs libEGL, as widgets do", exc_type=ImportError)

from PySide6.QtTest import QAbstractItemModelTester

Benches = Callable[..., Bench]
Wait = Callable[..., None]
Mode = QAbstractItemModelTester.FailureReportingMode


def submit(bench: Bench, prompt: str) -> int:
    bench.generation.prompt = prompt
    return bench.desk.jobs.submit(bench.generation.make_request(), bench.folders.pictures)


def titles(queue: Queue) -> list[str]:
    return [str(queue.data(queue.index(row))) for row in range(queue.rowCount())]


@pytest.fixture
def bench(benches: Benches) -> Bench:
    made = benches(scripted.main)
    QAbstractItemModelTester(made.queue, Mode.Fatal, made.queue)
    made.desk.jobs.pause()
    return made


def test_jobs_stand_in_the_order_of_drawing(bench: Bench) -> None:
    queue = bench.queue
    first, _, third = (submit(bench, name) for name in "abc")
    assert titles(queue) == ["a", "b", "c"]
    assert (queue.waiting, queue.ended, queue.paused) == (3, 0, True)
    queue.move_first(third)
    assert titles(queue) == ["c", "a", "b"]
    queue.move_last(third)
    assert titles(queue) == ["a", "b", "c"]
    kept = QPersistentModelIndex(queue.index(1))
    queue.cancel(first)
    assert titles(queue) == ["b", "c", "a"]
    assert kept.row() == 0
    assert (queue.waiting, queue.ended) == (2, 1)
    job = queue.job_at(2)
    assert job is not None
    assert job.state is JobState.cancelled


def test_ended_jobs_are_retried_removed_and_cleared(bench: Bench) -> None:
    queue = bench.queue
    jobs = [submit(bench, name) for name in "abcd"]
    for job in jobs[:3]:
        queue.cancel(job)
    assert titles(queue) == ["d", "c", "b", "a"]
    queue.retry(jobs[0])
    assert titles(queue) == ["d", "a", "c", "b"]
    queue.remove(jobs[1])
    assert titles(queue) == ["d", "a", "c"]
    queue.clear_ended()
    assert titles(queue) == ["d", "a"]
    queue.cancel_all()
    assert (queue.waiting, queue.ended) == (0, 2)
    assert all((found := queue.job_at(row)) and found.state is JobState.cancelled for row in range(2))


def test_the_running_job_is_first_and_shows_its_progress(bench: Bench, wait: Wait) -> None:
    queue, seen = bench.queue, list[float]()

    class Watch(QObject):
        def look(self, *_: object) -> None:
            seen.append(queue.data(queue.index(0), QueueRole.fraction))

    watch = Watch()
    queue.dataChanged.connect(watch.look)
    submit(bench, "steps 20")
    submit(bench, "save")
    queue.toggle_pause()
    wait(lambda: queue.ended == 2)
    assert any(0 < value < 1 for value in seen)
    assert titles(queue) == ["save", "steps 20"]
    assert queue.data(queue.index(0), QueueRole.fraction) == -1.0


def test_ten_thousand_jobs_are_no_load(bench: Bench, benches: Benches, tmp_path: Path) -> None:
    store, request = bench.desk.jobs.store, bench.generation.make_request()
    with transaction(bench.desk.connection):
        for index in range(10_000):
            job = store.add(request, tmp_path)
            if index % 2:
                store.end(job, JobState.done)
    began = time.thread_time()
    run = Run(bench.desk.jobs, bench.desk.engine, bench.notices, bench.desk.settings)
    queue = Queue(bench.desk.jobs, run, bench.notices)
    opened = time.thread_time()
    for row in (0, 5000, 9999):
        assert queue.data(queue.index(row), QueueRole.job) is not None
    read = time.thread_time()
    bench.desk.jobs.move(store.ids((JobState.queued,))[-1], first=True)
    assert queue.rowCount() == 10_000
    assert opened - began < 0.5
    assert read - opened < 0.3


def test_a_library_that_cannot_be_read_is_told(bench: Bench, wait: Wait) -> None:
    submit(bench, "a")
    bench.desk.connection.execute("DROP TABLE jobs")
    bench.queue.cancel(1)
    wait(lambda: bench.notices.shown, 5)


def test_it_is_a_flat_list(bench: Bench) -> None:
    submit(bench, "a")
    model: QAbstractItemModel = bench.queue
    assert model.rowCount(model.index(0, 0)) == 0
    assert bench.queue.data(QModelIndex()) is None
    assert bench.queue.job_at(7) is None
