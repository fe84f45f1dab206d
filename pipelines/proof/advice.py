"""What could be done about a kernel or operation that takes much of the time. Standard library only."""

from __future__ import annotations

# The first whose words are in the name. Names are PyTorch's operations and NVIDIA's kernels.
_KINDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("flash", "fmha", "attention", "sdpa", "softmax"),
        "Attention grows with the square of the pixels: draw smaller and upscale, or let a backend fuse it.",
    ),
    (
        ("conv", "implicit_gemm", "wgrad", "xmma_fprop"),
        "Convolutions: 16 bits instead of 32, or a backend that compiles them for this size.",
    ),
    (
        ("gemm", "addmm", "aten::mm", "bmm", "matmul", "linear", "cublas", "cutlass", "nvjet", "mkldnn"),
        "Matrix products: fewer bits (bf16, or fp8 where the GPU has it) make them faster, fewer steps fewer.",
    ),
    (
        ("memcpy", "copy", "contiguous", "clone", "aten::to"),
        "Copies: a change of layout or precision; a compiled backend fuses them into what comes before.",
    ),
    (("norm",), "Normalisation waits for memory: a compiled backend fuses it with what comes after."),
    (
        ("upsample", "interpolate"),
        "Enlarging waits for memory: a compiled backend fuses it with the convolution after it.",
    ),
    (
        ("triton", "elementwise", "mul", "add", "gelu", "silu", "sigmoid", "cat", "aten::pow"),
        "Small work on every value waits for memory: a compiled backend fuses it.",
    ),
    (("tensorrt", "trt", "myelin"), "Work inside an engine: a smaller precision of engine, or fewer steps."),
)
_ELSE = "No general remedy is known; the trace shows what comes before and after it."


def advise(name: str, component: str) -> str:
    """One sentence on a kernel of that name in that component."""
    lower = name.lower()
    found = next((words for marks, words in _KINDS if any(mark in lower for mark in marks)), _ELSE)
    if component == "vae" and found is not _ELSE:
        return f"{found} It is in the VAE, which runs once a picture."
    return found
