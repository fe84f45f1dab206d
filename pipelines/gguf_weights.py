"""The values of a GGUF file as tensors. Importing this loads PyTorch; the `gguf` package, with the first file.

Its `quants.dequantize` is the reference for every quantised type, and works in fp32.
"""

from __future__ import annotations

import importlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from pipelines import gguf_header, weights
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.weights import TensorInfo

_PIECE = 2**21  # values that are brought to fp32 at a time, so that memory holds few of those
_THREADS = min(8, os.cpu_count() or 1)  # NumPy works outside of Python's lock


def read_tensors(file: Path, prefix: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """The tensors whose names begin with `prefix`, by what follows it, in that precision.

    Raises:
        UnusableFile: the header is wrong, or the file has become shorter since.
    """
    header = gguf_header.read(file)
    with ThreadPoolExecutor(_THREADS) as pool:
        return {
            name.removeprefix(prefix): _read(file, header.start, tensor, dtype, pool)
            for name, tensor in header.tensors.items()
            if name.startswith(prefix)
        }


def _read(file: Path, start: int, info: TensorInfo, dtype: torch.dtype, pool: ThreadPoolExecutor) -> torch.Tensor:
    size = info.end - info.begin
    raw = np.fromfile(file, np.uint8, size, offset=start + info.begin)
    if raw.size != size:
        raise UnusableFile(f"The file {str(file)!r} has become shorter.", "Get the file again.")
    values = torch.empty(info.shape, dtype=dtype)
    if not size:
        return values
    rows = raw.reshape(weights.count_values(info.shape) // (info.shape[-1] if info.shape else 1), -1)
    goal = values.view(rows.shape[0], -1)
    step = max(1, _PIECE // goal.shape[1])

    def convert(first: int) -> None:
        piece = _dequantize(rows[first : first + step], info.dtype)
        goal[first : first + step] = torch.from_numpy(piece)  # pyright: ignore[reportUnknownMemberType] - typed loosely

    list(pool.map(convert, range(0, rows.shape[0], step)))
    return values


def _dequantize(rows: np.ndarray[Any, np.dtype[np.uint8]], kind: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of blocks to rows of fp32 values."""
    quants = cast("Any", importlib.import_module("gguf.quants"))
    with np.errstate(all="ignore"):  # what is no number shows in the picture, and is told there
        return quants.dequantize(rows, quants.GGMLQuantizationType[kind])
