from __future__ import annotations

import multiprocessing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.engine import build, build_child, export, rtx
from pipelines.engine.build import BuildProgress, Durations, Recipe, Step
from pipelines.engine.interfaces import Part
from pipelines.engine.network import Rewriter, WeightKind
from pipelines.engine.store import Entry, Store
from pipelines.errors import Cancelled, EngineFailure, InvalidRequest
from pipelines.request import Precision
from tests.pipelines.engine.rtx_workshop import FLUX_PARTS

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.engine.export import Exported
    from pipelines.engine.manifest import Facts

needs_rtx = pytest.mark.skipif(
    rtx.find_version() is None, reason="tensorrt-rtx-cu13 is not installed: pip install 'firstlight[rtx]'"
)
FP16, BF16 = Precision.fp16, Precision.bf16


@pytest.fixture(scope="module")
def recipe(tiny_model: Path) -> Recipe:
    return Recipe(export.find_network(tiny_model, Part.text_encoder_2), BF16)


@pytest.fixture(scope="module")
def graph(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export.export(recipe.network, recipe.precision, tmp_path_factory.mktemp("graph") / "graph.onnx")


@pytest.fixture
def facts(recipe: Recipe) -> Facts:
    return build.make_facts(recipe, export.EXPORT_VERSION)


@needs_rtx
@pytest.mark.parametrize("kind", [WeightKind.placeholder, WeightKind.input, WeightKind.constant])
def test_a_weight_becomes_what_the_rule_says(
    recipe: Recipe, graph: Exported, tiny_model: Path, kind: WeightKind
) -> None:
    files = tuple((tiny_model / "text_encoder_2").glob("*.safetensors"))
    plan, kinds = build_child.build_plan(replace(recipe, kind=kind, files=files), graph.file, tuple(graph.weights))
    assert kinds == dict.fromkeys(graph.weights, kind)
    assert rtx.need_version().startswith(".".join(str(number) for number in plan[24:27]))  # see tensorrt_rtx's header
    if kind is not WeightKind.constant:  # the names by which they are filled are in the plan
        assert all(name.encode() in plan for name in graph.weights)


@needs_rtx
def test_a_build_that_is_refused_names_the_operator(
    recipe: Recipe, graph: Exported, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rewriter, "loosen_attention", lambda self: 0)  # no fused kernel takes a mask of this kind
    with pytest.raises(EngineFailure, match=r"text_encoder_2 cannot be built: operator Attention"):
        build_child.build_plan(recipe, graph.file, tuple(graph.weights))


@needs_rtx
def test_a_graph_that_cannot_be_parsed_names_the_operator(recipe: Recipe, graph: Exported, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(str(graph.file))
    node = next(node for node in model.graph.node if node.op_type == "Log")
    node.op_type = "SequenceAt"
    onnx.save(model, str(tmp_path / "broken.onnx"))
    with pytest.raises(EngineFailure, match="operator SequenceAt"):
        build_child.build_plan(recipe, tmp_path / "broken.onnx", tuple(graph.weights))


@needs_rtx
def test_an_engine_is_built_in_a_process_and_stored(recipe: Recipe, facts: Facts, tmp_path: Path) -> None:
    store = Store(tmp_path / "engines")
    seen: list[BuildProgress] = []
    quick = replace(recipe, kind=WeightKind.input)
    entry = build.build(quick, replace(facts, mode="input"), store, seen.append)
    plan = store.load(entry)
    assert isinstance(plan, bytes)
    assert len(plan) == entry.manifest.plan_bytes > entry.manifest.stored_bytes
    assert isinstance(store.find(replace(facts, mode="input")), Entry)
    assert set(entry.manifest.details.weights.values()) == {"input"}
    steps = [progress.step for progress in seen]
    assert sorted(set(steps), key=list(Step).index) == list(dict.fromkeys(steps)) == list(Step)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert all(fraction <= 0.95 for fraction in fractions[:-1])
    assert fractions[-1] == 1.0
    assert {path.name for path in store.folder.iterdir()} == {entry.name, "durations.json"}
    again = Durations(store.folder / "durations.json").estimate(replace(facts, mode="input"), "text_encoder_2")
    assert again == pytest.approx(seen[-1].elapsed, abs=1.0)


@needs_rtx
def test_a_cancelled_build_is_killed_and_leaves_nothing(recipe: Recipe, facts: Facts, tmp_path: Path) -> None:
    store = Store(tmp_path / "engines")
    children: list[int] = []

    def cancel(progress: BuildProgress) -> None:
        children.extend(child.pid or 0 for child in multiprocessing.active_children())
        if progress.elapsed > 1.0:
            raise Cancelled

    with pytest.raises(Cancelled):
        build.build(recipe, facts, store, cancel)
    assert children
    assert multiprocessing.active_children() == []
    assert list(store.folder.iterdir()) == []


@needs_rtx
def test_a_build_process_that_dies_is_told(recipe: Recipe, facts: Facts, tmp_path: Path) -> None:
    store = Store(tmp_path / "engines")

    def end(progress: BuildProgress) -> None:
        for child in multiprocessing.active_children():
            child.terminate()

    with pytest.raises(EngineFailure, match="text_encoder_2 broke off"):
        build.build(recipe, facts, store, end)
    assert list(store.folder.iterdir()) == []


@pytest.mark.slow
@needs_rtx
def test_what_the_child_cannot_do_comes_back_in_words(recipe: Recipe, facts: Facts, tmp_path: Path) -> None:
    store = Store(tmp_path / "engines")
    network = replace(recipe.network, config={**recipe.network.config, "num_layers": "many"})
    with pytest.raises(EngineFailure):
        build.build(replace(recipe, network=network), facts, store, lambda progress: None)
    assert list(store.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"precision": Precision.fp32}, "fp32"),
        ({"target": "9.0"}, "9.0"),
        ({"target": "7.5"}, "no bf16"),
        ({"kind": WeightKind.constant}, "at hand"),
    ],
)
def test_impossible_engines_are_refused(recipe: Recipe, change: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        replace(recipe, **change).check()  # pyright: ignore[reportArgumentType]


@needs_rtx
def test_the_bar_stops_before_the_end_where_a_build_takes_longer_than_ever(facts: Facts, tmp_path: Path) -> None:
    file = tmp_path / "durations.json"
    durations = Durations(file)
    assert durations.estimate(facts, "transformer") == 120.0
    durations.record(facts, "transformer", 0.001)
    assert durations.estimate(facts, "transformer") == 0.001
    assert durations.estimate(replace(facts, architecture="other"), "transformer") == 0.001
    assert durations.estimate(facts, "vae_decoder") == 120.0
    clock = build._Clock("transformer", 0.001)
    assert clock.progress(Step.building).fraction <= 0.95
    for content in ("", "[1]", '{"a": -1, "b": "x", "c": 1e999}', "\0\1"):
        file.write_text(content)
        assert durations.estimate(facts, "transformer") == 120.0


@pytest.mark.slow
@needs_rtx
@pytest.mark.parametrize("precision", [BF16, FP16])
@pytest.mark.parametrize("kind", [WeightKind.placeholder, WeightKind.input])
@pytest.mark.parametrize("part", FLUX_PARTS)
def test_the_starter_architecture(
    starter_architecture: Path, tmp_path: Path, part: Part, kind: WeightKind, precision: Precision
) -> None:
    made = Recipe(export.find_network(starter_architecture, part), precision, kind)
    store = Store(tmp_path / "engines")
    entry = build.build(made, build.make_facts(made, export.EXPORT_VERSION), store, lambda progress: None)
    plan, details = store.load(entry), entry.manifest.details
    assert isinstance(plan, bytes)
    assert all(name.encode() in plan for name in details.weights)
    assert entry.manifest.plan_bytes < 200e6
    assert entry.manifest.stored_bytes < 1e6
    print(  # noqa: T201 # the table of the report
        f"| {part.value} | {precision.value} | {kind.value} | {len(details.weights)} | {details.export_seconds:.1f} "
        f"| {details.build_seconds:.1f} | {details.peak_memory / 1e6:.0f} | {len(plan) / 1e6:.1f} "
        f"| {entry.manifest.stored_bytes / 1e3:.0f} |"
    )


@pytest.fixture(scope="module")
def starter_architecture(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter model's configurations, without its weights."""
    import shutil

    from transformers import CLIPTokenizer, T5Tokenizer

    from resources.starter.train import architecture

    folder = tmp_path_factory.mktemp("starter")
    shutil.copy(tiny_model / "model_index.json", folder)
    architecture.transformer().save_config(folder / "transformer")
    architecture.vae().save_config(folder / "vae")
    tokenizers = (
        CLIPTokenizer.from_pretrained(tiny_model / "tokenizer"),
        T5Tokenizer.from_pretrained(tiny_model / "tokenizer_2"),
    )
    for name, encoder in zip(("text_encoder", "text_encoder_2"), architecture.text_encoders(*tokenizers), strict=True):
        encoder.config.save_pretrained(folder / name)
    return folder
