"""The view models of one window, made on its services. Part of the composition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine_setup import open_runtime, open_updates
from app.services.benchmarks import FOLDER as BENCHMARKS
from app.services.benchmarks import Benchmarks
from app.services.caches import FOLDER as CACHES
from app.services.caches import Caches
from app.services.engines import Engines
from app.viewmodels.diagnostics import Diagnostics
from app.viewmodels.download_offer import DownloadOffer
from app.viewmodels.downloads import DownloadQueue
from app.viewmodels.engine import EnginePanel, EngineServices
from app.viewmodels.first_run import FirstRun
from app.viewmodels.gallery import Gallery
from app.viewmodels.generate import GenerateModels, make_generate_models
from app.viewmodels.mask import MaskPanel
from app.viewmodels.models import Models
from app.viewmodels.notices import Notices
from app.viewmodels.picture import Drops, PictureView
from app.viewmodels.preferences import Preferences
from app.viewmodels.timings import Timings
from app.viewmodels.tokens import TokenDesk
from pipelines import devices
from pipelines.engine.store import open_store

if TYPE_CHECKING:
    from app.folders import Folders
    from app.services.desk import Desk
    from app.services.wiring import ModelServices
    from app.viewmodels.runtime import RuntimeModel
    from app.viewmodels.updates import Updates


@dataclass(frozen=True, slots=True)
class Panels:
    """One view model a panel; they outlive the views, which are made anew when the language changes."""

    notices: Notices
    generate: GenerateModels
    drops: Drops
    gallery: Gallery
    viewer: PictureView
    mask: MaskPanel
    models: Models
    downloads: DownloadQueue
    offer: DownloadOffer
    tokens: TokenDesk
    engine: EnginePanel
    timings: Timings
    preferences: Preferences
    first_run: FirstRun
    diagnostics: Diagnostics
    runtime: RuntimeModel | None
    updates: Updates | None

    def close(self) -> None:
        """End their threads, while the services are still open."""
        for panel in (
            self.generate, self.drops, self.gallery, self.viewer, self.mask, self.models, self.offer, self.tokens,
            self.downloads, self.engine, self.first_run, self.diagnostics,
        ):  # fmt: skip
            panel.close()
        for panel in (self.runtime, self.updates):
            if panel is not None:
                panel.close()


def make_panels(desk: Desk, services: ModelServices, folders: Folders) -> Panels:
    """Make them, and let each tell what it has to tell through the one bridge."""
    notices = Notices()
    generate = make_generate_models(desk, services.models, folders, notices)
    downloads = DownloadQueue(services.downloads)
    panels = Panels(
        notices=notices,
        generate=generate,
        drops=Drops(generate.generation, notices),
        gallery=Gallery(desk.library, desk.thumbnails, desk.settings, generate.generation, notices),
        viewer=PictureView(notices),
        mask=MaskPanel(generate.generation, folders.data / "masks", notices),
        models=Models(services),
        downloads=downloads,
        offer=DownloadOffer(services, downloads),
        tokens=TokenDesk(services.tokens, services.hub),
        engine=EnginePanel(_open_engine_services(desk, folders)),
        timings=Timings(desk.engine, desk.library),
        preferences=Preferences(desk.settings, folders.pictures),
        first_run=FirstRun(desk.settings, desk.library, generate.generation),
        diagnostics=Diagnostics(folders, desk.settings, desk.jobs, notices),
        runtime=open_runtime(desk, folders, notices),
        updates=open_updates(desk, folders),
    )
    for source in (desk.settings, desk.jobs, desk.library, panels.models, downloads, panels.tokens, panels.engine):
        source.problem.connect(notices.tell)
    downloads.noticed.connect(notices.tell)
    downloads.finished.connect(generate.generation.refresh_models)
    panels.models.rows_changed.connect(generate.generation.refresh_models)
    return panels


def _open_engine_services(desk: Desk, folders: Folders) -> EngineServices:
    return EngineServices(
        desk.engine,
        Engines(open_store(folders.data / "engines")),
        Caches(folders.cache / CACHES, devices.probe),
        Benchmarks(folders.data / "records" / BENCHMARKS),
        devices.probe,
    )
