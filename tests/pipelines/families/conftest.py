"""Miniatures of every family, made once for all tests here, and start pictures for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from pipelines import devices
from pipelines.session import Session
from tests.pipelines import miniatures
from tests.pipelines.miniatures import MINIATURES, REFINER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BY_NAME = {kind.name: kind for kind in (*MINIATURES, REFINER)}


@pytest.fixture(scope="package")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def find(name: str) -> Path:
        if name not in made:
            folder = miniatures.make(_BY_NAME[name], tmp_path_factory.mktemp("miniatures") / name)
            # The sizes of the tests are drawn as they are
            settings = {"min_pixels": 64, "max_pixels": 10**7, "max_sequence_length": 16}
            (folder / "starter.json").write_text(json.dumps(settings))
            made[name] = folder
        return made[name]

    return find


@pytest.fixture(scope="package")
def session() -> Iterator[Session]:
    with Session(devices.probe()) as one:
        yield one


@pytest.fixture(scope="package")
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[int, int]], tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("pictures")

    def make(size: tuple[int, int]) -> tuple[Path, Path]:
        picture, mask = folder / f"{size}.png", folder / f"{size} mask.png"
        values = np.random.default_rng(5).integers(0, 256, (size[1], size[0], 3), np.uint8)
        Image.fromarray(values).save(picture)
        covered = Image.new("L", size, 0)
        covered.paste(255, (0, 0, size[0] // 2, size[1]))
        covered.save(mask)
        return picture, mask

    return make
