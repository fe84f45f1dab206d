"""Copies of pictures keep their settings, and no half of a file is ever left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from app.services.picture_files import save_copy
from pipelines import images, metadata
from pipelines.errors import InvalidRequest, UnusableFile
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    record = metadata.Record(request("an apple"), "0.1", "eager", "fp32", "cpu", "2026-01-02T03:04:05+00:00")
    return images.save(Image.new("RGB", (64, 64), "red"), images.Target(tmp_path / "ours.png", is_dir=False), record)


def test_the_same_format_is_the_same_file(ours: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.PNG"
    target.write_bytes(b"what was there before")
    assert save_copy(ours, target) == ""
    assert target.read_bytes() == ours.read_bytes()
    assert save_copy(ours, ours) == ""
    assert not list(tmp_path.glob(".firstlight*"))


@pytest.mark.parametrize("name", ["copy.jpg", "copy.jpeg", "copy.webp"])
def test_another_format_keeps_the_settings(ours: Path, tmp_path: Path, name: str) -> None:
    assert save_copy(ours, tmp_path / name) == ""
    assert images.read(tmp_path / name).record == images.read(ours).record


def test_settings_of_another_tool_are_lost_and_that_is_said(tmp_path: Path) -> None:
    info = PngInfo()
    info.add_text("parameters", "a cat\nSteps: 2, Seed: 1, Size: 8x8")
    Image.new("RGBA", (8, 8)).save(tmp_path / "a.png", pnginfo=info)
    assert "could not be kept" in save_copy(tmp_path / "a.png", tmp_path / "b.jpg")
    with Image.open(tmp_path / "b.jpg") as copy:
        assert (copy.size, copy.format) == ((8, 8), "JPEG")
    Image.new("RGB", (8, 8)).save(tmp_path / "plain.png")
    assert save_copy(tmp_path / "plain.png", tmp_path / "c.webp") == ""


def test_what_cannot_be_is_said_and_leaves_nothing(ours: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        save_copy(ours, tmp_path / "a.gif")
    with pytest.raises(UnusableFile):
        save_copy(ours, tmp_path / "none" / "a.png")
    with pytest.raises(UnusableFile):
        save_copy(tmp_path / "none.png", tmp_path / "a.png")
    if os.geteuid():
        folder = tmp_path / "closed"
        folder.mkdir(mode=0o500)
        with pytest.raises(UnusableFile):
            save_copy(ours, folder / "a.png")
        assert not list(folder.iterdir())
