"""The shape of a call: by what kernels are told apart, and in the words of a user. Loads no PyTorch."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

_LATENT = 8  # pixels a side of one latent value: all families' VAEs
_PATCH = 16  # and of one of FLUX's patches


@dataclass(frozen=True, slots=True)
class ShapeKey:
    """The sizes of all inputs by name. `words` say it to the user, and do not tell keys apart."""

    sizes: tuple[tuple[str, tuple[int, ...]], ...]
    words: str = field(compare=False)

    def to_json(self) -> dict[str, object]:
        """As plain values."""
        return {"words": self.words, "sizes": {name: list(size) for name, size in self.sizes}}


def read_shape(value: object) -> ShapeKey:
    """Read what `to_json` gave; `TypeError`, `ValueError` or `KeyError` for anything else."""
    if not isinstance(value, dict):
        raise TypeError("no shape")
    plain = cast("dict[str, Any]", value)
    sizes = tuple(sorted((str(name), tuple(int(one) for one in size)) for name, size in plain["sizes"].items()))
    return ShapeKey(sizes, str(plain["words"]))


class Shapes:
    """Makes keys for the calls of one component. FLUX's positions are read once a picture, not once a step."""

    def __init__(self) -> None:
        self._positions: weakref.ref[Tensor] | None = None
        self._size = ""

    def find(self, tensors: Mapping[str, Tensor]) -> ShapeKey:
        """The key of a call with these inputs."""
        sizes = tuple(sorted((name, tuple(int(one) for one in tensor.shape)) for name, tensor in tensors.items()))
        return ShapeKey(sizes, self._say(tensors))

    def _say(self, tensors: Mapping[str, Tensor]) -> str:
        if "img_ids" in tensors:
            words, first = self._say_positions(tensors["img_ids"]), tensors["hidden_states"]
        elif "input_ids" in tensors:
            first = tensors["input_ids"]
            words = f"{first.shape[-1]} tokens"
        else:
            scale = 1 if "x" in tensors else _LATENT
            first = next((tensors[name] for name in ("x", "z", "sample") if name in tensors), None)
            if first is None:
                first = next(iter(tensors.values()))
            words = f"{first.shape[-1] * scale}x{first.shape[-2] * scale}"
        return words if first.shape[0] == 1 else f"{words}, {first.shape[0]} at once"

    def _say_positions(self, positions: Tensor) -> str:
        if self._positions is None or self._positions() is not positions:
            height, width = (int(one) + 1 for one in positions[:, 1:].amax(dim=0))
            self._positions, self._size = weakref.ref(positions), f"{width * _PATCH}x{height * _PATCH}"
        return self._size
