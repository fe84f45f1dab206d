from __future__ import annotations

import pytest

from app.arguments import make_parser
from app.commands.generate import make_request
from pipelines import styles
from pipelines.errors import InvalidRequest
from pipelines.styles import NO_STYLE, SLOT, Style


def test_every_style_has_one_slot_and_a_key_of_its_own() -> None:
    found = styles.load()
    assert len(found) >= 12
    assert len({style.key for style in found}) == len({style.title for style in found}) == len(found)
    for style in found:
        assert style.template.count(SLOT) == 1
        assert style.key
        assert style.title


def test_the_prompt_goes_into_the_slot_whatever_it_holds() -> None:
    style = Style("x", "X", "an etching of {prompt}, old", "new")
    assert style.apply("a {prompt} {0} cat") == "an etching of a {prompt} {0} cat, old"
    assert style.lead == "an etching of "
    assert style.apply_negative("") == "new"
    assert style.apply_negative("blur ") == "blur, new"


def test_no_style_changes_nothing() -> None:
    assert NO_STYLE.apply(" a cat\n") == " a cat\n"
    assert NO_STYLE.apply_negative(" x ") == " x "


def test_the_command_line_draws_the_finished_prompt() -> None:
    arguments = make_parser().parse_args(["generate", "a cat", "--style", "photograph"])
    assert make_request(arguments).prompt == "a photograph of a cat, natural light, 50 mm lens, fine detail"
    assert make_request(arguments).negative_prompt == ""  # the starter model has none that costs no time
    with pytest.raises(InvalidRequest, match="There is no style 'photo'") as caught:
        styles.find("photo")
    assert "photograph, portrait" in str(caught.value.action)
