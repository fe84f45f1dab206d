"""What the tests of the Models page share: real services, and someone who keeps what signals carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app import composition
from app.folders import find_folders
from app.services.downloads import Downloads
from app.services.transfer import make_client
from app.services.wiring import ModelServices
from pipelines.devices import Gpu, Machine, Versions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from PySide6.QtCore import SignalInstance

    from tests.app.hub_server import HubServer


class Ear(QObject):
    """Keeps what a signal carries."""

    def __init__(self, signal: SignalInstance) -> None:
        super().__init__()
        self.heard: list[object] = []
        signal.connect(self.hear)

    def hear(self, value: object) -> None:
        self.heard.append(value)


def open_services(environment: Mapping[str, str]) -> ModelServices:
    """As the window opens them, but a server that stalls is given up after a second."""
    folders = find_folders(environment)
    services = composition.open_models(folders, environment)
    downloads = Downloads(
        folders.data,
        services.models,
        services.hub,
        services.tokens,
        connect=lambda: make_client(1.0),
        first_wait=0.01,
    )
    return ModelServices(services.models, downloads, services.hub, services.tokens)


def given(home: Path, hub: HubServer | None = None) -> dict[str, str]:
    """The environment as a user has it."""
    return {"FIRSTLIGHT_HOME": str(home), **({"HF_ENDPOINT": hub.endpoint} if hub else {})}


def make_machine(*gpus: Gpu, memory: int = 16 * 2**30) -> Machine:
    """A machine like this one, with these GPUs."""
    versions = Versions("2.13.0", None, "0.42.1", "5.24.0", None)
    return Machine("Windows 11", "a CPU", 8, memory, memory // 2, gpus, versions, ())


RTX_4070 = Gpu(0, "NVIDIA GeForce RTX 4070", (8, 9), 12 * 2**30, "581.29")
