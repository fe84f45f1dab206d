"""Runs in the installed Python, under Wine: gets both parts of the engine as the window would, and tells in JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.runtime_install import RuntimeProgress


class _Began:
    """When each phase began, in seconds."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self._started = time.monotonic()

    def seconds(self) -> float:
        return round(time.monotonic() - self._started, 1)

    def note(self, progress: RuntimeProgress) -> None:
        self.phases.setdefault(progress.phase.value, self.seconds())


def main() -> int:
    """Install what is missing; the wheels lie beside the program."""
    from app.folders import find_folders
    from app.services import runtime_install
    from app.services.runtime_install import Source, Tools
    from app.services.runtime_parts import carries, find_installation

    installation = find_installation(find_folders(os.environ).data)
    assert installation is not None
    told: dict[str, object] = {"missing": [part.name.value for part in installation.missing]}
    for part in installation.missing:
        assert carries(installation, part)
        began = _Began()
        runtime_install.install(installation, part, Tools.of(installation), Source(), began.note)
        ready = json.loads((part.folder / "ready.json").read_text(encoding="utf-8"))
        told[part.name.value] = {"began": began.phases, "seconds": began.seconds(), "check": ready}
    told["left"] = sorted(path.name for path in installation.runtime.iterdir())
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
