"""How networks share a GPU: pure arithmetic, and the table of the README."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import resources
from pipelines import catalog
from pipelines.engine.needs import estimate_work, measure_weights
from pipelines.engine.vram import DESKTOP, GIB, Mode, Weights, plan_memory
from pipelines.request import Precision

README = Path(__file__).parents[3] / "README.md"
CARDS = (6, 8, 12, 16, 24, 32)  # GiB
MODELS = ("sd-1.5", "sd-2.1", "sdxl-1.0", "flux.1-dev")
WORDS = {Mode.resident: "all stay", Mode.turns: "turns", Mode.none: "no"}
SMALL = Weights("vae", GIB // 4)
LARGE = Weights("transformer", 22 * GIB, GIB // 2, 21 * GIB)
TEXT = Weights("text_encoder_2", 9 * GIB)
FLUX = (SMALL, TEXT, LARGE)


@pytest.mark.parametrize(
    ("gib", "mode"),
    [(40, Mode.resident), (32, Mode.turns), (24, Mode.turns), (12, Mode.streamed), (8, Mode.streamed), (3, Mode.none)],
)
def test_flux_on_cards(gib: int, mode: Mode) -> None:
    assert plan_memory(FLUX, GIB, gib * GIB).mode is mode


def test_the_reason_says_what_does_not_fit() -> None:
    turns, streamed = plan_memory(FLUX, GIB, 32 * GIB), plan_memory(FLUX, GIB, 12 * GIB)
    assert turns.reason == "31.2 GiB of weights do not fit at once, so the networks take turns"
    assert streamed.reason == "the transformer of 22.0 GiB comes block by block, and 8.3 GiB of them stay"
    small = plan_memory(FLUX, GIB, 8 * GIB)
    assert small.on_cpu == ("text_encoder_2",)
    assert small.streamed == "transformer"
    assert small.reason.endswith("too large for it: text_encoder_2")
    assert (
        plan_memory((Weights("unet", 9 * GIB),), GIB, 8 * GIB).reason == "the unet of 9.0 GiB does not fit into 8.0 GiB"
    )


sizes = st.integers(1, 40 * GIB)


@given(st.lists(st.tuples(sizes, st.integers(0, 2 * GIB)), min_size=1, max_size=5), sizes, st.integers(GIB, 64 * GIB))
def test_a_plan_never_needs_more_than_there_is(parts: list[tuple[int, int]], work: int, available: int) -> None:
    networks = tuple(
        Weights(str(number), size, min(size, block), size - size // 8) for number, (size, block) in enumerate(parts)
    )
    plan = plan_memory(networks, work, available)
    assert (plan.need <= available) == (plan.mode is not Mode.none)
    largest = max(networks, key=lambda one: one.size)
    assert plan.resident <= min(available, largest.blocks)
    more = plan_memory(networks, work, available + GIB)
    assert list(Mode).index(more.mode) <= list(Mode).index(plan.mode)  # more memory is never worse


def make_row(name: str) -> str:
    """A line of the README's table: how a model at its own size shares cards of several sizes."""
    folder, entry = resources.folder() / "configs" / name, catalog.find(name)
    weights = measure_weights(folder, entry.family)
    work = estimate_work(folder, entry, entry.width, entry.height)
    cells: list[str] = []
    for card in CARDS:
        plan = plan_memory(weights, work, card * GIB - DESKTOP)
        blocks = f"streamed, {plan.resident / GIB:.1f} stay{', text on the CPU' if plan.on_cpu else ''}"
        cells.append(WORDS.get(plan.mode, blocks))
    total = sum(one.size for one in weights)
    return f"| {entry.title} {entry.width}² | {total / GIB:.1f} + {work / GIB:.1f} GiB | {' | '.join(cells)} |"


def test_in_fp8_the_blocks_of_the_denoiser_take_half() -> None:
    folder = resources.folder() / "configs" / "flux.1-dev"
    wide = {one.name: one for one in measure_weights(folder, "flux")}
    narrow = {one.name: one for one in measure_weights(folder, "flux", Precision.fp8)}
    assert narrow["text_encoder_2"] == wide["text_encoder_2"]
    assert narrow["transformer"].blocks == pytest.approx(wide["transformer"].blocks / 2, rel=0.01)
    assert narrow["transformer"].size < 0.51 * wide["transformer"].size


@pytest.mark.parametrize("name", MODELS)
def test_the_table_of_the_readme_is_what_would_be_planned(name: str) -> None:
    assert make_row(name) in README.read_text(encoding="utf-8").splitlines()
