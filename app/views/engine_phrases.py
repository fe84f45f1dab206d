"""The words of the Engine page for what the services give as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.viewmodels.engine import Advice
from app.views import messages
from app.views.measures import say_seconds
from pipelines.events import Kernels

if TYPE_CHECKING:
    from app.services.caches import Difference
    from app.viewmodels.engine import KernelRow

translate = QCoreApplication.translate  # by this name lupdate finds the texts

# The projects' own names; a name is not translated
BACKENDS = {
    "tensorrt_rtx": "TensorRT-RTX",
    "inductor": "torch.compile",
    "eager": "PyTorch",
    "fake": "Fake",
}


def say_backend(name: str) -> str:
    """The backend's own name."""
    return BACKENDS.get(name, name)


def say_reason(reason: str) -> str:
    """Why something is so, in the language of the window; backends have their own names in it."""
    words = messages.translate(reason)
    for backend in ("tensorrt_rtx", "inductor"):
        words = words.replace(backend, BACKENDS[backend])
    return words


def say_component(name: str) -> str:
    """What a network is for, in a word or two."""
    return {
        "text_encoder": translate("EnginePhrases", "Text encoder"),
        "text_encoder_2": translate("EnginePhrases", "Second text encoder"),
        "transformer": translate("EnginePhrases", "Drawing network"),
        "unet": translate("EnginePhrases", "Drawing network"),
        "vae": translate("EnginePhrases", "Picture decoder"),
        "vae_decoder": translate("EnginePhrases", "Picture decoder"),
        "vae_encoder": translate("EnginePhrases", "Picture encoder"),
    }.get(name, name)


def say_kernels(kernels: Kernels) -> str:
    """How far kernels are adapted to a size."""
    return {
        Kernels.generic: translate("EnginePhrases", "For any size"),
        Kernels.specialising: translate("EnginePhrases", "Being made for this size"),
        Kernels.specialised: translate("EnginePhrases", "Made for this size"),
        Kernels.graph: translate("EnginePhrases", "Made for this size, run as one graph"),
    }[kernels]


def say_progress(row: KernelRow) -> str:
    """How long the making has taken, and will."""
    if row.kernels is not Kernels.specialising:
        return ""
    if row.estimate is None:
        return translate("EnginePhrases", "%1 so far").replace("%1", say_seconds(row.elapsed))
    if row.elapsed >= row.estimate:
        text = translate("EnginePhrases", "%1 so far, longer than the %2 of last time")
    else:
        text = translate("EnginePhrases", "%1 of about %2")
    return text.replace("%1", say_seconds(row.elapsed)).replace("%2", say_seconds(row.estimate))


def say_advice(advice: Advice) -> str:
    """What helps a backend that does not run here."""
    return {
        Advice.get_gpu: translate(
            "EnginePhrases", "It needs an NVIDIA RTX GPU. Without one, Firstlight draws on the processor, only slower."
        ),
        Advice.newer_gpu: translate("EnginePhrases", "This GPU is too old for it: RTX 20 series or later is needed."),
        Advice.rtx_gpu: translate(
            "EnginePhrases", "It is made for RTX GPUs. On this one, torch.compile is the fast way."
        ),
        Advice.new_driver: translate("EnginePhrases", "Install a newer driver from NVIDIA’s page."),
        Advice.install_rtx: translate(
            "EnginePhrases", "Install it: Firstlight’s installer brings it; with pip it is the extra “rtx”."
        ),
        Advice.cuda_torch: translate("EnginePhrases", "It needs a build of PyTorch with CUDA."),
        Advice.none: "",
    }[advice]


def say_difference(difference: Difference) -> str:
    """Why kernels do not fit this machine."""
    if difference.fact == "gpu" and not difference.ours:
        return translate("EnginePhrases", "For the %1, and there is no NVIDIA GPU here").replace(
            "%1", difference.theirs
        )
    text = {
        "system": translate("EnginePhrases", "For the system %1; this is %2"),
        "version": translate("EnginePhrases", "For TensorRT-RTX %1; %2 is installed"),
        "gpu": translate("EnginePhrases", "For the %1; this is a %2"),
        "compute_capability": translate("EnginePhrases", "For GPUs of kind %1; this one is %2"),
        "driver": translate("EnginePhrases", "For the driver %1; %2 is installed"),
    }[difference.fact]
    return text.replace("%1", difference.theirs).replace("%2", difference.ours)
