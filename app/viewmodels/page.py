"""What can be done to the values of the Generate page, what follows from them, and what is wrong with them."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.viewmodels import problems, size_presets
from app.viewmodels.controls import Controls
from app.viewmodels.model_choices import ModelChoices, abilities
from app.viewmodels.problems import Fault, Field, Problem
from app.viewmodels.remembered import LoraRow
from pipelines import sizes
from pipelines.families import schedulers
from pipelines.request import MARGIN_STRENGTH, SEAM_FEATHER, SEED_MAX, ControlChoice, HiresFix

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from app.services.models import Models
    from pipelines.catalog import Entry
    from pipelines.request import Outpaint


class Page(Controls):
    """The page without its button. Each change is checked at once, several together with `_hold`."""

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._choices = ModelChoices(models)
        self._seed_fault = ""
        self._bad_loras: dict[Path, list[Problem]] = {}
        self._gone: list[Problem] = []
        self._held = False

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
        self._set_loras([*self.loras, *(LoraRow(path) for path in dict.fromkeys(paths) if path not in known)])

    def change_lora(self, index: int, *, weight: float | None = None, enabled: bool | None = None) -> None:
        """Another weight, on or off."""
        rows = list(self.loras)
        row = rows[index]
        rows[index] = LoraRow(
            row.path, row.weight if weight is None else weight, row.enabled if enabled is None else enabled
        )
        self._set_loras(rows)

    def remove_lora(self, index: int) -> None:
        """Take it off the page."""
        self._set_loras(row for i, row in enumerate(self.loras) if i != index)

    def _set_loras(self, rows: Iterable[LoraRow]) -> None:
        self.loras = tuple(rows)

    # Margins, second pass and further networks

    def change_margins(self, margins: Outpaint) -> None:
        """Draw these margins. The first brings what is usual: it is drawn from nothing, and joined softly."""
        with self._hold():
            if margins and not self.outpaint:
                self.strength, self.mask_feather = MARGIN_STRENGTH, self.mask_feather or SEAM_FEATHER
            self.outpaint = margins

    def use_second_pass(self, wanted: bool) -> None:  # a slot of Qt
        """Draw twice, the second time larger; or not."""
        self.hires = HiresFix() if wanted else None

    def change_second_pass(self, **changes: Any) -> None:
        """Change fields of `HiresFix`."""
        if self.hires is not None:
            self.hires = replace(self.hires, **changes)

    def add_control(self, picture: Path) -> None:
        """Let a ControlNet follow this picture: the first that is here."""
        if self.controlnets:
            one = ControlChoice(self.controlnets[0].name, picture, preprocessor="canny")
            self._set_controls([*self.controls, one])

    def change_control(self, index: int, **changes: Any) -> None:
        """Change fields of a `ControlChoice`."""
        rows = list(self.controls)
        rows[index] = replace(rows[index], **changes)
        self._set_controls(rows)

    def remove_control(self, index: int) -> None:
        """Take it off the page."""
        self._set_controls(one for i, one in enumerate(self.controls) if i != index)

    def _set_controls(self, rows: Iterable[ControlChoice]) -> None:
        self.controls = tuple(rows)

    # What follows from the values

    def check(self) -> None:
        """Look at the files anew, and work out again what is wrong and what size will be drawn."""
        if self._held:
            return
        self._bad_loras = {row.path: found for row in self.loras if (found := problems.of_lora(row.path))}
        self._gone = problems.of_files(self.image, self.mask_image) + problems.of_controls(self.controls)
        self._work_out()

    def _work_out(self) -> None:
        """As `check`, without a look at the disk: at each key."""
        if self._held:
            return
        entry = self.entry
        canvas = self._work_out_sizes()
        found = problems.of_prompts(self.prompt, self.negative_prompt)
        if entry is None:
            found.append(Problem(Field.model, Fault.no_model, self.model))
        else:
            from_picture = self.image is not None or self.hires is not None
            found += problems.of_scheduler(self.scheduler, entry, from_picture=from_picture)
        if self._seed_fault:
            found.append(Problem(Field.seed, Fault.bad_seed, self._seed_fault))
        for row in self.loras:
            found += self._bad_loras.get(row.path, []) if row.enabled else []
        found += self._gone
        found += problems.of_pictures(self.image, self.mask_image, self.outpaint, self.strength, self.able)
        found += problems.of_sizes(canvas, self._hires_size(canvas))
        if self.upscale > 1 and not problems.has_upscaler():
            found.append(Problem(Field.upscale, Fault.no_upscaler))
        self.problems = tuple(found)

    def _work_out_sizes(self) -> tuple[int, int]:
        """Set what is drawn and what is saved; the size of the first pass, with its margins."""
        has_margins = self.image is not None and self.mask_image is None
        canvas = self.outpaint.widen(self.width, self.height) if has_margins else (self.width, self.height)
        width, height = canvas
        self.drawn_size = sizes.choose(width, height, self.entry) if self.entry is not None else None
        final_width, final_height = self._hires_size(canvas)
        self.final_size = final_width * self.upscale, final_height * self.upscale
        return canvas

    def _hires_size(self, canvas: tuple[int, int]) -> tuple[int, int]:
        return self.hires.enlarge(*canvas) if self.hires is not None and self.image is None else canvas

    def _find_entry(self) -> Entry | None:
        self.entry = self._choices.find(self.model)
        self.able = abilities(self.entry)
        self._find_refiners()
        self.samplers = schedulers.names(self.entry.family) if self.entry else (schedulers.DEFAULT,)
        self.presets = size_presets.presets(self.entry) if self.entry else ()
        return self.entry

    def _scheduler_named(self, words: str) -> str:
        """The sampler's short name; empty where the model has none of that name."""
        wanted = words.removesuffix("Scheduler").casefold()
        return next((name for name in self.samplers if name.casefold() == wanted), "")

    def _find_refiners(self) -> None:
        wanted = self.able.refiner
        self.refiners = tuple(choice for choice in self.models if wanted and choice.family == wanted)

    @contextlib.contextmanager
    def _hold(self) -> Generator[None]:
        """Look for problems once, after several changes."""
        before, self._held = self._held, True
        try:
            yield
        finally:
            self._held = before
            self.check()
