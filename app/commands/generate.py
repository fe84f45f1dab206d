"""`firstlight generate`: from words to pictures on disk."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from app.progress import Reporter
from pipelines import catalog, images, styles
from pipelines.errors import InvalidRequest
from pipelines.families import FAMILIES
from pipelines.request import MARGIN_STRENGTH, SEAM_FEATHER, SIDE_MAX, SIDE_MIN, GenerationRequest, fix_seed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from app.folders import Folders
    from app.interrupt import Interrupt
    from app.terminal import Terminal
    from pipelines.catalog import Entry
    from pipelines.events import PictureSaved
    from pipelines.request import Outpaint
    from pipelines.session import Session

_T = TypeVar("_T")
_STRENGTH, _FEATHER = (0.6, MARGIN_STRENGTH), (0, SEAM_FEATHER)  # usual without margins and with them


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the command works with. Opening a session probes the machine, so cheap checks come first."""

    open_session: Callable[[], Session]
    interrupt: Interrupt
    folders: Folders
    locate: Callable[[str], str] = str  # a model's own name to what the catalog finds


def run(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Draw, save and answer; return the exit code.

    Raises:
        FirstlightError: the request cannot be carried out; what was saved before is in `terminal.so_far`.
    """
    began = time.perf_counter()
    request = make_request(args, wiring.locate)
    target = _find_target(args.out, wiring.folders)
    reporter = Reporter(terminal, wiring.interrupt, request.num_images)
    terminal.so_far["pictures"] = reporter.pictures
    try:
        with reporter, wiring.open_session() as session:
            session.generate(request, target, reporter)
    finally:
        if not terminal.wants_json:
            for picture in reporter.pictures:
                terminal.say(_describe(picture))
    if terminal.wants_json:
        terminal.answer(
            {
                "pictures": reporter.pictures,
                "request": request,
                "plans": reporter.plans,
                "notices": [notice.message for notice in reporter.notices],
                "seconds": round(time.perf_counter() - began, 3),
            }
        )
    return 0


def make_request(args: argparse.Namespace, locate: Callable[[str], str] = str) -> GenerationRequest:
    """Return the request that the arguments stand for; what they leave open is the model's own.

    Raises:
        InvalidRequest: a value is not possible.
        UnusableFile: there is no such model, or no such start picture.
    """
    model = catalog.STARTER if args.model is None else locate(args.model)
    entry = catalog.find(model)
    # What is drawn of a masked area has a size of its own
    width, height = args.size or _natural_size(None if args.mask_area_only else args.image, entry)
    refiner, refiner_start = args.refiner
    style = styles.find(args.style) if args.style else styles.NO_STYLE
    negative = _check_text(args.negative)
    return GenerationRequest(
        prompt=style.apply(_check_text(_read_prompt() if args.prompt == "-" else args.prompt)),
        negative_prompt=style.apply_negative(negative) if FAMILIES[entry.family].classifier_free else negative,
        model=model,
        width=width,
        height=height,
        num_inference_steps=entry.steps if args.steps is None else args.steps,
        guidance_scale=entry.guidance_scale if args.guidance is None else args.guidance,
        seed=fix_seed(args.seed),
        num_images=args.count,
        scheduler=args.scheduler,
        loras=tuple(args.lora),
        image=args.image,
        strength=_or_usual(args.strength, args.outpaint, _STRENGTH),
        mask_image=args.mask,
        mask_feather=_or_usual(args.mask_feather, args.outpaint, _FEATHER),
        mask_area_only=args.mask_area_only,
        outpaint=args.outpaint,
        hires=args.hires,
        refiner=refiner and locate(refiner),
        refiner_start=refiner_start,
        controls=tuple(replace(one, model=locate(one.model), preprocessor=args.preprocessor) for one in args.control),
        upscale=args.upscale,
        backend=args.backend,
        precision=args.precision,
        safety_check=args.safety_check,
    )


def _or_usual(value: _T | None, outpaint: Outpaint, usual: tuple[_T, _T]) -> _T:
    return usual[1 if outpaint else 0] if value is None else value


def _natural_size(image: Path | None, entry: Entry) -> tuple[int, int]:
    """The size where none is asked for: that of the start picture, else the model's own."""
    if image is None:
        return entry.width, entry.height
    width, height = images.open_picture(image).size
    if min(width, height) < SIDE_MIN or max(width, height) > SIDE_MAX:
        raise InvalidRequest(
            f"The start picture has {width}x{height} pixels, and a picture of that size cannot be drawn.",
            f"Give a size with --size, {SIDE_MIN} to {SIDE_MAX} pixels a side.",
        )
    return width, height


def _find_target(out: str | None, folders: Folders) -> images.Target:
    if out in ("", "-"):
        raise InvalidRequest("A picture cannot be written there.", "Give --out a file or a folder.")
    return images.Target.from_out(folders.pictures if out is None else out)


def _read_prompt() -> str:
    """The prompt from standard input, in UTF-8, without the line end that `echo` adds."""
    if sys.stdin is None:
        raise InvalidRequest("There is no standard input to read the prompt from.", "Give it as an argument.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidRequest("The prompt on standard input is not text.", "Give it in UTF-8.") from None
    return text.removesuffix("\n").removesuffix("\r")


def _check_text(text: str) -> str:
    """Refuse Python's stand-ins for bytes of the command line that were not text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidRequest("The prompt is not text in this system's encoding.", "Give it in UTF-8.") from None
    return text


def _describe(picture: PictureSaved) -> str:
    size = f"{picture.width}x{picture.height}"
    return f"{picture.path}  {size}  seed {picture.seed}  {picture.model_seconds:.1f} s"
