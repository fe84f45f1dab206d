from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

from app.logs import FILE_NAME, log_file, write_fault

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_records_and_warnings_go_to_the_file_and_not_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with log_file(tmp_path / "logs"), warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.getLogger("some.library").info("loaded ō 😄 \udc80")
        warnings.warn("old habit", UserWarning, stacklevel=1)
    text = (tmp_path / "logs" / FILE_NAME).read_text(encoding="utf-8")
    assert "loaded ō 😄 \\udc80" in text
    assert "old habit" in text
    assert capsys.readouterr().err == ""


def test_nothing_is_made_where_nothing_is_said(tmp_path: Path) -> None:
    with log_file(tmp_path / "logs"):
        pass
    assert not (tmp_path / "logs").exists()


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    with log_file(tmp_path / "file" / "logs"):
        logging.getLogger("some.library").error("unheard")
    assert capsys.readouterr().err == ""


def test_a_fault_is_kept_with_its_traceback(tmp_path: Path) -> None:
    try:
        raise RuntimeError("the reason")
    except RuntimeError as error:
        path = write_fault(error, tmp_path / "logs")
    assert path == tmp_path / "logs" / FILE_NAME
    text = (tmp_path / "logs" / FILE_NAME).read_text(encoding="utf-8")
    assert text.startswith("Traceback")
    assert "the reason" in text


def test_a_fault_that_cannot_be_kept_is_no_second_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert write_fault(RuntimeError("x"), tmp_path / "file") is None
