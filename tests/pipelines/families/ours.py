"""What Firstlight draws, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from pipelines import images

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.request import GenerationRequest
    from pipelines.session import Session
    from tests.conftest import Recorder


def draw(session: Session, request: GenerationRequest, folder: Path, events: Recorder) -> np.ndarray:
    """The one picture of a request, (height, width, 3)."""
    (saved,) = session.generate(request, images.Target.from_out(folder / "drawn.png"), events)
    return read(saved.path)


def read(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.int16)
