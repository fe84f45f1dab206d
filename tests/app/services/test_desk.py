"""All services together, as the window has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.composition import open_desk
from app.folders import Folders
from app.services.job_store import JobState
from app.services.jobs import Restored
from app.services.picture_store import Query
from app.services.settings_table import LANGUAGE
from pipelines.request import Backend
from tests.pipelines import scripted
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Callable

    Wait = Callable[..., None]

ROOT = Path(__file__).parents[3]


def folders(root: Path) -> Folders:
    return Folders(root / "config", root / "data", root / "cache", root / "logs", root / "pictures")


def test_from_a_request_to_a_thumbnail_and_over_a_restart(wait: Wait, tmp_path: Path, tiny_model: Path) -> None:
    places = folders(tmp_path)
    desk = open_desk(places)
    assert desk.notices == ()
    assert desk.start() == Restored(0, ())
    job = desk.jobs.submit(
        request("an apple", model=str(tiny_model), backend=Backend.fake, num_images=2), places.pictures
    )
    wait(lambda: len(desk.library.store.ids()) == 2)
    newest = desk.library.store.rows(desk.library.store.ids())[0]
    assert newest.request == request("an apple", model=str(tiny_model), backend=Backend.fake, seed=4)
    assert (newest.backend, newest.precision) == ("fake", "fp32")
    ready: list[Path] = []
    desk.thumbnails.ready.connect(lambda _, path: ready.append(path))
    desk.thumbnails.request(newest.id, newest.path)
    wait(lambda: ready)
    assert ready[0].is_file()
    wait(lambda: (found := desk.jobs.store.get(job)) is not None and found.state is JobState.done)
    newest.path.unlink()
    desk.thumbnails.request(newest.id, newest.path)  # notices that it is gone
    wait(lambda: len(desk.library.store.ids()) == 1)
    desk.settings.set(LANGUAGE, "de")
    desk.close()

    again = open_desk(places)
    assert again.settings.text(LANGUAGE) == "de"
    assert again.start() == Restored(0, ())
    assert len(again.library.store.ids()) == 1
    assert len(again.library.store.ids(Query("apple", missing=True))) == 2
    again.close()


def test_a_job_that_runs_when_the_window_is_closed_waits_for_the_next_start(wait: Wait, tmp_path: Path) -> None:
    places = folders(tmp_path)
    desk = open_desk(places, scripted.main)
    desk.start()
    for _ in range(3):
        desk.jobs.submit(request("steps 1000"), places.pictures)
    wait(lambda: desk.jobs.store.count((JobState.running,)) == 1)
    desk.close()
    again = open_desk(places, scripted.main)
    assert again.start() == Restored(3, ())
    assert again.jobs.paused
    again.close()


def test_a_second_window_leaves_the_queue_of_the_first_alone(wait: Wait, tmp_path: Path) -> None:
    places = folders(tmp_path)
    first = open_desk(places, scripted.main)
    assert not first.is_second
    first.start()
    job = first.jobs.submit(request("steps 100"), places.pictures)
    second = open_desk(places, scripted.main)
    assert second.is_second
    assert "open already" in second.notices[0]
    assert second.start() == Restored(0, ())
    own = second.jobs.submit(request("steps 1"), places.pictures)
    wait(lambda: second.jobs.store.count((JobState.done,)) == 1)
    found = first.jobs.store.get(job)
    assert found is not None
    assert (found.state, found.deaths, own) == (JobState.running, 0, 1)
    second.close()
    first.close()
    third = open_desk(places, scripted.main)
    assert not third.is_second
    third.close()


def test_broken_files_are_told_of_and_everything_works(wait: Wait, tmp_path: Path) -> None:
    places = folders(tmp_path)
    for file in (places.config / "settings.json", places.data / "library.sqlite"):
        file.parent.mkdir()
        file.write_bytes(b"broken" * 1000)
    desk = open_desk(places, scripted.main)
    assert len(desk.notices) == 2
    desk.start()
    job = desk.jobs.submit(request("save"), places.pictures)
    wait(lambda: (found := desk.jobs.store.get(job)) is not None and found.state is JobState.done)
    assert len(desk.library.store.ids()) == 1
    desk.close()


def test_nothing_heavy_is_loaded_before_the_window_is_open(tmp_path: Path) -> None:
    code = f"""
import sys, time
began = time.process_time()  # a busy machine makes no difference to it
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.composition import open_desk
from app.folders import Folders
app = QCoreApplication([])
root = Path({str(tmp_path)!r})
desk = open_desk(Folders(root, root, root, root, root))
desk.start()
heavy = {{'torch', 'diffusers', 'transformers', 'numpy', 'PIL', 'send2trash', 'PySide6.QtWidgets'}} & set(sys.modules)
print(round(time.process_time() - began, 3), *heavy)
desk.close()
"""
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, *heavy = out.stdout.split()
    assert heavy == []
    assert float(seconds) < 1.5
    print(f"services are open after {seconds} s")  # noqa: T201
