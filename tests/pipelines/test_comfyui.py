"""ComfyUI's node graph is read for prompt and settings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.comfyui import parse_comfyui

CLASSIC = {
    "3": {
        "class_type": "KSampler",
        "inputs": {
            "seed": 5,
            "steps": 20,
            "cfg": 8.0,
            "sampler_name": "euler",
            "scheduler": "normal",
            "denoise": 1.0,
            "model": ["4", 0],
            "positive": ["10", 0],
            "negative": ["10", 1],
            "latent_image": ["5", 0],
        },
    },
    "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "v1-5.safetensors"}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 512, "height": 768, "batch_size": 1}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a fox\nin snow 😄", "clip": ["4", 1]}},
    "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["4", 1]}},
    "10": {
        "class_type": "ControlNetApplyAdvanced",
        "inputs": {"positive": ["6", 0], "negative": ["7", 0], "strength": 1},
    },
}

FLUX = {
    "1": {"class_type": "RandomNoise", "inputs": {"noise_seed": 2**64 - 1}},
    "2": {"class_type": "BasicGuider", "inputs": {"model": ["9", 0], "conditioning": ["3", 0]}},
    "3": {"class_type": "FluxGuidance", "inputs": {"guidance": 3.5, "conditioning": ["4", 0]}},
    "4": {"class_type": "CLIPTextEncode", "inputs": {"text": ["5", 0], "clip": ["8", 0]}},
    "5": {"class_type": "PrimitiveString", "inputs": {"value": "a lighthouse"}},
    "6": {
        "class_type": "BasicScheduler",
        "inputs": {"scheduler": "simple", "steps": 28, "denoise": 1, "model": ["9", 0]},
    },
    "9": {"class_type": "UNETLoader", "inputs": {"unet_name": "flux1-dev.safetensors"}},
}


def test_classic_graph() -> None:
    read = parse_comfyui(json.dumps(CLASSIC))
    assert read is not None
    assert (read.prompt, read.negative_prompt) == ("a fox\nin snow 😄", "blurry")
    assert dict(read.settings) == {
        "Steps": "20",
        "Sampler": "euler",
        "Schedule type": "normal",
        "CFG scale": "8.0",
        "Seed": "5",
        "Denoising strength": "1.0",
        "Model": "v1-5.safetensors",
        "Size": "512x768",
    }


def test_flux_graph_with_the_text_one_node_further() -> None:
    read = parse_comfyui(json.dumps(FLUX))
    assert read is not None
    assert (read.prompt, read.negative_prompt) == ("a lighthouse", "")
    assert dict(read.settings)["Seed"] == "18446744073709551615"
    assert dict(read.settings)["Distilled CFG scale"] == "3.5"


def test_bare_nan_is_skipped() -> None:
    """Comfy-Org/ComfyUI#6915."""
    text = json.dumps(CLASSIC).replace('"denoise": 1.0', '"denoise": NaN, "is_changed": [NaN]')
    read = parse_comfyui(text)
    assert read is not None
    assert "Denoising strength" not in dict(read.settings)
    assert dict(read.settings)["Seed"] == "5"


def test_a_zeroed_negative_is_no_text() -> None:
    graph = json.loads(json.dumps(CLASSIC))
    graph["3"]["inputs"] |= {"positive": ["6", 0], "negative": ["8", 0]}
    graph["10"] = {"class_type": "ConditioningZeroOut", "inputs": {"conditioning": ["6", 0]}}
    graph["8"] = graph.pop("10")
    read = parse_comfyui(json.dumps(graph))
    assert read is not None
    assert (read.prompt, read.negative_prompt) == ("a fox\nin snow 😄", "")


def test_a_graph_that_runs_in_a_circle_ends() -> None:
    graph = {"1": {"inputs": {"positive": ["2", 0]}}, "2": {"inputs": {"x": ["1", 0]}}}
    read = parse_comfyui(json.dumps(graph))
    assert read is not None
    assert read.prompt == ""


@pytest.mark.parametrize("text", ["", "a cat", "[]", "{}", '{"a": 1}', '{"a": {"inputs": 3}}', "[" * 100_000])
def test_anything_else_is_no_graph(text: str) -> None:
    assert parse_comfyui(text) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.text(),
        st.fixed_dictionaries(
            {
                "inputs": st.dictionaries(
                    st.sampled_from(["seed", "steps", "positive", "negative", "text", "width", "height"]),
                    json_values,
                )
            }
        ),
    )
)
def test_no_graph_is_too_odd(graph: dict[str, object]) -> None:
    read = parse_comfyui(json.dumps(graph))
    assert (read is None) == (not graph)
