"""Networks in Tencent's ncnn format (a `.param` text and a `.bin` of weights), run in PyTorch.

Format: https://github.com/Tencent/ncnn/wiki/param-and-model-file-structure and, for the numbered parameters
of each layer, https://github.com/Tencent/ncnn/wiki/operation-param-weight-table. Only what Real-ESRGAN's
networks use is here; anything else is refused by name, never guessed at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = "7767517"
_ARRAY_KEY = -23300  # an array is stored under this minus its index
_FP16_FLAG = 0x01306B47  # the weights that follow are fp16, padded to 4 bytes
_FP32_FLAG = 0
_INTERPOLATION = {1: "nearest", 2: "bilinear", 3: "bicubic"}

_Op = Callable[[Sequence[Tensor]], Tensor]


@dataclass(frozen=True, slots=True)
class _Layer:
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    params: dict[int, tuple[float, ...]]

    def number(self, index: int, default: float) -> float:
        return self.params.get(index, (default,))[0]

    def allow(self, *known: int) -> None:
        """Refuse parameters that would change what the layer does in a way not implemented here."""
        if unknown := set(self.params) - set(known):
            raise ValueError(f"layer {self.kind} has parameters {sorted(unknown)}, which are not known")


@dataclass(frozen=True, slots=True)
class _Step:
    op: _Op
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    done_with: tuple[str, ...]  # needed by no later step: freed, so memory does not grow with depth


class Network:
    """A network to be called: (1, 3, height, width) of 0 … 1 in, the same but larger out."""

    def __init__(self, steps: Sequence[_Step], entry: str, result: str) -> None:
        self._steps = steps
        self._entry = entry
        self._result = result

    def __call__(self, data: Tensor) -> Tensor:
        """Run every layer in the file's order."""
        blobs = {self._entry: data}
        for step in self._steps:
            value = step.op([blobs[name] for name in step.inputs])
            blobs.update(dict.fromkeys(step.outputs, value))
            for name in step.done_with:
                del blobs[name]
        return blobs[self._result]


def load(stem: Path) -> Network:
    """Read `stem` + `.param` and `.bin`.

    Raises:
        UnusableFile: a file is missing, damaged, or needs a layer that is not implemented.
    """
    try:
        text = stem.with_suffix(".param").read_text("ascii")
        weights = _Weights(stem.with_suffix(".bin").read_bytes())
        network = _build(_parse(text), weights)
        weights.finish()
    except OSError as error:
        raise UnusableFile(f"The network {stem} cannot be read: {error.strerror}.", _AGAIN) from error
    except (ValueError, LookupError) as error:
        raise UnusableFile(f"The network {stem} is damaged or of another kind: {error}.", _AGAIN) from error
    return network


_AGAIN = "Install the package that it came with again."


class _Weights:
    """Reads the `.bin` from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def floats(self, count: int) -> Tensor:
        """Take fp32 values."""
        return self._take(count, np.dtype("<f4"))

    def flagged(self, count: int) -> Tensor:
        """Take weights that say themselves how they are stored."""
        flag = int(np.frombuffer(self._bytes(4), "<u4")[0])
        if flag == _FP32_FLAG:
            return self.floats(count)
        if flag != _FP16_FLAG:
            raise ValueError(f"weights stored as {flag:#x}, which is not known")
        values = self._take(count, np.dtype("<f2"))
        self._bytes(-2 * count % 4)
        return values

    def finish(self) -> None:
        """Check that nothing is left over."""
        if self._offset != len(self._data):
            raise ValueError(f"{len(self._data) - self._offset} bytes of weights are left over")

    def _take(self, count: int, dtype: np.dtype[np.generic]) -> Tensor:
        values = np.frombuffer(self._bytes(count * dtype.itemsize), dtype).astype(np.float32)
        return torch.from_numpy(values)  # pyright: ignore[reportUnknownMemberType] - torch types it loosely

    def _bytes(self, size: int) -> bytes:
        start, self._offset = self._offset, self._offset + size
        if self._offset > len(self._data):
            raise ValueError(f"{len(self._data)} bytes of weights where at least {self._offset} are needed")
        return self._data[start : self._offset]


def _parse(text: str) -> list[_Layer]:
    lines = text.split("\n")
    if lines[0].strip() != _MAGIC:
        raise ValueError("it does not begin as an ncnn .param file does")
    layers = [_parse_layer(line.split()) for line in lines[2:] if line.strip()]
    if len(layers) != int(lines[1].split()[0]):
        raise ValueError(f"{len(layers)} layers where {lines[1].split()[0]} were announced")
    return layers


def _parse_layer(words: list[str]) -> _Layer:
    kind, inputs, outputs = words[0], int(words[2]), int(words[3])
    first, params = 4 + inputs + outputs, dict[int, tuple[float, ...]]()
    for word in words[first:]:
        key, value = word.split("=")
        numbers = tuple(float(number) for number in value.split(","))
        index = int(key)
        if index <= _ARRAY_KEY:
            index, numbers = _ARRAY_KEY - index, numbers[1:]  # the first is the array's length
        params[index] = numbers
    return _Layer(kind, tuple(words[4 : 4 + inputs]), tuple(words[4 + inputs : first]), params)


def _build(layers: list[_Layer], weights: _Weights) -> Network:
    if layers[0].kind != "Input":
        raise ValueError(f"it begins with {layers[0].kind} instead of Input")
    last_use = {name: i for i, layer in enumerate(layers) for name in layer.inputs}
    steps: list[_Step] = []
    for i, layer in enumerate(layers[1:], 1):
        if layer.kind not in _BUILDERS:
            raise ValueError(f"layer {layer.kind} is not known")
        # A blob that nothing uses is freed at once, except the last layer's: that is the result.
        unused = layer.outputs if i + 1 < len(layers) else ()
        done_with = [n for n in (*layer.inputs, *unused) if last_use.get(n, i) == i]
        op = _BUILDERS[layer.kind](layer, weights)
        steps.append(_Step(op, layer.inputs, layer.outputs, tuple(dict.fromkeys(done_with))))
    return Network(steps, entry=layers[0].outputs[0], result=layers[-1].outputs[0])


def _convolution(layer: _Layer, weights: _Weights) -> _Op:
    layer.allow(0, 1, 4, 5, 6, 9, 10)
    channels, kernel, padding = (int(layer.number(i, 0)) for i in (0, 1, 4))
    weight = weights.flagged(int(layer.number(6, 0))).reshape(channels, -1, kernel, kernel)
    bias = weights.floats(channels) if layer.number(5, 0) else None
    activation = layer.number(9, 0)  # 0 none, 2 leaky ReLU with its slope in parameter 10
    if activation not in (0, 2):
        raise ValueError(f"activation {activation:g} is not known")
    slope = layer.number(10, math.nan)

    def op(inputs: Sequence[Tensor]) -> Tensor:
        result = F.conv2d(inputs[0], weight, bias, padding=padding)
        return F.leaky_relu_(result, slope) if activation else result

    return op


def _prelu(layer: _Layer, weights: _Weights) -> _Op:
    slopes = weights.floats(int(layer.number(0, 0)))
    return lambda inputs: F.prelu(inputs[0], slopes)


def _interpolation(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow(0, 1, 2)
    mode = _INTERPOLATION[int(layer.number(0, 0))]
    scales = [layer.number(1, 1.0), layer.number(2, 1.0)]
    aligned = None if mode == "nearest" else False
    return lambda inputs: F.interpolate(inputs[0], scale_factor=scales, mode=mode, align_corners=aligned)


def _pixel_shuffle(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow(0)
    factor = int(layer.number(0, 1))
    return lambda inputs: F.pixel_shuffle(inputs[0], factor)


def _binary(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow(0)
    if layer.number(0, 0) != 0:
        raise ValueError("a BinaryOp other than addition is not known")
    return lambda inputs: inputs[0] + inputs[1]


def _eltwise(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow(0, 1)
    if layer.number(0, 0) != 1:
        raise ValueError("an Eltwise other than a sum is not known")
    factors = layer.params.get(1, (1.0,) * len(layer.inputs))
    return lambda inputs: torch.stack([x * f for x, f in zip(inputs, factors, strict=True)]).sum(0)


def _concatenation(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow(0)
    if layer.number(0, 0) != 0:
        raise ValueError("only channels can be concatenated")
    return lambda inputs: torch.cat(list(inputs), dim=1)


def _split(layer: _Layer, _weights: _Weights) -> _Op:
    layer.allow()
    return lambda inputs: inputs[0]


_BUILDERS: dict[str, Callable[[_Layer, _Weights], _Op]] = {
    "BinaryOp": _binary,
    "Concat": _concatenation,
    "Convolution": _convolution,
    "Eltwise": _eltwise,
    "Interp": _interpolation,
    "PReLU": _prelu,
    "PixelShuffle": _pixel_shuffle,
    "Split": _split,
}
