"""Where objects are made and wired, and the process is prepared for them. Only `cli` imports this."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from app.folders import Folders
    from app.services.caches import Caches
    from app.services.desk import Desk
    from app.services.engine_process import Main
    from app.services.models import Models
    from app.services.wiring import ModelServices
    from app.shell import Shell
    from pipelines.engine.base import Places
    from pipelines.engine.store import Store
    from pipelines.session import Session

ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",  # OpenMP threads that spin while they wait slow a busy machine down tenfold
    "HF_HUB_OFFLINE": "1",  # models are local folders: no library is to look anywhere else
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DIFFUSERS_VERBOSITY": "error",  # what matters is said by our own events and errors
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}


def prepare_process(*, online: bool = False) -> None:
    """Set what libraries read from the environment when they are loaded; what the user has set stays.

    `online` is for downloads, the one thing that talks to a server.
    """
    for name, value in ENVIRONMENT.items():
        if not (online and name == "HF_HUB_OFFLINE"):
            os.environ.setdefault(name, value)


def find_models(folders: Folders) -> Models:
    """The models of this machine, without what talks to servers."""
    from app.services.models import Models

    return Models(folders.data, folders.cache)


def open_models(folders: Folders, environment: Mapping[str, str] | None = None) -> ModelServices:
    """The services that keep models: what is here, what is being fetched, and the tokens for it.

    `environment` is what the user has set, taken before `prepare_process` in a process that has set itself offline, as
    the window's has for its engine: downloads go through a client of our own, which that variable does not concern.
    """
    from app.services.downloads import Downloads
    from app.services.hub import Hub
    from app.services.tokens import Tokens
    from app.services.wiring import ModelServices

    models = find_models(folders)
    given = os.environ if environment is None else environment
    hub = Hub(given)
    tokens = Tokens(hub.host, given)
    return ModelServices(models, Downloads(folders.data, models, hub, tokens), hub, tokens)


def open_engines(folders: Folders) -> Store:
    """The engines that were built here, and those that ship."""
    from pipelines.engine.store import open_store

    return open_store(folders.data / "engines")


def open_caches(folders: Folders) -> Caches:
    """The kernels that were compiled here."""
    from app.services import caches
    from pipelines import devices

    return caches.Caches(folders.cache / caches.FOLDER, devices.probe)


def find_places(folders: Folders) -> Places:
    """Where engines, kernels and the records of this machine are kept."""
    from app.services.caches import FOLDER
    from pipelines.engine.base import Places

    data = folders.data
    return Places(data / "engines", folders.cache / FOLDER, data / "records", data / "wildcards")


def open_session(folders: Folders) -> Session:
    """Probe this machine and return a session on it. PyTorch is loaded when it first draws."""
    prepare_process()
    from pipelines import devices
    from pipelines.session import Session

    return Session(devices.probe(), places=find_places(folders))


def open_desk(folders: Folders, engine_main: Main | None = None) -> Desk:
    """Make the services of the window, which has a QCoreApplication by now. Loads neither PyTorch nor Pillow.

    `engine_main` is what runs in the engine process, where it is not `pipelines.worker.main`.
    """
    prepare_process()  # the engine process inherits it
    from app.services.database import open_beside, open_library
    from app.services.desk import Desk, lock_profile
    from app.services.engine_client import EngineClient
    from app.services.job_store import JobStore
    from app.services.jobs import Jobs
    from app.services.library import Library
    from app.services.picture_store import PictureStore
    from app.services.settings import Settings
    from app.services.thumbnails import Thumbnails
    from pipelines import worker

    settings = Settings(folders.config / "settings.json")
    lock, is_second = lock_profile(folders.data)
    opened = (open_beside if is_second else open_library)(folders.data / "library.sqlite")
    engine = EngineClient(
        folders.logs / "engine-fault.log", engine_main or partial(worker.main, places=find_places(folders))
    )
    jobs = Jobs(JobStore(opened.connection), engine)
    library = Library(PictureStore(opened.connection))
    thumbnails = Thumbnails(folders.cache / "thumbnails")
    jobs.drawn.connect(library.add)
    thumbnails.gone.connect(library.look_for)
    notices = tuple(notice for notice in (settings.notice, opened.notice) if notice)
    return Desk(settings, engine, jobs, library, thumbnails, notices, opened.connection, lock, is_second)


def open_window(folders: Folders, files: tuple[Path, ...] = ()) -> int:
    """Open the window, serve it until it is closed, and return the exit code.

    Where one is open on the same profile, that gets `files` and comes to the front, and this one is not opened.

    Raises:
        UnusableFile: Qt cannot start here.
    """
    from app.qt_start import make_application, serve

    app = make_application()
    from app.services import garbage
    from app.services.instance import Instance  # after it has said in words what Qt lacks here

    door = Instance(folders.data)
    if door.hand_over(files):
        return 0
    door.listen()
    with garbage.left_to_us():
        shell = open_shell(app, folders)
        door.received.connect(shell.receive)
        try:
            if files:
                shell.receive(files)
            return serve(app)
        finally:
            door.close()
            shell.close()


def open_shell(app: QApplication, folders: Folders) -> Shell:
    """Make everything that the window stands on, and show it."""
    from app.shell import Shell

    given = dict(os.environ)  # before the engine's process is told to stay offline, which downloads are not
    desk = open_desk(folders)
    shell = Shell(app, desk, open_models(folders, given), folders)
    shell.show()
    return shell
