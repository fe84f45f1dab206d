"""The engines that ship: every model of the catalog finds its own, until something that they depend on changes.

What then is to be done, for each model: firstlight engine build --model NAME --into resources/engines
"""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

import resources
from pipelines.engine import build, chain, export, rtx
from pipelines.engine.build import Recipe
from pipelines.engine.interfaces import Part
from pipelines.engine.network import WeightKind
from pipelines.engine.store import Miss, Store, open_store
from pipelines.request import Precision

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pipelines.engine.export import Network

needs_rtx = pytest.mark.skipif(
    rtx.find_version() is None, reason="tensorrt-rtx-cu13 is not installed: pip install 'firstlight[rtx]'"
)
# What is built on the user's machine as yet
LATER = (
    ("flux.1-fill-dev", Part.transformer),
    ("flux.1-schnell", Part.transformer),
    ("sd-1.5-inpainting", Part.unet),
    ("sdxl-refiner-1.0", Part.unet),
)
LARGEST = 1_000_000  # bytes of one engine
AGAIN = "build the shipped engines again: see the head of this file"


def list_models() -> list[Path]:
    """The folders of all models whose configuration ships."""
    root = resources.folder()
    return [root / "starter", *sorted(file.parent for file in (root / "configs").glob("*/model_index.json"))]


@pytest.fixture(scope="module")
def networks() -> dict[str, Network]:
    """All that engines are made of, by architecture."""

    def find() -> Iterator[Network]:
        for folder in list_models():
            yield from (export.find_network(folder, part) for part in export.find_parts(folder))

    return {network.architecture: network for network in find()}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """As on a machine where nothing was built."""
    return open_store(tmp_path / "engines")


@needs_rtx
def test_every_model_of_the_catalog_has_its_engines(networks: dict[str, Network], store: Store) -> None:
    missing: dict[str, str] = {}
    for name, network in networks.items():
        found = store.find(build.make_facts(Recipe(network, Precision.bf16), export.EXPORT_VERSION))
        if isinstance(found, Miss):
            missing[name] = f"{network.part.value}: {found.reason}"
    later = {export.find_network(resources.folder() / "configs" / model, part).architecture for model, part in LATER}
    assert missing.keys() == later, "\n".join([AGAIN, *missing.values()])


@needs_rtx
def test_flux_comes_in_regions_too(store: Store) -> None:
    """Most cards do not hold its transformer in one piece."""
    network = export.find_network(resources.folder() / "configs" / "flux.1-dev", Part.transformer)
    recipe = Recipe(network, Precision.bf16, WeightKind.input, regions=True)
    assert not isinstance(store.find(build.make_facts(recipe, export.EXPORT_VERSION)), Miss)


def test_nothing_ships_that_no_model_uses(networks: dict[str, Network], store: Store) -> None:
    entries = store.shipped()
    assert {entry.manifest.facts.architecture for entry in entries} <= networks.keys(), AGAIN
    assert {entry.folder for entry in entries} == set((resources.folder() / "engines").glob("*/"))
    assert {entry.manifest.facts.export_version for entry in entries} == {export.EXPORT_VERSION}, AGAIN


def test_shipped_engines_are_whole_and_small(store: Store) -> None:
    for entry in store.shipped():
        plan = store.load(entry)
        assert isinstance(plan, bytes)
        facts = entry.manifest.facts
        for one in chain.unpack(plan).plans if facts.mode == build.REGIONS else (plan,):
            assert ".".join(str(number) for number in one[24:28]) == facts.rtx_version  # see tensorrt_rtx's header
        assert entry.manifest.stored_bytes <= LARGEST
        assert entry.manifest.plan_bytes <= 200 * LARGEST


@needs_rtx
@pytest.mark.parametrize("change", [{"precision": Precision.fp16}, {"target": "8.9"}])
def test_a_shipped_engine_is_no_other(networks: dict[str, Network], store: Store, change: dict[str, object]) -> None:
    network = networks[store.shipped()[0].manifest.facts.architecture]
    recipe = replace(Recipe(network, Precision.bf16), **change)  # pyright: ignore[reportArgumentType]
    assert isinstance(store.find(build.make_facts(recipe, export.EXPORT_VERSION)), Miss)


@pytest.mark.skipif(not find_spec("onnxscript"), reason="onnxscript is not installed: pip install 'firstlight[rtx]'")
def test_the_exporter_makes_the_graphs_that_were_built(store: Store, tmp_path: Path) -> None:
    """Of the smallest network; a change that concerns others alone is for its author to remember."""
    network = export.find_network(resources.folder() / "starter", Part.text_encoder_2)
    (entry,) = store.shipped(network.architecture)
    details = entry.manifest.details
    changed = [name for name, version in details.versions.items() if metadata.version(name) != version]
    if changed:
        pytest.skip(f"the engines were built with another version of {', '.join(changed)}")
    made = export.export(network, Precision.bf16, tmp_path / "graph.onnx")
    assert made.sha256 == details.graph_sha256, f"raise EXPORT_VERSION, and {AGAIN}"
