"""What a model needs of a machine, compared with it before anything is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines import memory

if TYPE_CHECKING:
    from pipelines.catalog import Entry
    from pipelines.devices import Machine


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes that a picture of the model's own size takes at its peak, with all networks loaded.

    `fits` is whether the machine's largest GPU has as much, or where there is none its memory; a backend that
    keeps fewer networks loaded needs less.
    """

    backend: str
    precision: str
    bytes: int
    fits: bool


def memory_needs(entry: Entry, machine: Machine) -> tuple[MemoryNeed, ...]:
    """The need in each precision of the backend `eager`; nothing where the model's size is not known.

    Without known widths it is the weights alone, which is less than the whole.
    """
    if not entry.parameters:
        return ()
    room = max((gpu.memory_total for gpu in machine.gpus), default=machine.memory_total)
    needs: list[MemoryNeed] = []
    for precision, size in memory.BYTES.items():
        weights = entry.parameters * size
        appetite = memory.Appetite(entry, entry.transformer_width, entry.vae_width, size, weights)
        known = bool(entry.transformer_width)
        total = memory.estimate(entry.width, entry.height, 1, appetite) if known else weights
        needs.append(MemoryNeed("eager", precision.value, total, total <= room))
    return tuple(needs)


def warning(entry: Entry, machine: Machine) -> str:
    """What to say before the download of a model that this machine has too little memory for; else empty."""
    needs = memory_needs(entry, machine)
    if not needs or any(need.fits for need in needs):
        return ""
    least = min(needs, key=lambda need: need.bytes)
    return (
        f"{entry.title} needs about {least.bytes / 2**30:.0f} GiB of memory in {least.precision}, "
        "and this machine has less: it may not run, or only slowly."
    )
