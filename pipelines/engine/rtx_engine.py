"""A built engine at run time: from the bytes of a plan to contexts that compute. TensorRT-RTX reports failures as None
or False; here each of them becomes an error of ours, with what its recorder was told.
"""

from __future__ import annotations

import logging
import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from pipelines.engine import rtx
from pipelines.engine.gpu_memory import Buffer
from pipelines.errors import EngineFailure, NoRoom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.engine.gpu_memory import Gpu

DTYPES = {
    "FLOAT": torch.float32,
    "HALF": torch.float16,
    "BF16": torch.bfloat16,
    "INT32": torch.int32,
    "INT64": torch.int64,
    "BOOL": torch.bool,
    "UINT8": torch.uint8,
    "FP8": torch.float8_e4m3fn,
}
_AGAIN = "Use --backend eager; the log has the details."
log = logging.getLogger(__name__)


class Library:
    """The tensorrt_rtx module with its one logger, an error recorder and a runtime. Keep it longest.

    Raises:
        EngineFailure: there is no runtime, as without a driver.
    """

    def __init__(self, trt: Any) -> None:
        self.trt = trt
        self.logger, self._messages = rtx.make_logger(trt)
        self.recorder = _make_recorder(trt, self._messages)
        self.runtime = trt.Runtime(self.logger)
        if self.runtime is None:
            raise self.failure("TensorRT-RTX does not start")
        self.runtime.error_recorder = self.recorder

    def failure(self, what: str) -> EngineFailure | NoRoom:
        """An error that ends in what TensorRT-RTX last said."""
        said = self._messages[-1] if self._messages else "it gives no reason"
        self._messages.clear()
        words = f"{what}: {' '.join(said.split())[:300].rstrip('.')}."
        if "memory" in said.lower() and ("alloc" in said.lower() or "out of" in said.lower()):
            return NoRoom(words, "Ask for a smaller size, or close other programs.")
        return EngineFailure(words, _AGAIN)

    def open(self, plan: bytes, name: str) -> Any:
        """The engine of a plan.

        Raises:
            EngineFailure: the plan does not fit this machine; the message says in what.
        """
        problem = self.explain(plan)
        if problem:
            raise EngineFailure(f"The engine of the {name} cannot run here: {problem}.", _AGAIN)
        engine = self.runtime.deserialize_cuda_engine(plan)
        if engine is None:
            raise self.failure(f"The engine of the {name} cannot be loaded")
        return engine

    def explain(self, plan: bytes) -> str:
        """Why a plan does not run here, in words; empty where it does. Its first bytes are enough."""
        validity, diagnostics = self.runtime.get_engine_validity(plan[: self.runtime.engine_header_size])
        if validity != self.trt.EngineValidity.INVALID:
            return ""
        self._messages.clear()
        mask = int(diagnostics)
        named = self.trt.EngineInvalidityDiagnostics.__members__
        reasons = [_DIAGNOSES[key] for key, flag in named.items() if mask & int(flag) and key in _DIAGNOSES]
        return " and ".join(reasons) or "there is no CUDA: the driver is missing or too old"  # a mask of 0


_DIAGNOSES = {
    "VERSION_MISMATCH": "another version of TensorRT-RTX built it",
    "UNSUPPORTED_CC": "this GPU is of a kind that it was not built for",
    "OLD_CUDA_DRIVER": "the driver of the GPU is too old",
    "OLD_CUDA_RUNTIME": "the CUDA runtime is too old",
    "INSUFFICIENT_GPU_MEMORY": "the GPU has not enough memory",
    "MALFORMED_ENGINE": "it is damaged",
    "CUDA_ERROR": "CUDA fails on this machine",
}


class Kernels:
    """The runtime cache that all contexts of an engine share. Its calls are made one at a time."""

    def __init__(self, library: Library, engine: Any) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._config = engine.create_runtime_config()
        self.cache: Any = self._config.create_runtime_cache() if self._config is not None else None
        if self.cache is None:
            raise library.failure("A cache for kernels cannot be made")

    def load(self, content: bytes) -> str:
        """Take in kernels of an earlier launch; says why not where they are turned down."""
        with self._lock:
            if self.cache.deserialize(content):
                return ""
        return self._library.failure("TensorRT-RTX turns it down").message.rstrip(".")

    def dump(self) -> bytes:
        """All kernels; to be called after a synchronised inference only. Empty where it cannot be had."""
        with self._lock:
            memory = self.cache.serialize()
        return b"" if memory is None else bytes(memory)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of all inputs of one call by name."""

    inputs: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(slots=True)
class Buffers:
    """The fixed places of the tensors of one shape."""

    inputs: dict[str, Buffer]
    outputs: dict[str, Buffer] = field(default_factory=dict[str, Buffer])

    @property
    def addresses(self) -> dict[str, int]:
        """Where each tensor is."""
        return {one: buffer.block.address for one, buffer in (self.inputs | self.outputs).items()}

    def close(self) -> None:
        """Free them."""
        for buffer in (*self.inputs.values(), *self.outputs.values()):
            buffer.close()


class Bound:
    """What all contexts of a network share: kernels, and buffers by shape for its `inputs` and `outputs`.

    `engine` is the one that kernels are asked of; `inputs` and `outputs` map names to types.
    """

    def __init__(
        self, library: Library, engine: Any, name: str, gpu: Gpu, ends: tuple[Mapping[str, Any], Mapping[str, Any]]
    ) -> None:
        self.library = library
        self.name = name
        self.gpu = gpu
        self.kernels = Kernels(library, engine)
        self._buffers: dict[Sizes, Buffers] = {}
        self._inputs, self._outputs = (list(end) for end in ends)
        self._dtypes = {one: find_dtype(dtype) for end in ends for one, dtype in end.items()}

    def order(self, sizes: Mapping[str, tuple[int, ...]]) -> Sizes:
        """The sizes of the inputs in the engine's own order."""
        return Sizes(tuple((one, sizes[one]) for one in self._inputs))

    def admit(self, inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The inputs in the engine's own order and types, contiguous.

        Raises:
            EngineFailure: they are not those of the engine.
        """
        if set(inputs) != set(self._inputs):
            other = ", ".join(sorted(set(inputs) ^ set(self._inputs)))
            raise EngineFailure(f"The engine of the {self.name} is called with other inputs: {other}.", _AGAIN)
        return {one: inputs[one].to(self._dtypes[one]).contiguous() for one in self._inputs}

    def buffers(self, sizes: Sizes) -> Buffers:
        """The fixed buffers of a shape."""
        if sizes not in self._buffers:
            self._buffers[sizes] = self.make_buffers(sizes, self.gpu)
        return self._buffers[sizes]

    def make_buffers(self, sizes: Sizes, gpu: Gpu) -> Buffers:
        """Buffers of one's own; the outputs follow when their sizes are known."""
        return Buffers({one: Buffer(gpu, _bytes(size, self._dtypes[one])) for one, size in sizes.inputs})

    def forget(self, sizes: Sizes) -> None:
        """Free the buffers of a shape."""
        if sizes in self._buffers:
            self._buffers.pop(sizes).close()

    def need_outputs(
        self, sizes: Mapping[str, tuple[int, ...]], buffers: Buffers, gpu: Gpu
    ) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
        """Make buffers for outputs of these sizes where there are none yet; returns sizes and types.

        Raises:
            NoRoom: the GPU has no room for them.
        """
        outputs = {one: (sizes[one], self._dtypes[one]) for one in self._outputs}
        for one, (size, dtype) in outputs.items():
            if one not in buffers.outputs:
                buffers.outputs[one] = Buffer(gpu, _bytes(size, dtype))
        return outputs

    def close(self) -> None:
        """Free the buffers and let go of the kernels; the contexts are closed by now."""
        for buffers in self._buffers.values():
            buffers.close()
        self._buffers.clear()
        self.kernels.cache = None


class BoundEngine(Bound):
    """One engine. `addresses` are those of the weights that are inputs, by name; they never move."""

    def __init__(self, library: Library, engine: Any, name: str, gpu: Gpu, addresses: Mapping[str, int]) -> None:
        self.engine: Any = engine
        self._addresses = dict(addresses)
        names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
        is_input = {one: engine.get_tensor_mode(one) == library.trt.TensorIOMode.INPUT for one in names}
        types = {one: engine.get_tensor_dtype(one) for one in names if one not in self._addresses}
        inputs = {one: dtype for one, dtype in types.items() if is_input[one]}
        outputs = {one: dtype for one, dtype in types.items() if not is_input[one]}
        super().__init__(library, engine, name, gpu, (inputs, outputs))

    def bind(self, context: Any, buffers: Buffers, gpu: Gpu) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
        """Give the context the addresses of everything; returns sizes and types of the outputs.

        Raises:
            EngineFailure: it does not take them.
            NoRoom: the GPU has no room for the outputs.
        """
        sizes = {one: tuple(context.get_tensor_shape(one)) for one in self._outputs}
        outputs = self.need_outputs(sizes, buffers, gpu)
        for one, address in (buffers.addresses | self._addresses).items():
            if not context.set_tensor_address(one, address):
                raise self.library.failure(f"The engine of the {self.name} takes no address of {one}")
        return outputs

    def close(self) -> None:
        """See `Bound`."""
        super().close()
        self.engine = None


def find_dtype(dtype: Any) -> torch.dtype:
    """PyTorch's type for one of TensorRT's.

    Raises:
        EngineFailure: it has none.
    """
    if dtype.name not in DTYPES:
        raise EngineFailure(f"The engine works with {dtype.name}, which this version does not know.", _AGAIN)
    return DTYPES[dtype.name]


def _bytes(size: tuple[int, ...], dtype: torch.dtype) -> int:
    return math.prod(size) * dtype.itemsize


def _make_recorder(trt: Any, messages: list[str]) -> Any:
    """Where the library puts the reason of a failed call, if there is one, instead of into its log."""

    class Recorder(trt.IErrorRecorder):
        def __init__(self) -> None:
            trt.IErrorRecorder.__init__(self)

        def num_errors(self) -> int:
            return len(messages)

        def get_error_code(self, index: int) -> Any:
            return trt.ErrorCodeTRT.UNSPECIFIED_ERROR

        def get_error_desc(self, index: int) -> str:
            return messages[index]

        def has_overflowed(self) -> bool:
            return False

        def clear(self) -> None:
            messages.clear()

        def report_error(self, code: Any, description: str) -> bool:
            log.warning("%s", description)
            messages.append(description)
            return False  # nothing ends by it

    return Recorder()
