"""What of a network is compiled, found by the names that diffusers gives, and what it is called with.

A transformer's repeated blocks are compiled once for each kind of them. A UNet has none worth it: it is one region.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import torch
from torch.utils import _pytree as pytree  # what torch.export itself takes calls apart with

from pipelines.engine.forms import make_form
from pipelines.engine.regions import find_regions

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

_WHOLE = ("UNet2DConditionModel",)  # its transformer blocks are half of the time, and no two of a size are many


def find_compiled(network: torch.nn.Module) -> list[torch.nn.Module]:
    """The network itself, or its repeated blocks; none where it has none."""
    return [network] if type(network).__name__ in _WHOLE else find_regions(network)


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """What a kernel is made for: sizes, strides (in values) and type of a tensor."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True, slots=True)
class Signature:
    """A call without its values. `leaves` are `TensorFacts` and constants; the specs are those of PyTorch's pytree."""

    leaves: tuple[object, ...]
    spec: str
    out_spec: str


@dataclass(slots=True)
class Kind:
    """Regions of one form with weights and inputs of the same sizes: one build serves them all."""

    form: torch.nn.Module
    signature: Signature
    names: list[str] = field(default_factory=list[str])


class Regions:
    """The regions of a network by name, each in its fastest form (see `forms`), sharing the network's weights."""

    def __init__(self, network: torch.nn.Module) -> None:
        modules = cast("Iterable[tuple[str, torch.nn.Module]]", network.named_modules())
        names = {module: name for name, module in modules}
        self._blocks = {names[block]: block for block in find_compiled(network)}
        self._forms = {name: make_form(block) for name, block in self._blocks.items()}
        self._weights = {name: list(find_weights(form).values()) for name, form in self._forms.items()}

    @contextmanager
    def watch(self) -> Generator[list[Kind]]:
        """Collect what regions are called with, by kind."""
        found: dict[object, Kind] = {}

        def on_call(name: str, args: tuple[object, ...], kwargs: dict[str, object], output: object) -> None:
            form = self._forms[name]
            leaves, spec = pytree.tree_flatten((args, kwargs))
            signature = Signature(
                tuple(_tell(leaf) for leaf in leaves), _dump(spec), _dump(pytree.tree_flatten(output)[1])
            )
            key = (type(form), str(signature), *map(_tell, self._weights[name]))
            found.setdefault(key, Kind(form, signature)).names.append(name)

        hooks = [self._hook(name, block, on_call) for name, block in self._blocks.items()]
        kinds: list[Kind] = []
        try:
            yield kinds
        finally:
            for hook in hooks:
                hook.remove()
            kinds += found.values()

    def bind(self, build: Callable[..., Any], out_spec: str, names: list[str]) -> dict[str, Callable[..., Any]]:
        """A build as ways of calling the regions of these names."""
        spec = pytree.treespec_loads(out_spec)
        return {name: _Call(build, self._weights[name], spec) for name in names if name in self._weights}

    @contextmanager
    def call_instead(self, calls: Mapping[str, Callable[..., Any]]) -> Generator[None]:
        """Within this, regions are called in other ways than their own `forward`."""
        try:
            for name, call in calls.items():
                self._blocks[name].forward = call
            yield
        finally:
            for name in calls:
                self._blocks[name].__dict__.pop("forward", None)

    def names(self) -> set[str]:
        """Of all regions."""
        return set(self._blocks)

    def clear(self) -> None:
        """Let go of the network."""
        self._blocks, self._forms, self._weights = {}, {}, {}

    @staticmethod
    def _hook(name: str, block: torch.nn.Module, on_call: Callable[..., None]) -> Any:
        def hook(_: torch.nn.Module, args: tuple[object, ...], kwargs: dict[str, object], output: object) -> None:
            on_call(name, args, kwargs, output)

        return block.register_forward_hook(hook, with_kwargs=True)


class _Call:
    """One region by a build, which takes weights and inputs as one flat list of tensors."""

    def __init__(self, build: Callable[..., Any], weights: list[torch.Tensor], out_spec: pytree.TreeSpec) -> None:
        self._build = build
        self._weights = weights
        self._out_spec = out_spec

    def __call__(self, *args: object, **kwargs: object) -> object:
        tensors = [one for one in pytree.tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        return pytree.tree_unflatten(self._build(*self._weights, *tensors), self._out_spec)


def find_weights(form: torch.nn.Module) -> dict[str, torch.Tensor]:
    """What a build takes before the inputs, in this order."""
    return {**dict(form.named_parameters()), **dict(form.named_buffers())}


def _tell(value: object) -> object:
    if isinstance(value, torch.Tensor):
        # The stride of a side of one means nothing, and differs between the first block and those that get its slices
        pairs = zip(value.shape, value.stride(), strict=True)
        return TensorFacts(tuple(value.shape), tuple(1 if size == 1 else step for size, step in pairs), value.dtype)
    return value


def _dump(spec: pytree.TreeSpec) -> str:
    return pytree.treespec_dumps(spec)
