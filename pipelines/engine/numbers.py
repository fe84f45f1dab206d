"""Numbers by name in a small JSON file that nothing depends on: damage reads as empty, and a failed write is logged.

Standard library only.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, cast

from pipelines.replacing import replace_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)


def read(file: Path | None) -> dict[str, float]:
    """What is in the file; nothing where there is none, or none that can be read."""
    if file is None:
        return {}
    try:
        value: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    pairs = cast("dict[str, object]", value).items()
    return {key: float(one) for key, one in pairs if isinstance(one, (int, float)) and not isinstance(one, bool)}


def write(file: Path | None, values: Mapping[str, float]) -> None:
    """Put exactly these in, whole or not at all."""
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, json.dumps(dict(values)).encode())
    except OSError as error:
        log.warning("%s is not written: %s", file.name, error)
