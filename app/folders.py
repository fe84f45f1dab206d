"""The folders that Firstlight keeps its things in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME_VARIABLE = "FIRSTLIGHT_HOME"


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are kept. Nothing is created until something is written there."""

    config: Path
    data: Path
    cache: Path
    logs: Path
    pictures: Path


def find_folders(environment: Mapping[str, str]) -> Folders:
    """Return the system's usual folders, or all of them in the one that `FIRSTLIGHT_HOME` names."""
    if home := environment.get(HOME_VARIABLE):
        root = Path(home).expanduser().absolute()
        return Folders(root / "config", root / "data", root / "cache", root / "logs", root / "pictures")

    from platformdirs import PlatformDirs  # late: `--help` must not wait for it

    dirs = PlatformDirs("Firstlight", appauthor=False)
    return Folders(
        config=dirs.user_config_path,
        data=dirs.user_data_path,
        cache=dirs.user_cache_path,
        logs=dirs.user_log_path,
        pictures=dirs.user_pictures_path / "Firstlight",
    )
