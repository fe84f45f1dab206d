"""LoRAs for engines: merged weights, each computed from the original when it is asked for, and from nothing else.

The originals are never changed, so removing a LoRA puts back what was there, bit for bit. One weight is in memory at
a time. Importing this loads PyTorch.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from pipelines import lora, lora_math, single_file
from pipelines.engine import narrow_graph
from pipelines.engine.rtx_weights import LibraryWeights, Originals
from pipelines.errors import UnusableFile
from pipelines.gguf_header import is_gguf

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import torch

    from pipelines.engine.base import ComponentSpec
    from pipelines.engine.rtx_weights import Source
    from pipelines.lora import Change
    from pipelines.request import LoraChoice

_WEIGHT, _BIAS = ".weight", ".bias"
log = logging.getLogger(__name__)


class _Layer:
    """What the mathematics of LoRAs asks of a layer."""

    def __init__(self, weight: torch.Tensor) -> None:
        self.weight = weight


class Merged:
    """The weights of a network with LoRAs on it: a `Source`. `names` are of those that differ from the originals."""

    def __init__(self, spec: ComponentSpec, choices: Sequence[LoraChoice]) -> None:
        self._spec = spec
        self._originals: Source | None = None
        self._changes: dict[str, list[Change]] = {}
        self._shapes: dict[str, torch.Size] = {}
        if choices:
            network = single_file.make_network(spec)
            self._sort(lora.find_changes(network, choices, spec.name), network.state_dict())
        self.names: tuple[str, ...] = tuple(self._changes)

    def __call__(self, name: str, /) -> torch.Tensor:
        """See `Source`.

        Raises:
            UnusableFile: a LoRA is for a layer of another size.
        """
        if self._originals is None:
            self._originals = find_source(self._spec, (name,))
        original = self._originals(name)
        changes = self._changes.get(name)
        if not changes:
            return original
        base = original.float().reshape(self._shapes[name])
        merged = base.clone()
        try:
            for change in changes:
                difference = _find(change, base, name)
                if difference is not None:
                    merged += difference.to(merged.device) * change.weight
        except (ValueError, RuntimeError, KeyError) as error:
            raise UnusableFile(
                f"A LoRA is for layers of another size: {error}.", "Use one that was trained on this very model."
            ) from error
        return merged

    def _sort(self, changes: Iterable[Change], state: Mapping[str, torch.Tensor]) -> None:
        """By the names of the weights that they change."""
        for change in changes:
            has = change.parts.keys()
            touched = [_WEIGHT] if has - {"diff_b", "alpha", "bias"} else []
            touched += [_BIAS] if has & {"diff_b", "bias"} else []
            for ending in touched:
                name = f"{change.target.layer}{ending}"
                if name not in state:
                    raise UnusableFile(
                        f"{str(change.file)!r} changes {name}, which the network has not got.",
                        "Use one that was trained on this very model.",
                    )
                self._changes.setdefault(name, []).append(change)
                self._shapes[name] = state[name].shape


def _find(change: Change, base: torch.Tensor, name: str) -> torch.Tensor | None:
    """What a LoRA adds to a weight or a bias, in fp32 and its shape, at weight 1."""
    parts = change.read()
    if name.endswith(_WEIGHT):
        return lora_math.find_difference(parts, change.target, cast("lora_math.Layer", _Layer(base)))
    bias = parts["diff_b"] if "diff_b" in parts else parts["bias"]
    return bias.float()[change.target.start : change.target.stop].reshape(base.shape)


def find_source(spec: ComponentSpec, names: Iterable[str]) -> Source:
    """The originals of these weights: the checkpoint's files, or what its library makes of their older names.

    Raises:
        UnusableFile: the checkpoint has not got them.
    """
    if any(map(is_gguf, spec.files)):
        return LibraryWeights(spec)
    originals = Originals(spec.files)
    missing = originals.missing({narrow_graph.original(name) for name in names})
    if not missing:
        return originals
    log.warning("%s: %d weights have other names, such as %s", spec.name, len(missing), missing[0])
    return LibraryWeights(spec)
