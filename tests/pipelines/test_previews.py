"""Guesses of the picture, where the right answer is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from pipelines import devices, images, previews
from pipelines.events import Preview, Progress, Stage
from pipelines.previews import Previews
from pipelines.request import Backend
from pipelines.session import Session
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Recorder

CHANNELS = 16


class Steps:
    """A scheduler at one of its steps."""

    def __init__(self, *sigmas: float) -> None:
        self.sigmas = torch.tensor(sigmas)
        self.step_index: int | None = 0


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "INTERVAL", 0.0)


def linear_vae(weights: Tensor) -> Callable[[Tensor], Tensor]:
    def decode(latents: Tensor) -> Tensor:
        colours = torch.einsum("bchw,cd->bdhw", latents, weights) + 0.1
        return torch.nn.functional.interpolate(colours, scale_factor=8.0, mode="nearest")

    return decode


def pixels(preview: Preview) -> np.ndarray:
    return np.frombuffer(preview.pixels, np.uint8).reshape(preview.height, preview.width, 3)


def test_the_guess_is_the_picture_where_flow_and_vae_are_linear() -> None:
    """On a straight way from noise to picture every step knows the end."""
    torch.manual_seed(0)
    noise, picture = torch.randn(1, CHANNELS, 24, 40), torch.randn(1, CHANNELS, 24, 40) * 0.4
    decode = linear_vae(torch.randn(CHANNELS, 3) * 0.2)
    expected = decode(picture)[0, :, ::8, ::8].permute(1, 2, 0)
    wanted = ((expected.clamp(-1, 1) + 1) * 127.5).round().numpy()
    guesses, scheduler = Previews(decode), Steps(1.0, 0.7, 0.4, 0.0)
    guesses.begin()
    seen: list[Preview] = []
    for index in (1, 2, 3):
        sigma = float(scheduler.sigmas[index])
        scheduler.step_index = index
        preview = guesses.step(sigma * noise + (1 - sigma) * picture, scheduler)
        seen += [preview] if preview is not None else []
    assert len(seen) == 2, "the first step has nothing to compare with"
    for preview in seen:
        assert (preview.width, preview.height) == (40, 24)
        assert np.abs(pixels(preview).astype(float) - wanted).mean() < 4


def test_a_finished_picture_teaches_the_colours() -> None:
    torch.manual_seed(0)
    decode = linear_vae(torch.randn(CHANNELS, 3) * 0.2)
    calls: list[int] = []

    def counted(latents: Tensor) -> Tensor:
        calls.append(1)
        return decode(latents)

    guesses, latents = Previews(counted), torch.randn(1, CHANNELS, 8, 8)
    guesses.learn(latents, decode(latents))
    guesses.begin()
    scheduler = Steps(1.0, 0.5, 0.0)
    for index in (1, 2):
        scheduler.step_index = index
        guesses.step(latents, scheduler)
    assert calls == [], "nothing is decoded for previews from then on"


def test_previews_come_no_faster_than_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "INTERVAL", 60.0)
    guesses, scheduler = Previews(linear_vae(torch.ones(CHANNELS, 3))), Steps(1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
    guesses.begin()
    seen = 0
    for index in range(1, 6):
        scheduler.step_index = index
        seen += guesses.step(torch.randn(1, CHANNELS, 4, 4), scheduler) is not None
    assert seen == 1


@pytest.mark.parametrize("sigmas", [(0.5, 0.5), ()])
def test_what_cannot_be_guessed_is_not_shown(sigmas: tuple[float, ...]) -> None:
    guesses, scheduler = Previews(linear_vae(torch.ones(CHANNELS, 3))), Steps(*sigmas)
    for index in (1, 1, None):
        scheduler.step_index = index
        assert guesses.step(torch.ones(1, CHANNELS, 4, 4), scheduler) is None


def test_values_that_are_no_numbers_are_shown_as_something() -> None:
    guesses, scheduler = Previews(linear_vae(torch.ones(CHANNELS, 3))), Steps(1.0, 0.5)
    guesses.learn(torch.randn(1, CHANNELS, 4, 4), torch.randn(1, 3, 32, 32))
    scheduler.step_index = 1
    guesses.step(torch.full((1, CHANNELS, 4, 4), torch.nan), scheduler)
    preview = guesses.step(torch.full((1, CHANNELS, 4, 4), torch.nan), scheduler)
    assert preview is not None
    assert len(preview.pixels) == 4 * 4 * 3


@pytest.mark.parametrize("scheduler", ["default", "DPMSolverMultistep"])
@pytest.mark.parametrize("backend", [Backend.fake, Backend.eager])
def test_a_session_shows_previews_and_draws_the_same_picture(
    tiny_model: Path, tmp_path: Path, events: Recorder, backend: Backend, scheduler: str
) -> None:
    wanted = request("an apple", model=str(tiny_model), width=96, backend=backend, scheduler=scheduler)
    drawn: list[bytes] = []
    for with_previews in (False, True):
        with Session(devices.probe(), previews=with_previews) as session:
            target = images.Target.from_out(tmp_path / f"{with_previews}.png")
            session.generate(replace(wanted, num_inference_steps=4), target, events)
        assert bool(events.of(Preview)) is with_previews
        drawn.append(Image.open(target.path).convert("RGB").tobytes())
    assert drawn[0] == drawn[1]
    shown = events.of(Preview)
    assert {(preview.width, preview.height) for preview in shown} == {(12, 8)}
    assert len(shown) == 3
    assert len(shown[0].pixels) == 12 * 8 * 3
    steps = [event for event in events.of(Progress) if event.stage is Stage.denoising]
    assert len(steps) == 2 * 5
    if backend is Backend.fake and scheduler == "default":
        final = np.asarray(Image.frombytes("RGB", (96, 64), drawn[0]).resize((12, 8), Image.Resampling.BOX), float)
        assert np.abs(pixels(shown[-1]).astype(float) - final).mean() < 30
