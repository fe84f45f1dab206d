"""The double against the installed tensorrt_rtx: whatever it has, the module has, under the same name.

The double runs all of the backend's code, so what that code uses the double has. CUDA's calls are checked likewise.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import re
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from pipelines.engine import (
    gpu_memory,
    rtx_blocks,
    rtx_body,
    rtx_chain,
    rtx_context,
    rtx_engine,
    rtx_mechanics,
    rtx_parking,
    rtx_weights,
)
from pipelines.errors import EngineFailure, NoRoom
from tests.pipelines.engine import double

HAS_GPU = torch.cuda.is_available()
needs_rtx = pytest.mark.skipif(find_spec("tensorrt_rtx") is None, reason="tensorrt-rtx-cu13 is not installed")
CLASSES = (
    double.ILogger,
    double.IErrorRecorder,
    double.IHostMemory,
    double.Runtime,
    double.ICudaEngine,
    double.IRuntimeConfig,
    double.IRuntimeCache,
    double.IExecutionContext,
    double.Refitter,
    double.IWeightsManager,
)
ENUMS = [one for one in vars(double).values() if inspect.isclass(one) and issubclass(one, Enum) and one.__members__]
# What the double has for itself and its scripts
_OWN = {
    "Runtime": {"complain"},
    "ICudaEngine": {
        "script",
        "runtime",
        "kinds",
        "session",
        "inputs",
        "outputs",
        "placeholders",
        "name",
        "names",
        "values",
    }
    | {"away", "pending"},
    "IRuntimeConfig": {"cache", "allocation"},
    "IRuntimeCache": {"kernels"},
}
_ATTRIBUTES = {  # instance attributes that the double sets and the module has as properties
    "Runtime": {"error_recorder", "engine_header_size"},
    "ICudaEngine": {"num_io_tensors"},
    "IRuntimeConfig": {"dynamic_shapes_kernel_specialization_strategy", "cuda_graph_strategy"},
    "Refitter": {"error_recorder"},
    "IHostMemory": {"nbytes"},
}


@pytest.fixture(scope="module")
def trt() -> Any:
    return import_module("tensorrt_rtx")


@needs_rtx
@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: kind.__name__)
def test_members_of_enums_exist_with_the_same_values(trt: Any, kind: type[Enum]) -> None:
    true = trt.ILogger.Severity if kind is double.Severity else getattr(trt, kind.__name__)
    for name, member in kind.__members__.items():
        assert name in true.__members__
        if kind not in (double.DataType, double.ErrorCodeTRT):  # their numbers are nobody's business
            assert int(true.__members__[name]) == member.value
        assert true.__members__[name].name == name


@needs_rtx
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_methods_exist_and_take_as_many_arguments_of_the_same_names(trt: Any, kind: type) -> None:
    true = getattr(trt, kind.__name__)
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or name in _OWN.get(kind.__name__, ()):
            continue
        assert hasattr(true, name), f"{kind.__name__}.{name}"
        if kind in (double.ILogger, double.IErrorRecorder):
            continue  # these are ours to define
        wanted = [one for one in inspect.signature(method).parameters if one != "self"]
        document = getattr(true, name).__doc__ or ""
        signatures = [
            re.findall(r"(\w+): ", text) for text in re.findall(rf"{name}\(self: [^,)]*,? ?(.*)\) ->", document)
        ]
        assert any(wanted == given[: len(wanted)] for given in signatures), (name, wanted, signatures)


@needs_rtx
def test_attributes_exist(trt: Any) -> None:
    for kind, names in _ATTRIBUTES.items():
        for name in names:
            assert hasattr(getattr(trt, kind), name), f"{kind}.{name}"


@needs_rtx
def test_what_the_library_calls_on_our_classes_is_there(trt: Any) -> None:
    library = rtx_engine.Library(double.Module(double.Script()))
    for name in ("num_errors", "get_error_code", "get_error_desc", "has_overflowed", "clear", "report_error"):
        assert hasattr(trt.IErrorRecorder, name)
        assert callable(getattr(library.recorder, name))
    assert callable(library.logger.log)


@needs_rtx
def test_everything_that_our_code_takes_from_the_module_is_in_both(trt: Any) -> None:
    """`trt.X` and `trt.X.Y`, read from the source: nothing is left to what tests happen to run."""
    found: set[str] = set()
    for module in (rtx_blocks, rtx_body, rtx_chain, rtx_context, rtx_engine, rtx_mechanics, rtx_parking, rtx_weights):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        found |= {path for node in ast.walk(tree) if (path := _path_from_trt(node))}
    assert {"Refitter", "TensorLocation.HOST", "CudaGraphStrategy", "EngineValidity.INVALID"} <= found
    stand_in = double.Module(double.Script())
    for path in found:
        for root in (trt, stand_in):
            value: Any = root
            for name in path.split("."):
                if not (inspect.isroutine(value) or name.startswith("__")):
                    assert hasattr(value, name), path
                    value = getattr(value, name)


def _path_from_trt(node: ast.AST) -> str:
    """`A.B` for an expression `trt.A.B` or `….trt.A.B`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.insert(0, node.id)
    return ".".join(names[names.index("trt") + 1 :]) if "trt" in names else ""


@needs_rtx
@pytest.mark.skipif(HAS_GPU, reason="there is a driver")
def test_without_a_driver_the_true_library_says_so(trt: Any) -> None:
    """The one thing that the true runtime can be asked here: whether a plan could run."""
    library = rtx_engine.Library(trt)
    assert library.explain(b"ftrt" + b"\0" * 60)
    assert "damaged" in library.explain(b"no plan" * 20)


@pytest.mark.skipif(find_spec("cuda") is None, reason="cuda-python is not installed")
def test_cuda_has_what_we_call() -> None:
    cuda = import_module("cuda.bindings.runtime")
    source = Path(gpu_memory.__file__).read_text(encoding="utf-8")
    called = set(re.findall(r"_call\([^\"]*\"(cuda\w+)\"", source))
    assert {"cudaMemcpyAsync", "cudaEventRecord", "cudaStreamWaitEvent", "cudaEventCreateWithFlags"} <= called
    assert len(called) >= 15
    for name in called:
        assert callable(getattr(cuda, name)), name
    assert cuda.cudaMemcpyKind.cudaMemcpyDefault
    assert cuda.cudaError_t.cudaErrorMemoryAllocation
    assert cuda.cudaStreamNonBlocking == 1
    assert cuda.cudaEventDisableTiming == 2
    (error, *_) = cuda.cudaMemGetInfo()
    assert isinstance(error, cuda.cudaError_t)
    _, text = cuda.cudaGetErrorString(error)
    assert text


@pytest.mark.skipif(HAS_GPU or find_spec("cuda") is None, reason="there is a GPU, or no cuda-python")
def test_a_machine_without_a_gpu_is_refused_in_words() -> None:
    with pytest.raises(EngineFailure, match="CUDA refuses"):
        gpu_memory.CudaGpu(0)


class TestMemory:
    """What is done with CUDA's answers, by a stand-in for the few calls that it takes."""

    @pytest.fixture
    def gpu(self, monkeypatch: pytest.MonkeyPatch) -> gpu_memory.CudaGpu:
        errors = SimpleNamespace(cudaSuccess=0, cudaErrorMemoryAllocation=2)
        self.called: list[str] = []
        answers: dict[str, tuple[object, ...]] = {
            "cudaSetDevice": (0,),
            "cudaDeviceGetStreamPriorityRange": (0, 0, -1),
            "cudaStreamCreateWithPriority": (0, 7),
            "cudaMallocHost": (2, 0),
            "cudaMalloc": (2, 0),
            "cudaFreeHost": (0,),
            "cudaGetErrorString": (0, b"out of memory"),
        }

        def make(name: str) -> Any:
            return lambda *_: (self.called.append(name), answers[name])[1]

        fake = SimpleNamespace(cudaError_t=errors, cudaStreamNonBlocking=1, **{name: make(name) for name in answers})
        monkeypatch.setattr(gpu_memory, "load_cuda", lambda: fake)
        self.answers = answers
        return gpu_memory.CudaGpu(0)

    def test_what_cannot_be_pinned_is_ordinary_memory(self, gpu: gpu_memory.CudaGpu) -> None:
        block = gpu.allocate_pinned(1000)
        ctypes.memset(block.address, 1, block.size)
        gpu.free_pinned(block)
        assert "cudaFreeHost" not in self.called
        self.answers["cudaMallocHost"] = (0, 4096)
        gpu.free_pinned(gpu.allocate_pinned(1000))
        assert "cudaFreeHost" in self.called

    def test_a_full_gpu_is_told(self, gpu: gpu_memory.CudaGpu) -> None:
        with pytest.raises(NoRoom, match="memory of the GPU ran out"):
            gpu.allocate(1000)
