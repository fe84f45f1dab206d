from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.viewmodels.emphasis import change
from pipelines.prompts import Piece, parse


@pytest.mark.parametrize(
    ("text", "start", "end", "stronger", "result"),
    [
        ("a red fox", 3, 3, True, "a (red:1.1) fox"),
        ("a red fox", 2, 9, True, "a (red fox:1.1)"),
        ("a red fox", 1, 6, False, "a (red:0.9) fox"),
        ("a (red:1.1) fox", 4, 4, True, "a (red:1.2) fox"),
        ("a (red:1.1) fox", 2, 11, False, "a red fox"),
        ("a (red:0.1) fox", 4, 4, False, "a (red:0) fox"),
        ("a (red:2) fox", 4, 4, True, "a (red:2) fox"),
        ("", 0, 0, True, ""),
        ("a  b", 2, 2, True, "a  b"),
        ("fox, snow", 1, 1, True, "(fox:1.1), snow"),
    ],
)
def test_a_tenth_more_or_less(text: str, start: int, end: int, stronger: bool, result: str) -> None:
    assert change(text, start, end, stronger=stronger).text == result


def test_again_and_again_by_what_is_selected() -> None:
    now = change("a red fox", 3, 3, stronger=True)
    for _ in range(3):
        now = change(now.text, now.start, now.end, stronger=True)
    assert now.text == "a (red:1.4) fox"
    assert parse(now.text)[1] == Piece("red", 1.4)
    for _ in range(4):
        now = change(now.text, now.start, now.end, stronger=False)
    assert now.text == "a red fox"


@given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 30), st.booleans())
def test_no_prompt_breaks_it(text: str, one: int, other: int, stronger: bool) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    changed = change(text, start, end, stronger=stronger)
    assert 0 <= changed.start <= changed.end <= len(changed.text)
