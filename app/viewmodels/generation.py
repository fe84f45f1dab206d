"""Everything on the Generate page that shapes a picture, and the button that draws it."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from app.services.settings_table import BACKEND, LAST_REQUEST, PICTURES_FOLDER, PRECISION, SAFETY_CHECK
from app.viewmodels import foreign, problems, remembered, size_presets, styles
from app.viewmodels.controls import FILES, INPUTS, Controls
from app.viewmodels.lane import Lane
from app.viewmodels.model_choices import ModelChoice, ModelChoices, abilities
from app.viewmodels.problems import Fault, Field, Problem
from app.viewmodels.remembered import LoraRow, PageState
from app.viewmodels.styles import NO_STYLE
from pipelines import catalog, sizes
from pipelines.errors import FirstlightError, InvalidRequest
from pipelines.events import Failure
from pipelines.families import schedulers
from pipelines.request import SEED_MAX, Backend, GenerationRequest, LoraChoice, Precision

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from app.services.jobs import Jobs
    from app.services.models import Models
    from app.services.settings import Settings
    from app.viewmodels.notices import Notices
    from pipelines.catalog import Entry
    from pipelines.inspection import Inspection

_SAVE_DELAY = 1500  # milliseconds of rest before the page is written to the settings


class Generation(Controls):
    """What is done with the values.

    Signals:
        submitted (int): a job of that number was put into the queue.
    """

    submitted = Signal(object)

    def __init__(self, jobs: Jobs, models: Models, settings: Settings, pictures: Path, notices: Notices) -> None:
        super().__init__()
        self._jobs = jobs
        self._choices = ModelChoices(models)
        self._settings = settings
        self._pictures = pictures
        self._notices = notices
        self._lane = Lane(self)
        self._seed_fault = ""
        self._bad_loras: dict[Path, list[Problem]] = {}
        self._gone: list[Problem] = []
        self._held = False
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

    # Choosing

    def refresh_models(self) -> None:
        """Look again which models are here; they are listed a moment later, as their files may lie on a slow disk."""
        self._find_entry()
        self.check()
        self._lane.do(self._choices.all, self._list_models, self._keep_models)

    def _list_models(self, found: tuple[ModelChoice, ...]) -> None:
        self.models = found

    def _keep_models(self, failure: Failure | None) -> None:
        """The list that was there is better than none."""
        if failure is not None:
            self._notices.tell(failure)

    def choose_model(self, name: str) -> None:
        """Take another model, with its own defaults; the shape of the picture stays."""
        with self._hold():
            self.model = name
            entry = self._find_entry()
            if entry is not None:
                self.width, self.height = size_presets.same_shape(self.width, self.height, entry)
                self.reset_sampling()

    def reset_sampling(self) -> None:
        """Steps, guidance and sampler as the model has them."""
        if self.entry is not None:
            self.steps, self.guidance = self.entry.steps, self.entry.guidance_scale
            self.scheduler = schedulers.DEFAULT

    def choose_size(self, width: int, height: int) -> None:
        """Both sides at once."""
        with self._hold():
            self.width, self.height = width, height

    def swap_sides(self) -> None:
        """Wide to tall and back."""
        self.choose_size(self.height, self.width)

    def type_seed(self, text: str) -> None:
        """A seed as it is typed; one that is typed is kept."""
        digits = text.strip()
        number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 30 else -1
        self._seed_fault = "" if 0 <= number <= SEED_MAX else digits or "-"
        if not self._seed_fault:
            self.seed = number
        self.seed_locked = True
        self.check()

    def roll_seed(self) -> None:
        """A new seed now, and for every picture to come."""
        self._seed_fault = ""
        self.seed = secrets.randbits(64)
        self.seed_locked = False
        self.check()

    def reuse_seed(self) -> None:
        """The seed of the picture before, to keep."""
        if self.last_seed is not None:
            self.type_seed(str(self.last_seed))

    def set_start_picture(self, path: Path | None, size: tuple[int, int] | None = None) -> None:
        """Begin with this picture; where its `size` is given, the picture to draw takes its shape. None: begin anew."""
        with self._hold():
            self.image = path
            if path is None:
                self.mask_image = None
            elif size is not None and min(size) > 0 and self.entry is not None:
                self.width, self.height = size_presets.same_shape(*size, self.entry)

    def set_mask(self, path: Path | None) -> None:
        """Draw anew only what is white in this picture; None: everything."""
        self.mask_image = path

    def add_loras(self, paths: Iterable[Path]) -> None:
        """More LoRAs; one that is there already is not taken twice."""
        known = {row.path for row in self.loras}
        self.loras = (*self.loras, *(LoraRow(path) for path in dict.fromkeys(paths) if path not in known))

    def change_lora(self, index: int, *, weight: float | None = None, enabled: bool | None = None) -> None:
        """Another weight, on or off."""
        rows = list(self.loras)
        row = rows[index]
        rows[index] = LoraRow(
            row.path, row.weight if weight is None else weight, row.enabled if enabled is None else enabled
        )
        self.loras = tuple(rows)

    def remove_lora(self, index: int) -> None:
        """Take it off the page."""
        self.loras = tuple(row for i, row in enumerate(self.loras) if i != index)

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

    # What follows from the values

    def check(self) -> None:
        """Look at the files anew, and work out again what is wrong and what size will be drawn."""
        if self._held:
            return
        self._bad_loras = {row.path: found for row in self.loras if (found := problems.of_lora(row.path))}
        self._gone = problems.of_files(self.image, self.mask_image)
        self._work_out()

    def _work_out(self) -> None:
        """As `check`, without a look at the disk: at each key."""
        if self._held:
            return
        entry = self.entry
        self.drawn_size = sizes.choose(self.width, self.height, entry) if entry is not None else None
        found = problems.of_prompts(self.prompt, self.negative_prompt)
        if entry is None:
            found.append(Problem(Field.model, Fault.no_model, self.model))
        else:
            from_picture = self.image is not None
            found += problems.of_scheduler(self.scheduler, entry, from_picture=from_picture)
        if self._seed_fault:
            found.append(Problem(Field.seed, Fault.bad_seed, self._seed_fault))
        for row in self.loras:
            found += self._bad_loras.get(row.path, []) if row.enabled else []
        found += self._gone
        found += problems.of_pictures(self.image, self.mask_image, self.strength, self.able)
        if self.upscale > 1 and not problems.has_upscaler():
            found.append(Problem(Field.upscale, Fault.no_upscaler))
        self.problems = tuple(found)

    def _find_entry(self) -> Entry | None:
        self.entry = self._choices.find(self.model)
        self.able = abilities(self.entry)
        self.samplers = schedulers.names(self.entry.family) if self.entry else (schedulers.DEFAULT,)
        self.presets = size_presets.presets(self.entry) if self.entry else ()
        return self.entry

    def _scheduler_named(self, words: str) -> str:
        """The sampler's short name; empty where the model has none of that name."""
        wanted = words.removesuffix("Scheduler").casefold()
        return next((name for name in self.samplers if name.casefold() == wanted), "")

    def _folder(self) -> Path:
        chosen = self._settings.text(PICTURES_FOLDER)
        return Path(chosen).expanduser() if chosen else self._pictures

    def _touch(self, _value: object) -> None:
        self._work_out()
        self._saving.start()

    def _touch_files(self, _value: object) -> None:
        self.check()
        self._saving.start()

    @contextlib.contextmanager
    def _hold(self) -> Generator[None]:
        """Look for problems once, after several changes."""
        before, self._held = self._held, True
        try:
            yield
        finally:
            self._held = before
            self.check()

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
            self._choices.locate(self.model),
            Backend(self._settings.text(BACKEND)),
            Precision(self._settings.text(PRECISION)),
            safety_check=self._settings.flag(SAFETY_CHECK),
        )
