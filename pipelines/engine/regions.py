"""The repeated blocks of a network: found by the names that diffusers gives, compiled by kind, called by shape."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Example = tuple[tuple[object, ...], dict[str, object]]


def find_regions(module: torch.nn.Module) -> list[torch.nn.Module]:
    """All blocks of the classes that the network itself calls repeated (`_repeated_blocks` of diffusers)."""
    repeated = cast("list[str] | None", getattr(module, "_repeated_blocks", None)) or []
    return [one for one in module.modules() if type(one).__name__ in repeated]


def compile_blocks(blocks: list[torch.nn.Module]) -> dict[torch.nn.Module, Callable[..., Any]]:
    """A compiled way of calling each block. Nothing is compiled yet: that happens at the first call of a shape.

    Blocks of one kind share what is compiled, since it takes their weights as inputs.
    """
    compiler = cast("Any", torch).compile
    return {block: compiler(block.forward, dynamic=False, fullgraph=True) for block in blocks}


@contextmanager
def watch_blocks(blocks: list[torch.nn.Module]) -> Generator[list[tuple[torch.nn.Module, Example]]]:
    """Collect what blocks are called with: one example of each kind, size of weights, and sizes of inputs."""
    found: list[tuple[torch.nn.Module, Example]] = []
    seen: set[object] = set()

    def on_call(block: torch.nn.Module, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        key = (type(block).__name__, _sizes(block.parameters()), _sizes(args), _sizes(kwargs.values()))
        if key not in seen:
            seen.add(key)
            found.append((block, (tuple(map(_copy, args)), {name: _copy(one) for name, one in kwargs.items()})))

    hooks = [block.register_forward_pre_hook(on_call, with_kwargs=True) for block in blocks]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def call_instead(calls: dict[torch.nn.Module, Callable[..., Any]]) -> Generator[None]:
    """Within this, blocks are called in other ways than their own `forward`."""
    try:
        for block, call in calls.items():
            block.forward = call
        yield
    finally:
        for block in calls:
            block.__dict__.pop("forward", None)


def _sizes(values: Any) -> tuple[object, ...]:
    """Of tensors, also inside tuples, as rotary embeddings are; other values as text."""
    return tuple(
        tuple(one.shape)
        if isinstance(one, torch.Tensor)
        else _sizes(cast("tuple[object, ...]", one))
        if isinstance(one, tuple)
        else str(one)
        for one in values
    )


def _copy(value: object) -> object:
    """Blocks may work in place."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, tuple):
        return tuple(_copy(one) for one in cast("tuple[object, ...]", value))
    return value
