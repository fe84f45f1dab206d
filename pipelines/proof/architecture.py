"""What tells networks apart that are not built alike, whatever their weights. Standard library only."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pipelines import catalog

if TYPE_CHECKING:
    from pathlib import Path


def digest(family: str, denoiser: Path) -> str:
    """The family, and a digest of the configuration in the denoiser's folder.

    Raises:
        UnusableFile: it cannot be read.
    """
    config = catalog.read_json(denoiser / "config.json")
    facts = sorted((key, str(value)) for key, value in config.items() if not key.startswith("_"))
    return f"{family}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:12]}"
