"""The services that keep models, as one value; `app.composition` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.downloads import Downloads
    from app.services.hub import Hub
    from app.services.models import Models
    from app.services.tokens import Tokens


@dataclass(frozen=True, slots=True)
class ModelServices:
    """What the Models page and the command line work with."""

    models: Models
    downloads: Downloads
    hub: Hub
    tokens: Tokens
