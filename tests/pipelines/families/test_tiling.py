"""The VAE in tiles: near to the whole, never larger than a tile, and used when memory asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from PIL import Image

from pipelines import catalog, devices, images, memory, planning
from pipelines.errors import NoRoom
from pipelines.events import Notice
from pipelines.families.standins import Vae
from pipelines.request import GenerationRequest
from pipelines.session import Session
from tests.pipelines import miniatures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder


class Counted:
    """A component that runs diffusers' network and keeps the sizes that it was given."""

    def __init__(self, network: Any) -> None:
        self.network = network
        self.sizes: list[tuple[int, ...]] = []

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        ((name, tensor),) = tensors.items()
        self.sizes.append(tuple(tensor.shape[2:]))
        with torch.no_grad():
            if name == "z":
                return {"sample": self.network.decode(tensor).sample}
            return {"parameters": self.network.encode(tensor).latent_dist.parameters}

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("size", [(16, 40), (37, 21), (64, 64), (16, 16)])
def test_tiles_give_what_diffusers_tiling_gives(size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    network: Any = AutoencoderKL.from_config({**miniatures.SD_VAE, "sample_size": 128})
    component: Any = Counted(network.eval())
    vae = Vae(component, {}, "cpu")
    vae.tile = 128
    latents = torch.randn(1, 4, *size)
    ours = vae.sample(latents)
    assert ours.shape == (1, 3, 8 * size[0], 8 * size[1])
    assert all(max(one) <= 16 for one in component.sizes)
    network.enable_tiling()
    with torch.no_grad():
        assert torch.equal(ours, network.decode(latents).sample)
        component.sizes.clear()
        network.disable_tiling()
        theirs_whole = network.encode(ours).latent_dist.mean
        mine = vae.encode(ours).latent_dist.mean
        assert all(max(one) <= 128 for one in component.sizes)
        network.enable_tiling()
        theirs = network.encode(ours).latent_dist.mean
    assert torch.equal(mine, theirs)
    assert mine.shape == theirs_whole.shape


@pytest.mark.parametrize("name", ["sd15", "sdxl", "flux"])
def test_there_is_never_a_batch_to_slice(
    models: Callable[[str], Path],
    start: Callable[[tuple[int, int]], tuple[Path, Path]],
    session: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    seen: list[int] = []
    run = Vae.run

    def watch(self: Vae, **tensors: Tensor | None) -> dict[str, Tensor]:
        seen.extend(one.shape[0] for one in tensors.values() if one is not None)
        return run(self, **tensors)

    monkeypatch.setattr(Vae, "run", watch)
    picture, mask = start((64, 64))
    request = GenerationRequest("a red apple", str(models(name)), 64, 64, 2, 4.0, 3, "blurry", 3, image=picture)
    for one in (request, replace(request, mask_image=mask)):
        session.generate(one, images.Target.from_out(f"{tmp_path}/out/"), lambda _event: None)
    assert set(seen) == {1}
    assert len(seen) >= 3 * 2 * 2


def test_it_is_used_when_memory_asks_for_it(tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    model = miniatures.make(miniatures.MINIATURES[0], tmp_path / "model")
    (model / "starter.json").write_text('{"min_pixels": 64, "max_pixels": 4000000}')
    request = GenerationRequest("a red apple", str(model), 768, 768, 1, 1.0, 3)
    job = planning.plan(request, devices.probe())
    appetite = memory.read_appetite(catalog.find(str(model)), job.specs, job.plans, loaded=False)
    whole = memory.estimate(768, 768, 1, appetite)
    tiled = memory.estimate(768, 768, 1, replace(appetite, tile=memory.TILE))
    assert tiled < whole
    drawn: list[np.ndarray] = []
    for room in (whole, (whole + tiled) // 2):
        monkeypatch.setattr(devices, "read_memory", lambda room=room: (room, room))
        with Session(devices.probe()) as session:
            (saved,) = session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
        with Image.open(saved.path) as image:
            drawn.append(np.asarray(image.convert("RGB"), np.int16))
        said = [one for one in events.of(Notice) if "tiles of 512x512" in one.message]
        assert bool(said) == (room < whole)
    assert 0 < np.abs(drawn[0] - drawn[1]).mean() < 8
    monkeypatch.setattr(devices, "read_memory", lambda: (tiled - 1, tiled - 1))
    with Session(devices.probe()) as session, pytest.raises(NoRoom, match="would fit"):
        session.generate(request, images.Target.from_out(tmp_path / "o.png"), events)
