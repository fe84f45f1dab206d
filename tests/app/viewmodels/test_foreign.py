from __future__ import annotations

import pytest

from app.viewmodels import foreign
from pipelines.a1111 import Parameters
from pipelines.families import schedulers
from pipelines.request import HiresFix


@pytest.mark.parametrize(
    ("sampler", "schedule", "family", "expected"),
    [
        ("Euler a", "", "sd", "EulerAncestralDiscrete"),
        ("Euler", "", "sd", "EulerDiscrete"),
        ("Euler", "Simple", "flux", "FlowMatchEulerDiscrete"),
        ("euler", "simple", "flux", "FlowMatchEulerDiscrete"),
        ("DPM++ 2M Karras", "", "sdxl", "DPMSolverMultistepKarras"),
        ("DPM++ 2M", "Karras", "sdxl", "DPMSolverMultistepKarras"),
        ("dpmpp_2m", "karras", "sd", "DPMSolverMultistepKarras"),
        ("dpmpp_2m_k", "", "sd", "DPMSolverMultistepKarras"),
        ("DPM++ 2M SDE Karras", "", "sd", "DPMSolverMultistepSDEKarras"),
        ("uni_pc", "normal", "sd", "UniPCMultistep"),
        ("UniPCMultistepScheduler", "", "sd", "UniPCMultistep"),
        ("no such", "", "sd", None),
    ],
)
def test_samplers_of_other_tools_are_recognised(sampler: str, schedule: str, family: str, expected: str | None) -> None:
    told = foreign.read(Parameters("", settings=(("Sampler", sampler), ("Schedule type", schedule))))
    names = schedulers.names(family)
    assert next((one for one in told.samplers if one in names), None) == expected


@pytest.mark.parametrize(
    ("key", "value", "field", "expected"),
    [
        ("Steps", "30", "steps", 30),
        ("Steps", "0", "steps", None),
        ("Steps", "NaN", "steps", None),
        ("Seed", "18446744073709551615", "seed", 2**64 - 1),
        ("Seed", "-1", "seed", None),
        ("CFG scale", "NaN", "guidance", None),
        ("CFG scale", "7.5", "guidance", 7.5),
        ("Size", "512x768", "size", (512, 768)),
        ("Size", "512x20000", "size", None),
        ("Denoising strength", "0.55", "strength", 0.55),
    ],
)
def test_only_possible_values_are_taken(key: str, value: str, field: str, expected: object) -> None:
    assert getattr(foreign.read(Parameters("", settings=((key, value),))), field) == expected


@pytest.mark.parametrize(
    ("settings", "hires", "strength"),
    [
        ({"Denoising strength": "0.4"}, None, 0.4),
        ({"Denoising strength": "0.4", "Hires upscale": "2", "Hires steps": "12"}, HiresFix(2.0, 0.4, 12), None),
        ({"Hires upscale": "1.5", "Hires upscaler": "Latent"}, HiresFix(1.5), None),
        ({"Hires upscale": "9", "Denoising strength": "0"}, None, 0.0),
    ],
)
def test_a_second_pass_is_taken_over_with_its_strength(
    settings: dict[str, str], hires: HiresFix | None, strength: float | None
) -> None:
    told = foreign.read(Parameters("", settings=tuple(settings.items())))
    assert (told.hires, told.strength) == (hires, strength)


def test_the_guidance_of_flux_counts_before_the_other() -> None:
    told = foreign.read(Parameters("", settings=(("CFG scale", "1"), ("Distilled CFG Scale", "3.5"))))
    assert told.guidance == 3.5
