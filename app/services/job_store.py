"""Jobs in SQLite: what there is to draw, what was drawn, and what went wrong. No Qt here."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.database import in_words, transaction
from pipelines import metadata
from pipelines.errors import UnusableFile
from pipelines.events import Failure

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from pipelines.request import GenerationRequest

DEATHS_MAX = 2  # a job that was running when a process ended this often is set aside
_COLUMNS = "id, state, request, folder, created, started, ended, pictures, deaths, kind, message, action, details"
_TITLE_LENGTH = 60


class JobState(Enum):
    """Where a job is."""

    queued = "queued"
    running = "running"
    done = "done"
    failed = "failed"
    cancelled = "cancelled"
    set_aside = "set_aside"  # took the process with it twice: only the user starts it again


ENDED = (JobState.done, JobState.failed, JobState.cancelled, JobState.set_aside)


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the queue.

    `request` is None where a later Firstlight wrote it and this one does not understand it. `pictures` are on disk
    already; times are seconds since 1970.
    """

    id: int
    state: JobState
    request: GenerationRequest | None
    folder: Path
    created: float
    started: float | None
    ended: float | None
    pictures: int
    deaths: int
    failure: Failure | None

    @property
    def title(self) -> str:
        """The prompt in one short line."""
        words = " ".join(self.request.prompt.split()) if self.request is not None else ""
        return words if len(words) <= _TITLE_LENGTH else f"{words[: _TITLE_LENGTH - 1]}…"


class JobStore:
    """The table of jobs. Every method is one transaction.

    Raises:
        NoRoom, UnusableFile: from every method, where the file cannot be read or written.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, request: GenerationRequest, folder: Path) -> int:
        """Put a job at the end of the queue and return its number."""
        sql = """
            INSERT INTO jobs (position, state, request, folder, created)
            VALUES ((SELECT coalesce(max(position), 0) + 1 FROM jobs), 'queued', ?, ?, ?)
        """
        with in_words():
            values = (metadata.request_to_json(request), os.fsencode(folder), time.time())
            return self._connection.execute(sql, values).lastrowid or 0

    def get(self, job: int) -> Job | None:
        """The job, or None where it was removed."""
        with in_words():
            row = self._connection.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (job,)).fetchone()
        return _job(row) if row is not None else None

    def first_queued(self) -> Job | None:
        """The job to draw next."""
        found = self.page((JobState.queued,), 0, 1)
        return found[0] if found else None

    def page(self, states: Collection[JobState], offset: int, limit: int) -> list[Job]:
        """Some of the jobs in these states, in the order of drawing."""
        marks = ", ".join("?" * len(states))
        sql = f"SELECT {_COLUMNS} FROM jobs WHERE state IN ({marks}) ORDER BY position LIMIT ? OFFSET ?"
        with in_words():
            rows = self._connection.execute(sql, (*(state.value for state in states), limit, offset)).fetchall()
        return [_job(row) for row in rows]

    def ids(self, states: Collection[JobState], *, newest_first: bool = False) -> list[int]:
        """The numbers of the jobs in these states, in the order of drawing or the other way round."""
        marks = ", ".join("?" * len(states))
        order = "DESC" if newest_first else "ASC"
        sql = f"SELECT id FROM jobs WHERE state IN ({marks}) ORDER BY position {order}"
        with in_words():
            return [int(row[0]) for row in self._connection.execute(sql, tuple(state.value for state in states))]

    def rows(self, ids: Sequence[int]) -> list[Job]:
        """The jobs of these numbers (at most 500), in any order; those removed meanwhile are left out."""
        sql = f"SELECT {_COLUMNS} FROM jobs WHERE id IN ({', '.join('?' * len(ids))})"
        with in_words():
            return [_job(row) for row in self._connection.execute(sql, tuple(ids)).fetchall()]

    def count(self, states: Collection[JobState]) -> int:
        """How many jobs are in these states."""
        marks = ", ".join("?" * len(states))
        sql = f"SELECT count(*) FROM jobs WHERE state IN ({marks})"
        with in_words():
            return int(self._connection.execute(sql, tuple(state.value for state in states)).fetchone()[0])

    def start(self, job: int) -> None:
        """Mark it as running, before it runs: what is marked so at the next start was never ended."""
        self._update("UPDATE jobs SET state = 'running', started = ? WHERE id = ?", (time.time(), job))

    def count_picture(self, job: int) -> None:
        """One more picture of the job is on disk."""
        self._update("UPDATE jobs SET pictures = pictures + 1 WHERE id = ?", (job,))

    def end(self, job: int, state: JobState, failure: Failure | None = None) -> None:
        """Mark how it ended."""
        kind, message, action, details = _plain(failure)
        self._update(
            "UPDATE jobs SET state = ?, ended = ?, kind = ?, message = ?, action = ?, details = ? WHERE id = ?",
            (state.value, time.time(), kind, message, action, details, job),
        )

    def end_by_death(self, job: int, failure: Failure) -> JobState:
        """Mark that the process ended under it: failed, or set aside where it was not the first time."""
        with in_words(), transaction(self._connection):
            self._connection.execute("UPDATE jobs SET deaths = deaths + 1 WHERE id = ?", (job,))
            row = self._connection.execute("SELECT deaths FROM jobs WHERE id = ?", (job,)).fetchone()
            state = JobState.set_aside if row is not None and row[0] >= DEATHS_MAX else JobState.failed
            self.end(job, state, failure)
        return state

    def queue_again(self, job: int) -> None:
        """Put a job that has ended, or was running, back to its place in the queue. Its pictures stay."""
        self._update(
            "UPDATE jobs SET state = 'queued', started = NULL, ended = NULL, kind = '', message = '', action = '', "
            "details = '' WHERE id = ?",
            (job,),
        )

    def move(self, job: int, *, first: bool) -> None:
        """Make it the first or the last of the queue."""
        place = "min(position) - 1" if first else "max(position) + 1"
        self._update(f"UPDATE jobs SET position = (SELECT {place} FROM jobs) WHERE id = ?", (job,))

    def cancel_queued(self) -> int:
        """Cancel all that have not begun, and say how many they were."""
        with in_words():
            sql = "UPDATE jobs SET state = 'cancelled', ended = ? WHERE state = 'queued'"
            return self._connection.execute(sql, (time.time(),)).rowcount

    def remove(self, job: int) -> None:
        """Forget one job that has ended; its pictures are not touched."""
        self._update("DELETE FROM jobs WHERE id = ? AND state NOT IN ('queued', 'running')", (job,))

    def remove_ended(self) -> int:
        """Forget all jobs that have ended, and say how many they were."""
        with in_words():
            return self._connection.execute("DELETE FROM jobs WHERE state NOT IN ('queued', 'running')").rowcount

    def restore(self, failure: Failure) -> list[Job]:
        """After the app was killed: queue what was running, or set it aside where `failure` is not its first.

        Returns:
            The jobs that were set aside now.
        """
        aside: list[Job] = []
        with in_words():
            running = self.page((JobState.running,), 0, -1)  # one, but for two windows on one profile
            for job in running:
                if self.end_by_death(job.id, failure) is not JobState.set_aside:
                    self.queue_again(job.id)
                elif (found := self.get(job.id)) is not None:
                    aside.append(found)
        return aside

    def _update(self, sql: str, values: tuple[object, ...]) -> None:
        with in_words():
            self._connection.execute(sql, values)


def _plain(failure: Failure | None) -> tuple[str, str, str, str]:
    """The texts of a failure, without halves of surrogate pairs, which SQLite cannot hold."""
    if failure is None:
        return "", "", "", ""
    texts = (failure.kind, failure.message, failure.action, failure.details)
    kind, message, action, details = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
    return kind, message, action, details


def _job(row: tuple[int, str, str, bytes, float, float | None, float | None, int, int, str, str, str, str]) -> Job:
    number, state, request, folder, created, started, ended, pictures, deaths, kind, message, action, details = row
    failure = Failure(kind, message, action, details) if kind else None
    return Job(
        id=number,
        state=JobState(state) if state in JobState.__members__ else JobState.failed,
        request=_request(request),
        folder=Path(os.fsdecode(folder)),
        created=created,
        started=started,
        ended=ended,
        pictures=pictures,
        deaths=deaths,
        failure=failure,
    )


def _request(text: str) -> GenerationRequest | None:
    try:
        return metadata.request_from_json(text)
    except UnusableFile:
        return None
