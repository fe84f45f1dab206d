"""The repeated blocks of a network, found by the names that diffusers gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import torch


def find_regions(module: torch.nn.Module) -> list[torch.nn.Module]:
    """All blocks of the classes that the network itself calls repeated (`_repeated_blocks` of diffusers)."""
    repeated = cast("list[str] | None", getattr(module, "_repeated_blocks", None)) or []
    return [one for one in module.modules() if type(one).__name__ in repeated]
