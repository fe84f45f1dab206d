"""The estimate of memory: that it covers what is measured, and what it says where memory does not suffice."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import catalog, memory, weights
from pipelines.engine.base import Plan
from pipelines.errors import NoRoom
from pipelines.families import FAMILIES, FLUX
from pipelines.request import Backend, Precision
from tests.pipelines import miniatures

# As in FLUX.1-dev: 24 heads of 128; 128 and 256 channels at the VAE's end; 12 billion values in bf16
FLUX_DEV = memory.Appetite(catalog.find("flux.1-dev"), 3072, 384, 2, 34 * 10**9)
SIDES = st.integers(64, 4096)

_MEASURE = """
import sys, threading, time
import psutil
from pathlib import Path
from pipelines import devices, images
from pipelines.request import GenerationRequest
from pipelines.session import Session

process, peak, going = psutil.Process(), 0, True

def watch():
    global peak
    while going:
        peak = max(peak, process.memory_info().rss)
        time.sleep(0.002)

model, out, side = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Session(devices.probe()) as session:
    def draw(side, steps):
        request = GenerationRequest("a red apple", model, side, side, steps, 3.5, 7)
        session.generate(request, images.Target.from_out(out), lambda event: None)
    draw(64, 1)  # loads everything
    before = process.memory_info().rss
    watcher = threading.Thread(target=watch)
    watcher.start()
    draw(side, 1)
    going = False
    watcher.join()
print(peak - before)
"""


def plans(precision: Precision) -> dict[str, Plan]:
    return {name: Plan(Backend.eager, precision, "cpu", "a test") for name in FLUX.networks}


def appetite(model: Path, precision: Precision = Precision.fp32, *, loaded: bool = False) -> memory.Appetite:
    specs = weights.find_components(model, FLUX.networks)
    return memory.read_appetite(catalog.find(str(model)), specs, plans(precision), loaded=loaded)


def test_what_decides_is_read_from_the_model(tiny_model: Path) -> None:
    found = appetite(tiny_model)
    parameters = sum(spec.parameters for spec in weights.find_components(tiny_model, FLUX.networks))
    assert (found.transformer, found.vae, found.value_bytes) == (32, 16, 4)
    assert found.weights == 4 * parameters
    assert appetite(tiny_model, Precision.bf16).weights == 2 * parameters
    assert appetite(tiny_model, loaded=True).weights == 0


@given(SIDES, SIDES, st.integers(2**28, 2**38))
def test_what_is_said_to_fit_fits(width: int, height: int, available: int) -> None:
    fits = memory.largest_that_fits(width, height, 1, FLUX_DEV, available)
    if fits is not None:
        assert memory.estimate(*fits, 1, FLUX_DEV) <= available
        assert 64 <= fits[0] <= max(width, 64)
        assert 64 <= fits[1] <= max(height, 64)
    else:
        assert memory.estimate(64, 64, 1, FLUX_DEV) > available or min(width, height) < max(width, height)


@given(SIDES, SIDES)
def test_larger_pictures_need_more(width: int, height: int) -> None:
    smaller = memory.estimate(width, height, 1, FLUX_DEV)
    assert memory.estimate(width, height, 4, FLUX_DEV) > smaller
    # a picture that is drawn at a size of its own may round to less by a few rows
    assert memory.estimate(min(4096, width * 2), min(4096, height * 2), 1, FLUX_DEV) > 0.9 * smaller


def test_a_refusal_names_both_amounts_and_a_size_that_fits() -> None:
    with pytest.raises(NoRoom) as caught:
        memory.check(4096, 2048, 1, FLUX_DEV, 38 * 10**9)
    assert re.fullmatch(
        r"A 4096x2048 picture needs about \d+\.\d GiB of memory, and 35\.4 GiB is free\.",
        caught.value.message,
    )
    match = re.fullmatch(r"A size of (\d+)x(\d+) would fit\.", caught.value.action)
    assert match is not None
    width, height = map(int, match.groups())
    assert 1.9 < width / height < 2.1
    memory.check(width, height, 1, FLUX_DEV, 38 * 10**9)


def test_where_no_size_fits_none_is_offered() -> None:
    with pytest.raises(NoRoom, match="smaller model"):
        memory.check(512, 512, 1, FLUX_DEV, 2**30)


def test_enough_is_enough(tiny_model: Path) -> None:
    memory.check(4096, 4096, 1, appetite(tiny_model), 2 * 2**30)


@pytest.mark.parametrize("side", [256, 1024])
def test_the_estimate_covers_what_a_process_takes(model_copy: Path, tmp_path: Path, side: int) -> None:
    """A fresh process, its peak against before; the model may draw all of it."""
    settings = model_copy / "starter.json"
    settings.write_text(settings.read_text().replace("16384", str(2**24)).replace('"max_side": 256', '"max_side": 0'))
    command = [sys.executable, "-c", _MEASURE, str(model_copy), str(tmp_path / "o.png"), str(side)]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    measured = int(run.stdout)
    estimated = memory.estimate(side, side, 1, replace(appetite(model_copy), weights=0))
    assert measured <= estimated
    assert estimated - 150 * 2**20 <= 4 * max(measured, 2**24)  # and it is no empty promise


@pytest.mark.parametrize("name", ["sd15", "sdxl"])
def test_the_estimate_covers_unets_too(tmp_path: Path, name: str) -> None:
    kind = next(kind for kind in miniatures.MINIATURES if kind.name == name)
    model = miniatures.make(kind, tmp_path / "model")
    (model / "starter.json").write_text('{"min_pixels": 64, "max_pixels": 16777216}')
    command = [sys.executable, "-c", _MEASURE, str(model), str(tmp_path / "o.png"), "768"]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    entry = catalog.find(str(model))
    networks = FAMILIES[entry.family].networks
    made = {part: Plan(Backend.eager, Precision.fp32, "cpu", "a test") for part in networks}
    found = memory.read_appetite(entry, weights.find_components(model, networks), made, loaded=True)
    assert found.transformer == 8
    assert int(run.stdout) <= memory.estimate(768, 768, 1, found)
