"""The queue of downloads as values, and the file that outlives a crash."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from app.services import files
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

FILE_NAME = "downloads.json"


class State(Enum):
    """Where a download is. A finished one is a model and no longer in the queue."""

    waiting = "waiting"
    running = "running"
    paused = "paused"
    failed = "failed"


@dataclass(frozen=True, slots=True)
class Download:
    """One download. `source` is owner/model on the hub, or an https address; `total` is in bytes, 0 if unknown.

    `page` is where the user has to go first (a licence, a token), and `denial` the value of the `hub.Denial` that says
    why; both are empty where there is nothing to do there.
    """

    name: str
    source: str
    state: State = State.waiting
    commit: str = ""
    total: int = 0
    failure: Failure | None = None
    page: str = ""
    denial: str = ""

    @property
    def is_link(self) -> bool:
        """Whether it is one file at an address rather than a repository of the hub."""
        return "://" in self.source


class Queue:
    """`downloads.json` in the data folder. May be used from several threads."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE_NAME
        self.lock = threading.RLock()

    def all(self) -> tuple[Download, ...]:
        """The downloads in their order."""
        return self._read(strict=False)

    def _read(self, *, strict: bool) -> tuple[Download, ...]:
        found = files.read_json(self.file, strict=strict) or {}
        rows = found.get("downloads")
        items = cast("list[object]", rows) if isinstance(rows, list) else []
        return tuple(one for item in items if (one := _read(item)) is not None)

    def find(self, name: str) -> Download | None:
        """The download of that name."""
        return next((one for one in self.all() if one.name == name), None)

    def put(self, download: Download) -> Download:
        """Keep `download` in the place of the one of its name, or at the end."""
        with self.lock:
            if self.find(download.name) is None:
                self._write((*self._read(strict=True), download))
            else:
                self.change(download.name, lambda old: download)
        return download

    def change(self, name: str, update: Callable[[Download], Download]) -> None:
        """Replace the download of that name, where there is one, by what `update` makes of it."""
        with self.lock:
            self._write(update(one) if one.name == name else one for one in self._read(strict=True))

    def drop(self, name: str) -> None:
        """Take the download of that name out."""
        with self.lock:
            self._write(one for one in self._read(strict=True) if one.name != name)

    def _write(self, downloads: Iterable[Download]) -> None:
        files.write_json(self.file, {"downloads": [_as_json(one) for one in downloads]})


def _as_json(one: Download) -> dict[str, object]:
    failure = [one.failure.kind, one.failure.message, one.failure.action] if one.failure else None
    return {
        "name": one.name,
        "source": one.source,
        "state": one.state.name,
        "commit": one.commit,
        "total": one.total,
        "failure": failure,
        "page": one.page,
        "denial": one.denial,
    }


def _read(item: object) -> Download | None:
    """The download that a row stands for, or None where it is damaged."""
    if not isinstance(item, dict):
        return None
    row = cast("dict[str, object]", item)
    words = row.get("failure")
    try:
        return Download(
            name=str(row["name"]),
            source=str(row["source"]),
            state=State[str(row["state"])],
            commit=str(row.get("commit", "")),
            total=int(str(row.get("total", 0))),
            failure=Failure(*map(str, cast("list[object]", words))) if isinstance(words, list) else None,
            page=str(row.get("page", "")),
            denial=str(row.get("denial", "")),
        )
    except (KeyError, ValueError, TypeError):
        return None
