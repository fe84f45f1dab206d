"""What runs an engine from the store: one plan with its weights inside or at its side, or a chain of plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pipelines.engine import chain
from pipelines.engine.base import TURNS, find_streamed
from pipelines.engine.rtx_blocks import Blocks, lay_out
from pipelines.engine.rtx_chain import BoundChain, ChainContext
from pipelines.engine.rtx_context import Context
from pipelines.engine.rtx_engine import BoundEngine
from pipelines.engine.rtx_parking import Parking, Turns
from pipelines.engine.rtx_weights import InputSlots, RefittedSlots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.engine.gpu_memory import Gpu, Scratch
    from pipelines.engine.rtx_engine import Bound, Library
    from pipelines.engine.rtx_parking import Parked
    from pipelines.engine.rtx_weights import Slots
    from pipelines.events import Report
    from pipelines.request import Precision


@dataclass(frozen=True, slots=True)
class Kit:
    """What all engines of this process share."""

    library: Library
    gpu: Gpu
    scratch: Scratch
    turns: Turns = field(default_factory=Turns)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which engine is to run, and how. `key` names it to the timings; `weights` maps each weight's name to its kind."""

    name: str
    key: str
    precision: Precision
    weights: Mapping[str, str]
    option: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """An engine without its policy.

    `make_context` is given the name of a strategy, a GPU and scratch memory. `has_graphs` says whether calls become
    CUDA graphs. `parked` is what can leave the GPU, if it can.
    """

    bound: Bound
    slots: tuple[Slots, ...]
    make_context: Callable[[str, Gpu, Scratch], Context | ChainContext]
    parked: Parked | None
    has_graphs: bool

    def close(self) -> None:
        """Free everything; the contexts are closed by now."""
        if self.parked is not None:
            self.parked.close()
        for slots in self.slots:
            slots.close()
        self.bound.close()


def open_plan(kit: Kit, wanted: Wanted, plan: bytes) -> Body:
    """One engine for the whole network.

    Raises:
        EngineFailure, NoRoom: it does not run here.
    """
    engine = kit.library.open(plan, wanted.name)
    inputs = [name for name, kind in wanted.weights.items() if kind == "input"]
    placeholders = [name for name, kind in wanted.weights.items() if kind == "placeholder"]
    input_slots = InputSlots(engine, kit.gpu, inputs)
    slots: list[Slots] = [input_slots] if inputs else []
    if placeholders:
        slots.append(RefittedSlots(kit.library, engine, wanted.name, kit.gpu, placeholders))
    bound = BoundEngine(kit.library, engine, wanted.name, kit.gpu, input_slots.addresses)
    parked = Parking(kit.library, engine, wanted.name, kit.gpu) if TURNS in wanted.option.split() else None
    return Body(bound, tuple(slots), partial(Context, bound), parked, has_graphs=True)


def open_chain(kit: Kit, wanted: Wanted, content: bytes, report: Report) -> Body:
    """A network in pieces.

    Raises:
        UnusableFile: the content is no chain.
        EngineFailure, NoRoom: it does not run here.
    """
    found = chain.unpack(content)
    engines = [kit.library.open(plan, wanted.name) for plan in found.plans]
    calls = [(step, lay_out(engines[step.engine], step.weights)) for step in found.steps]
    resident, keeps = find_streamed(wanted.option), TURNS in wanted.option.split()
    blocks = Blocks(wanted.name, kit.gpu, calls, resident, keeps=keeps)
    bound = BoundChain(kit.library, engines, wanted.name, kit.gpu, found.steps, blocks)
    return Body(bound, (blocks,), partial(ChainContext, bound, report), blocks, has_graphs=False)
