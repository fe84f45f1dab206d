"""The Engine page as a person uses it: real widgets, real files, a real engine process."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox, QSpinBox, QWidget

from app.services.benchmarks import Benchmarks
from app.services.caches import Caches
from app.services.engines import Engines
from app.services.jobs import Drawn
from app.viewmodels.engine import EnginePanel, EngineServices
from app.viewmodels.timings import Timings
from app.views.benchmark_view import BenchmarkView
from app.views.caches_view import CachesView
from app.views.engine_page import EnginePage
from app.views.engines_view import EnginesView
from app.views.running_view import RunningView
from app.views.tables import WordTable
from app.views.timings_view import TimingsView
from pipelines.engine.store import Store
from pipelines.events import CacheRead, Kernels, KernelsChanged, PictureSaved, PlanChosen
from pipelines.proof import record
from pipelines.request import Backend
from tests.app.viewmodels.conftest import Bench, open_bench
from tests.app.viewmodels.test_engine import FACTS, here, keep_engine, keep_kernels
from tests.app.views.hands import child, find_button, find_window, press, texts
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtCore import QCoreApplication
    from pytestqt.qtbot import QtBot


class Room:
    """The page on services of its own."""

    def __init__(self, bench: Bench, root: Path) -> None:
        self.bench = bench
        self.root = root
        caches, benchmarks = Caches(root / "kernels", here), Benchmarks(root / "bench")
        services = EngineServices(bench.desk.engine, Engines(Store(root / "engines")), caches, benchmarks, here)
        self.panel = EnginePanel(services)
        self.timings = Timings(bench.desk.engine, bench.desk.library)
        self.page = EnginePage(self.panel, self.timings)
        self.page.resize(900, 1400)

    def part(self, kind: type[QWidget]) -> QWidget:
        return child(self.page, kind)


@pytest.fixture
def room(qt_core: QCoreApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Room]:
    bench = open_bench(tmp_path / "profile")
    made = Room(bench, tmp_path)
    qtbot.addWidget(made.page)
    yield made
    made.panel.close()
    bench.desk.close()


def show(room: Room, qtbot: QtBot) -> None:
    room.page.show()
    qtbot.waitUntil(lambda: room.panel.caches is not None and room.panel.machine is not None, timeout=20_000)


def lines(card: QWidget) -> list[list[str]]:
    table = child(card, WordTable)
    found: list[list[str]] = []
    for number in range(table.topLevelItemCount()):
        item = table.topLevelItem(number)
        assert item is not None
        found.append([item.text(column) for column in range(table.columnCount())])
    return found


def test_the_machine_and_what_its_backends_lack(room: Room, qtbot: QtBot) -> None:
    show(room, qtbot)
    qtbot.waitUntil(lambda: "Ready." in texts(room.page))
    shown = texts(room.page)
    assert "NVIDIA GeForce RTX 4070, 12 GB, driver 581.29, compute capability 8.9" in shown
    assert "Not ready: not here. Install it" in shown
    assert "It needs a build of PyTorch with CUDA." in shown
    assert "Nothing was drawn in this session yet." in shown
    assert shown.count("None yet.") == 2


def test_plans_reasons_and_kernels_by_size(room: Room, qtbot: QtBot) -> None:
    show(room, qtbot)
    report = room.bench.desk.engine.reported
    why = "PyTorch itself, as tensorrt_rtx and inductor cannot run here"
    report.emit(1, PlanChosen("vae", "eager", "fp32", why, "cpu"))
    report.emit(1, PlanChosen("transformer", "tensorrt_rtx", "bf16", "it is the fastest here", "cuda:0"))
    report.emit(1, CacheRead("transformer", hit=False, reason="there is none yet"))
    report.emit(1, KernelsChanged("transformer", "1024x1024", Kernels.specialising, 3.0, 12.0))
    report.emit(1, KernelsChanged("transformer", "512x512", Kernels.graph))
    card = room.part(RunningView)
    qtbot.waitUntil(lambda: "TensorRT-RTX, bf16" in texts(card))
    assert "as TensorRT-RTX and torch.compile cannot run here" in texts(card)
    assert "it is the fastest here\nNo kernels of an earlier session: there is none yet." in texts(card)
    made, making = lines(card)
    assert made == ["Drawing network", "512 × 512", "Made for this size, run as one graph", ""]
    assert making[:3] == ["Drawing network", "1024 × 1024", "Being made for this size"]
    assert re.fullmatch(r"[23]\d %, [3-4]\.\d s of about 12\.0 s", making[3])  # the clock goes on


def test_engines_are_deleted_after_one_question(room: Room, qtbot: QtBot) -> None:
    keep_engine(room.root / "engines", "toy-1")
    keep_engine(room.root / "engines", "toy-2")
    show(room, qtbot)
    card = room.part(EnginesView)
    assert "2 engines" in texts(card)
    assert not find_button(card, "Delete").isEnabled()
    table = child(card, WordTable)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(card, "Delete")
    box = find_window(QMessageBox, qtbot)
    assert "2 engines" in box.text()
    press(box, "Delete")
    qtbot.waitUntil(lambda: room.panel.engines is not None and not room.panel.engines.rows, timeout=20_000)
    assert not table.isVisible()


def test_kernels_are_exported_cleared_and_taken_in(room: Room, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_kernels(room.root / "kernels", "transformer")
    keep_kernels(
        room.root / "kernels", "vae", replace(FACTS, gpu="NVIDIA L4", compute_capability="8.9", driver="580.1")
    )
    show(room, qtbot)
    card = room.part(CachesView)
    assert sorted(line[-1] for line in lines(card)) == [
        "For the NVIDIA L4; this is a NVIDIA GeForce RTX 4070",
        "processor, fp32",
    ]
    file = room.root / "mine.zip"
    monkeypatch.setattr(QFileDialog, "open", lambda self: self.fileSelected.emit(str(file)))
    press(card, "Export…")
    qtbot.waitUntil(lambda: f"Written to {file}" in texts(card), timeout=20_000)
    press(card, "Delete all…")
    press(find_window(QMessageBox, qtbot), "Delete all")
    qtbot.waitUntil(lambda: "2 files were deleted." in texts(card), timeout=20_000)
    qtbot.waitUntil(lambda: find_button(card, "Import…").isEnabled(), timeout=20_000)
    press(card, "Import…")
    qtbot.waitUntil(lambda: "1 files were taken in." in texts(card), timeout=20_000)
    assert "For the NVIDIA L4" in texts(card)
    qtbot.waitUntil(lambda: len(lines(card)) == 1, timeout=20_000)


def test_the_limit_is_set_and_obeyed(room: Room, qtbot: QtBot) -> None:
    show(room, qtbot)
    spin = child(room.part(CachesView), QSpinBox)
    assert spin.value() == 2147
    spin.setFocus()
    spin.selectAll()
    qtbot.keyClicks(spin, "50")
    qtbot.keyClick(spin, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: room.panel.caches is not None and room.panel.caches.limit == 50_000_000, timeout=20_000)
    assert Caches(room.root / "kernels", here).look().limit == 50_000_000


def test_plots_with_words_beside_them(room: Room, qtbot: QtBot, tiny_model: Path) -> None:
    card = room.part(TimingsView)
    show(room, qtbot)
    assert "There are no pictures in the gallery yet." in texts(card)
    job = request("x", model=str(tiny_model), backend=Backend.fake, num_inference_steps=5)
    room.bench.desk.jobs.submit(job, room.root)
    qtbot.waitUntil(lambda: bool(room.timings.pictures) and bool(room.timings.runs), timeout=60_000)
    qtbot.waitUntil(lambda: len(_plots(card)) == 2, timeout=60_000)
    qtbot.waitUntil(lambda: "Last picture, 5 steps:" in texts(card), timeout=20_000)
    assert "(64 × 64, 5 steps, Fake). Typical of 1 alike:" in texts(card)
    steps, pictures = _plots(card)
    assert steps.accessibleName() == "Seconds a step"
    assert "Last picture, 5 steps" in steps.accessibleDescription()
    assert len(steps.getPlotItem().listDataItems()) == 1
    assert len(steps.getPlotItem().listDataItems()[0].xData) == 5
    assert len(pictures.getPlotItem().items) == 1


def keep_benchmark(folder: Path, version: int = 1) -> None:
    """A record as `firstlight bench` writes it, as far as the page reads it, with a damaged newer one beside it."""
    times = {("eager fp32", "256x256"): 4.0, ("eager bf16", "256x256"): 2.0, ("eager fp32", "384x256"): 6.0}
    timings = [
        {"contender": name, "what": "picture", "size": size, "steps": 4, "loras": 0, "host": {"median": s, "tail": s}}
        for (name, size), s in times.items()
    ]
    plain = {"version": version, "model": "starter", "suite": "quick", "created": "2026-12-01T05:00:00+00:00"}
    record.write({**plain, "timings": timings}, folder / "20261201T050000-quick-starter.json")
    (folder / "20261201T060000-quick-starter.json").write_text("{", encoding="utf-8")


def test_the_last_benchmark_as_a_plot_and_in_words(room: Room, qtbot: QtBot) -> None:
    keep_benchmark(room.root / "bench")
    card = room.part(BenchmarkView)
    show(room, qtbot)
    qtbot.waitUntil(lambda: room.panel.benchmark is not None and len(_plots(card)) == 1, timeout=60_000)
    said = texts(card)
    assert "starter, suite quick, 4 steps, 2026-12-01." in said
    assert "256 × 256: eager bf16 is the fastest, 2.0 s a picture, 2.00 times as fast as eager fp32." in said
    assert "384 × 256: eager fp32 is the fastest, 6.0 s a picture." in said
    (plot,) = _plots(card)
    bars = [list(item.opts["height"]) for item in plot.getPlotItem().items]
    assert bars == [[4.0, 6.0], [2.0]]
    assert "eager bf16 is the fastest" in plot.accessibleDescription()


def test_without_a_benchmark_the_page_says_how_to_make_one(room: Room, qtbot: QtBot) -> None:
    keep_benchmark(room.root / "bench", version=0)  # of another version
    card = room.part(BenchmarkView)
    show(room, qtbot)
    qtbot.waitUntil(lambda: len(_plots(card)) == 1, timeout=60_000)
    assert "firstlight bench" in texts(card)
    assert not _plots(card)[0].isVisible()


def test_plots_follow_the_theme(room: Room, qtbot: QtBot) -> None:
    show(room, qtbot)
    card = room.part(TimingsView)
    room.bench.desk.library.add(
        Drawn(1, PictureSaved(Path("/nowhere/1.png"), 1, 64, 64, 1.0), request("x"), "eager", "fp32")
    )
    qtbot.waitUntil(lambda: len(_plots(card)) == 2, timeout=60_000)
    before = QApplication.palette()
    dark = QPalette(before)
    dark.setColor(QPalette.ColorRole.AlternateBase, Qt.GlobalColor.black)
    QApplication.setPalette(dark)
    try:
        qtbot.waitUntil(lambda: all(plot.backgroundBrush().color() == Qt.GlobalColor.black for plot in _plots(card)))
    finally:
        QApplication.setPalette(before)


def test_loading_the_plots_stalls_nothing(room: Room, qtbot: QtBot) -> None:
    """Only the first of these tests loads the library; a fresh process always does."""
    import subprocess

    code = (
        "import sys, time\n"
        "from PySide6.QtWidgets import QApplication; from PySide6.QtCore import QTimer\n"
        "app = QApplication([])\n"
        "from app.services.library import Library; from app.services.engine_client import EngineClient\n"
        "from app.services.database import open_library; from app.services.picture_store import PictureStore\n"
        "from app.viewmodels.timings import Timings; from app.views.timings_view import TimingsView\n"
        "from pathlib import Path\n"
        "library = Library(PictureStore(open_library(Path(sys.argv[1])).connection))\n"
        "view = TimingsView(Timings(EngineClient(), library)); view.show(); app.processEvents()\n"
        "assert 'pyqtgraph' not in sys.modules and 'numpy' not in sys.modules\n"
        "last, worst = [time.process_time()], [0.0]\n"
        "def tick():\n"
        "    now = time.process_time(); worst[0] = max(worst[0], now - last[0]); last[0] = now\n"
        "timer = QTimer(); timer.timeout.connect(tick); timer.start(1)\n"
        "view.load(); end = time.time() + 30\n"
        "while view._pictures is None and time.time() < end: app.processEvents(); time.sleep(0.001)\n"
        "app.processEvents(); tick(); assert view._pictures is not None; print(worst[0])\n"
        "library.close()\n"
    )
    command = [sys.executable, "-c", code, str(room.root / "x.sqlite")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[3])
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) < 0.25, ran.stdout  # 0.05 s; of this process, so that others may be at work here


def test_everything_has_a_name_and_the_keyboard_reaches_it(room: Room, qtbot: QtBot) -> None:
    keep_engine(room.root / "engines", "toy-1")
    keep_kernels(room.root / "kernels")
    show(room, qtbot)
    for kind in (QAbstractButton, QSpinBox, WordTable):
        for widget in room.page.findChildren(kind):
            if widget.isVisible():
                name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
                assert name, widget
                assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, name


def test_a_busy_engine_stalls_nothing(room: Room, qtbot: QtBot) -> None:
    show(room, qtbot)
    qtbot.waitUntil(lambda: len(_plots(room.part(TimingsView))) == 2, timeout=60_000)
    report = room.bench.desk.engine.reported
    last, worst = [time.process_time()], [0.0]

    def tick() -> None:
        now = time.process_time()
        worst[0] = max(worst[0], now - last[0])
        last[0] = now

    timer = QTimer()
    timer.timeout.connect(tick)
    timer.start(5)
    for number in range(60):
        report.emit(1, KernelsChanged("transformer", f"{64 * number}x512", Kernels.specialising, 1.0, 10.0))
        QApplication.processEvents()
    qtbot.wait(50)
    assert worst[0] < 0.25


def _plots(card: QWidget) -> list[Any]:
    """The plots, without loading what draws them."""
    return [one for one in card.findChildren(QWidget) if type(one).__name__ == "PlotWidget"]
