"""Settings in files of every state."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject

from app.services.settings import Settings
from app.services.settings_table import (
    LANGUAGE,
    LIVE_PREVIEW,
    PICTURES_FOLDER,
    SETTINGS,
    THEME,
    THUMBNAIL_CACHE_MB,
    Setting,
)
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    from pipelines.events import Failure

JSON = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


class Listener(QObject):
    def __init__(self, chosen: Settings) -> None:
        super().__init__()
        self.changed: list[str] = []
        self.problems: list[Failure] = []
        chosen.changed.connect(self.changed.append)
        chosen.problem.connect(self.problems.append)


def write(file: Path, content: object) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def test_every_default_is_possible_and_every_name_is_there_once() -> None:
    names = [name for setting in SETTINGS for name in (setting.name, *setting.old_names)]
    assert len(names) == len(set(names))
    for setting in SETTINGS:
        assert setting.check(setting.default) == ""
        assert bool(setting.label) == bool(setting.text)


def test_choices_of_the_request_are_all_offered() -> None:
    table = {setting.name: setting.choices for setting in SETTINGS}
    assert set(table["backend"]) == {backend.value for backend in Backend}
    assert set(table["precision"]) == {precision.value for precision in Precision}


def test_what_is_chosen_is_there_at_the_next_start(file: Path) -> None:
    chosen = Settings(file)
    heard = Listener(chosen)
    assert (chosen.notice, chosen.get(LANGUAGE), file.exists()) == ("", "system", False)
    chosen.set(LANGUAGE, "de")
    chosen.set(LIVE_PREVIEW, False)
    chosen.set(THUMBNAIL_CACHE_MB, 500)
    chosen.set(PICTURES_FOLDER, "/ü 😄\ud83d")
    chosen.set(LANGUAGE, "de")
    assert heard.changed == ["language", "live_preview", "thumbnail_cache_mb", "pictures_folder"]
    again = Settings(file)
    assert (again.text(LANGUAGE), again.flag(LIVE_PREVIEW), again.number(THUMBNAIL_CACHE_MB)) == ("de", False, 500)
    assert again.text(PICTURES_FOLDER) == "/ü 😄\ud83d"
    assert again.notice == ""
    again.reset(LANGUAGE)
    assert "language" not in json.loads(file.read_text())
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]
    with pytest.raises(TypeError):
        again.flag(LANGUAGE)


@pytest.mark.parametrize(
    ("setting", "value"),
    [(LANGUAGE, "fr"), (LANGUAGE, 3), (LIVE_PREVIEW, 1), (THUMBNAIL_CACHE_MB, 10), (THUMBNAIL_CACHE_MB, True)],
)
def test_an_impossible_value_is_the_callers_mistake(file: Path, setting: Setting, value: object) -> None:
    chosen = Settings(file)
    with pytest.raises(ValueError, match=setting.name):
        chosen.set(setting, value)  # pyright: ignore[reportArgumentType] - the mistake is the point
    assert chosen.get(setting) == setting.default


def test_numbers_that_are_no_numbers() -> None:
    real = Setting("real", 0.5, low=0.0, high=1.0)
    assert real.check(float("nan"))
    assert real.check(float("inf"))
    assert real.check(1) == ""
    assert real.check("1")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b'{"language": "de"', b"[" * 100_000, b" " * 10_000_001],
    ids=range(8),
)
def test_a_broken_file_is_kept_aside_and_told_of_once(file: Path, content: bytes) -> None:
    write(file, content)
    chosen = Settings(file)
    (aside,) = file.parent.glob("settings.broken-*.json")
    assert aside.read_bytes() == content
    assert str(aside) in chosen.notice
    assert chosen.get(LANGUAGE) == "system"
    chosen.set(LANGUAGE, "de")
    again = Settings(file)
    assert (again.notice, again.get(LANGUAGE)) == ("", "de")


def test_one_impossible_value_costs_no_other(file: Path) -> None:
    write(file, {"language": "xx", "theme": "dark", "live_preview": "yes"})
    chosen = Settings(file)
    assert (chosen.get(LANGUAGE), chosen.get(THEME), chosen.get(LIVE_PREVIEW)) == ("system", "dark", True)
    assert "language: 'xx' is none of system, en, de" in chosen.notice
    (aside,) = file.parent.glob("settings.broken-*.json")
    assert json.loads(aside.read_text())["language"] == "xx"


def test_settings_of_a_later_version_stay_in_the_file(file: Path) -> None:
    write(file, {"hologram": {"depth": [1, None]}, "theme": "dark"})
    chosen = Settings(file)
    assert chosen.notice == ""
    chosen.set(LANGUAGE, "en")
    assert json.loads(file.read_text()) == {"hologram": {"depth": [1, None]}, "theme": "dark", "language": "en"}


def test_a_setting_that_was_renamed_keeps_its_value(file: Path) -> None:
    renamed = Setting("colour", "red", old_names=("color",))
    write(file, {"color": "blue"})
    chosen = Settings(file, table=(renamed,))
    assert chosen.get(renamed) == "blue"
    chosen.set(renamed, "green")
    assert json.loads(file.read_text()) == {"colour": "green"}


def test_a_byte_order_mark_by_windows_notepad_is_no_fault(file: Path) -> None:
    write(file, b'\xef\xbb\xbf{"language": "de"}')
    assert Settings(file).get(LANGUAGE) == "de"


def test_a_folder_that_cannot_be_written_is_told_and_the_choice_holds(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    chosen = Settings(file)
    heard = Listener(chosen)
    chosen.set(LANGUAGE, "de")
    assert chosen.get(LANGUAGE) == "de"
    (problem,) = heard.problems
    assert str(file) in problem.message
    assert heard.changed == ["language"]


@pytest.mark.skipif(sys.platform != "linux" or not Path("/dev/full").exists(), reason="Linux's full device")
def test_a_full_disk_leaves_the_file_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Settings(file)
    chosen.set(LANGUAGE, "de")
    before = file.read_bytes()
    heard = Listener(chosen)
    opened = Path.open

    def open_full(path: Path, *arguments: object, **options: object) -> object:
        return opened(Path("/dev/full"), "wb") if path.suffix == ".part" else opened(path, *arguments, **options)  # pyright: ignore

    monkeypatch.setattr(Path, "open", open_full)
    chosen.set(THEME, "dark")
    assert len(heard.problems) == 1
    assert file.read_bytes() == before


def test_a_folder_in_the_place_of_the_file(file: Path) -> None:
    file.mkdir(parents=True)
    chosen = Settings(file)
    assert str(file) in chosen.notice
    assert chosen.get(LANGUAGE) == "system"


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from([*(s.name for s in SETTINGS), "other"]), JSON))
def test_no_document_keeps_the_app_from_opening(file: Path, document: dict[str, object]) -> None:
    write(file, document)
    chosen = Settings(file)
    for setting in SETTINGS:
        assert setting.check(chosen.get(setting)) == ""
    for aside in file.parent.glob("*broken*"):
        aside.unlink()
