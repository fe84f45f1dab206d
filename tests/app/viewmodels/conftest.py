from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from app.composition import open_desk, open_models
from app.folders import Folders
from app.viewmodels.generation import Generation
from app.viewmodels.notices import Notices
from app.viewmodels.queue import Queue
from app.viewmodels.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from PySide6.QtCore import QCoreApplication

    from app.services.desk import Desk
    from app.services.engine_process import Main


@dataclass
class Bench:
    """The real services on a folder of their own, and what the Generate page makes of them."""

    folders: Folders
    desk: Desk
    notices: Notices
    generation: Generation
    run: Run
    queue: Queue
    closers: list[Callable[[], object]] = field(default_factory=list)

    def told(self) -> list[str]:
        return [str(getattr(notice.what, "message", notice.what)) for notice in self.notices.shown]


def make_folders(root: Path) -> Folders:
    return Folders(root / "config", root / "data", root / "cache", root / "logs", root / "pictures")


def open_bench(root: Path, main: Main | None = None, *, start: bool = True) -> Bench:
    folders = make_folders(root)
    desk = open_desk(folders, main)
    notices = Notices()
    generation = Generation(desk.jobs, open_models(folders).models, desk.settings, folders.pictures, notices)
    run = Run(desk.jobs, desk.engine, notices, desk.settings)
    queue = Queue(desk.jobs, run, notices)
    if start:
        desk.start()
    return Bench(folders, desk, notices, generation, run, queue)


@pytest.fixture
def benches(qt_core: QCoreApplication, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    opened: list[Bench] = []

    def make(main: Main | None = None, root: Path = tmp_path / "profile", *, start: bool = True) -> Bench:
        opened.append(open_bench(root, main, start=start))
        return opened[-1]

    yield make
    for bench in opened:
        bench.generation.close()
        for close in bench.closers:
            close()
        bench.desk.close()
