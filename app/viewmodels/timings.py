"""How long steps and pictures took: of this session from the engine's events, of earlier ones from the library."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.viewmodels.observable import Observed
from pipelines.errors import FirstlightError
from pipelines.events import PictureSaved, PlanChosen, Progress, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.engine_client import EngineClient
    from app.services.library import Library
    from app.services.picture_store import Picture
    from pipelines.events import Event

_RUNS = 8  # pictures whose steps are kept
_PICTURES = 100
_DRAWING = ("transformer", "unet")
_PACE = 250  # milliseconds between two changes that are shown


@dataclass(frozen=True, slots=True)
class StepRun:
    """The steps of one picture. `seconds` has the time of each; `size` and `backend` are empty until they are known."""

    seconds: tuple[float, ...]
    size: str = ""
    backend: str = ""

    @property
    def median(self) -> float:
        """The time of a usual step."""
        return statistics.median(self.seconds) if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class PictureTime:
    """A whole picture. `created` is in seconds since the epoch."""

    created: float
    seconds: float
    width: int
    height: int
    steps: int
    backend: str


@dataclass(slots=True)
class _Run:
    """The run in hand."""

    began: float
    seconds: list[float] = field(default_factory=list[float])


class Timings(QObject):
    """`runs` has the last pictures of this session, `pictures` those of the library; the newest last."""

    runs, runs_changed = Observed[tuple[StepRun, ...]](()), Signal(object)
    pictures, pictures_changed = Observed[tuple[PictureTime, ...]](()), Signal(object)

    def __init__(
        self,
        engine: EngineClient,
        library: Library,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._clock = clock
        self._backend = ""
        self._done: list[StepRun] = []
        self._run: _Run | None = None
        self._looked = False
        self._pace = QTimer(self, singleShot=True, interval=_PACE)
        self._pace.timeout.connect(self._show_runs)
        engine.reported.connect(self._hear)
        library.added.connect(self._take_added)

    def refresh(self) -> None:
        """Read the latest pictures from the library."""
        self._looked = True
        try:
            rows = self._library.store.rows(self._library.store.ids()[:_PICTURES])
        except FirstlightError:
            return  # the library has told it already
        self.pictures = tuple(_picture_time(row) for row in reversed(rows) if row.seconds > 0)

    def _take_added(self) -> None:
        if self._looked:
            self.refresh()

    def _hear(self, _job: int, event: Event) -> None:
        match event:
            case PlanChosen(component, backend) if component in _DRAWING:
                self._backend = backend
            case Progress(Stage.denoising, 0):
                self._end_run("")
                self._run = _Run(self._clock())
            case Progress(Stage.denoising):
                self._take_step()
            case PictureSaved():
                self._end_run(f"{event.width} × {event.height}")
            case _:
                pass

    def _take_step(self) -> None:
        now = self._clock()
        if self._run is None:
            self._run = _Run(now)  # the time of its first step is not known
            return
        self._run.seconds.append(now - self._run.began)
        self._run.began = now
        if not self._pace.isActive():
            self._pace.start()

    def _end_run(self, size: str) -> None:
        run, self._run = self._run, None
        if run is not None and run.seconds:
            self._done.append(StepRun(tuple(run.seconds), size, self._backend))
            del self._done[:-_RUNS]
        self._show_runs()

    def _show_runs(self) -> None:
        now = [StepRun(tuple(self._run.seconds), "", self._backend)] if self._run and self._run.seconds else []
        self.runs = (*self._done, *now)


def _picture_time(row: Picture) -> PictureTime:
    steps = row.request.num_inference_steps if row.request is not None else 0
    return PictureTime(row.created, row.seconds, row.width, row.height, steps, row.backend)
