"""What the Engine page shows, of real files and of the engine's own events."""

from __future__ import annotations

import lzma
import platform
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from app.services.benchmarks import Benchmarks
from app.services.caches import Caches, Cleared, Imported
from app.services.engine_values import EngineState
from app.services.engines import Engines
from app.viewmodels.engine import Advice, EnginePanel, EngineServices, KernelRow, list_backends
from pipelines.devices import Gpu, Lack, Versions
from pipelines.engine import rtx
from pipelines.engine.cache import KernelCaches
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.manifest import Details, Facts
from pipelines.engine.shapes import ShapeKey
from pipelines.engine.store import Store
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen
from pipelines.request import Backend
from tests.app.viewmodels.model_parts import RTX_4070, Ear, make_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pipelines.devices import Machine
    from tests.app.viewmodels.conftest import Bench

LACKS = (Lack("tensorrt_rtx", "not here"), Lack("inductor", "not here"))
FACTS = CacheFacts("fake", "transformer", "fp32", "", "", "1", platform.system(), "")
SHAPES = (ShapeKey((("hidden_states", (1, 16, 64)),), "64x64"),)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def here() -> Machine:
    machine = make_machine(RTX_4070)
    return replace(machine, system=f"{platform.system()} 1", lacks=LACKS)


def keep_engine(folder: Path, architecture: str, size: int = 5000) -> None:
    facts = Facts(architecture, "bf16", "placeholder", "portable", "batch 1-8 (1)", "1.6.0.1", 1)
    details = Details("transformer", "because", 1.0, 2.0, 10_000, "ab", {}, {})
    plan = bytes(range(256)) * (size // 256)
    Store(folder).add(facts, details, lzma.compress(plan), len(plan))


def keep_kernels(folder: Path, engine: str = "transformer", facts: CacheFacts = FACTS) -> str:
    facts = replace(facts, engine=engine)
    assert KernelCaches(folder).save(facts, engine, b"kernels" * 1000, SHAPES, 3.5)
    return facts.name


@pytest.fixture
def bench(benches: Callable[..., Bench]) -> Bench:
    return benches(start=False)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def panel(bench: Bench, clock: Clock, tmp_path: Path) -> Iterator[EnginePanel]:
    caches, benchmarks = Caches(tmp_path / "kernels", here), Benchmarks(tmp_path / "bench")
    services = EngineServices(bench.desk.engine, Engines(Store(tmp_path / "engines")), caches, benchmarks, here)
    made = EnginePanel(services, clock=clock)
    yield made
    made.close()


def look(panel: EnginePanel, wait: Callable[..., None]) -> None:
    panel.refresh()
    wait(lambda: panel.machine is not None and panel.engines is not None and panel.caches is not None)


def test_this_machine_and_an_empty_disk(panel: EnginePanel, wait: Callable[..., None], tmp_path: Path) -> None:
    assert panel.backends == ()
    look(panel, wait)
    assert panel.machine is not None
    assert panel.machine.gpus == (RTX_4070,)
    assert panel.engines is not None
    assert (panel.engines.rows, panel.engines.bytes, panel.engines.limit) == ((), 0, 4 * 2**30)
    assert panel.caches is not None
    assert (panel.caches.rows, panel.caches.limit) == ((), 2 * 2**30)
    assert list(tmp_path.glob("engines")) == []


def test_engines_that_came_with_the_app_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Store(tmp_path / "app")
    for version, toy in (("1.7.1.116", "toy-1"), ("1.7.1.116", "toy-2"), ("1.6.0.1", "toy-3")):
        facts = Facts(toy, "bf16", "placeholder", "portable", "batch 1-8 (1)", version, 1)
        app.add(facts, Details("unet", "because", 1.0, 2.0, 10_000, "ab", {}, {}), b"", 0)
    monkeypatch.setattr(rtx, "find_version", lambda: "1.7.1.116")
    found = Engines(Store(tmp_path / "engines", shipped=app.folder)).look()
    assert (found.rows, found.shipped) == ((), 2)


@pytest.mark.parametrize(
    ("gpus", "versions", "advice"),
    [
        ((), {}, (Advice.get_gpu, Advice.get_gpu)),
        ((Gpu(0, "GTX 1080", (6, 1), 8 * 2**30, "580.1"),), {}, (Advice.newer_gpu, Advice.newer_gpu)),
        ((RTX_4070,), {}, (Advice.install_rtx, Advice.cuda_torch)),
        ((replace(RTX_4070, driver="566.36"),), {}, (Advice.new_driver, Advice.cuda_torch)),
        ((Gpu(0, "NVIDIA H200", (9, 0), 141 * 2**30, "580.1"),), {"torch_cuda": "13.0"}, (Advice.rtx_gpu, Advice.none)),
        ((RTX_4070,), {"tensorrt_rtx": "1.7.1.116", "torch_cuda": "13.0"}, (Advice.none, Advice.none)),
    ],
)
def test_what_a_backend_lacks_and_what_helps(
    gpus: tuple[Gpu, ...], versions: dict[str, str], advice: tuple[Advice, Advice]
) -> None:
    known = replace(Versions("2.13.0", None, "0", "5", None), **versions)
    machine = replace(make_machine(*gpus), lacks=LACKS, versions=known)
    rows = list_backends(machine)
    assert [row.backend for row in rows] == [Backend.tensorrt_rtx, Backend.inductor, Backend.eager]
    assert [row.ready for row in rows] == [False, False, True]
    assert (rows[0].advice, rows[1].advice) == advice
    ready = list_backends(replace(machine, lacks=()))
    assert [(row.ready, row.reason, row.advice) for row in ready] == [(True, "", Advice.none)] * 3


def test_plans_and_kernels_by_size_with_honest_progress(bench: Bench, panel: EnginePanel, clock: Clock) -> None:
    report = bench.desk.engine.reported
    report.emit(1, PlanChosen("transformer", "eager", "fp32", "first", "cpu"))
    report.emit(2, PlanChosen("vae", "eager", "fp32", "on the CPU", "cpu"))
    report.emit(2, PlanChosen("transformer", "tensorrt_rtx", "bf16", "it is fastest", "cuda:0"))
    assert {plan.component: plan.reason for plan in panel.plans} == {
        "vae": "on the CPU",
        "transformer": "it is fastest",
    }
    report.emit(2, CacheRead("transformer", hit=False, reason="there is none yet"))
    report.emit(2, KernelsChanged("transformer", "512x512", Kernels.graph))
    report.emit(2, KernelsChanged("transformer", "1024x1024", Kernels.specialising, 1.0, 10.0))
    first, second = panel.kernels
    assert (first.shape, second) == ("1024x1024", KernelRow("transformer", "512x512", Kernels.graph))
    assert first.fraction == pytest.approx(0.1)
    clock.now += 60
    panel._show_kernels()  # pyright: ignore[reportPrivateUsage]  # as its timer does
    assert panel.kernels[0].elapsed == pytest.approx(61)
    assert panel.kernels[0].fraction == 0.95  # never 100 % early
    assert [read.reason for read in panel.reads] == ["there is none yet"]
    bench.desk.engine.state_changed.emit(EngineState.stopped)
    assert (panel.kernels, panel.reads) == ((), ())
    assert panel.plans != ()


def test_memory_of_sizes_is_bounded(bench: Bench, panel: EnginePanel) -> None:
    for number in range(100):
        bench.desk.engine.reported.emit(1, KernelsChanged("transformer", f"{number}x64", Kernels.generic))
    assert len(panel.kernels) == 40
    assert panel.kernels[0].shape == "99x64"


def test_engines_are_listed_deleted_and_limited(panel: EnginePanel, wait: Callable[..., None], tmp_path: Path) -> None:
    for name in ("toy-1", "toy-2"):
        keep_engine(tmp_path / "engines", name)
    look(panel, wait)
    assert panel.engines is not None
    assert {row.part for row in panel.engines.rows} == {"transformer"}
    assert not panel.engines.rows[0].fits
    gone = panel.engines.rows[0].name
    panel.remove_engine(gone)
    assert panel.busy
    wait(lambda: not panel.busy and panel.engines is not None and len(panel.engines.rows) == 1)
    panel.set_engine_limit(1_000_000_000)
    wait(lambda: panel.engines is not None and panel.engines.limit == 1_000_000_000)
    problems = Ear(panel.problem)
    panel.remove_engine(gone)
    wait(lambda: problems.heard)


def test_kernels_are_listed_cleared_limited_exported_and_imported(
    panel: EnginePanel, wait: Callable[..., None], tmp_path: Path
) -> None:
    one, two = (keep_kernels(tmp_path / "kernels", name) for name in ("transformer", "vae"))
    look(panel, wait)
    assert panel.caches is not None
    assert {row.name for row in panel.caches.rows} == {one, two}
    exported, cleared, imported = Ear(panel.exported), Ear(panel.cleared), Ear(panel.imported)
    file = tmp_path / "mine.zip"
    panel.export_caches(file, [one])
    wait(lambda: exported.heard == [file])
    panel.clear_caches([one])
    wait(lambda: cleared.heard)
    assert cast("Cleared", cleared.heard[0]).names == (one,)
    panel.clear_caches()
    wait(lambda: len(cleared.heard) == 2)
    panel.import_caches(file)
    wait(lambda: imported.heard)
    assert cast("Imported", imported.heard[0]).names == (one,)
    panel.set_cache_limit(5_000_000)
    wait(lambda: panel.caches is not None and panel.caches.limit == 5_000_000 and len(panel.caches.rows) == 1)


def test_foreign_kernels_are_a_problem_with_words(
    panel: EnginePanel, wait: Callable[..., None], tmp_path: Path
) -> None:
    keep_kernels(tmp_path / "other", facts=replace(FACTS, gpu="NVIDIA L4", compute_capability="8.9", driver="1.2"))
    Caches(tmp_path / "other", here).export(tmp_path / "x.zip")
    problems = Ear(panel.problem)
    panel.import_caches(tmp_path / "x.zip")
    wait(lambda: problems.heard and not panel.busy)
    assert "NVIDIA L4" in str(problems.heard[0])
