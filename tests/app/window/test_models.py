"""Models and the engine in the whole window: what one page does shows on the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QAbstractButton, QLineEdit

from app.views.download_dialog import DownloadDialog
from app.views.downloads_view import DownloadsView
from app.views.running_view import RunningView
from app.views.tables import WordTable
from pipelines.request import Backend
from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture
from tests.app.views.hands import child, choose, find_window, press, texts
from tests.pipelines.test_worker import request

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.folders import Folders
    from app.shell import Shell
    from tests.app.window.conftest import Open

pytestmark = pytest.mark.usefixtures("keys")


def download(shell: Shell, qtbot: QtBot, name: str) -> None:
    """As a person does it."""
    shell.window.show_page("models")
    choose(shell.window.page_widget("models"), "Download by name or address…")
    dialog = find_window(DownloadDialog, qtbot)
    qtbot.keyClicks(child(dialog, QLineEdit), name)
    press(dialog, "Look")
    buttons = [one for one in dialog.findChildren(QAbstractButton) if one.text() == "Download"]
    qtbot.waitUntil(lambda: buttons[0].isVisible(), timeout=20_000)
    press(dialog, "Download")


def test_a_model_is_downloaded_and_drawn_with(
    open_shell: Open, qtbot: QtBot, hub: HubServer, tiny_model: Path, folders: Folders
) -> None:
    hub.repositories["maker/Tiny"] = {
        str(file.relative_to(tiny_model).as_posix()): Content(file.read_bytes())
        for file in tiny_model.rglob("*")
        if file.is_file()
    }
    shell = open_shell()
    download(shell, qtbot, "maker/Tiny")  # though the process is told to stay offline, for the engine's sake
    generation = shell.panels.generate.generation
    qtbot.waitUntil(lambda: "tiny" in {choice.name for choice in generation.models}, timeout=60_000)
    shell.window.show_page("engine")
    page = shell.window.page_widget("engine")
    place = folders.data / "models" / "tiny"
    shell.desk.jobs.submit(request("x", model=str(place), backend=Backend.fake), folders.pictures)
    qtbot.waitUntil(lambda: "asked for: a stand-in" in texts(child(page, RunningView)), timeout=60_000)
    qtbot.waitUntil(lambda: "Last picture, 4 steps:" in texts(page), timeout=60_000)


def test_downloads_of_the_last_session_wait_to_be_told(
    open_shell: Open, qtbot: QtBot, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repositories["maker/big"] = {
        "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
        "transformer/x.safetensors": safetensors(5_000_000),
    }
    hub.slow = 0.05
    shell = open_shell()
    download(shell, qtbot, "maker/big")
    downloads = shell.panels.downloads
    qtbot.waitUntil(lambda: any(row.done > 100_000 for row in downloads.rows), timeout=20_000)
    shell.window.close()
    shell.close()
    hub.slow = 0.0
    monkeypatch.delenv("HF_HUB_OFFLINE")  # a new process begins with the user's own environment
    again = open_shell()
    again.window.show_page("models")
    view = child(again.window.page_widget("models"), DownloadsView)
    qtbot.waitUntil(lambda: "not finished last time" in texts(view), timeout=20_000)
    assert not again.panels.downloads.running
    press(view, "Go on")
    qtbot.waitUntil(lambda: again.panels.models.find("big") is not None, timeout=20_000)


def test_kernels_come_into_being_and_are_found_again(
    open_shell: Open, qtbot: QtBot, tiny_model: Path, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real engine process and the adaptive policy, as the fake backend rehearses it."""
    monkeypatch.setenv("FIRSTLIGHT_FAKE", "making=0.5 generic=0.1 own=0.05")

    def draw(shell: Shell) -> RunningView:
        shell.window.show_page("engine")
        job = request("x", model=str(tiny_model), backend=Backend.fake, num_inference_steps=20)
        shell.desk.jobs.submit(job, folders.pictures)
        return child(shell.window.page_widget("engine"), RunningView)

    shell = open_shell()
    card = draw(shell)
    qtbot.waitUntil(lambda: "No kernels of an earlier session: there is none yet." in texts(card), timeout=60_000)
    qtbot.waitUntil(lambda: "Being made for this size" in cells(card), timeout=60_000)
    qtbot.waitUntil(lambda: any("Made for this size" in cell for cell in cells(card)), timeout=60_000)
    qtbot.waitUntil(lambda: bool(shell.panels.timings.pictures), timeout=60_000)
    panel = shell.panels.engine
    qtbot.waitUntil(lambda: panel.caches is not None and bool(panel.caches.rows), timeout=20_000)
    assert panel.caches is not None
    assert {row.difference for row in panel.caches.rows} == {None}
    shell.window.close()
    shell.close()
    again = draw(open_shell())
    qtbot.waitUntil(lambda: "Kernels of an earlier session were found." in texts(again), timeout=60_000)


def cells(card: RunningView) -> list[str]:
    table = child(card, WordTable)
    items = [table.topLevelItem(number) for number in range(table.topLevelItemCount())]
    return [item.text(column) for item in items if item is not None for column in range(table.columnCount())]
