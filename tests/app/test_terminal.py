from __future__ import annotations

import errno
import io
import json
import math
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.terminal import SafeText, Terminal, printable, to_json
from pipelines.errors import NoRoom
from pipelines.events import PictureSaved


class Gone(io.StringIO):
    """A stream whose reader has left."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize("encoding", ["cp932", "gbk", "cp1252", "ascii", "utf-8"])
def test_any_text_can_be_written_in_any_code_page(encoding: str) -> None:
    raw = io.BytesIO()
    stream = SafeText(io.TextIOWrapper(raw, encoding=encoding))
    stream.write("ō 😄 \udc80\n")
    stream.flush()
    assert stream.failure is None
    assert raw.getvalue().endswith(b"\\udc80\n")
    raw.getvalue().decode(encoding)


def test_a_character_that_the_code_page_has_is_not_escaped() -> None:
    raw = io.BytesIO()
    stream = SafeText(io.TextIOWrapper(raw, encoding="cp932"))
    stream.write("日本\N{GRINNING FACE}")
    stream.flush()
    assert raw.getvalue() == "日本".encode("cp932") + b"\\U0001f600"


def test_a_reader_that_left_is_remembered_and_never_raised() -> None:
    stream = SafeText(Gone())
    assert stream.write("one") == 3
    assert stream.write("two") == 3
    stream.flush()
    assert isinstance(stream.failure, BrokenPipeError)


def test_a_closed_stream_is_a_failure_and_never_raised() -> None:
    below = io.StringIO()
    stream = SafeText(below)
    below.close()
    assert not stream.isatty()
    stream.write("lost")
    assert stream.failure is not None


def test_a_process_without_a_console_can_print() -> None:
    stream = SafeText(None)
    assert stream.write("nowhere") == 7
    stream.flush()
    assert not stream.isatty()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("ō 😄", "ō 😄"),
        ("\udc80", "\\udc80"),
        ("a\rb", "a\\rb"),
    ],
)
def test_other_peoples_text_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters(codec=None)))
def test_printable_is_one_line(text: str) -> None:
    assert len(f"x{printable(text)}".splitlines()) == 1


def test_line_ends_can_be_kept() -> None:
    assert printable("a\nb\x07", keep="\n") == "a\nb\\x07"


class Colour(Enum):
    red = "r"


def test_values_become_json() -> None:
    picture = PictureSaved(Path("a.png"), 2**64 - 1, 64, 65, 1.5)
    assert to_json({"picture": picture, "colour": Colour.red, "nan": math.nan, "inf": (math.inf, 1.0)}) == {
        "picture": {"path": "a.png", "seed": 2**64 - 1, "width": 64, "height": 65, "model_seconds": 1.5},
        "colour": "r",
        "nan": None,
        "inf": [None, 1.0],
    }


def test_a_failure_is_one_line_and_in_json_beside_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(wants_json=True)
    terminal.so_far["pictures"] = ["one.png"]
    terminal.fail(NoRoom("The disk\nis full.", "Free some space."))
    out, err = capsys.readouterr()
    assert err == "firstlight: The disk\\nis full. Free some space.\n"
    assert out.isascii()
    assert json.loads(out) == {
        "error": {"kind": "no_room", "message": "The disk\nis full.", "action": "Free some space."},
        "pictures": ["one.png"],
    }
