from __future__ import annotations

import pytest

from app.viewmodels import foreign
from pipelines.a1111 import Parameters
from pipelines.families import schedulers


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


def test_the_guidance_of_flux_counts_before_the_other() -> None:
    told = foreign.read(Parameters("", settings=(("CFG scale", "1"), ("Distilled CFG Scale", "3.5"))))
    assert told.guidance == 3.5
