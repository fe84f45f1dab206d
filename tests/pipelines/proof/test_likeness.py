from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from pipelines.errors import InvalidRequest
from pipelines.proof import likeness


def picture(seed: int = 0, size: tuple[int, int] = (48, 40)) -> Image.Image:
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), np.uint8))


def shifted(image: Image.Image, by: int) -> Image.Image:
    return Image.fromarray(np.clip(np.asarray(image).astype(int) + by, 0, 255).astype(np.uint8))


def test_a_picture_is_like_itself() -> None:
    found = likeness.compare(picture(), picture())
    assert found.psnr == likeness.IDENTICAL
    assert found.ssim == pytest.approx(1)
    assert found.flip in (None, pytest.approx(0, abs=1e-6))


def test_psnr_is_what_its_definition_says() -> None:
    grey = Image.new("RGB", (32, 32), (100, 100, 100))
    assert likeness.compare(shifted(grey, 5), grey).psnr == pytest.approx(10 * np.log10(255**2 / 25))


def test_ssim_of_plain_pictures_is_the_closed_form() -> None:
    """Without any variance only the means count: (2ab + C1) / (a² + b² + C1)."""
    black, grey = Image.new("RGB", (32, 32), (0, 0, 0)), Image.new("RGB", (32, 32), (100, 100, 100))
    c1 = (0.01 * 255) ** 2
    assert likeness.compare(grey, black).ssim == pytest.approx(c1 / (100**2 + c1))


def test_more_noise_is_less_alike() -> None:
    pytest.importorskip("flip_evaluator", reason="needs flip-evaluator: pip install 'firstlight[proof]'")
    smooth = Image.linear_gradient("L").resize((64, 64)).convert("RGB")
    noise = np.random.default_rng(1).normal(0, 1, (64, 64, 3))
    found = [
        likeness.compare(Image.fromarray(np.clip(np.asarray(smooth) + noise * sigma, 0, 255).astype(np.uint8)), smooth)
        for sigma in (2, 8, 32)
    ]
    assert [one.psnr for one in found] == sorted((one.psnr for one in found), reverse=True)
    assert [one.ssim for one in found] == sorted((one.ssim for one in found), reverse=True)
    flips = [one.flip for one in found if one.flip is not None]
    assert len(flips) == 3
    assert flips == sorted(flips)


def test_other_sizes_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        likeness.compare(picture(), picture(size=(48, 41)))


def test_plain_pictures_are_flat() -> None:
    assert likeness.flatness(Image.new("RGB", (8, 8), (7, 7, 7))) == 0
    assert likeness.flatness(picture()) > 50
