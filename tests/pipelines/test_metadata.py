"""The settings inside a picture come back exactly, and damaged ones are refused in words."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import metadata
from pipelines.errors import UnusableFile
from pipelines.metadata import Record
from pipelines.request import (
    SEED_MAX,
    Backend,
    ControlChoice,
    GenerationRequest,
    HiresFix,
    LoraChoice,
    Outpaint,
    Precision,
)

RECORD = Record(
    GenerationRequest("a cat", "starter", 256, 256, 20, 3.5, 7),
    "0.1.0",
    "eager",
    "fp32",
    "cpu",
    "2025-01-02T03:04:05+00:00",
)


def as_utf16(text: str) -> str:
    """Two halves of a surrogate pair side by side are one character in UTF-16, and so in JSON."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


any_text = st.text(st.characters(exclude_categories=())).map(as_utf16)
any_path = any_text.map(lambda text: Path(text.replace("\0", "")))
share = st.floats(0, 1)
feather = st.integers(0, 256)
margin = st.integers(0, 512)
# From the prompt alone, maybe twice; from a start picture; with a mask; with margins
starts = st.one_of(
    st.fixed_dictionaries({"hires": st.none() | st.builds(HiresFix, st.floats(1.1, 4), st.floats(0.05, 1))}),
    st.fixed_dictionaries({"image": any_path}),
    st.fixed_dictionaries(
        {"image": any_path, "mask_image": any_path, "mask_feather": feather, "mask_area_only": st.booleans()}
    ),
    st.fixed_dictionaries(
        {
            "image": any_path,
            "mask_feather": feather,
            "outpaint": st.builds(Outpaint, margin, margin, margin, st.integers(1, 512)),
        }
    ),
)
controls = st.builds(
    ControlChoice,
    model=any_text.filter(bool),
    image=any_path,
    weight=st.floats(0, 2),
    start=st.floats(0, 0.5),
    end=st.floats(0.5, 1),
    preprocessor=st.sampled_from(["none", "canny"]),
)
plain_requests = st.builds(
    GenerationRequest,
    prompt=any_text,
    model=any_text,
    width=st.integers(64, 1024),
    height=st.integers(64, 1024),
    num_inference_steps=st.integers(1, 1000),
    guidance_scale=st.floats(0, 100),
    seed=st.integers(0, SEED_MAX),
    negative_prompt=any_text,
    scheduler=any_text,
    loras=st.lists(st.builds(LoraChoice, any_path, st.floats(-10, 10)), max_size=3).map(tuple),
    strength=share,
    upscale=st.sampled_from([1, 2, 4]),
    backend=st.sampled_from(Backend),
    precision=st.sampled_from(Precision),
    refiner=any_text,
    refiner_start=share,
    controls=st.lists(controls, max_size=2).map(tuple),
)
requests = st.builds(lambda request, start: replace(request, **start), plain_requests, starts)
records = st.builds(
    Record,
    request=requests,
    app_version=any_text,
    backend=any_text,
    precision=any_text,
    device=any_text,
    created=any_text,
    notes=st.dictionaries(any_text, any_text, max_size=3).map(lambda notes: tuple(notes.items())),
)


@given(records)
def test_round_trip_is_exact(record: Record) -> None:
    text = metadata.to_json(record)
    assert metadata.from_json(text) == record
    assert text.isascii()
    assert "\n" not in text


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "line one\nline two\r\n\n  indented",
        "ō 😄 \N{RIGHT-TO-LEFT OVERRIDE}עברית",
        "Negative prompt: not really\nSteps: 99, Sampler: Euler, CFG scale: 1, Seed: 1, Size: 8x8",
        '{"firstlight": 1, "request": {}}',
        "an undecodable byte \udc80 and NUL \0",
    ],
)
def test_prompts_that_broke_other_tools(prompt: str) -> None:
    record = replace(RECORD, request=replace(RECORD.request, prompt=prompt, negative_prompt=prompt, seed=SEED_MAX))
    assert metadata.from_json(metadata.to_json(record)) == record


def test_every_field_of_the_request_is_written() -> None:
    written = json.loads(metadata.to_json(RECORD))["request"]
    assert set(written) == {field.name for field in fields(GenerationRequest)}


def test_a_field_that_an_older_version_did_not_write_takes_its_default() -> None:
    document = json.loads(metadata.to_json(RECORD))
    for name in ("negative_prompt", "loras", "image", "upscale", "backend"):
        del document["request"][name]
    assert metadata.from_json(json.dumps(document)) == RECORD


def _with(**changes: object) -> str:
    document = json.loads(metadata.to_json(RECORD))
    document["request"] |= changes
    return json.dumps(document)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"firstlight": 1}',
        "[" * 100_000,
        metadata.to_json(RECORD)[:-20],
        _with(prompt=None),
        _with(width="256"),
        _with(width=True),
        _with(width=10**30),
        _with(seed=-1),
        _with(seed=SEED_MAX + 1),
        _with(guidance_scale=float("nan")),
        _with(guidance_scale=float("inf")),
        _with(guidance_scale=10**400),
        _with(loras=[None]),
        _with(backend="warp"),
        _with(num_images=2),
        _with(mask_image="mask.png"),
    ],
)
def test_damaged_settings_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UnusableFile) as caught:
        metadata.from_json(text)
    assert caught.value.message.startswith("The settings in the picture cannot be read: ")
    assert "\n" not in caught.value.message


def test_a_later_format_is_named() -> None:
    text = metadata.to_json(RECORD).replace('"firstlight": 1', '"firstlight": 2')
    with pytest.raises(UnusableFile, match="later Firstlight"):
        metadata.from_json(text)


def test_keys_of_a_later_version_are_passed_over() -> None:
    assert metadata.from_json(_with(sparkle=3)) == RECORD


def test_a_record_tells_of_one_picture() -> None:
    with pytest.raises(ValueError, match="one picture"):
        replace(RECORD, request=replace(RECORD.request, num_images=2))


def test_timestamp_is_utc_and_now() -> None:
    moment = datetime.fromisoformat(metadata.timestamp())
    assert moment.utcoffset() == timedelta(0)
    assert abs(datetime.now(moment.tzinfo) - moment) < timedelta(seconds=5)
