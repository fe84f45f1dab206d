"""Pictures are saved whole or not at all, under the right name, with their settings inside."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from pipelines import filenames, images
from pipelines.errors import InvalidRequest, NoRoom, UnusableFile
from pipelines.images import Source, Target
from pipelines.metadata import Record
from pipelines.request import GenerationRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REQUEST = GenerationRequest("a red apple\nNegative prompt: 😄", "starter", 64, 64, 20, 3.5, 2**64 - 1)
RECORD = Record(REQUEST, "0.1.0", "eager", "fp32", "cpu", "2025-01-02T12:00:00+00:00", (("drawn at", "64x64"),))
NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8))


def files(folder: Path) -> list[str]:
    """Every name, also hidden ones: nothing temporary may stay."""
    return sorted(path.name for path in folder.iterdir())


def prepare(target: Target, request: GenerationRequest) -> None:
    images.prepare(target, request, (request.width * request.upscale, request.height * request.upscale))


def save_to(out: Path | str, index: int = 0, image: Image.Image = NOISE, record: Record = RECORD) -> Path:
    target = Target.from_out(out)
    prepare(target, record.request)
    return images.save(image, target, record, index)


# Where pictures go


@pytest.mark.parametrize("name", ["a.png", "a.PNG", "a.jpg", "a.jpeg", "a.webp", "new/a.png", ".png.webp"])
def test_a_picture_suffix_is_a_file(tmp_path: Path, name: str) -> None:
    target = Target.from_out(tmp_path / name)
    assert target == Target(tmp_path / name, is_dir=False)
    assert target.folder == (tmp_path / name).parent
    assert target.suffix == Path(name).suffix.lower()


@pytest.mark.parametrize("name", ["new/", "new", "a.png/", "exists.png", ".hidden", "ends.in.v2/"])
def test_the_rest_is_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "exists.png").mkdir()
    target = Target.from_out(f"{tmp_path}/{name}")
    assert target == Target(tmp_path / name, is_dir=True)
    assert (target.folder, target.suffix) == (tmp_path / name, ".png")


def test_a_relative_place_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Target.from_out("a.png").path == tmp_path / "a.png"


@pytest.mark.parametrize("name", ["a.gif", "a.txt", "a.ckpt", "folder.v2"])
def test_other_suffixes_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match=r"Use one of \.png, \.jpg, \.jpeg, \.webp"):
        Target.from_out(name)


@pytest.mark.parametrize("name", ["", "a\0.png"])
def test_no_place_at_all(name: str) -> None:
    with pytest.raises(InvalidRequest):
        Target.from_out(name)


# Round trip


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".jpeg", ".webp"])
def test_settings_come_back_exactly(tmp_path: Path, suffix: str) -> None:
    path = save_to(tmp_path / f"a{suffix}")
    inspection = images.read(path)
    assert inspection.source is Source.firstlight
    assert inspection.record == RECORD
    assert inspection.parameters.prompt == REQUEST.prompt
    assert (inspection.width, inspection.height) == (64, 64)
    assert files(tmp_path) == [f"a{suffix}"]


def test_png_keeps_every_pixel(tmp_path: Path) -> None:
    assert images.open_picture(save_to(tmp_path / "a.png")).tobytes() == NOISE.tobytes()


@pytest.mark.parametrize("suffix", [".jpg", ".webp"])
def test_lossy_formats_keep_the_picture(tmp_path: Path, suffix: str) -> None:
    smooth = Image.linear_gradient("L").convert("RGB").resize((64, 64))
    picture = images.open_picture(save_to(tmp_path / f"a{suffix}", image=smooth))
    assert np.abs(np.asarray(picture, np.int16) - np.asarray(smooth, np.int16)).max() <= 4


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "1", "CMYK"])
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp"])
def test_every_mode_can_be_saved(tmp_path: Path, mode: str, suffix: str) -> None:
    image = NOISE.convert("RGB").convert(mode)
    assert images.read(save_to(tmp_path / f"a{suffix}", image=image)).record == RECORD


def test_transparent_parts_are_laid_on_white_where_the_format_has_none(tmp_path: Path) -> None:
    path = save_to(tmp_path / "a.jpg", image=Image.new("RGBA", (16, 16), (0, 0, 0, 0)))
    assert images.open_picture(path).getpixel((8, 8)) == (255, 255, 255)


def test_a_prompt_longer_than_a_jpeg_segment(tmp_path: Path) -> None:
    """A1111's text gives way to the exact settings; if even those are too long, that is said early."""
    long = replace(RECORD, request=replace(REQUEST, prompt="word " * 9_000))
    assert images.read(save_to(tmp_path / "a.jpg", record=long)).record == long
    longer = replace(RECORD, request=replace(REQUEST, prompt="word " * 200_000))
    with pytest.raises(InvalidRequest, match="too long to be kept inside a JPEG"):
        prepare(Target.from_out(tmp_path / "b.jpg"), longer.request)
    for name in ("b.png", "b.webp"):
        assert images.read(save_to(tmp_path / name, record=longer)).record == longer


def test_a_size_that_webp_cannot_hold(tmp_path: Path) -> None:
    request = replace(REQUEST, width=4096, upscale=4)
    with pytest.raises(InvalidRequest, match="at most 16383 pixels a side, and this picture has 16384"):
        prepare(Target.from_out(tmp_path / "a.webp"), request)
    prepare(Target.from_out(tmp_path / "a.png"), request)


# Names


def test_several_pictures_of_one_name(tmp_path: Path) -> None:
    assert [save_to(tmp_path / "a.b.png", i).name for i in range(3)] == ["a.b.png", "a.b-1.png", "a.b-2.png"]


def test_a_file_asked_for_by_name_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"old")
    assert images.read(save_to(tmp_path / "a.png")).record == RECORD
    assert files(tmp_path) == ["a.png"]


def test_in_a_folder_nothing_is_ever_replaced(tmp_path: Path) -> None:
    stem = filenames.stem(RECORD)
    (tmp_path / f"{stem}.png").write_bytes(b"another's")
    paths = [save_to(tmp_path, i) for i in range(2)]
    assert [path.name for path in paths] == [f"{stem}-2.png", f"{stem}-3.png"]
    assert (tmp_path / f"{stem}.png").read_bytes() == b"another's"


def test_many_at_once_in_one_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: save_to(tmp_path), range(40)))
    assert len(set(paths)) == 40
    assert all(images.read(path).record == RECORD for path in paths)
    assert len(files(tmp_path)) == 40


def test_in_a_folder_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAT has none; this machine has no FAT to try, so its answer is played."""

    def refuse(_path: Path, _target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    paths = [save_to(tmp_path) for _ in range(2)]
    assert sorted(path.name for path in paths) == files(tmp_path)
    assert all(images.read(path).record == RECORD for path in paths)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    assert save_to(tmp_path / "a.png").stat().st_mode == (tmp_path / "plain").stat().st_mode


# What can go wrong


def test_a_folder_that_vanished(tmp_path: Path) -> None:
    target = Target.from_out(tmp_path / "out/")
    prepare(target, REQUEST)
    (tmp_path / "out").rmdir()
    with pytest.raises(UnusableFile, match="No such file or directory"):
        images.save(NOISE, target, RECORD)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["file/a.png", "file/", "file/deep/a.png"])
def test_a_file_where_the_folder_should_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnusableFile, match="cannot be written"):
        save_to(f"{tmp_path}/{name}")
    assert files(tmp_path) == ["file"]


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="File name too long"):
        save_to(tmp_path / f"{'x' * 300}.png")
    assert files(tmp_path) == []


def test_a_folder_that_came_between(tmp_path: Path) -> None:
    target = Target.from_out(tmp_path / "a.png")
    (tmp_path / "a.png").mkdir()
    with pytest.raises(UnusableFile):
        prepare(target, REQUEST)
    with pytest.raises(UnusableFile):
        images.save(NOISE, target, RECORD)
    assert files(tmp_path) == ["a.png"]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a real file system in memory, where this user may."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"cannot mount a file system here: {error}")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", ["", "a.png"])
def test_a_full_disk(mounted: Callable[[str], Path], name: str) -> None:
    disk = mounted("size=8k")
    with pytest.raises(NoRoom, match=r"The picture \(0\.0 MB\) does not fit"):
        save_to(disk / name)
    assert files(disk) == []


def test_a_full_disk_leaves_the_old_file(mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=8k")
    (disk / "a.png").write_bytes(b"old")
    with pytest.raises(NoRoom):
        save_to(disk / "a.png")
    assert files(disk) == ["a.png"]
    assert (disk / "a.png").read_bytes() == b"old"


@pytest.mark.parametrize("name", ["", "a.png", "new/a.png"])
def test_a_read_only_disk(mounted: Callable[[str], Path], name: str) -> None:
    with pytest.raises(UnusableFile, match="Read-only file system"):
        save_to(mounted("ro") / name)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UnusableFile, match="Permission denied"):
        save_to(tmp_path / "a.png")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX resource limits")
def test_a_limit_on_file_size(tmp_path: Path) -> None:
    import resource  # POSIX only

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(NoRoom):
            save_to(tmp_path / "a.png")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files(tmp_path) == []
