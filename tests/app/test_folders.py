from __future__ import annotations

from pathlib import Path

from app.folders import find_folders


def test_one_variable_puts_everything_in_one_folder(tmp_path: Path) -> None:
    folders = find_folders({"FIRSTLIGHT_HOME": str(tmp_path / "home with ō")})
    places = [folders.config, folders.data, folders.cache, folders.logs, folders.pictures]
    assert len(set(places)) == 5
    assert all(place.parent == tmp_path / "home with ō" for place in places)
    assert list(tmp_path.iterdir()) == []


def test_a_relative_home_is_fixed_where_the_command_ran() -> None:
    assert find_folders({"FIRSTLIGHT_HOME": "here"}).logs == Path.cwd() / "here" / "logs"


def test_without_it_the_systems_folders_are_used() -> None:
    folders = find_folders({})
    assert folders.pictures.name == "Firstlight"
    assert all(place.is_absolute() for place in (folders.config, folders.data, folders.cache, folders.logs))
