"""The Models page's list and its work, over real files and the real services."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, cast

import pytest

from app.services.registry import Keeping
from app.services.shelf import Condition, Place
from app.viewmodels.models import Models, Task, usage_total
from tests.app.services.test_models import FLUX, LORA, write, write_pipeline
from tests.app.viewmodels.model_parts import RTX_4070, Ear, given, make_machine, open_services

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.services.models import Added, Removal
    from app.viewmodels.models import Checked


@pytest.fixture
def shelf(home: Path, wait: Callable[..., None]) -> Iterator[Models]:
    models = Models(open_services(given(home)), probe=lambda: make_machine(RTX_4070))
    yield models
    models.close()


def look(shelf: Models, wait: Callable[..., None]) -> None:
    shelf.refresh()
    wait(lambda: not shelf.looking and shelf.machine is not None)


def test_a_fresh_profile_has_the_starter_and_knows_the_others(shelf: Models, wait: Callable[..., None]) -> None:
    look(shelf, wait)
    first, *others = shelf.rows
    assert (first.name, first.place, first.condition) == ("starter", Place.shipped, Condition.ready)
    assert first.size > 1_000_000
    assert first.location is not None
    assert {row.place for row in others} == {Place.offered}
    assert {row.condition for row in others} <= {Condition.absent, Condition.no_engine}
    assert shelf.usage is not None
    assert (usage_total(shelf.usage), shelf.usage.unfinished) == (0, 0)
    assert shelf.usage.free > 0


def test_memory_is_compared_with_the_gpu(shelf: Models, wait: Callable[..., None]) -> None:
    look(shelf, wait)
    dev = shelf.find("flux.1-dev")
    assert dev is not None
    needs = {need.precision: need for need in shelf.memory_needs(dev)}
    assert not needs["bf16"].fits  # 34 GB, and the GPU has 12 GiB
    small = shelf.find("sd-1.5")
    assert small is not None
    assert any(need.fits for need in shelf.memory_needs(small))


def test_a_folder_is_added_in_place_and_what_was_left_out_is_told(
    shelf: Models, wait: Callable[..., None], tmp_path: Path
) -> None:
    folder = tmp_path / "my models"
    file = write(folder / "Fine tune.safetensors", FLUX)
    write(folder / "style.safetensors", LORA)
    (folder / "bad.safetensors").write_bytes(b"<html>")
    (folder / "old.ckpt").write_bytes(b"x")
    (folder / "link").symlink_to(tmp_path)
    ear = Ear(shelf.added)
    shelf.add(folder)
    assert shelf.work is not None
    assert shelf.work.task is Task.adding
    wait(lambda: ear.heard)
    added = cast("Added", ear.heard[0])
    assert sorted(model.name for model in added.models) == ["fine-tune", "style"]
    assert [found.path.name for found in added.problems] == ["bad.safetensors"]
    assert [path.name for path in added.scan.pickles] == ["old.ckpt"]
    assert [path.name for path in added.scan.links] == ["link"]
    wait(lambda: shelf.work is None and shelf.find("style"))
    row = shelf.find("fine-tune")
    assert row is not None
    assert (row.place, row.condition, row.location) == (Place.here, Condition.part, file)
    assert row.model is not None
    assert row.model.keeping is Keeping.in_place


def test_files_that_vanish_and_appear_are_noticed(shelf: Models, wait: Callable[..., None], tmp_path: Path) -> None:
    first = write(tmp_path / "m" / "a.safetensors", LORA)
    ear, news = Ear(shelf.added), Ear(shelf.appeared)
    shelf.add(tmp_path / "m")
    wait(lambda: ear.heard)
    first.unlink()
    write(tmp_path / "m" / "b.safetensors", LORA)
    look(shelf, wait)
    wait(lambda: news.heard)
    gone, new = shelf.find("a"), shelf.find("b")
    assert gone is not None
    assert (gone.condition, gone.path) == (Condition.gone, str(first))
    assert new is not None
    assert new.condition is Condition.part


def test_a_copy_is_checked_damaged_and_removed(
    shelf: Models, wait: Callable[..., None], tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_pipeline(tmp_path / "pipe")
    ear, checks = Ear(shelf.added), Ear(shelf.checked)
    shelf.add(source, copy=True)
    wait(lambda: ear.heard and shelf.work is None)
    shelf.check("pipe")
    wait(lambda: checks.heard and shelf.work is None)
    assert cast("Checked", checks.heard[0]).damaged == ()
    copy = home / "data" / "models" / "pipe" / "vae" / "diffusion_pytorch_model.safetensors"
    copy.write_bytes(copy.read_bytes()[:-1] + b"?")
    shelf.check("pipe", mend=True)
    wait(lambda: len(checks.heard) == 2 and shelf.work is None)
    found = cast("Checked", checks.heard[1])
    assert [verdict.file for verdict in found.damaged] == ["vae/diffusion_pytorch_model.safetensors"]
    assert not found.mending  # nobody knows where it came from
    plans, gone = Ear(shelf.removal_planned), Ear(shelf.removed)
    shelf.plan_removal("pipe")
    wait(lambda: plans.heard)
    removal = cast("Removal", plans.heard[0])
    assert removal.paths == (home / "data" / "models" / "pipe",)
    assert removal.freed == sum(file.stat().st_size for file in removal.paths[0].rglob("*") if file.is_file())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))  # where this system's bin is
    shelf.remove(removal)
    wait(lambda: gone.heard and shelf.work is None and shelf.find("pipe") is None)
    assert source.is_dir()
    assert not removal.paths[0].exists()


def test_without_a_bin_nothing_goes_and_the_other_way_is_offered(
    shelf: Models, wait: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear, plans, asked, gone = Ear(shelf.added), Ear(shelf.removal_planned), Ear(shelf.not_binned), Ear(shelf.removed)
    shelf.add(write_pipeline(tmp_path / "pipe"), copy=True)
    wait(lambda: ear.heard and shelf.work is None)
    shelf.plan_removal("pipe")
    wait(lambda: plans.heard)
    removal = cast("Removal", plans.heard[0])

    def no_bin(path: str) -> None:
        raise OSError("no bin")

    monkeypatch.setattr("send2trash.send2trash", no_bin)
    shelf.remove(removal)
    wait(lambda: asked.heard and shelf.work is None)
    assert removal.paths[0].is_dir()
    assert gone.heard == []
    shelf.remove(removal, permanently=True)
    wait(lambda: gone.heard and not removal.paths[0].exists())


def test_work_can_be_stopped(shelf: Models, wait: Callable[..., None], tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "big" / "x.safetensors", LORA)
    with file.open("ab") as stream:
        stream.truncate(file.stat().st_size)
    big = tmp_path / "big" / "y.safetensors"
    size = 200_000_000
    head = b'{"x":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (size, size)
    with big.open("wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        stream.truncate(8 + len(head) + size)
    ear = Ear(shelf.added)
    shelf.add(big, copy=True)
    shelf.stop()
    wait(lambda: shelf.work is None)
    assert ear.heard == []
    assert not [path for path in (home / "data" / "models").glob("*") if path.is_dir()]


def test_what_cannot_be_added_is_told(shelf: Models, wait: Callable[..., None], tmp_path: Path) -> None:
    ear = Ear(shelf.problem)
    shelf.add(tmp_path / "nowhere")
    wait(lambda: ear.heard and shelf.work is None)
    assert "nowhere" in str(ear.heard[0])


def test_looking_touches_nothing(shelf: Models, wait: Callable[..., None], tmp_path: Path) -> None:
    file = write(tmp_path / "a.safetensors", LORA)
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    ear = Ear(shelf.added)
    shelf.add(file)
    wait(lambda: ear.heard)
    look(shelf, wait)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before


def test_looking_stops_when_the_window_closes(home: Path, wait: Callable[..., None], tmp_path: Path) -> None:
    """A folder may be on a drive that answers slowly."""
    folder = tmp_path / "many"
    write(folder / "a.safetensors", LORA)
    for number in range(200):
        (folder / f"{number}").mkdir()
    services = open_services(given(home))
    services.models.add(folder)
    looked, models = list[int](), Models(services, probe=make_machine)
    scan = services.models.refresh

    def slowly(check: Callable[[], None]) -> object:
        def wait_and_check() -> None:
            looked.append(1)
            time.sleep(0.02)
            check()

        return scan(wait_and_check)

    services.models.refresh = slowly  # pyright: ignore[reportAttributeAccessIssue]  # the same, on a slow drive
    models.refresh()
    wait(lambda: looked)
    models.close()
    assert len(looked) < 100  # of more than 200
