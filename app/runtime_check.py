"""The self-check of a new engine runtime: runs in a process of its own, which may crash without harm.

It does a little of all that drawing needs: arithmetic, a convolution, attention, reading weights, words to numbers; and
for NVIDIA's part it builds a small engine, which needs no GPU. One JSON object on the last line of stdout.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def main(part: str) -> int:
    """Check the part of that name; 0 where all is well."""
    checks: dict[str, Callable[[], dict[str, str]]] = {"engine": check_engine, "nvidia": check_nvidia}
    started = time.monotonic()
    try:
        facts: dict[str, object] = {**checks[part]()}
    except Exception as fault:  # noqa: BLE001  # a probe: whatever is wrong is told, and the part is not used
        _answer({"problem": f"{type(fault).__name__}: {fault}"[:500]})
        return 1
    _answer({**facts, "seconds": round(time.monotonic() - started, 1)})
    return 0


def check_engine() -> dict[str, str]:
    """PyTorch, diffusers, transformers, tokenizers and safetensors, each doing something."""
    import torch

    torch.manual_seed(0)
    numbers = torch.randn(64, 64)
    _expect(bool(torch.allclose((numbers @ numbers).mT, numbers.mT @ numbers.mT, atol=1e-4)), "a product is wrong")
    _expect(
        torch.nn.Conv2d(4, 8, 3, padding=1)(torch.randn(1, 4, 8, 8)).shape == (1, 8, 8, 8), "a convolution is wrong"
    )
    key = torch.randn(1, 2, 8, 16)
    attended = torch.nn.functional.scaled_dot_product_attention(key, key, key)
    _expect(bool(attended.isfinite().all()), "attention gives no numbers")
    _check_weights(torch, numbers)
    versions = {name: str(importlib.import_module(name).__version__) for name in ("torch", "diffusers", "transformers")}
    from diffusers.pipelines.flux.pipeline_flux import FluxPipeline  # noqa: F401  # pulls in what drawing uses
    from tokenizers import Tokenizer, models

    _expect(Tokenizer(models.WordLevel({"a": 0}, "a")).encode("a").ids == [0], "a tokenizer is wrong")
    return versions


def check_nvidia() -> dict[str, str]:
    """TensorRT-RTX: an engine for a small network is built, as on a machine without a GPU."""
    import numpy as np

    trt: Any = importlib.import_module("tensorrt_rtx_bindings")
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    given = network.add_input("given", trt.float16, (1, 16, 64))
    weights = network.add_constant((1, 64, 64), trt.Weights(np.ones((64, 64), np.float16)))
    plain = trt.MatrixOperation.NONE
    product = network.add_matrix_multiply(given, plain, weights.get_output(0), plain).get_output(0)
    product.name = "product"
    network.mark_output(product)
    config = builder.create_builder_config()
    config.num_compute_capabilities = 1
    config.set_compute_capability(trt.ComputeCapability.SM120, 0)
    plan = builder.build_serialized_network(network, config)
    size = 0 if plan is None else int(plan.nbytes)
    _expect(size > 0, "no engine could be built")
    return {"tensorrt_rtx": str(trt.__version__), "plan_bytes": str(size)}


def _check_weights(torch: Any, numbers: Any) -> None:
    from safetensors.torch import load_file, save_file

    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "weights.safetensors"
        save_file({"numbers": numbers}, file)
        read = load_file(file)["numbers"].clone()
    _expect(bool(torch.equal(read, numbers)), "weights are read wrongly")


def _expect(held: bool, otherwise: str) -> None:
    if not held:
        raise RuntimeError(otherwise)


def _answer(facts: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
