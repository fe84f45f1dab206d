"""Which language the window speaks."""

from __future__ import annotations

import pytest

from app.views.language import choose


@pytest.mark.parametrize(
    ("wanted", "system", "chosen"),
    [
        ("system", ["de-AT", "de"], "de"),
        ("system", ["en-GB"], "en"),
        ("system", ["fr-FR", "de-DE", "en-US"], "de"),
        ("system", ["fr_FR"], "en"),
        ("system", [], "en"),
        ("en", ["de-DE"], "en"),
        ("de", ["en-US"], "de"),
    ],
)
def test_choice(wanted: str, system: list[str], chosen: str) -> None:
    assert choose(wanted, system) == chosen
