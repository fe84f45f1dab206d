"""The seam between a pipeline and whatever runs its networks: one verb and a close.

Choice, retry, caching and logging live outside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from pipelines.events import Report
    from pipelines.request import Backend, Precision


EXPLICIT = "explicit"  # Plan.option: a second context for each shape, made in the background
TURNS = "turns"  # Plan.option: one network on the GPU at a time
_STREAMED = "streamed:"  # Plan.option: before the bytes of its blocks that stay on the GPU


@dataclass(frozen=True, slots=True)
class Plan:
    """How a component will run, and why, in words. `device` is PyTorch's name: `cpu`, `cuda:0`.

    `option` names, in words with spaces between, what a backend is to do in another way than usual.
    """

    backend: Backend
    precision: Precision
    device: str
    reason: str
    option: str = ""


def say_streamed(resident: int) -> str:
    """The word of `Plan.option` for weights that come block by block, but for `resident` bytes of them."""
    return f"{_STREAMED}{resident}"


def find_streamed(option: str) -> int | None:
    """How many bytes of blocks stay on the GPU, where the others come and go; None where all stay."""
    found = [word.removeprefix(_STREAMED) for word in option.split() if word.startswith(_STREAMED)]
    return int(found[0]) if found else None


@dataclass(frozen=True, slots=True)
class Places:
    """Where backends keep things: built `engines` (user data), and `kernels` compiled for this machine (user cache).

    `records` (user data) has what this machine was found to do right: see `pipelines.proof.accepted`. `wildcards` (user
    data) has the files that `__name__` in a prompt is drawn from.
    """

    engines: Path
    kernels: Path
    records: Path | None = None
    wildcards: Path | None = None


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """One network of a model: `name` is its attribute in the diffusers pipeline and its folder's name.

    `library` and `class_name` are as in model_index.json; `files` are its safetensors files, checked, with
    `parameters` values in them.
    """

    name: str
    library: str
    class_name: str
    folder: Path
    files: tuple[Path, ...]
    parameters: int


class Component(Protocol):
    """A network that is ready to run."""

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Run it on named tensors, and return named tensors on the same device as the first of them.

        The names are those of the network's own `forward`; a VAE decodes when it is given `z` and encodes
        when it is given `x`. Floating tensors may have any precision: the component casts them, and returns
        fp32.

        Raises:
            EngineFailure: it cannot run.
            NoRoom: memory did not suffice.
        """
        ...

    def close(self) -> None:
        """Free its memory. Calling it afterwards is an error; closing twice is not."""
        ...


class ComponentLoader(Protocol):
    """A backend."""

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> Component:
        """Make the component ready to run.

        Raises:
            UnusableFile: its weights do not fit the network.
            NoRoom: memory did not suffice.
            Cancelled: from `report`.
        """
        ...
