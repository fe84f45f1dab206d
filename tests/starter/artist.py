"""Draws with the starter model at its recommended settings, the way the command line does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from PIL import Image

from pipelines import catalog, devices, images
from pipelines.request import GenerationRequest
from pipelines.session import Session

if TYPE_CHECKING:
    from types import TracebackType


class Artist:
    """A session with the starter model."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._session = Session(devices.probe())
        self._entry = catalog.find("starter")
        self.seconds: list[float] = []  # in the model, of each picture

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self._folder.cleanup()

    def draw(self, prompt: str, seed: int, width: int = 256, height: int = 256) -> Image.Image:
        """One picture, width x height."""
        request = GenerationRequest(
            prompt=prompt,
            model="starter",
            width=width,
            height=height,
            num_inference_steps=self._entry.steps,
            guidance_scale=self._entry.guidance_scale,
            seed=seed,
        )
        target = images.Target.from_out(Path(self._folder.name) / "picture.png")
        (saved,) = self._session.generate(request, target, lambda _: None)
        self.seconds.append(saved.model_seconds)
        with Image.open(saved.path) as picture:
            return picture.convert("RGB")
