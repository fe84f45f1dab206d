"""Files written whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pipelines.replacing import replace_bytes, replacing


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    replace_bytes(target, b"old")
    with replacing(target) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == {"a.json"}


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_all_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.json"
    target.write_bytes(b"old")

    def write() -> None:
        with replacing(target) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(error):
        write()
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == {"a.json"}


def test_a_name_as_long_as_the_system_takes(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    replace_bytes(target, b"x")
    assert names(tmp_path) == {target.name}


def test_a_folder_in_its_place_stays(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    (target / "inner").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_bytes(target, b"x")
    assert names(tmp_path) == {"folder"}


@pytest.mark.skipif(sys.platform != "linux" or not Path("/dev/full").exists(), reason="Linux's full device")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.json"
    target.write_bytes(b"old")
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode: opened(Path("/dev/full"), "wb"))
    with pytest.raises(OSError, match="space"):
        replace_bytes(target, b"new")
    monkeypatch.undo()
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == {"a.json"}
