"""The page that gets the engine, used as a person would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pytestqt.qtbot")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QPushButton

from app.services.runtime import Runtime
from app.services.settings import Settings
from app.viewmodels.runtime import RuntimeModel, Stage
from app.views.runtime_page import RuntimePage
from pipelines.devices import Gpu, Machine, Versions
from tests.app.services.test_runtime import UV, open_installation, program, tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.services.runtime_install import Tools

pytestmark = pytest.mark.skipif(UV is None, reason="uv is not installed")
__all__ = ["program", "tools"]  # fixtures
ADA = Gpu(0, "RTX 4090", (8, 9), 24 * 2**30, "581.42")
NOTHING = Versions(None, None, None, None, None)
MACHINE = Machine("Windows 11", "CPU", 8, 2**35, 2**34, (ADA,), NOTHING, ())


@pytest.fixture
def page(qtbot: QtBot, program: Path, tools: Tools, tmp_path: Path) -> Iterator[RuntimePage]:
    runtime = Runtime(open_installation(program, tmp_path), tools)
    model = RuntimeModel(runtime, Settings(tmp_path / "settings.json"), MACHINE)
    made = RuntimePage(model)
    qtbot.addWidget(made)
    made.show()
    yield made
    model.close()


def find_button(page: RuntimePage, name: str) -> QPushButton:
    button = page.findChild(QPushButton, name)
    assert button is not None
    return button


def test_nvidias_licence_is_shown_before_its_part_is_offered(page: RuntimePage) -> None:
    text = page.findChild(QPlainTextEdit)
    accept = page.findChild(QCheckBox, "accept")
    assert text is not None
    assert accept is not None
    assert text.toPlainText() == "NVIDIA's words"
    assert not accept.isChecked()
    before = page._model.offer.download
    accept.click()
    assert page._model.offer.download > before


def test_a_click_gets_the_engine_and_leads_on(page: RuntimePage, qtbot: QtBot) -> None:
    qtbot.mouseClick(find_button(page, "begin"), Qt.MouseButton.LeftButton)
    assert page._model.stage is Stage.working
    assert find_button(page, "cancel").isVisible()
    qtbot.waitUntil(lambda: page._model.stage is Stage.done, timeout=60_000)
    assert not find_button(page, "begin").isVisible()
    assert any("ready" in label.text() for label in page.findChildren(QLabel))
    with qtbot.waitSignal(page.left):
        qtbot.mouseClick(find_button(page, "leave"), Qt.MouseButton.LeftButton)


def test_a_failure_is_shown_in_words_and_can_be_tried_again(page: RuntimePage, qtbot: QtBot, program: Path) -> None:
    lock = (program / "engine.lock").read_text()
    (program / "engine.lock").write_text(lock.replace("engine-tool==1.0", "engine-tool==9.9"))
    qtbot.mouseClick(find_button(page, "begin"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page._model.stage is Stage.failed, timeout=60_000)
    assert find_button(page, "begin").text() == "Try again"
    assert any(label.isVisible() and "could not" in label.text() for label in page.findChildren(QLabel))


def test_mirror_and_proxy_are_kept_when_it_begins(page: RuntimePage, qtbot: QtBot) -> None:
    proxy = page.findChild(QLineEdit, "proxy")
    assert proxy is not None
    proxy.setText("http://127.0.0.1:9")
    qtbot.mouseClick(find_button(page, "begin"), Qt.MouseButton.LeftButton)
    assert page._model.source.proxy == "http://127.0.0.1:9"
    qtbot.waitUntil(lambda: page._model.stage is Stage.done, timeout=60_000)  # wheels beside it: no network is used
