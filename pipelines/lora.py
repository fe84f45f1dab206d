"""LoRA files: checked against their model, applied beside its weights, removed without a trace.

Every kind and every trainer's spelling goes the same way (`lora_names`, `lora_math`): a layer's output gets an
addition. Nothing is merged into the weights, so that removing a LoRA gives back exactly the network from before.
peft is not used: it has no mixture of the kinds on one network, and does not read the files as trainers write them.
"""

from __future__ import annotations

import importlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from pipelines import lora_names, weights
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import torch
    from torch import Tensor

    from pipelines.engine.base import ComponentSpec
    from pipelines.lora_names import Target, Targets
    from pipelines.request import LoraChoice

log = logging.getLogger(__name__)

# How the names of a layer's tensors end, the longest first, and what each is
_PARTS = {
    "lora_linear_layer.down.weight": "down", "lora_linear_layer.up.weight": "up",
    "lora.down.weight": "down", "lora.up.weight": "up",
    "lora_A.default.weight": "down", "lora_B.default.weight": "up",
    "lora_A.weight": "down", "lora_B.weight": "up", "lora_B.bias": "bias",
    "lora_down.weight": "down", "lora_up.weight": "up", "lora_mid.weight": "mid", "lora_up.bias": "bias",
    "down.weight": "down", "up.weight": "up",
    "lora_magnitude_vector.default.weight": "dora", "lora_magnitude_vector.weight": "dora",
    "lora_magnitude_vector": "dora", "dora_scale": "dora", "alpha": "alpha", "diff_b": "diff_b", "diff": "diff",
    **{name: name for name in (
        "hada_w1_a", "hada_w1_b", "hada_w2_a", "hada_w2_b", "hada_t1", "hada_t2", "lokr_w1", "lokr_w1_a", "lokr_w1_b",
        "lokr_w2", "lokr_w2_a", "lokr_w2_b", "lokr_t2",
    )},
}  # fmt: skip
_TRAINED = ("up", "diff", "diff_b", "hada_w1_a", "lokr_w1", "lokr_w1_a")  # one of these makes a layer's change
# Pieces of tensor names that only one family has, to say which one a file is for
_FAMILY_MARKS = (
    ("lora_te2_", "SDXL"),
    ("input_blocks", "SDXL"),
    ("down_blocks", "Stable Diffusion"),
    ("context_refiner", "Z-Image"),
    ("joint_blocks", "Stable Diffusion 3"),
    ("double_blocks", "FLUX.1"),
    ("single_transformer_blocks", "FLUX.1"),
)
_ATTRIBUTE = "_firstlight_lora_hooks"

Groups = dict[str, dict[str, str]]  # a file's names of layers, to their parts, to the tensors' full names


class _Hook(Protocol):
    def remove(self) -> None: ...


def check(file: Path) -> None:
    """Refuse what is no LoRA file, quickly and before a model is loaded.

    Raises:
        UnusableFile: the file is damaged, a pickle, or holds no LoRA.
    """
    header = weights.read_header(file)
    weights.check_types(file, header)
    groups, _ = group(header)
    if not any(part in parts for parts in groups.values() for part in _TRAINED):
        raise UnusableFile(f"{str(file)!r} holds no LoRA: {len(header)} tensors of other kinds.", "Use a LoRA file.")


def check_fit(choices: Sequence[LoraChoice], specs: Sequence[ComponentSpec]) -> tuple[str, ...]:
    """Refuse files that are not wholly for this model; return the components that they change, in order of `specs`.

    Reads headers, and makes the networks without weights.

    Raises:
        UnusableFile: a file is damaged, or has tensors for no layer of the model, or for layers of another size.
    """
    single_file = importlib.import_module("pipelines.single_file")
    networks = {spec.name: single_file.make_network(spec) for spec in specs if spec.name in lora_names.COMPONENTS}
    tables = {name: _aliases(name, network) for name, network in networks.items()}
    touched: set[str] = set()
    for choice in choices:
        touched |= _check_file(choice.path, networks, tables)
    return tuple(spec.name for spec in specs if spec.name in touched)


def apply(network: torch.nn.Module, choices: Sequence[LoraChoice], component: str) -> None:
    """Add what the LoRAs have for this network, called `component`; it has none before.

    Raises:
        UnusableFile: a file is damaged or for a network of another size; there are no LoRAs then.
    """
    aliases = _aliases(component, network)
    hooks: list[_Hook] = []
    setattr(network, _ATTRIBUTE, hooks)
    try:
        for choice in choices:
            groups, _ = group(weights.read_header(choice.path))
            for alias, parts in _read(choice.path, {name: groups[name] for name in groups if name in aliases}):
                hooks += _add(network, aliases[alias], parts, choice.weight)
    except (RuntimeError, ValueError, KeyError) as error:
        remove(network)
        raise UnusableFile(
            f"A LoRA is for layers of another size: {error}.", "Use one that was trained on this very model."
        ) from error
    except BaseException:
        remove(network)
        raise


@dataclass(frozen=True, slots=True)
class Change:
    """What one LoRA has for (rows of) one layer: `parts` are the names of its tensors in `file`."""

    file: Path
    parts: Mapping[str, str]
    target: Target
    weight: float

    def read(self) -> dict[str, Tensor]:
        """The tensors by the names of the parts."""
        ((_, parts),) = _read(self.file, {"": dict(self.parts)})
        return parts


def find_changes(network: torch.nn.Module, choices: Sequence[LoraChoice], component: str) -> list[Change]:
    """What the LoRAs have for the network called `component`, in their order. The network needs no weights."""
    aliases = _aliases(component, network)
    return [
        Change(choice.path, parts, target, choice.weight)
        for choice in choices
        for alias, parts in group(weights.read_header(choice.path))[0].items()
        for target in aliases.get(alias, ())
    ]


def remove(network: torch.nn.Module) -> None:
    """Take all LoRAs off; a network without any stays as it is."""
    hooks = cast("list[_Hook]", getattr(network, _ATTRIBUTE, []))
    for hook in hooks:
        hook.remove()
    hooks.clear()


def group(names: Iterable[str]) -> tuple[Groups, list[str]]:
    """A file's tensors by the layers that they change, and those of no kind that is known."""
    groups: Groups = {}
    unknown: list[str] = []
    for name in names:
        ending = next((ending for ending in _PARTS if name.endswith(f".{ending}")), None)
        if ending is None:
            unknown.append(name)
        else:
            groups.setdefault(name.removesuffix(f".{ending}"), {})[_PARTS[ending]] = name
    return groups, unknown


def guess_family(names: Iterable[str]) -> str:
    """The family that the tensors' names point to, or an empty text."""
    text = "\n".join(names)
    return next((family for mark, family in _FAMILY_MARKS if mark in text), "")


def _check_file(
    file: Path, networks: Mapping[str, torch.nn.Module], tables: Mapping[str, Mapping[str, Targets]]
) -> set[str]:
    """The components that a file changes."""
    check(file)
    header = weights.read_header(file)
    groups, unknown = group(header)
    unmatched = unknown + [
        name
        for alias, parts in groups.items()
        if not any(alias in table for table in tables.values())
        for name in parts.values()
    ]
    if unmatched:
        family = guess_family(header)
        examples = ", ".join(sorted(unmatched)[:3])
        raise UnusableFile(
            f"{len(unmatched)} of the {len(header)} tensors in {str(file)!r} match no layer of this model"
            f"{f'; it looks like one for {family}' if family else ''} (such as {examples}).",
            "Use a LoRA that was made for this model's family.",
        )
    torch = importlib.import_module("torch")
    shapes = {name: torch.empty(tensor.shape, device="meta") for name, tensor in header.items()}
    wrong = 0
    touched: set[str] = set()
    for component, table in tables.items():
        for alias in groups.keys() & table.keys():
            touched.add(component)
            parts = {part: shapes[name] for part, name in groups[alias].items()}
            wrong += len(parts) * (not _fits(networks[component], table[alias], parts))
    if wrong:
        raise UnusableFile(
            f"{wrong} of the {len(header)} tensors in {str(file)!r} are for layers of another size.",
            "Use a LoRA that was trained on this very model.",
        )
    return touched


def _fits(network: torch.nn.Module, targets: Targets, parts: Mapping[str, Tensor]) -> bool:
    """Whether the parts, on the meta device, make a change of each layer's size."""
    try:
        for target in targets:
            _make_addition(network, target, parts, 1.0)
    except (RuntimeError, ValueError, KeyError) as error:
        log.debug("%s: %s", targets, error)
        return False
    rows = next((parts[name].shape[0] for name in ("up", "diff") if name in parts), None)
    return rows is None or targets[-1].stop in (None, rows)


def _add(network: torch.nn.Module, targets: Targets, parts: Mapping[str, Tensor], weight: float) -> list[_Hook]:
    return [_hook(network, target, parts, weight) for target in targets]


def _hook(network: torch.nn.Module, target: Target, parts: Mapping[str, Tensor], weight: float) -> _Hook:
    add = _make_addition(network, target, parts, weight)

    def on_output(_layer: object, inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        return output + add(inputs[0])

    return network.get_submodule(target.layer).register_forward_hook(on_output)


def _make_addition(
    network: torch.nn.Module, target: Target, parts: Mapping[str, Tensor], weight: float
) -> Callable[[Tensor], Tensor]:
    lora_math = importlib.import_module("pipelines.lora_math")
    layer = network.get_submodule(target.layer)
    return cast("Callable[[Tensor], Tensor]", lora_math.make_addition(layer, parts, target, weight))


def _aliases(component: str, network: torch.nn.Module) -> dict[str, Targets]:
    nn: Any = importlib.import_module("torch").nn
    modules: Any = dict(cast("Any", network).named_modules())
    layers = {
        name: int(one.weight.shape[0]) for name, one in modules.items() if isinstance(one, (nn.Linear, nn.Conv2d))
    }
    return lora_names.find_aliases(component, layers)


def _read(file: Path, groups: Groups) -> Iterable[tuple[str, dict[str, Tensor]]]:
    safetensors = importlib.import_module("safetensors")
    with safetensors.safe_open(str(file), framework="pt", device="cpu") as opened:
        for alias, parts in groups.items():
            yield alias, {part: opened.get_tensor(name) for part, name in parts.items()}
