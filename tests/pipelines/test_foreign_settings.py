"""Settings in the forms of InvokeAI, SwarmUI and Fooocus. Keys and shapes are theirs, the words are ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pipelines.fooocus import parse_fooocus
from pipelines.images import Source, read
from pipelines.invokeai import parse_invokeai
from pipelines.swarmui import parse_swarmui

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.a1111 import Parameters

    Parse = Callable[[str], Parameters | None]

INVOKEAI = {
    "generation_mode": "flux_txt2img",
    "positive_prompt": "a lighthouse, 猫 😄\nat dusk",
    "negative_prompt": "fog",
    "width": 1024,
    "height": 768,
    "seed": 4294967295,
    "steps": 28,
    "guidance": 3.5,
    "scheduler": "euler",
    "model": {"key": "1-2", "hash": "blake3:00", "name": "FLUX Dev", "base": "flux", "type": "main"},
    "loras": [{"model": {"key": "3", "name": "watercolour"}, "weight": 0.75}],
    "strength": 0.4,
    "rand_device": "cpu",
    "app_version": "5.6.0",
}
INVOKEAI_3 = {
    "positive_prompt": "a fox",
    "cfg_scale": 7.5,
    "steps": 30,
    "scheduler": "dpmpp_2m_k",
    "model": {"model_name": "sd-1.5", "base_model": "sd-1"},
    "loras": [{"lora": {"model_name": "ink", "base_model": "sd-1"}, "weight": 1}],
}
INVOKEAI_2 = {
    "model": "stable diffusion",
    "model_weights": "stable-diffusion-1.5",
    "app_version": "2.3.0",
    "image": {
        "prompt": [{"prompt": "a bear", "weight": 1.0}, {"prompt": "in snow", "weight": 0.5}],
        "steps": 50,
        "cfg_scale": 7.5,
        "height": 512,
        "width": 640,
        "seed": 7,
        "sampler": "k_lms",
    },
}
SWARMUI = {
    "sui_image_params": {
        "prompt": "a harbour <lora:ink>",
        "negativeprompt": "people",
        "model": "Folder/some_model",
        "seed": 18446744073709551615,
        "steps": "20",
        "cfgscale": 7.0,
        "fluxguidancescale": "3.5",
        "width": 1344,
        "height": 768,
        "sampler": "euler",
        "scheduler": "simple",
        "initimagecreativity": 0.6,
        "loras": ["ink", "paper"],
        "loraweights": ["0.8", "1"],
        "automaticvae": True,
        "swarm_version": "0.9.6.2",
    },
    "sui_extra_data": {"date": "2025-01-25", "original_prompt": "a <random:harbour,bay>"},
}
FOOOCUS = {
    "adm_guidance": "(1.5, 0.8, 0.3)",
    "base_model": "some_xl_model",
    "full_prompt": ["cinematic a pier", "a pier, detailed"],
    "full_negative_prompt": ["blurry", "text"],
    "guidance_scale": 4,
    "lora_combined_1": "offset_lora : 0.1",
    "lora_combined_2": "True : ink.safetensors : 0.5",
    "metadata_scheme": "fooocus",
    "negative_prompt": "",
    "performance": "Speed",
    "prompt": "a pier",
    "resolution": "(1152, 896)",
    "sampler": "dpmpp_2m_sde_gpu",
    "scheduler": "karras",
    "seed": "127589946317439009",
    "steps": 30,
    "styles": "['Fooocus V2']",
    "version": "Fooocus v2.5.5",
}
RUINED = {
    "Prompt": "a pier",
    "Negative": "boats",
    "steps": 8,
    "cfg": 2,
    "width": 1024,
    "height": 1024,
    "seed": 5,
    "sampler_name": "dpmpp_sde",
    "base_model_name": "some.safetensors",
    "software": "RuinedFooocus",
}


def told(parameters: Parameters | None) -> dict[str, str]:
    assert parameters is not None
    assert len(dict(parameters.settings)) == len(parameters.settings)
    return dict(parameters.settings)


def test_invokeai() -> None:
    found = parse_invokeai(json.dumps(INVOKEAI))
    assert told(found) == {
        "Steps": "28",
        "Sampler": "euler",
        "Distilled CFG scale": "3.5",
        "Seed": "4294967295",
        "Denoising strength": "0.4",
        "Size": "1024x768",
        "Model": "FLUX Dev",
        "Loras": "watercolour:0.75",
        "Version": "5.6.0",
    }
    assert found is not None
    assert (found.prompt, found.negative_prompt) == ("a lighthouse, 猫 😄\nat dusk", "fog")


def test_older_invokeai() -> None:
    found = told(parse_invokeai(json.dumps(INVOKEAI_3)))
    assert (found["Model"], found["CFG scale"], found["Loras"]) == ("sd-1.5", "7.5", "ink:1")
    second = parse_invokeai(json.dumps(INVOKEAI_2))
    assert second is not None
    assert second.prompt == "a bear in snow"
    assert told(second) == {
        "Steps": "50",
        "Sampler": "k_lms",
        "CFG scale": "7.5",
        "Seed": "7",
        "Size": "640x512",
        "Model": "stable diffusion",
        "Version": "2.3.0",
    }


def test_swarmui() -> None:
    found = parse_swarmui(json.dumps(SWARMUI, indent=2))
    assert found is not None
    assert (found.prompt, found.negative_prompt) == ("a harbour <lora:ink>", "people")
    assert told(found) == {
        "Steps": "20",
        "Sampler": "euler",
        "Schedule type": "simple",
        "Distilled CFG scale": "3.5",
        "CFG scale": "7",
        "Seed": "18446744073709551615",
        "Model": "Folder/some_model",
        "Version": "0.9.6.2",
        "Size": "1344x768",
        "Denoising strength": "0.6",
        "Loras": "ink:0.8, paper:1",
    }


def test_swarmui_with_lists_as_text_and_missing_weights() -> None:
    found = parse_swarmui('{"sui_image_params": {"loras": "ink, paper", "loraweights": "0.8"}}')
    assert told(found) == {"Loras": "ink:0.8, paper"}


def test_fooocus() -> None:
    found = parse_fooocus(json.dumps(FOOOCUS))
    assert found is not None
    assert (found.prompt, found.negative_prompt) == ("a pier", "blurry, text")
    assert told(found) == {
        "Steps": "30",
        "Sampler": "dpmpp_2m_sde_gpu",
        "Schedule type": "karras",
        "CFG scale": "4",
        "Seed": "127589946317439009",
        "Model": "some_xl_model",
        "Performance": "Speed",
        "Styles": "['Fooocus V2']",
        "Version": "Fooocus v2.5.5",
        "Size": "1152x896",
        "Loras": "offset_lora:0.1, ink.safetensors:0.5",
    }


def test_ruined_fooocus() -> None:
    found = parse_fooocus(json.dumps(RUINED))
    assert found is not None
    assert (found.prompt, found.negative_prompt) == ("a pier", "boats")
    assert told(found)["Size"] == "1024x1024"
    assert told(found)["Sampler"] == "dpmpp_sde"


PARSERS = (parse_invokeai, parse_swarmui, parse_fooocus)
SAMPLES = ((parse_invokeai, INVOKEAI), (parse_swarmui, SWARMUI), (parse_fooocus, FOOOCUS))


@pytest.mark.parametrize(("parse", "sample"), SAMPLES)
def test_each_reads_its_own_only(parse: Parse, sample: object) -> None:
    text = json.dumps(sample)
    assert [other for other in PARSERS if other(text)] == [parse]


@pytest.mark.parametrize("text", ["", "a cat", "[]", "{}", "null", "3", '{"prompt": "a', "[" * 100_000, "{" * 100_000])
def test_anything_else_is_nothing(text: str) -> None:
    assert [parse(text) for parse in PARSERS] == [None] * 3


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 10_000, "null", "[]", "{}", "true"])
@pytest.mark.parametrize(("parse", "sample"), SAMPLES)
def test_an_odd_value_is_left_out_and_the_rest_is_read(parse: Parse, sample: object, odd: str) -> None:
    text = json.dumps(sample)
    for steps in ('"steps": 28', '"steps": "20"', '"steps": 30'):
        text = text.replace(steps, f'"steps": {odd}')
    found = parse(text)
    assert "Steps" not in told(found)
    assert "Seed" in told(found)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
names = st.sampled_from(
    [*INVOKEAI, *INVOKEAI_2, *SWARMUI["sui_image_params"], *SWARMUI, *FOOOCUS, "image", "lora_combined_", "loras"]
)
documents = st.dictionaries(names, json_values | st.dictionaries(names, json_values, max_size=6), max_size=8)


@given(documents)
def test_no_document_is_too_odd(document: dict[str, object]) -> None:
    for parse in PARSERS:
        found = parse(json.dumps(document))
        assert found is None or all(isinstance(part, str) for pair in found.settings for part in pair)


def png(path: Path, **chunks: str) -> Path:
    info = PngInfo()
    for key, text in chunks.items():
        info.add_itxt(key, text)
    Image.new("RGB", (24, 16)).save(path / "a.png", pnginfo=info)
    return path / "a.png"


def test_they_are_found_in_png(tmp_path: Path) -> None:
    found = read(png(tmp_path, invokeai_metadata=json.dumps(INVOKEAI, ensure_ascii=False), invokeai_workflow="{}"))
    assert (found.source, found.parameters.prompt) == (Source.invokeai, INVOKEAI["positive_prompt"])
    assert read(png(tmp_path, **{"sd-metadata": json.dumps(INVOKEAI_2)})).source is Source.invokeai
    assert read(png(tmp_path, parameters=json.dumps(SWARMUI))).source is Source.swarmui
    assert read(png(tmp_path, parameters=json.dumps(FOOOCUS), fooocus_scheme="fooocus")).source is Source.fooocus


@pytest.mark.parametrize("name", ["a.jpg", "a.webp"])
def test_fooocus_in_the_main_tags_of_exif(tmp_path: Path, name: str) -> None:
    tags = Image.Exif()
    tags[0x9286], tags[0x0131], tags[0x927C] = json.dumps(FOOOCUS), "Fooocus v2.5.5", "fooocus"
    Image.new("RGB", (24, 16)).save(tmp_path / name, exif=tags)
    found = read(tmp_path / name)
    assert (found.source, found.parameters.prompt) == (Source.fooocus, "a pier")


@pytest.mark.parametrize("order", ["utf-16-be", "utf-16-le"])
def test_swarmui_in_exif(tmp_path: Path, order: str) -> None:
    tags = Image.Exif()
    tags.get_ifd(0x8769)[0x9286] = b"UNICODE\0" + json.dumps(SWARMUI).encode(order)
    Image.new("RGB", (24, 16)).save(tmp_path / "a.jpg", exif=tags)
    assert read(tmp_path / "a.jpg").source is Source.swarmui


def test_damaged_json_is_said_and_not_taken_for_a_prompt(tmp_path: Path) -> None:
    found = read(png(tmp_path, parameters=json.dumps(SWARMUI)[:-40]))
    assert (found.source, found.parameters.prompt) == (Source.none, "")
    assert found.note == "The settings in the picture are damaged."
    found = read(png(tmp_path, invokeai_metadata="{", parameters="a cat\nSteps: 2, Seed: 1, Size: 8x8"))
    assert (found.source, found.note) == (Source.a1111, "")


def test_a_prompt_in_braces_is_still_a1111s(tmp_path: Path) -> None:
    found = read(png(tmp_path, parameters='{"red|blue} cat\nSteps: 20, Seed: 5, Size: 64x64'))
    assert (found.source, found.parameters.prompt) == (Source.a1111, '{"red|blue} cat')
