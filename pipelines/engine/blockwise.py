"""A network that is too large for the memory, once through on the CPU: each block's weights are there while it works.

They are read from the mapped files of the checkpoint, so memory holds the largest block and what is no block. Slow,
and exact: fp32. Importing this loads PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines import single_file
from pipelines.engine.eager import EagerComponent
from pipelines.engine.regions import find_regions
from pipelines.engine.rtx_weights import Originals
from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from torch import Tensor

    from pipelines.engine.base import ComponentSpec

_FP32 = 4  # bytes
_Slot = tuple[Any, str]  # a module and the name of its parameter


class Blockwise:
    """The network of `spec`.

    Raises:
        EngineFailure: it has no blocks, or its files are in a layout that is converted as a whole.
    """

    def __init__(self, spec: ComponentSpec) -> None:
        self._name = spec.name
        self._module = single_file.make_network(spec)
        self._originals = Originals(spec.files)
        self._blocks = _find_blocks(self._module)
        self._names = self._find_names()
        if not self._blocks or any(buffer.is_meta for buffer in self._module.buffers()):
            raise EngineFailure(f"The {spec.name} cannot be run block by block.", "Report this fault of Firstlight.")

    @property
    def need(self) -> int:
        """Bytes of weights that are in memory at once."""
        sizes = [sum(one.numel() for one in block.parameters()) for block in self._blocks]
        every = sum(one.numel() for one in self._module.parameters())
        return _FP32 * (every - sum(sizes) + max(sizes))

    def run(self, tensors: Mapping[str, Tensor], on_block: Callable[[], None]) -> dict[str, Tensor]:
        """Run it, as an `EagerComponent` does; `on_block` is called before each block and may raise."""
        inside = {slot for block in self._blocks for slot in _find_slots(block)}
        self._fill([slot for slot in _find_slots(self._module) if slot not in inside])

        def enter(block: torch.nn.Module, _: object) -> None:
            on_block()
            self._fill(_find_slots(block))

        hooks = [block.register_forward_pre_hook(enter) for block in self._blocks]
        hooks += [block.register_forward_hook(_empty) for block in self._blocks]
        try:
            return EagerComponent(self._name, self._module, torch.float32, "cpu")(tensors)
        finally:
            for hook in hooks:
                hook.remove()

    def _fill(self, slots: list[_Slot]) -> None:
        filled: dict[str, torch.nn.Parameter] = {}  # some are in two places
        for owner, own in slots:
            name = self._names[owner, own]
            if name not in filled:
                filled[name] = torch.nn.Parameter(self._originals(name).float(), requires_grad=False)
            setattr(owner, own, filled[name])

    def _find_names(self) -> dict[_Slot, str]:
        """The name in the files of each parameter, which may have several in the network."""
        known: dict[int, str] = {}
        named = cast("Iterable[tuple[str, Tensor]]", self._module.named_parameters(remove_duplicate=False))
        for name, value in named:
            if not self._originals.missing([name]):
                known.setdefault(id(value), name)
        slots = _find_slots(self._module)
        if any(id(getattr(owner, own)) not in known for owner, own in slots):
            raise EngineFailure(
                f"The files of the {self._name} are in a layout that is read as a whole.", "Nothing need be done."
            )
        return {(owner, own): known[id(getattr(owner, own))] for owner, own in slots}


def _find_blocks(module: torch.nn.Module) -> list[torch.nn.Module]:
    """diffusers' repeated blocks, or what transformers keeps on one device."""
    names = cast("list[str] | None", getattr(module, "_no_split_modules", None)) or []
    return find_regions(module) or [one for one in module.modules() if type(one).__name__ in names]


def _find_slots(module: torch.nn.Module) -> list[_Slot]:
    return [(owner, own) for owner in module.modules() for own, _ in owner.named_parameters(recurse=False)]


def _empty(block: torch.nn.Module, *_: object) -> None:
    """Let go of the weights."""
    for owner, own in _find_slots(block):
        shape = torch.empty_like(getattr(owner, own), device="meta")
        setattr(owner, own, torch.nn.Parameter(shape, requires_grad=False))
