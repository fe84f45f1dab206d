"""What the Generate page stands on, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.viewmodels.engine_strip import EngineStrip
from app.viewmodels.generation import Generation
from app.viewmodels.picture import PictureView
from app.viewmodels.prompt_tokens import PromptTokens
from app.viewmodels.queue import Queue
from app.viewmodels.recent import Recent
from app.viewmodels.run import Run

if TYPE_CHECKING:
    from app.folders import Folders
    from app.services.desk import Desk
    from app.services.models import Models
    from app.viewmodels.notices import Notices


@dataclass(frozen=True, slots=True)
class GenerateModels:
    """The view models of the page, and of the strip at the foot of the window."""

    generation: Generation
    tokens: PromptTokens
    run: Run
    queue: Queue
    picture: PictureView
    recent: Recent
    strip: EngineStrip

    def close(self) -> None:
        """Remember the page and end the threads; the services are still open."""
        self.generation.close()
        self.tokens.close()
        self.picture.close()


def make_generate_models(desk: Desk, models: Models, folders: Folders, notices: Notices) -> GenerateModels:
    """Make them on the services of one window."""
    generation = Generation(desk.jobs, models, desk.settings, folders.pictures, notices)
    run = Run(desk.jobs, desk.engine, notices, desk.settings)
    picture = PictureView(notices)
    return GenerateModels(
        generation=generation,
        tokens=PromptTokens(generation),
        run=run,
        queue=Queue(desk.jobs, run, notices),
        picture=picture,
        recent=Recent(desk.library, desk.thumbnails, generation, run, picture),
        strip=EngineStrip(desk.engine, generation),
    )
