"""A picture that is looked at or dropped: real files, good and bad."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PIL import ExifTags, Image
from PIL.PngImagePlugin import PngInfo

from app.services.picture_store import Picture
from app.viewmodels import picture as module
from app.viewmodels.picture import Drops, PictureView
from app.viewmodels.picture_details import Fact, of_picture
from pipelines import images, metadata
from pipelines.events import Failure
from pipelines.request import ControlChoice, HiresFix, Outpaint
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pipelines.inspection import Inspection
    from pipelines.request import GenerationRequest

    Wait = Callable[..., None]


class Told:
    """Keeps what is told, as the window's bridge does."""

    def __init__(self) -> None:
        self.all: list[Failure | str] = []

    def tell(self, what: Failure | str) -> None:
        self.all.append(what)

    @property
    def message(self) -> str:
        (what,) = self.all
        assert isinstance(what, Failure)
        return f"{what.message} {what.action}".strip()


class Page:
    """Takes over what a picture offers."""

    def __init__(self) -> None:
        self.restored: list[GenerationRequest | Inspection] = []
        self.start: tuple[Path | None, tuple[int, int] | None] | None = None

    def restore(self, request: GenerationRequest) -> None:
        self.restored.append(request)

    def restore_partial(self, found: Inspection) -> None:
        self.restored.append(found)

    def set_start_picture(self, path: Path | None, size: tuple[int, int] | None = None) -> None:
        self.start = (path, size)


def ours(path: Path, colour: str = "red") -> Path:
    record = metadata.Record(request("an apple"), "0.1", "eager", "fp32", "cpu", "2026-01-02T03:04:05+00:00")
    return images.save(Image.new("RGB", (64, 64), colour), images.Target(path, is_dir=False), record)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def view(qt_core: object, told: Told) -> Iterator[PictureView]:
    view = PictureView(told)
    yield view
    view.close()


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def drops(qt_core: object, told: Told, page: Page) -> Iterator[Drops]:
    drops = Drops(page, told)
    yield drops
    drops.close()


def test_a_file_is_shown_with_its_settings(view: PictureView, wait: Wait, tmp_path: Path) -> None:
    path = ours(tmp_path / "a.png")
    view.show(path)
    assert view.reading
    wait(lambda: view.image is not None)
    assert not view.reading
    assert view.image is not None
    assert (view.image.path, view.image.width) == (path, 64)
    facts = {detail.fact: detail.value for detail in view.details}
    assert facts[Fact.prompt] == "an apple"
    assert facts[Fact.source] == "firstlight"


def test_only_the_last_of_many_is_read(view: PictureView, wait: Wait, tmp_path: Path) -> None:
    paths = [ours(tmp_path / f"{n}.png") for n in range(20)]
    shown: list[Path] = []
    view.image_changed.connect(lambda image: shown.append(image.path))
    for path in paths:
        view.show(path)
    wait(lambda: shown and shown[-1] == paths[-1])
    assert len(shown) < 5


def test_a_picture_of_the_library_needs_no_second_look(view: PictureView, wait: Wait, tmp_path: Path) -> None:
    path = ours(tmp_path / "a.png")
    view.show(Picture(path, 1e9, 64, 64, request("an apple"), "eager", "fp32", 1.25))
    facts = {detail.fact: detail.value for detail in view.details}
    assert (facts[Fact.seconds], facts[Fact.file]) == ("1.3 s", str(path))
    wait(lambda: view.image is not None)


def test_what_was_done_with_a_start_picture_and_in_a_second_pass_is_told(tmp_path: Path) -> None:
    plain = request("an apple")
    picture, mask = tmp_path / "a.png", tmp_path / "m.png"
    cases: list[tuple[GenerationRequest, tuple[int, int], dict[Fact, str]]] = [
        (
            replace(plain, image=picture, mask_image=mask, mask_feather=4, mask_area_only=True),
            (300, 200),  # the start picture's
            {Fact.mask_feather: "4 px", Fact.mask_area: "64 × 64", Fact.size: "300 × 200"},
        ),
        (
            replace(plain, image=picture, outpaint=Outpaint(1, 2, 3, 4)),
            (68, 70),
            {Fact.margins: "1, 2, 3, 4", Fact.size: "68 × 70"},
        ),
        (
            replace(plain, hires=HiresFix(2.0, 0.4, 9), refiner="fine", controls=(ControlChoice("c", picture),)),
            (128, 128),
            {
                Fact.second_pass: "2×, 0.4, 9",
                Fact.size: "128 × 128",
                Fact.refiner: "fine, 0.8",
                Fact.control: f"c × 1: {picture}",
            },
        ),
    ]
    for asked, (width, height), expected in cases:
        shown = Picture(picture, 1e9, width, height, asked, "eager", "fp32", 1.0)
        facts = {detail.fact: detail.value for detail in of_picture(shown)}
        assert {fact: facts[fact] for fact in expected} == expected


def test_a_picture_that_cannot_be_shown_says_why(view: PictureView, wait: Wait, tmp_path: Path) -> None:
    view.show(tmp_path / "gone.png")
    wait(lambda: view.problem is not None)
    assert view.image is None
    assert not view.reading


def test_comparing(view: PictureView, wait: Wait, told: Told, tmp_path: Path) -> None:
    view.show(ours(tmp_path / "a.png"))
    view.compare_with(ours(tmp_path / "b.png", "blue"))
    wait(lambda: view.image is not None and view.compared is not None)
    view.stop_comparing()
    assert view.compared is None
    view.compare_with(tmp_path / "gone.png")
    wait(lambda: told.all)
    assert view.compared_path is None


def test_a_copy_is_saved_or_it_is_said_why_not(view: PictureView, wait: Wait, told: Told, tmp_path: Path) -> None:
    saved: list[Path] = []
    view.saved.connect(saved.append)
    view.show(ours(tmp_path / "a.png"))
    view.save_as(tmp_path / "b.webp")
    wait(lambda: saved)
    assert images.read(tmp_path / "b.webp").record is not None
    view.save_as(tmp_path / "none" / "b.webp")
    wait(lambda: told.all)
    view.clear()
    assert view.path is None


def test_showing_a_file_that_is_gone_is_said(view: PictureView, told: Told, tmp_path: Path) -> None:
    view.path = tmp_path / "gone.png"
    view.show_in_folder()
    assert told.message == "gone.png is no longer in its folder. It may have been moved or deleted."


# Drops


def test_our_own_picture_offers_its_settings_and_itself(drops: Drops, page: Page, wait: Wait, tmp_path: Path) -> None:
    used: list[bool] = []
    drops.used.connect(lambda: used.append(True))
    path = ours(tmp_path / "a.png")
    drops.take([path])
    wait(lambda: drops.offer is not None)
    assert drops.offer is not None
    assert drops.offer.has_settings
    drops.use_settings()
    assert drops.offer is None
    assert [getattr(found, "path", None) for found in page.restored] == [path]
    drops.take([path])
    wait(lambda: drops.offer is not None)
    drops.use_as_start()
    assert page.start == (path, (64, 64))
    drops.take([path])
    wait(lambda: drops.offer is not None)
    drops.use_both()
    assert page.start == (path, None), "the settings say the size"
    assert len(used) == 3
    drops.use_settings()  # twice: nothing more happens
    assert len(used) == 3


def test_another_tools_picture_is_handed_over(drops: Drops, page: Page, wait: Wait, tmp_path: Path) -> None:
    info = PngInfo()
    info.add_text("parameters", '{"sui_image_params": {"prompt": "a pier", "steps": NaN}}')
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png", pnginfo=info)
    drops.take([tmp_path / "a.png"])
    wait(lambda: drops.offer is not None)
    drops.use_settings()
    (found,) = page.restored
    assert getattr(found, "source", None) is images.Source.swarmui


def test_a_photo_is_turned_as_the_camera_was(drops: Drops, page: Page, wait: Wait, tmp_path: Path) -> None:
    tags = Image.Exif()
    tags[ExifTags.Base.Orientation] = 8
    Image.new("RGB", (60, 40)).save(tmp_path / "a.jpg", exif=tags)
    drops.take([tmp_path / "a.jpg"])
    wait(lambda: drops.offer is not None)
    assert drops.offer is not None
    assert not drops.offer.has_settings
    drops.use_as_start()
    assert page.start == (tmp_path / "a.jpg", (40, 60))


def make_bad(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.png"
    if kind == "html":
        path.write_text("<!doctype html><html><body>Not found</body></html>")
    elif kind == "empty":
        path.touch()
    elif kind == "cut":
        data = ours(path).read_bytes()
        path.write_bytes(data[: len(data) // 2])
    elif kind == "huge":
        Image.new("1", (20_000, 20_000)).save(path)
    return path


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("html", "is not a picture of a kind that can be read"),
        ("empty", "is empty"),
        ("cut", "is damaged or incomplete"),
        ("huge", "is too large"),
        ("gone", "cannot be opened"),
    ],
)
def test_bad_files_are_one_clear_sentence(
    drops: Drops, told: Told, wait: Wait, tmp_path: Path, kind: str, words: str
) -> None:
    drops.take([make_bad(tmp_path, kind)])
    wait(lambda: told.all)
    assert words in told.message
    assert drops.offer is None


def test_what_is_no_single_picture_is_one_clear_sentence(drops: Drops, told: Told, tmp_path: Path) -> None:
    for paths, addresses, words in (
        ([tmp_path], 0, "is a folder. Drop one picture"),
        ([tmp_path / "a.png", tmp_path / "b.png"], 0, "2 files were dropped. Drop one picture at a time."),
        ([], 1, "That is a link to a web page, not a file. Save the picture first"),
        ([], 0, "There is no file in what was dropped."),
        ([tmp_path / "flux.safetensors"], 0, "is a model, not a picture. Add it on the Models page."),
    ):
        told.all.clear()
        drops.take(paths, addresses)
        assert words in told.message


def test_qt_is_all_that_is_needed_to_be_loaded() -> None:
    """Pillow and NumPy are loaded by the thread that reads, not with the window."""
    import subprocess
    import sys

    code = f"import sys, {module.__name__}; assert not {{'PIL', 'numpy', 'PySide6.QtGui'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
