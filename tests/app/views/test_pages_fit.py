"""No text of the Models and Engine pages is clipped: English and German, as narrow as the window gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QSize, QTranslator
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget

import resources
from app.services.settings import Settings
from app.views.download_dialog import DownloadDialog
from app.views.flow import FlowLayout
from app.views.theme import Theme
from app.views.token_dialog import TokenDialog
from app.views.wrapping import TallArea, wrapping_label
from pipelines.events import CacheRead, Kernels, KernelsChanged, PlanChosen
from tests.app.services.test_models import FLUX, LORA, write
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture
from tests.app.views.hands import find_window
from tests.app.views.test_engine_page import Room, room, show  # noqa: F401  # a fixture
from tests.app.views.test_models_page import SCHNELL, Bench, bench  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

NARROW = QSize(650, 900)  # logical pixels: the narrowest window without its navigation


@pytest.fixture(params=["en", "de"])
def language(request: pytest.FixtureRequest, qapp: QApplication, tmp_path: Path) -> Iterator[str]:
    """With the look of the window, which decides how large texts are."""
    palette = qapp.palette()
    theme = Theme(qapp, Settings(tmp_path / "settings.json"))
    translator = QTranslator()
    assert translator.load(str(resources.folder() / "translations" / f"firstlight_{request.param}.qm"))
    QCoreApplication.installTranslator(translator)
    yield request.param
    QCoreApplication.removeTranslator(translator)
    theme.deleteLater()
    qapp.setStyleSheet("")
    qapp.setPalette(palette)


def clipped(parent: QWidget) -> list[str]:
    """What is not shown whole."""
    found: list[str] = []
    for label in parent.findChildren(QLabel):
        if label.isVisible() and label.text():
            whole = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
            wide = label.wordWrap() or label.width() >= label.sizeHint().width()
            if label.height() < whole or not wide:
                found.append(f"{label.text()} ({label.width()}x{label.height()}, wants {whole} of height)")
    for button in parent.findChildren(QAbstractButton):
        if button.isVisible() and button.text() and button.width() < button.sizeHint().width():
            found.append(button.text())
    return found


def test_the_models_page(
    language: str,
    bench: Bench,  # noqa: F811
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    write(tmp_path / "m" / "Fine tune.safetensors", FLUX)
    gone = write(tmp_path / "m" / "a very long name that somebody gave to a style.safetensors", LORA)
    (tmp_path / "m" / "old.ckpt").write_bytes(b"x")
    bench.page.resize(NARROW)
    bench.models.add(tmp_path / "m")
    qtbot.waitUntil(lambda: bench.models.find("fine-tune") is not None and bench.models.work is None, timeout=20_000)
    gone.unlink()
    bench.queue.add(SCHNELL)
    qtbot.waitUntil(lambda: bool(bench.queue.rows) and bool(bench.queue.rows[0].download.denial), timeout=20_000)
    bench.models.refresh()
    for row in bench.models.rows:
        bench.page.choose(row.name)
        qtbot.wait(20)
        assert clipped(bench.page) == [], (language, row.name)


def test_the_dialogs(language: str, bench: Bench, qtbot: QtBot) -> None:  # noqa: F811
    bench.page.choose("flux.1-schnell")
    bench.page._open_download("flux.1-schnell")  # pyright: ignore[reportPrivateUsage]
    dialog = find_window(DownloadDialog, qtbot)
    qtbot.waitUntil(lambda: bench.offer.terms is not None, timeout=20_000)
    qtbot.wait(50)
    assert clipped(dialog) == [], language
    dialog.reject()
    bench.page._open_tokens("")  # pyright: ignore[reportPrivateUsage]
    token = find_window(TokenDialog, qtbot)
    qtbot.waitUntil(lambda: bench.tokens.known is not None, timeout=20_000)
    qtbot.wait(50)
    assert clipped(token) == [], language


def test_the_engine_page(language: str, room: Room, qtbot: QtBot) -> None:  # noqa: F811
    room.page.resize(NARROW)
    show(room, qtbot)
    report = room.bench.desk.engine.reported
    why = "PyTorch itself, as tensorrt_rtx and inductor cannot run here; on the CPU, as there is no NVIDIA GPU"
    for component in ("text_encoder", "text_encoder_2", "transformer", "vae"):
        report.emit(1, PlanChosen(component, "eager", "fp32", why, "cpu"))
    report.emit(1, CacheRead("transformer", hit=False, reason="there is none yet"))
    report.emit(1, KernelsChanged("transformer", "1024x1024", Kernels.specialising, 3.0, 12.0))
    qtbot.wait(100)
    assert clipped(room.page) == [], language


def test_what_flows_goes_on_in_the_next_line(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    flow = FlowLayout(widget)
    buttons = [QPushButton(f"Button {number}") for number in range(4)]
    for button in buttons:
        flow.addWidget(button)
    wide = sum(button.sizeHint().width() + flow.spacing() for button in buttons)
    assert flow.heightForWidth(wide) == buttons[0].sizeHint().height()
    assert flow.heightForWidth(wide // 2 + 1) == 2 * buttons[0].sizeHint().height() + flow.spacing()
    buttons[3].hide()
    assert flow.heightForWidth(wide - buttons[3].sizeHint().width()) == buttons[0].sizeHint().height()
    assert (flow.count(), flow.itemAt(9)) == (4, None)


def test_what_is_inside_a_tall_area_is_as_high_as_it_has_to_be(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QVBoxLayout

    area, inside = TallArea(), QWidget()
    qtbot.addWidget(area)
    label = wrapping_label()
    QVBoxLayout(inside).addWidget(label)
    area.set_inside(inside)
    area.resize(300, 100)
    area.show()
    label.setText("word " * 200)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert label.height() >= label.heightForWidth(label.width())
    label.setText("word")
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
