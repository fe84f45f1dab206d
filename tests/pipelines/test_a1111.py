"""A1111's `parameters` text: what we write its parser reads, and what anyone wrote we read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.a1111 import Parameters, parse_a1111, settings_of, to_a1111
from pipelines.metadata import Record
from pipelines.request import ControlChoice, GenerationRequest, HiresFix, LoraChoice

RECORD = Record(
    GenerationRequest("a cat", "starter", 256, 128, 20, 3.5, 7),
    "0.1.0",
    "eager",
    "fp32",
    "cpu",
    "2025-01-02T03:04:05+00:00",
)


def ambiguous(text: str) -> bool:
    """Whether the format itself cannot tell this prompt from what follows it."""
    return any(line.lstrip().startswith("Negative prompt:") for line in text.split("\n"))


prompts = st.text(st.characters(exclude_characters="\r")).filter(lambda text: not ambiguous(text))


@given(prompts, prompts)
def test_prompts_come_back_to_the_letter(prompt: str, negative: str) -> None:
    record = replace(RECORD, request=replace(RECORD.request, prompt=prompt, negative_prompt=negative))
    read = parse_a1111(to_a1111(record))
    assert (read.prompt, read.negative_prompt) == (prompt, negative)
    assert read.settings == settings_of(record)


def test_the_text_is_as_a1111_writes_it() -> None:
    record = replace(RECORD, request=replace(RECORD.request, prompt="one\ntwo", negative_prompt="three\nfour"))
    assert to_a1111(record) == (
        "one\ntwo\nNegative prompt: three\nfour\n"
        "Steps: 20, CFG scale: 3.5, Seed: 7, Size: 256x128, Model: starter, Version: Firstlight 0.1.0"
    )


def test_values_are_quoted_where_they_would_end_too_early() -> None:
    request = replace(
        RECORD.request,
        model='/models/my, "best": model\nv2',
        scheduler="FlowMatchEulerDiscreteScheduler",
        loras=(LoraChoice(Path("/l/one.safetensors"), 0.5), LoraChoice(Path("two.safetensors"))),
        image=Path("in.png"),
        upscale=2,
    )
    record = replace(RECORD, request=request)
    last = to_a1111(record).split("\n")[-1]
    assert r'Model: "my, \"best\": model\nv2"' in last
    assert 'Loras: "one:0.5, two:1"' in last
    assert dict(parse_a1111(to_a1111(record)).settings) == {
        "Steps": "20",
        "Sampler": "Euler",
        "CFG scale": "3.5",
        "Seed": "7",
        "Size": "256x128",
        "Model": 'my, "best": model\nv2',
        "Denoising strength": "0.6",
        "Loras": "one:0.5, two:1",
        "Postprocess upscale by": "2",
        "Version": "Firstlight 0.1.0",
    }


def test_masks_second_passes_and_further_networks_have_a1111s_names() -> None:
    masked = replace(RECORD.request, image=Path("a.png"), mask_image=Path("b.png"), mask_feather=4, mask_area_only=True)
    twice = replace(
        RECORD.request,
        hires=HiresFix(1.5, 0.4, 12),
        refiner="/models/refiner.safetensors",
        controls=(ControlChoice("C:\\nets\\canny", Path("edges.png"), 0.7, 0.1, 0.9, "canny"),),
    )
    told = dict(settings_of(replace(RECORD, request=masked)))
    assert (told["Mask blur"], told["Inpaint area"], told["Denoising strength"]) == ("4", "Only masked", "0.6")
    told = dict(parse_a1111(to_a1111(replace(RECORD, request=twice))).settings)
    assert (told["Hires upscale"], told["Hires steps"], told["Denoising strength"]) == ("1.5", "12", "0.4")
    assert (told["Refiner"], told["Refiner switch at"]) == ("refiner.safetensors", "0.8")
    assert told["ControlNet 0"] == ("Module: canny, Model: canny, Weight: 0.7, Guidance Start: 0.1, Guidance End: 0.9")


@given(prompts, st.text(min_size=1))
def test_a1111_finds_its_line_of_settings(prompt: str, model: str) -> None:
    """Its parser takes the last line, where that has three pairs of this form or more, and nothing else."""
    pair = re.compile(r'(\w[\w /-]+): ("(?:[^"\\]|\\.)+"|[^,]*)(?:, |$)')
    record = replace(RECORD, request=replace(RECORD.request, prompt=prompt, model=model))
    found = dict(pair.findall(to_a1111(record).split("\n")[-1]))
    assert {"Steps", "CFG scale", "Seed", "Size", "Version"} <= set(found)
    assert found["Seed"] == "7"


FROM_A1111 = "a girl, (red:1.2)\nNegative prompt: ugly\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 8x8"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Parameters("")),
        ("only words", Parameters("only words")),
        ("a: b, c: d", Parameters("a: b, c: d")),
        ("Negative prompt: nothing else", Parameters("", "nothing else")),
        (
            FROM_A1111,
            Parameters(
                "a girl, (red:1.2)",
                "ugly",
                (("Steps", "20"), ("Sampler", "Euler a"), ("CFG scale", "7"), ("Seed", "1"), ("Size", "8x8")),
            ),
        ),
        (FROM_A1111.replace("\n", "\r\n"), parse_a1111(FROM_A1111)),
        (
            "x\nSeed: 1, Size: 8x8, Model: m",
            Parameters("x", "", (("Seed", "1"), ("Size", "8x8"), ("Model", "m"))),
        ),
        (
            'x\nSteps: 1, Lora hashes: "a: 1, b: 2", Template: "two\\nlines", Seed: 3',
            Parameters(
                "x",
                "",
                (("Steps", "1"), ("Lora hashes", "a: 1, b: 2"), ("Template", "two\nlines"), ("Seed", "3")),
            ),
        ),
        # AUTOMATIC1111#12128: a bare newline inside a value
        (
            'x\nNegative prompt: y\nSteps: 1, Template: "two\nlines", Seed: 3',
            Parameters("x", "y", (("Steps", "1"), ("Template", '"two\nlines"'), ("Seed", "3"))),
        ),
    ],
)
def test_texts_of_other_tools(text: str, expected: Parameters) -> None:
    assert parse_a1111(text) == expected


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(parse_a1111(text), Parameters)
