"""Wires what only an installed program has: the page that gets the engine, and updates. Part of the composition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import runtime_path
from app.services import update
from app.services.runtime import Runtime
from app.services.runtime_parts import find_installation
from app.version import read_version
from app.viewmodels.runtime import RuntimeModel
from app.viewmodels.updates import Updates
from pipelines import devices
from pipelines.errors import UnusableFile
from pipelines.events import Failure

if TYPE_CHECKING:
    from app.folders import Folders
    from app.services.desk import Desk
    from app.viewmodels.notices import Notices


def open_runtime(desk: Desk, folders: Folders, notices: Notices) -> RuntimeModel | None:
    """The view model; None in a source tree, and where the installed program has all its parts."""
    try:
        installation = find_installation(folders.data)
    except UnusableFile as error:
        notices.tell(Failure(error.kind, error.message, error.action))
        return None
    if installation is None or not installation.missing:
        return None
    model = RuntimeModel(Runtime(installation), desk.settings, devices.probe())
    model.finished.connect(desk.engine.end_now)  # a process that was started without the engine does not find it
    return model


def open_updates(desk: Desk, folders: Folders) -> Updates | None:
    """The view model; None where this program has nowhere to look."""
    program = runtime_path.find_program()
    source = update.find_source(program) if program and update.can_update() else None
    return Updates(source, read_version(), folders.data, desk.settings) if source else None
