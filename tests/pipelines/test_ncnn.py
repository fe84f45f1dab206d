"""The ncnn reader on networks written here, where every number of the answer is known."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from pipelines import ncnn
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

FP16, FP32 = 0x01306B47, 0


def network(folder: Path, layers: str, weights: bytes = b"") -> Path:
    lines = ["Input in 0 1 x", *layers.strip().split("\n")]
    (folder / "n.param").write_text(f"7767517\n{len(lines)} 9\n" + "\n".join(lines) + "\n")
    (folder / "n.bin").write_bytes(weights)
    return folder / "n"


def packed(values: list[float], flag: int) -> bytes:
    data = np.array(values, "<f2" if flag == FP16 else "<f4").tobytes()
    return struct.pack("<I", flag) + data + b"\0" * (-len(data) % 4)


def run(stem: Path, values: list[list[float]]) -> list[list[float]]:
    with torch.inference_mode():
        return ncnn.load(stem)(torch.tensor(values)[None, None])[0, 0].tolist()


@pytest.mark.parametrize("flag", [FP16, FP32])
def test_convolution_with_bias_and_leaky_relu(tmp_path: Path, flag: int) -> None:
    shift = [
        0.0,
        0.0,
        0.0,
        2.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ]  # twice the left neighbour; nine values, so fp16 is padded
    weights = packed(shift, flag) + np.float32(-5).tobytes()
    stem = network(tmp_path, "Convolution c 1 1 x y 0=1 1=3 4=1 5=1 6=9 9=2 -23310=1,1.0e-01", weights)
    assert run(stem, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) == pytest.approx(
        np.array([[-0.5, -0.3, -0.1], [-0.5, 3, 5]]), abs=1e-6
    )


def test_prelu(tmp_path: Path) -> None:
    stem = network(tmp_path, "PReLU p 1 1 x y 0=1", np.float32(0.5).tobytes())
    assert run(stem, [[-4.0, 4.0]]) == [[-2.0, 4.0]]


def test_split_sum_concat_and_pixel_shuffle(tmp_path: Path) -> None:
    stem = network(
        tmp_path,
        """
Split s 1 3 x a b c
BinaryOp add 2 1 a b d
Eltwise e 2 1 d c f 0=1 -23301=2,1.0,10.0
Split t 1 4 f g h i j
Concat k 4 1 g h i j l
PixelShuffle m 1 1 l y 0=2
""",
    )
    assert run(stem, [[1.0, 2.0]]) == [[12.0, 12.0, 24.0, 24.0]] * 2


def test_nearest_and_bicubic_sizes(tmp_path: Path) -> None:
    stem = network(tmp_path, "Interp u 1 1 x a 0=1 1=4.0 2=4.0\nInterp d 1 1 a y 0=3 1=5.0e-01 2=5.0e-01")
    assert np.allclose(run(stem, [[3.0]]), 3.0)
    assert np.shape(run(stem, [[3.0, 3.0, 3.0]])) == (2, 6)


@pytest.mark.parametrize(
    ("layers", "weights", "reason"),
    [
        ("Softmax s 1 1 x y", b"", "layer Softmax is not known"),
        ("PReLU p 1 1 x y 0=2", b"\0" * 4, "4 bytes of weights where at least 8 are needed"),
        ("PReLU p 1 1 x y 0=1", b"\0" * 8, "4 bytes of weights are left over"),
        ("Convolution c 1 1 x y 0=1 1=1 5=0 6=1", struct.pack("<If", 0x0002C056, 1), "which is not known"),
        ("Convolution c 1 1 x y 0=1 1=1 3=2 6=1", b"", r"parameters \[3\], which are not known"),
        ("Convolution c 1 1 x y 0=1 1=1 6=1 9=5", packed([1], FP32), "activation 5 is not known"),
        ("BinaryOp b 2 1 x x y 0=2", b"", "other than addition"),
        ("Interp i 1 1 x y 0=7", b"", "7"),
        ("PReLU", b"", "damaged"),
        ("PReLU p one 1 x y", b"", "damaged"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path: Path, layers: str, weights: bytes, reason: str) -> None:
    with pytest.raises(UnusableFile, match=reason):
        ncnn.load(network(tmp_path, layers, weights))


@pytest.mark.parametrize("text", ["", "7767517", "7767517\n2 2\nInput in 0 1 x\n", "<html>", "7767517\n0 0\n"])
def test_damaged_param_files(tmp_path: Path, text: str) -> None:
    stem = network(tmp_path, "Split s 1 1 x y")
    (tmp_path / "n.param").write_text(text)
    with pytest.raises(UnusableFile):
        ncnn.load(stem)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="No such file"):
        ncnn.load(tmp_path / "none")
