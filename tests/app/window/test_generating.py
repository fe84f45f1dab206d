"""From a prompt to a picture in the whole window, with the real engine process and the starter model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from PySide6.QtCore import QObject, Qt

from app.services.engine_values import Ending
from app.services.job_store import JobState
from app.viewmodels.notices import Told
from app.viewmodels.run import Phase
from app.views.generate_page import GeneratePage
from pipelines.events import Failure, Stage
from tests.app.window.stalls import Stalls

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from app.folders import Folders
    from app.shell import Shell
    from tests.app.window.conftest import Open

ROOT = Path(__file__).parents[3]
PATIENCE = 180  # seconds; far beyond what is needed, for a machine that is busy with other things
STALL_BAR = 0.1  # seconds
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


class User(QObject):
    """Hands and eyes before the window."""

    def __init__(self, shell: Shell, bot: QtBot) -> None:
        super().__init__()
        self.shell = shell
        self.run = shell.panels.generate.run
        self._bot = bot
        self.previews = 0
        self.fractions: list[float] = []
        self.run.preview_changed.connect(self._see_preview)
        self.run.fraction_changed.connect(self.fractions.append)
        bot.waitExposed(shell.window)

    @property
    def page(self) -> GeneratePage:
        page = self.shell.window.page_widget("generate")
        assert isinstance(page, GeneratePage)
        return page

    def type_prompt(self, text: str) -> None:
        edit = self.page.controls.prompt.prompt
        self._bot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton)
        edit.selectAll()
        self._bot.keyClicks(edit, text)

    def click_generate(self) -> None:
        self._bot.mouseClick(self.page.controls.generate, Qt.MouseButton.LeftButton)

    def click_cancel(self) -> None:
        self._bot.mouseClick(self.page.controls.cancel, Qt.MouseButton.LeftButton)

    def wait(self, condition: Callable[[], object]) -> None:
        self._bot.waitUntil(lambda: bool(condition()), timeout=PATIENCE * 1000)

    def wait_for(self, stage: Stage, done: int = 0) -> None:
        self.wait(lambda: (doing := self.run.doing) is not None and doing.stage is stage and doing.done >= done)

    def wait_for_end(self) -> Ending:
        self.wait(lambda: self.run.phase is Phase.ended)
        assert self.run.outcome is not None
        return self.run.outcome.ending

    def _see_preview(self, preview: object) -> None:
        self.previews += preview is not None


@pytest.fixture
def user(open_shell: Open, qtbot: QtBot) -> User:
    return User(open_shell(), qtbot)


def engine_processes() -> list[psutil.Process]:
    """The engine's process, without multiprocessing's own helper."""
    found = psutil.Process().children(recursive=True)
    return [child for child in found if "spawn_main" in " ".join(child.cmdline())]


def test_a_prompt_becomes_a_picture_and_the_window_never_waits(user: User) -> None:
    """Loading and drawing, with a fresh engine process; measured again where other work was in the way."""
    user.type_prompt("a red apple on a blue background")
    measured: list[float] = []
    for _ in range(3):
        with Stalls() as stalls:
            user.click_generate()
            assert user.wait_for_end() is Ending.done
            user.wait(lambda: user.page.centre.image.path is not None)
        measured.append(stalls.longest)
        if stalls.longest <= STALL_BAR:
            break
        user.shell.desk.engine.end_now()
    sys.stdout.write(f"longest stall {[f'{one * 1000:.0f} ms' for one in measured]}\n")
    assert user.previews > 3
    assert user.fractions[-1] == 1.0
    (*_, picture) = user.shell.desk.library.store.rows(user.shell.desk.library.store.ids()[:1])
    assert picture.path.is_file()
    assert user.page.centre.image.path == picture.path
    assert picture.request is not None
    assert picture.request.prompt == "a red apple on a blue background"
    assert user.shell.panels.notices.shown == ()
    assert min(measured) <= STALL_BAR, measured


def test_cancel_while_queued_loading_and_denoising(user: User) -> None:
    jobs, queue = user.shell.desk.jobs, user.shell.panels.generate.queue
    user.type_prompt("a castle on a meadow")
    user.click_generate()
    user.click_generate()
    second = jobs.store.ids((JobState.queued,))[-1]
    queue.cancel(second)
    assert jobs.store.count((JobState.cancelled,)) == 1
    user.wait_for(Stage.loading)
    user.click_cancel()
    assert user.run.phase is Phase.cancelling  # acknowledged at once
    assert user.wait_for_end() is Ending.cancelled
    user.click_generate()
    user.wait_for(Stage.denoising, done=2)
    user.click_cancel()
    assert user.wait_for_end() is Ending.cancelled
    assert user.shell.desk.library.store.ids().tolist() == []
    user.click_generate()
    assert user.wait_for_end() is Ending.done
    assert user.shell.panels.notices.shown == ()


@posix
def test_an_engine_killed_in_the_middle_is_told_and_the_next_job_runs(user: User) -> None:
    user.type_prompt("a fox in the snow")
    user.click_generate()
    user.wait_for(Stage.denoising, done=1)
    (engine,) = engine_processes()
    os.kill(engine.pid, signal.SIGKILL)
    assert user.wait_for_end() is Ending.crashed
    (notice,) = user.shell.panels.notices.shown
    assert isinstance(notice.what, Failure)
    assert notice.what.kind in ("engine_crashed", "no_room")
    user.shell.panels.notices.dismiss_all()
    user.click_generate()
    assert user.wait_for_end() is Ending.done
    assert engine_processes()[0].pid != engine.pid


@posix
def test_twenty_jobs_outlive_a_kill_of_the_app(open_shell: Open, folders: Folders, qtbot: QtBot) -> None:
    environment = {**os.environ, "FIRSTLIGHT_HOME": str(folders.config.parent), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.app.window.programs", "queue_jobs", "20"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == "queued\n"
        children = psutil.Process(app.pid).children(recursive=True)
        app.kill()
    shell = open_shell(prepare=False)
    qtbot.waitUntil(lambda: bool(shell.panels.notices.shown), timeout=PATIENCE * 1000)
    (notice,) = shell.panels.notices.shown
    assert (notice.what, notice.subject) == (Told.queue_restored, "20")
    assert shell.desk.jobs.paused
    waiting = shell.desk.jobs.store.page((JobState.queued,), 0, 50)
    assert [job.title for job in waiting] == [f"picture {number}" for number in range(20)]
    psutil.wait_procs(children, timeout=30)  # the engine of a window that is gone ends by itself
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
