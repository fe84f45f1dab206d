from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.services.picture_store import Picture
from app.viewmodels.picture import PictureView
from app.viewmodels.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.app.viewmodels.conftest import Bench


def make(bench: Bench, folder: Path, count: int) -> tuple[Recent, PictureView]:
    """Pictures of earlier sessions, and what stands on them."""
    folder.mkdir()
    request = bench.generation.make_request()
    for index in range(count):
        path = folder / f"{index}.png"
        path.write_bytes(b"no picture")
        picture = Picture(path, 1000.0 + index, 256, 256, replace(request, prompt=f"picture {index}", seed=index))
        bench.desk.library.store.add(picture)
    view = PictureView(bench.notices)
    bench.closers.append(view.close)
    desk = bench.desk
    recent = Recent(desk.library, desk.thumbnails, bench.generation, bench.run, view)
    recent.fill(bench.notices)
    return recent, view


def prompts(recent: Recent) -> list[str]:
    found = (recent.list.picture_at(row) for row in range(recent.list.rowCount()))
    return [picture.prompt for picture in found if picture is not None]


def test_the_latest_stand_first_and_the_newest_is_shown(benches: Callable[..., Bench], tmp_path: Path) -> None:
    recent, view = make(benches(start=False), tmp_path / "p", 120)
    assert recent.list.rowCount() == 100
    assert prompts(recent)[:2] == ["picture 119", "picture 118"]
    assert view.path == tmp_path / "p" / "119.png"
    assert recent.live


def test_choosing_one_leaves_the_job_and_a_click_on_generate_returns(
    benches: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = benches(start=False)
    recent, view = make(bench, tmp_path / "p", 3)
    recent.choose(1)
    assert (recent.live, view.path) == (False, tmp_path / "p" / "1.png")
    bench.desk.jobs.pause()
    bench.generation.generate()
    assert (recent.live, recent.chosen) == (True, 0)


def test_settings_and_start_picture_come_from_a_row(benches: Callable[..., Bench], tmp_path: Path) -> None:
    bench = benches(start=False)
    recent, _ = make(bench, tmp_path / "p", 3)
    recent.reuse(2)
    assert (bench.generation.prompt, bench.generation.seed) == ("picture 0", 0)
    recent.start_from(0)
    assert bench.generation.image == tmp_path / "p" / "2.png"
    recent.reuse(99)
    recent.choose(-1)
    recent.start_from(-1)


def test_what_is_gone_is_not_shown(benches: Callable[..., Bench], tmp_path: Path, wait: Callable[..., None]) -> None:
    bench = benches(start=False)
    recent, _ = make(bench, tmp_path / "p", 3)
    recent.choose(0)
    number = recent.chosen
    bench.desk.library.forget([number])
    assert prompts(recent) == ["picture 1", "picture 0"]
    assert recent.chosen == 0
    (tmp_path / "p" / "1.png").unlink()  # behind our back
    bench.desk.library.check_all()
    wait(lambda: prompts(recent) == ["picture 0"])
