"""Prompts as AUTOMATIC1111 writes them."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import prompts
from pipelines.errors import InvalidRequest, UnusableFile
from pipelines.prompts import Piece

if TYPE_CHECKING:
    from pathlib import Path

BREAK = Piece("", ends_chunk=True)


def pairs(prompt: str) -> list[tuple[str, float]]:
    return [(piece.text, piece.weight) for piece in prompts.parse(prompt)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        # The examples that AUTOMATIC1111 publishes with its parser
        ("normal text", [("normal text", 1.0)]),
        ("an (important) word", [("an ", 1.0), ("important", 1.1), (" word", 1.0)]),
        ("(unbalanced", [("unbalanced", 1.1)]),
        (r"\(literal\]", [("(literal]", 1.0)]),
        ("(unnecessary)(parens)", [("unnecessaryparens", 1.1)]),
        (
            "a (((house:1.3)) [on] a (hill:0.5), sun, (((sky))).",
            [
                ("a ", 1.0), ("house", 1.573), (" ", 1.1), ("on", 1.0), (" a ", 1.1), ("hill", 0.55),
                (", sun, ", 1.1), ("sky", 1.4641), (".", 1.1),
            ],
        ),
        ("", [("", 1.0)]),
        ("[less]", [("less", 1 / 1.1)]),
        ("(one: 1.5 ) two", [("one", 1.5), (" two", 1.0)]),
        ("time 10:30) later", [("time 10:30) later", 1.0)]),
        ("a) b] c", [("a) b] c", 1.0)]),
        ("(negative:-0.5)", [("negative", -0.5)]),
        ("(a:.5)", [("a", 0.5)]),
        (r"C:\dir\(x\)", [(r"C:\dir(x)", 1.0)]),
    ],
)  # fmt: skip
def test_weights(prompt: str, expected: list[tuple[str, float]]) -> None:
    found = pairs(prompt)
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [weight for _, weight in found] == pytest.approx([weight for _, weight in expected])


def test_break_ends_a_chunk_and_nothing_else_does() -> None:
    assert prompts.parse("one BREAK two") == (Piece("one"), BREAK, Piece("two"))
    assert prompts.parse("BREAKFAST at OUTBREAK") == (Piece("BREAKFAST at OUTBREAK"),)
    assert prompts.parse("(a BREAK b:1.2)") == (Piece("a", 1.2), BREAK, Piece("b", 1.2))


@given(st.text(alphabet=st.sampled_from("ab \\()[]:.1BREAK,\n"), max_size=40))
def test_any_text_is_a_prompt_and_none_is_lost(text: str) -> None:
    pieces = prompts.parse(text)
    assert pieces
    letters = "".join(piece.text for piece in pieces).replace("BREAK", "")
    assert letters.count("a") == text.count("a")
    for before, after in itertools.pairwise(pieces):
        assert before.ends_chunk or after.ends_chunk or before.weight != after.weight


@given(st.text(alphabet=st.characters(exclude_characters="()[]\\BREAK", exclude_categories=["Cs"]), min_size=1))
def test_text_without_brackets_stays_as_it_is(text: str) -> None:
    assert prompts.parse(text) == (Piece(text),)


@given(st.text(alphabet=st.characters(exclude_characters="BREAK", exclude_categories=["Cs"]), min_size=1))
def test_escaped_text_is_itself(text: str) -> None:
    escaped = "".join(f"\\{one}" if one in "()[]\\" else one for one in text)
    assert prompts.parse(escaped) == (Piece(text),)


@given(st.integers(1, 6), st.integers(0, 6))
def test_brackets_multiply(rounds: int, squares: int) -> None:
    (piece,) = prompts.parse("(" * rounds + "[" * squares + "x" + "]" * squares + ")" * rounds)
    assert piece.weight == pytest.approx(1.1 ** (rounds - squares))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("a cat (small, grey) [sic]", ("a cat (small, grey) [sic]", False)),
        ("a (red:1.3) cat", ("a red cat", True)),
        ("((red:1.3):0.5) cat", ("red cat", True)),
        ("one BREAK two", ("one two", True)),
        (r"\(a:1.2)", (r"\(a:1.2)", False)),
    ],
)
def test_for_encoders_without_weights(prompt: str, expected: tuple[str, bool]) -> None:
    assert prompts.strip_weights(prompt) == expected


class TestDraw:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "colours.txt").write_text("# three\nred\n\ngreen\nblue\n", encoding="utf-8")
        (tmp_path / "animals").mkdir()
        (tmp_path / "animals" / "big_ones.txt").write_text("\ufeff{grey|__colours__} elephant", encoding="utf-8")
        (tmp_path / "loop.txt").write_text("__loop__")
        (tmp_path / "empty.txt").write_text("# nothing\n")
        return tmp_path

    def test_the_same_seed_draws_the_same_and_says_what(self, folder: Path) -> None:
        drawn = prompts.draw("a __colours__ {cat|dog}", 5, folder)
        assert drawn == prompts.draw("a __colours__ {cat|dog}", 5, folder)
        assert [asked for asked, _ in drawn.values] == ["__colours__", "{cat|dog}"]
        assert drawn.prompt == "a {} {}".format(*(value for _, value in drawn.values))
        assert len({prompts.draw("a __colours__ {cat|dog}", seed, folder).prompt for seed in range(50)}) == 6

    def test_values_may_hold_further_ones(self, folder: Path) -> None:
        found = {prompts.draw("__animals/big_ones__", seed, folder).prompt for seed in range(60)}
        assert found == {f"{colour} elephant" for colour in ("grey", "red", "green", "blue")}
        nested = {prompts.draw("{a|{b|c}}", seed, None).prompt for seed in range(60)}
        assert nested == {"a", "b", "c"}

    @pytest.mark.parametrize(
        "prompt", ["plain", "a __../x__", "snake__case", "a_b", "(x:1.2) [y]", "", "____", '{"json": [1]}']
    )
    def test_nothing_to_draw(self, prompt: str) -> None:
        assert prompts.draw(prompt, 1, None) == prompts.Drawn(prompt)

    @pytest.mark.parametrize(
        ("prompt", "error"),
        [
            ("__none__", UnusableFile), ("__empty__", UnusableFile), ("__loop__", InvalidRequest),
            ("__a/../../x__", InvalidRequest), ("__etc/passwd__", UnusableFile),
        ],
    )  # fmt: skip
    def test_refusals(self, folder: Path, prompt: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            prompts.draw(prompt, 1, folder)

    def test_without_a_folder(self) -> None:
        with pytest.raises(UnusableFile, match="no folder"):
            prompts.draw("__colours__", 1, None)


@pytest.mark.parametrize(
    "prompt",
    ["((a:1.2) [b] , " * 20_000, "(" * 50_000, "(" * 20_000 + "a" + ":1.2)" * 20_000, " " * 100_000 + "x",
     "__a " * 30_000, "(a:" * 30_000, "{a|" * 20_000],
    ids=["mixed", "open", "nested", "spaces", "underscores", "colons", "braces"],
)  # fmt: skip
def test_a_prompt_of_any_kind_is_read_in_no_time(prompt: str) -> None:
    began = time.perf_counter()
    prompts.parse(prompt)
    prompts.strip_weights(prompt)
    prompts.draw(prompt, 1, None)
    assert time.perf_counter() - began < 20  # a busy machine; what grows with the square takes minutes
