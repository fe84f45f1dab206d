"""The page that gets the engine, on a real installation of small wheels and the real uv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.services.runtime import Runtime
from app.services.runtime_install import Phase, RuntimeProgress, Source
from app.services.runtime_parts import PartName
from app.services.settings import Settings
from app.viewmodels.runtime import Graphics, RuntimeModel, Stage, judge_graphics, say_share
from pipelines.devices import Gpu
from tests.app.services.test_runtime import FAILS, UV, open_installation, program, set_wheel, tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.services.runtime_install import Tools

pytest.importorskip("pytestqt.qtbot")
pytestmark = pytest.mark.skipif(UV is None, reason="uv is not installed")
__all__ = ["program", "tools"]  # fixtures
ADA = Gpu(0, "RTX 4090", (8, 9), 24 * 2**30, "581.42")


@pytest.fixture
def model(program: Path, tools: Tools, tmp_path: Path, qapp: object) -> Iterator[RuntimeModel]:
    made = RuntimeModel(
        Runtime(open_installation(program, tmp_path), tools), Settings(tmp_path / "settings.json"), machine=None
    )
    yield made
    made.close()


def test_the_engine_comes_without_nvidias_part_until_its_licence_is_accepted(model: RuntimeModel, qtbot: QtBot) -> None:
    assert model.is_wanted
    assert model.offer.is_local
    stages: list[Stage] = []
    model.stage_changed.connect(stages.append)
    with qtbot.waitSignal(model.finished, timeout=60_000):
        model.start()
    assert stages == [Stage.working, Stage.done]
    missing = model._runtime.installation.missing
    assert [part.name for part in missing] == [PartName.nvidia]
    assert not model.is_wanted
    model.accept(True)
    with qtbot.waitSignal(model.finished, timeout=60_000):
        model.start()
    assert model._runtime.installation.missing == ()


def test_cancel_is_acknowledged_at_once_and_can_be_begun_again(model: RuntimeModel, qtbot: QtBot) -> None:
    model.start()
    model.cancel()
    assert model.stage is Stage.stopping
    qtbot.waitUntil(lambda: model.stage is Stage.offered, timeout=30_000)
    with qtbot.waitSignal(model.finished, timeout=60_000):
        model.start()


def test_a_failure_is_told_and_a_second_try_works(
    model: RuntimeModel,
    program: Path,
    qtbot: QtBot,
) -> None:
    lock = (program / "engine.lock").read_text()
    set_wheel(program, PartName.engine, "1.0", FAILS)
    (program / "engine.lock").write_text(lock)
    model.start()
    qtbot.waitUntil(lambda: model.stage is Stage.failed, timeout=30_000)
    assert model.failure is not None
    assert "not the one" in model.failure.message
    from tests.app.services.test_runtime import WORKS

    set_wheel(program, PartName.engine, "1.0", WORKS)
    (program / "engine.lock").write_text(lock)
    with qtbot.waitSignal(model.finished, timeout=60_000):
        model.start()
    assert model.failure is None


def test_the_source_is_remembered(model: RuntimeModel) -> None:
    model.set_source(" https://mirror.example/simple ", "")
    assert model.source == Source("https://mirror.example/simple", "")


@pytest.mark.parametrize(
    ("gpus", "expected"),
    [
        ((), Graphics.none),
        ((ADA,), Graphics.usable),
        ((Gpu(0, "GTX 1080", (6, 1), 8 * 2**30, "581.42"),), Graphics.too_old),
        ((Gpu(0, "RTX 4090", (8, 9), 24 * 2**30, "552.22"),), Graphics.old_driver),
        ((Gpu(0, "GTX 1080", (6, 1), 8 * 2**30, "581.42"), ADA), Graphics.usable),
    ],
)
def test_what_the_gpu_can_do(gpus: tuple[Gpu, ...], expected: Graphics) -> None:
    assert judge_graphics(gpus)[0] is expected


def test_only_fetching_knows_its_share() -> None:
    assert say_share(RuntimeProgress(PartName.engine, Phase.fetching, 25, 100)) == 0.25
    assert say_share(RuntimeProgress(PartName.engine, Phase.checking, 100, 100)) is None
