"""Which networks of a model have an engine that fits this machine. Importing this loads PyTorch."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pipelines.engine import export, rtx, store, vram
from pipelines.engine.interfaces import Part
from pipelines.engine.needs import estimate_work, measure_weights
from pipelines.engine.select import find_engine_precision, keep_wide
from pipelines.engine.tensorrt_rtx import find_entry
from pipelines.engine.vram import DESKTOP
from pipelines.errors import FirstlightError

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.catalog import Entry
    from pipelines.devices import Gpu
    from pipelines.engine.base import Places
    from pipelines.engine.vram import MemoryPlan
    from pipelines.request import Precision


@functools.cache
def plan_memory(folder: Path, entry: Entry, precision: Precision, size: tuple[int, int], gpu: Gpu) -> MemoryPlan:
    """How the engines of all networks of a model would share a GPU at that width and height."""
    held = DESKTOP if gpu.memory_free is None else max(0, gpu.memory_total - gpu.memory_free)
    work = estimate_work(folder, entry, *size)
    return vram.plan_memory(measure_weights(folder, entry.family, precision), work, gpu.memory_total - held)


def explain_missing(
    folder: Path, component: str, precision: Precision, gpu: Gpu, places: Places, *, in_pieces: bool = False
) -> str:
    """Why the component of the model in `folder` has no engine (`in_pieces`) that can be used; empty where it has.

    A VAE needs both of its engines only when it is given a picture, so the decoder decides.
    """
    if rtx.find_version() is None:
        return "TensorRT-RTX is not installed"
    part = next((one for one in Part if one.component == component), None)
    if part is None:
        return f"no engine is made of a {component}"
    try:
        network = export.find_network(folder, part)
        chosen = find_engine_precision(keep_wide(component, precision), gpu)
        found = find_entry(store.open_store(places.engines), network, chosen, gpu, in_pieces=in_pieces)
    except FirstlightError as error:
        return error.message.rstrip(".")
    if isinstance(found, store.Entry):
        return ""
    return "it fits this GPU only in regions: firstlight engine build --weights regions" if in_pieces else found.reason
