"""Everything on the Generate page that shapes a picture, and the button that draws it."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from app.services.settings_table import BACKEND, LAST_REQUEST, PICTURES_FOLDER, PRECISION, SAFETY_CHECK
from app.viewmodels import foreign, remembered
from app.viewmodels.controls import FILES, INPUTS
from app.viewmodels.lane import Lane
from app.viewmodels.page import Page
from app.viewmodels.remembered import PageState
from pipelines import catalog, styles
from pipelines.errors import FirstlightError, InvalidRequest
from pipelines.events import Failure
from pipelines.families import Picture
from pipelines.request import Backend, GenerationRequest, LoraChoice, Precision
from pipelines.styles import NO_STYLE

if TYPE_CHECKING:
    from app.services.jobs import Jobs
    from app.services.models import Models
    from app.services.settings import Settings
    from app.viewmodels.model_choices import ModelChoice
    from app.viewmodels.notices import Notices
    from pipelines.inspection import Inspection

_SAVE_DELAY = 1500  # milliseconds of rest before the page is written to the settings


class Generation(Page):
    """What is done with the values.

    Signals:
        submitted (int): a job of that number was put into the queue.
    """

    submitted = Signal(object)

    def __init__(self, jobs: Jobs, models: Models, settings: Settings, pictures: Path, notices: Notices) -> None:
        super().__init__(models)
        self._jobs = jobs
        self._settings = settings
        self._pictures = pictures
        self._notices = notices
        self._lane = Lane(self)
        self._saving = QTimer(self, singleShot=True, interval=_SAVE_DELAY)
        self._saving.timeout.connect(self.save)
        self.styles = (NO_STYLE, *styles.load())
        with self._hold():
            self.seed = secrets.randbits(64)
            self.models = self._choices.shipped()
            self.choose_model(catalog.STARTER)
            self._recall()
        self.refresh_models()
        for name in INPUTS:
            getattr(self, f"{name}_changed").connect(self._touch_files if name in FILES else self._touch)

    # Models

    def refresh_models(self) -> None:
        """Look again which models are here; they are listed a moment later, as their files may lie on a slow disk."""
        self.controlnets = self._choices.controlnets()
        self._find_entry()
        self.check()
        self._lane.do(self._choices.all, self._list_models, self._keep_models)

    def _list_models(self, found: tuple[ModelChoice, ...]) -> None:
        self.models = found
        self._find_refiners()

    def _keep_models(self, failure: Failure | None) -> None:
        """The list that was there is better than none."""
        if failure is not None:
            self._notices.tell(failure)

    # Drawing

    def generate(self) -> None:
        """Put a job into the queue. Where something is wrong, it stands beside its field, and nothing is done."""
        self.check()
        if self.problems:
            return
        if not self.seed_locked:
            self.seed = secrets.randbits(64)
        try:
            job = self._jobs.submit(self.make_request(), self._folder())
        except FirstlightError as error:
            self._notices.tell(Failure(error.kind, error.message, error.action))
            return
        self.note_seed(self.seed)
        self.save()
        self.submitted.emit(job)

    def cancel(self) -> None:
        """Stop the job that is being drawn."""
        if self._jobs.running is not None:
            self._jobs.cancel(self._jobs.running.id)

    def make_request(self) -> GenerationRequest:
        """What stands on the page, as it is drawn and recorded.

        Raises:
            InvalidRequest: it cannot be drawn; `problems` says so first.
        """
        state = self._state()
        negative = self.negative_prompt
        if self.able.negative_is_free:
            negative = self.style.apply_negative(negative)
        fixed = None if self.able.guidance or self.entry is None else self.entry.guidance_scale
        return replace(
            state.request,
            prompt=self.style.apply(self.prompt),
            negative_prompt=negative,
            guidance_scale=self.guidance if fixed is None else fixed,
            loras=tuple(LoraChoice(row.path, row.weight) for row in self.loras if row.enabled),
            # What stands on the page and the model cannot do is left out
            hires=state.request.hires if self.able.picture is Picture.start else None,
            refiner=state.request.refiner if self.able.refiner else "",
            controls=state.request.controls if self.able.controls else (),
        )

    # Taking settings over

    def restore(self, request: GenerationRequest) -> None:
        """Take over all settings of a request, to draw the same picture again."""
        self._show(PageState(request, seed_locked=True, loras=remembered.rows_of(request)))

    def restore_partial(self, found: Inspection) -> None:
        """Take over what a picture tells, whichever tool made it; what it does not tell stays as it is."""
        if found.record is not None:
            self.restore(found.record.request)
            return
        told = foreign.read(found.parameters)
        with self._hold():
            name = self._choices.recognise(told.model)
            if told.model and any(choice.name == name for choice in self.models):
                self.choose_model(name)
            self.style, self.prompt, self.negative_prompt = NO_STYLE, told.prompt, told.negative_prompt
            self.steps = self.steps if told.steps is None else told.steps
            if told.guidance is not None and self.able.guidance:
                self.guidance = told.guidance
            if told.size is not None:
                self.width, self.height = told.size
            if told.seed is not None:
                self.type_seed(str(told.seed))
            known = [name for name in map(self._scheduler_named, told.samplers) if name]
            self.scheduler = known[0] if known else self.scheduler
            self.hires = told.hires or self.hires
            self.strength = told.strength or self.strength  # 0 would leave the start picture as it is

    def _show(self, state: PageState) -> None:
        request = state.request
        with self._hold():
            self.model = self._choices.recognise(request.model)
            self._find_entry()
            self.style = next((style for style in self.styles if style.key == state.style), NO_STYLE)
            self.prompt, self.negative_prompt = request.prompt, request.negative_prompt
            self.width, self.height = request.width, request.height
            self.steps, self.guidance = request.num_inference_steps, request.guidance_scale
            self.scheduler = self._scheduler_named(request.scheduler) or request.scheduler
            self._seed_fault = ""
            self.seed, self.seed_locked, self.count = request.seed, state.seed_locked, request.num_images
            self.loras, self.upscale = state.loras, request.upscale
            self.image, self.strength, self.mask_image = request.image, request.strength, request.mask_image
            self.mask_feather, self.mask_area_only = request.mask_feather, request.mask_area_only
            self.outpaint, self.hires = request.outpaint, request.hires
            self.refiner = self._choices.recognise(request.refiner) if request.refiner else ""
            self.refiner_start = request.refiner_start
            self.controls = tuple(replace(one, model=self._choices.recognise(one.model)) for one in request.controls)

    def _folder(self) -> Path:
        chosen = self._settings.text(PICTURES_FOLDER)
        return Path(chosen).expanduser() if chosen else self._pictures

    def _touch(self, _value: object) -> None:
        self._work_out()
        self._saving.start()

    def _touch_files(self, _value: object) -> None:
        self.check()
        self._saving.start()

    # Between sessions

    def close(self) -> None:
        """Remember the page and end the thread."""
        self.save()
        self._lane.close()

    def save(self) -> None:
        """Remember what stands on the page."""
        self._saving.stop()
        with contextlib.suppress(InvalidRequest):  # what cannot be drawn is not remembered
            self._settings.set(LAST_REQUEST, remembered.to_json(self._state()))

    def _recall(self) -> None:
        state = remembered.from_json(text) if (text := self._settings.text(LAST_REQUEST)) else None
        if state is not None:
            self._show(state)
            self.note_seed(state.request.seed)

    def _state(self) -> PageState:
        return remembered.capture(
            self,
            self._choices.locate,
            Backend(self._settings.text(BACKEND)),
            Precision(self._settings.text(PRECISION)),
            safety_check=self._settings.flag(SAFETY_CHECK),
        )
