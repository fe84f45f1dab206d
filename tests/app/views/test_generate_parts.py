"""Parts of the Generate page and the strip, on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from app.composition import open_desk, open_models
from app.folders import Folders
from app.services.engine_values import EngineState
from app.services.job_store import JobState
from app.services.settings_table import BACKEND
from app.viewmodels.generate import GenerateModels, make_generate_models
from app.viewmodels.notices import Notices
from app.viewmodels.picture_details import Detail, Fact
from app.viewmodels.problems import Fault, Field, Problem
from app.viewmodels.run import Doing, Phase
from app.views.engine_strip_view import EngineStripView, say_engine
from app.views.fields import Fold
from app.views.generate_words import STYLE_TITLES, say_clock, say_doing, say_problem, say_state
from app.views.picture_words import fact_name
from app.views.prompt_edit import PromptEdit
from app.views.queue_view import QueueView, describe_job
from pipelines import styles
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen, Stage
from tests.pipelines import scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.services.desk import Desk


class Desktop:
    def __init__(self, root: Path, main: object) -> None:
        folders = Folders(root / "config", root / "data", root / "cache", root / "logs", root / "pictures")
        self.desk: Desk = open_desk(folders, main)  # pyright: ignore[reportArgumentType] # a main of a test, or none
        self.notices = Notices()
        models = open_models(folders).models
        self.models: GenerateModels = make_generate_models(self.desk, models, folders, self.notices)
        self.desk.start()

    def close(self) -> None:
        self.models.close()
        self.desk.close()


@pytest.fixture
def desktops(qapp: object, tmp_path: Path) -> Iterator[Callable[..., Desktop]]:
    opened: list[Desktop] = []

    def make(main: object = None) -> Desktop:
        opened.append(Desktop(tmp_path / "profile", main))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


# The strip


def test_the_strip_says_plainly_what_runs(desktops: Callable[..., Desktop], qtbot: QtBot) -> None:
    desktop = desktops(scripted.main)
    view = EngineStripView(desktop.models.strip)
    qtbot.addWidget(view)
    view.show()
    engine = desktop.desk.engine
    assert view.engine.text() == "Engine starts with the first picture"
    engine.reported.emit(1, PlanChosen("transformer", "eager", "fp32", "on the CPU", "cpu"))
    assert view.engine.text() == "PyTorch on the CPU"
    assert "on the CPU" in view.engine.toolTip()
    assert not view.tuning.isVisible()
    assert not view.cache.isVisible()
    engine.reported.emit(2, PlanChosen("transformer", "tensorrt_rtx", "bf16", "fastest", "cuda:0"))
    engine.reported.emit(2, CacheRead("transformer", hit=False, reason="the driver is another one"))
    engine.reported.emit(2, KernelsChanged("transformer", "256x256", Kernels.specialising, 12.0, 30.0))
    assert view.engine.text() == "TensorRT-RTX on the GPU"
    assert view.tuning.text() == "256 × 256: being tuned, 0:12 of about 0:30"
    assert view.bar.isVisible()
    assert 0 < view.bar.value() < 1000
    assert view.cache.toolTip() == "the driver is another one"
    engine.reported.emit(2, KernelsChanged("transformer", "256x256", Kernels.graph))
    assert view.tuning.text() == "256 × 256: tuned, full speed"
    assert not view.bar.isVisible()
    with qtbot.waitSignal(desktop.models.strip.engine_page_wanted):
        qtbot.mouseClick(view.engine, Qt.MouseButton.LeftButton)
    assert say_engine(None, EngineState.idle) == "Engine ready"


def test_the_strip_follows_the_real_engine(
    desktops: Callable[..., Desktop], qtbot: QtBot, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fake backend rehearses the adaptive engine, in the real engine process."""
    monkeypatch.setenv("FIRSTLIGHT_FAKE", "making=0.3 generic=0.05 own=0.02")
    desktop = desktops()
    desktop.desk.settings.set(BACKEND, "fake")
    generation, strip = desktop.models.generation, desktop.models.strip
    seen: list[Kernels] = []

    class Watch(QObject):
        def look(self, value: object) -> None:
            kernels = getattr(value, "kernels", None)
            if kernels is not None and (not seen or seen[-1] is not kernels):
                seen.append(kernels)

    watch = Watch()
    strip.adaptation_changed.connect(watch.look)
    generation.choose_model(str(tiny_model))
    generation.steps, generation.count = 20, 2
    generation.generate()
    qtbot.waitUntil(lambda: desktop.models.run.phase is Phase.ended, timeout=120_000)
    assert seen[:2] == [Kernels.generic, Kernels.specialising]
    assert seen[-1] in (Kernels.specialised, Kernels.graph)


# The queue


def test_the_queue_offers_what_fits_the_job(desktops: Callable[..., Desktop], qtbot: QtBot) -> None:
    desktop = desktops(scripted.main)
    queue, generation = desktop.models.queue, desktop.models.generation
    view = QueueView(queue)
    qtbot.addWidget(view)
    view.resize(260, 400)
    view.show()
    desktop.desk.jobs.pause()
    assert view.pause.accessibleName() == "Go on drawing"
    for prompt in ("a", "b", "c"):
        generation.prompt = prompt
        generation.generate()
    assert view.count.text().startswith("3")
    view.list.setCurrentIndex(queue.index(2))
    assert [action.text() for action in view.menu().actions()] == [
        "Cancel",
        "Draw next",
        "Draw last",
        "Use its settings",
    ]
    view.list.setFocus()
    view.first_action.trigger()
    assert [queue.job_at(row).title for row in range(3)] == ["c", "a", "b"]  # pyright: ignore[reportOptionalMemberAccess]
    assert view.list.currentIndex().row() == 0  # the choice goes along
    view.delete_action.trigger()
    job = queue.job_at(2)
    assert job is not None
    assert job.state is JobState.cancelled
    view.list.setCurrentIndex(queue.index(2))
    menu = [action.text() for action in view.menu().actions()]
    assert menu == ["Try again", "Use its settings", "Remove from the list"]
    assert describe_job(job) == "256 × 256  ·  Cancelled"
    with qtbot.waitSignal(view.settings_wanted) as wanted:
        view.settings_action.trigger()
    assert wanted.args is not None
    assert wanted.args[0].prompt == "c"
    qtbot.mouseClick(view.clear, Qt.MouseButton.LeftButton)
    assert queue.rowCount() == 2
    assert not view.grab().isNull()  # every row has been painted


# Pieces


def test_a_fold_opens_by_key_and_says_what_is_inside(qtbot: QtBot) -> None:
    body = QLineEdit()
    fold = Fold("Part", body)
    qtbot.addWidget(fold)
    fold.show()
    fold.set_summary("two things")
    assert not body.isVisible()
    button = fold._button  # pyright: ignore[reportPrivateUsage]
    assert button.accessibleDescription() == "folded, two things"
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert body.isVisible()
    assert "two things" not in [label.text() for label in fold.findChildren(QLabel)]


def test_the_prompt_grows_keeps_its_undo_and_leaves_by_tab(qtbot: QtBot) -> None:
    edit = PromptEdit((2, 6))
    qtbot.addWidget(edit)
    edit.resize(200, 40)
    edit.show()
    low = edit.sizeHint().height()
    edit.set_text("\n".join("abcdefghij"))
    high = edit.sizeHint().height()
    assert low < high < 12 * edit.fontMetrics().lineSpacing()
    edit.set_text("😄 red fox")
    cursor = edit.textCursor()
    cursor.setPosition(4)  # in Qt's units: within "red"
    edit.setTextCursor(cursor)
    assert edit.selected == (3, 3)
    edit.replace_text("😄 (red:1.1) fox", 2, 11)
    assert edit.textCursor().selectedText() == "(red:1.1)"
    edit.undo()
    assert edit.toPlainText() == "😄 red fox"
    with qtbot.waitSignal(edit.emphasis_wanted) as wanted:
        qtbot.keyClick(edit, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert wanted.args == [False]
    assert edit.tabChangesFocus()


def test_every_fact_has_words() -> None:
    for fault in Fault:
        words = say_problem(Problem(Field.prompt, fault, "x.safetensors"))
        assert words.endswith((".", "realesrgan"))
        assert "%1" not in words
    for stage in Stage:
        assert say_doing(Doing(stage, 3, 20, "vae"))
    for state in JobState:
        assert say_state(state)
    assert [say_clock(seconds) for seconds in (0.9, 65, 3723)] == ["0:00", "1:05", "1:02:03"]


def test_every_fact_of_a_picture_has_a_name() -> None:
    assert all(fact_name(Detail(fact, "x", "other tool's")) for fact in Fact)
    assert len({fact_name(Detail(fact, "x", "other tool's")) for fact in Fact}) == len(Fact)


def test_translators_are_given_every_style() -> None:
    assert tuple(style.title for style in styles.load()) == STYLE_TITLES


def test_dropping_the_mouse_on_nothing_is_fine(desktops: Callable[..., Desktop], qtbot: QtBot) -> None:
    desktop = desktops(scripted.main)
    view = QueueView(desktop.models.queue)
    qtbot.addWidget(view)
    view.show()
    assert view.current is None
    assert view.menu().actions() == []
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.keyClick(view.list, Qt.Key.Key_Delete)
