"""A prompt of any kind gives a file name that every system can have."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import filenames
from pipelines.metadata import Record
from pipelines.request import SEED_MAX, GenerationRequest

RECORD = Record(
    GenerationRequest("", "starter", 256, 256, 20, 3.5, 7),
    "0.1.0",
    "eager",
    "fp32",
    "cpu",
    "2025-01-02T12:00:00+00:00",
)
DATE = datetime.fromisoformat(RECORD.created).astimezone().date().isoformat()


def stem(prompt: str, seed: int = 7) -> str:
    return filenames.stem(replace(RECORD, request=replace(RECORD.request, prompt=prompt, seed=seed)))


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("a red apple on a blue background", "-a-red-apple-on-a-blue-background"),
        ('"A Name" game?', "-a-name-game"),  # easydiffusion#99
        ("ō 😄", "-ō"),  # easydiffusion#332
        ("C:\\x/../*<>|:y", "-c-x-y"),
        ("CON", "-con"),
        ("ends with dots...", "-ends-with-dots"),
        ("line\none\ttab\0nul", "-line-one-tab-nul"),
        ("日本の猫", "-日本の猫"),
        ("\udc80 \ud83d", ""),
        ("😄", ""),
        ("", ""),
    ],
)
def test_names(prompt: str, words: str) -> None:
    assert stem(prompt) == f"{DATE}-7{words}"


@given(st.text(st.characters(exclude_categories=())), st.integers(0, SEED_MAX))
def test_any_prompt_gives_a_valid_name(prompt: str, seed: int) -> None:
    name = f"{stem(prompt, seed)}-1000.png"
    assert filenames.windows_problem(name) == ""
    assert len(name.encode()) < 120
    assert name == unicodedata.normalize("NFC", name)
    assert name.startswith(f"{DATE}-{seed}")


def test_a_long_prompt_is_cut_between_characters() -> None:
    name = stem("é" * 300, SEED_MAX)
    assert len(name.encode()) in (filenames.STEM_BYTES - 1, filenames.STEM_BYTES)
    assert name.endswith("é")


@pytest.mark.parametrize("name", ["a.png", "console.png", "com10.png", "con-cat.png", ".hidden", "日本.png"])
def test_names_that_windows_can_have(name: str) -> None:
    assert filenames.windows_problem(name) == ""


BAD = ["a:b.png", "a*.png", 'a".png', "a<.png", "a|.png", "a?.png", "a\\b", "a\n.png", "a.", "a "]
RESERVED = ["CON", "con.png", "nul .tar.gz", "LPT1.png", "COM¹.png"]


@pytest.mark.parametrize("name", BAD + RESERVED)
def test_names_that_windows_cannot_have(name: str) -> None:
    assert filenames.windows_problem(name)
