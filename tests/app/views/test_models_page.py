"""The Models page as a person uses it: real widgets, real services, the real local hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QProgressBar,
)

from app.services.queue import State
from app.services.shelf import Condition
from app.viewmodels.download_offer import DownloadOffer
from app.viewmodels.downloads import DownloadQueue
from app.viewmodels.models import Models
from app.viewmodels.tokens import TokenDesk
from app.views.download_dialog import DownloadDialog
from app.views.downloads_view import DownloadsView
from app.views.model_list import ROW, ModelListView
from app.views.models_page import ModelsPage
from app.views.token_dialog import TokenDialog
from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_models import FLUX, LORA, write, write_pipeline
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture
from tests.app.viewmodels.model_parts import RTX_4070, given, make_machine, open_services
from tests.app.views.hands import child, choose, find_window, press, texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.services.wiring import ModelServices
    from tests.app.services.test_tokens import Memory

SCHNELL = "black-forest-labs/FLUX.1-schnell"


class Bench:
    """The page with its view models."""

    def __init__(self, services: ModelServices) -> None:
        self.services = services
        self.models = Models(services, probe=lambda: make_machine(RTX_4070))
        self.queue = DownloadQueue(services.downloads)
        self.offer = DownloadOffer(services, self.queue, probe=lambda: make_machine(RTX_4070))
        self.tokens = TokenDesk(services.tokens, services.hub)
        self.page = ModelsPage(self.models, self.queue, self.offer, self.tokens)
        self.page.resize(1000, 700)

    def close(self) -> None:
        for one in (self.queue, self.offer, self.tokens, self.models):
            one.close()


@pytest.fixture
def bench(hub: HubServer, home: Path, keys: Memory, qtbot: QtBot) -> Iterator[Bench]:  # noqa: F811
    hub.repositories[SCHNELL] = {
        "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
        "transformer/x.safetensors": safetensors(400_000),
    }
    hub.repositories["maker/free"] = dict(hub.repositories[SCHNELL])
    hub.gated, hub.gate.admitted = {SCHNELL}, {"good"}
    made = Bench(open_services(given(home, hub)))
    qtbot.addWidget(made.page)
    made.page.show()
    qtbot.waitUntil(lambda: made.models.find("starter") is not None, timeout=20_000)
    yield made
    hub.release.set()
    made.close()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were opened in the browser."""
    pages: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: pages.append(url.toString()))
    return pages


def titles(bench: Bench) -> list[str]:
    rows = child(bench.page, ModelListView).rows
    return [str(rows.index(number).data()) for number in range(rows.rowCount())]


def test_an_empty_profile_shows_the_starter_and_what_is_to_be_had(bench: Bench, qtbot: QtBot) -> None:
    assert titles(bench)[:3] == ["On this computer", "Firstlight starter", "To download"]
    assert "FLUX.1 [dev]" in titles(bench)
    assert "Ready to draw with." in texts(bench.page)
    qtbot.waitUntil(lambda: "are free" in texts(bench.page))
    assert not child(bench.page, DownloadsView).isVisible()
    bench.page.choose("flux.1-dev")
    qtbot.waitUntil(lambda: "the NVIDIA GeForce RTX 4070 has 12 GB: it may not run" in texts(bench.page))
    assert "FLUX.1 [dev] Non-Commercial License" in texts(bench.page)


def test_the_list_by_keyboard_and_search(bench: Bench, qtbot: QtBot) -> None:
    view = child(bench.page, ModelListView)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Down)  # over the heading
    assert view.currentIndex().data() == "FLUX.1 [dev]"
    search = next(one for one in bench.page.findChildren(QLineEdit) if one.accessibleName() == "Search models")
    qtbot.keyClicks(search, "schnell")
    assert titles(bench) == ["To download", "FLUX.1 [schnell]"]
    assert view.currentIndex().data() == "FLUX.1 [schnell]"
    search.clear()
    assert view.currentIndex().data() == "FLUX.1 [schnell]"
    assert "FLUX.1 [schnell], " in str(view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))


def test_a_gated_model_from_its_row_to_being_here(
    bench: Bench, qtbot: QtBot, hub: HubServer, opened: list[str]
) -> None:
    bench.page.choose("flux.1-schnell")
    press(bench.page, "Download…")
    dialog = find_window(DownloadDialog, qtbot)
    qtbot.waitUntil(lambda: "Apache-2.0" in texts(dialog), timeout=20_000)
    assert "in 2 files" in texts(dialog)
    assert "RTX 4070" in texts(dialog)
    press(dialog, "Read the licence on its page")
    assert opened == [f"{hub.endpoint}/{SCHNELL}"]
    start = next(one for one in dialog.findChildren(QAbstractButton) if one.text() == "Download")
    assert not start.isEnabled()
    child(dialog, QCheckBox).click()
    start.click()
    view = child(bench.page, DownloadsView)
    qtbot.waitUntil(lambda: "no token is kept" in texts(view), timeout=20_000)
    assert "The download failed" in str(_caption(bench, "flux.1-schnell"))
    assert "It is among the downloads below." in texts(bench.page)
    press(view, "Open its page")
    assert opened[-1] == f"{hub.endpoint}/{SCHNELL}"
    press(view, "Enter a token…")
    token = find_window(TokenDialog, qtbot)
    field = child(token, QLineEdit)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    qtbot.keyClicks(field, "good")
    press(token, "Keep in the keyring")
    qtbot.waitUntil(lambda: bench.models.find("flux.1-schnell").model is not None, timeout=30_000)  # pyright: ignore[reportOptionalMemberAccess]
    qtbot.waitUntil(lambda: not view.isVisible(), timeout=20_000)
    assert titles(bench)[:3] == ["On this computer", "Firstlight starter", "FLUX.1 [schnell]"]
    assert "Downloaded by Firstlight" in texts(bench.page)


def test_progress_pause_go_on_and_cancel(bench: Bench, qtbot: QtBot, hub: HubServer) -> None:
    hub.repositories["maker/free"]["transformer/x.safetensors"] = safetensors(4_000_000)
    hub.slow = 0.05
    choose(bench.page, "Download by name or address…")
    dialog = find_window(DownloadDialog, qtbot)
    field = child(dialog, QLineEdit)
    qtbot.keyClicks(field, "maker/free")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "The server tells" in texts(dialog) or "in 2 files" in texts(dialog), timeout=20_000)
    press(dialog, "Download")
    view = child(bench.page, DownloadsView)
    qtbot.waitUntil(lambda: "left" in texts(view) and "/s" in texts(view), timeout=30_000)
    qtbot.waitUntil(lambda: 0 < child(view, QProgressBar).value() < 1000, timeout=20_000)
    press(view, "free: pause")
    qtbot.waitUntil(lambda: "Paused" in texts(view) and not bench.queue.running, timeout=20_000)
    press(view, "free: go on")
    qtbot.waitUntil(lambda: bench.queue.running and bench.queue.rows[0].speed > 0, timeout=20_000)
    press(view, "free: cancel")
    box = find_window(QMessageBox, qtbot)
    assert "will be deleted" in box.informativeText()
    press(box, "Cancel and delete")
    qtbot.waitUntil(lambda: not view.isVisible() and not bench.queue.running, timeout=20_000)
    assert list((bench.services.models.folder).iterdir()) == []


def test_what_the_last_session_left_is_told(
    bench: Bench,
    qtbot: QtBot,
    hub: HubServer,
    home: Path,
    keys: Memory,  # noqa: F811
) -> None:
    bench.services.downloads.add("maker/free")
    bench.queue.restore()
    view = child(bench.page, DownloadsView)
    qtbot.waitUntil(lambda: "not finished last time" in texts(view))
    assert not bench.queue.running
    press(view, "Go on")
    qtbot.waitUntil(lambda: bench.models.find("free") is not None, timeout=30_000)


def test_a_name_that_is_taken_is_told_and_another_can_be_given(bench: Bench, qtbot: QtBot, hub: HubServer) -> None:
    hub.repositories["other/free"] = dict(hub.repositories["maker/free"])
    bench.queue.add("maker/free")
    qtbot.waitUntil(lambda: bench.models.find("free") is not None and not bench.queue.running, timeout=30_000)
    choose(bench.page, "Download by name or address…")
    dialog = find_window(DownloadDialog, qtbot)
    wish, name = dialog.findChildren(QLineEdit)
    qtbot.keyClicks(wish, "other/free")
    press(dialog, "Look")
    qtbot.waitUntil(lambda: name.isVisible() and name.text() == "free", timeout=20_000)
    press(dialog, "Download")
    qtbot.waitUntil(lambda: "There is a model named 'free' already." in texts(dialog), timeout=20_000)
    assert name.isVisible()
    name.clear()
    qtbot.keyClicks(name, "My other")
    press(dialog, "Download")
    qtbot.waitUntil(lambda: bench.models.find("my-other") is not None, timeout=30_000)


def test_an_address_that_leads_nowhere_is_told(bench: Bench, qtbot: QtBot) -> None:
    choose(bench.page, "Download by name or address…")
    dialog = find_window(DownloadDialog, qtbot)
    field = child(dialog, QLineEdit)
    qtbot.keyClicks(field, "maker/none")
    press(dialog, "Look")
    qtbot.waitUntil(lambda: "There is no maker/none" in texts(dialog), timeout=20_000)
    qtbot.keyClicks(field, "x")  # another name: the refusal is not about it
    assert "There is no maker/none" not in texts(dialog)
    press(dialog, "Cancel")
    assert not dialog.isVisible()


def test_a_bad_token_is_told_in_the_dialog(bench: Bench, qtbot: QtBot, hub: HubServer, opened: list[str]) -> None:
    bench.services.tokens.store(bench.services.hub.host, "wrong")
    bench.page.choose("flux.1-schnell")
    press(bench.page, "Download…")
    dialog = find_window(DownloadDialog, qtbot)
    qtbot.waitUntil(lambda: "does not accept the token" in texts(dialog), timeout=20_000)
    press(dialog, "Open its page")
    assert opened == [bench.services.hub.tokens_page]
    press(dialog, "Enter a token…")
    token = find_window(TokenDialog, qtbot)
    qtbot.waitUntil(lambda: "There is a token." in texts(token))
    qtbot.keyClicks(child(token, QLineEdit), "good")
    press(token, "Keep in the keyring")
    qtbot.waitUntil(lambda: "Apache-2.0" in texts(dialog), timeout=20_000)  # asked again by itself


def test_a_folder_is_added_in_place(bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "my models"
    write(folder / "Fine tune.safetensors", FLUX)
    write(folder / "style.safetensors", LORA)
    (folder / "old.ckpt").write_bytes(b"x")
    bench.page.offer_to_add(folder)
    press(find_window(QMessageBox, qtbot), "Use in place")
    qtbot.waitUntil(lambda: "2 models were added: fine-tune, style." in texts(bench.page), timeout=20_000)
    press(bench.page, "What was left out")
    shown = next(one for one in bench.page.findChildren(QPlainTextEdit) if one.isVisible())
    assert "old.ckpt: a pickle file" in shown.toPlainText()
    qtbot.waitUntil(lambda: "style" in titles(bench))
    bench.page.choose("style")
    assert "under LoRAs" in texts(bench.page)
    press(bench.page, "Put away")
    assert "were added" not in texts(bench.page)


def test_a_dropped_file_is_copied_checked_and_removed(
    bench: Bench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))  # where this system's bin is
    file = write(tmp_path / "style.safetensors", LORA)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    actions, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    bench.page.dropEvent(QDropEvent(QPointF(5, 5), actions, mime, buttons, Qt.KeyboardModifier.NoModifier))
    press(find_window(QMessageBox, qtbot), "Make a copy")
    qtbot.waitUntil(lambda: "style" in titles(bench) and bench.models.work is None, timeout=20_000)
    bench.page.choose("style")
    press(bench.page, "Check files")
    qtbot.waitUntil(lambda: "every file is whole" in texts(bench.page), timeout=20_000)
    copy = bench.services.models.folder / "style" / "style.safetensors"
    copy.write_bytes(copy.read_bytes()[:-1])
    qtbot.waitUntil(lambda: bench.models.work is None)
    press(bench.page, "Check files")
    qtbot.waitUntil(lambda: "1 files are damaged" in texts(bench.page), timeout=20_000)
    qtbot.waitUntil(lambda: bench.models.find("style").condition is Condition.changed)  # pyright: ignore[reportOptionalMemberAccess]
    assert "its size has changed" in texts(bench.page)
    press(bench.page, "Remove…")
    box = find_window(QMessageBox, qtbot)
    assert "become free when the bin is emptied" in box.informativeText()
    assert str(copy.parent) in box.informativeText()
    press(box, "Move to the bin")
    qtbot.waitUntil(lambda: "style" not in titles(bench), timeout=20_000)
    assert file.is_file()
    assert not copy.exists()


def test_a_damaged_download_is_fetched_again(bench: Bench, qtbot: QtBot, hub: HubServer) -> None:
    bench.queue.add("maker/free")
    qtbot.waitUntil(lambda: bench.models.find("free") is not None and not bench.queue.running, timeout=30_000)
    place = bench.services.models.folder / "free" / "transformer" / "x.safetensors"
    place.write_bytes(place.read_bytes()[:100])
    bench.page.choose("free")
    bench.models.refresh()
    qtbot.waitUntil(lambda: "File changed" in str(_caption(bench, "free")), timeout=20_000)
    qtbot.waitUntil(lambda: bench.models.work is None)
    press(bench.page, "Fetch damaged files again")
    qtbot.waitUntil(lambda: place.is_file() and place.stat().st_size > 100_000, timeout=30_000)
    qtbot.waitUntil(lambda: "File changed" not in str(_caption(bench, "free")), timeout=20_000)


def test_files_are_chosen_in_a_dialog(
    bench: Bench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "open", lambda self: self.fileSelected.emit(str(tmp_path / "pipe")))
    write_pipeline(tmp_path / "pipe")
    choose(bench.page, "A folder of models…")
    box = find_window(QMessageBox, qtbot)
    assert "pipe" in box.text()
    press(box, "Cancel")
    assert bench.models.work is None


def test_everything_has_a_name_and_the_keyboard_reaches_it(bench: Bench, qtbot: QtBot) -> None:
    bench.queue.add("maker/free")
    for kind in (QAbstractButton, QLineEdit, QProgressBar):
        for widget in bench.page.findChildren(kind):
            if not widget.isVisible():
                continue
            name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
            assert name, widget
            if not isinstance(widget, QProgressBar):
                assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    qtbot.waitUntil(lambda: not bench.queue.running and State.running not in _states(bench), timeout=30_000)


def _states(bench: Bench) -> set[State]:
    return {row.download.state for row in bench.queue.rows}


def _caption(bench: Bench, name: str) -> object:
    rows = child(bench.page, ModelListView).rows
    for number in range(rows.rowCount()):
        row = rows.index(number).data(ROW)
        if row is not None and row.name == name:
            return rows.index(number).data(Qt.ItemDataRole.AccessibleTextRole)
    return ""
