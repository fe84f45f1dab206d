"""A double of tensorrt_rtx's runtime classes and of a GPU, for machines without one.

A "plan" here is an exported ONNX graph behind a header like the true one; onnxruntime computes it on the CPU. It is
strict where the documentation is: what is undefined there is an AssertionError here. A `Script` lets any call fail
as the library fails: with None or False and a message to the recorder. `test_contract.py` holds it against the module.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import json
import struct
import time
import weakref
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from pipelines.engine.gpu_memory import ALIGNMENT, Block
from pipelines.errors import NoRoom

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from pipelines.engine.gpu_memory import Event

HEADER = 64
VERSION = (1, 7, 1, 116)
_MAGIC = b"ftrt"


@dataclass
class Script:
    """What goes wrong and how long things take. `refuse` names calls that fail; times are in seconds."""

    refuse: set[str] = field(default_factory=set)
    diagnostics: int | None = None
    gpu: str = "this GPU"
    version: tuple[int, ...] = VERSION
    memory: int = 2**40
    cold: float = 0.0
    warm: float = 0.0
    eager: float = 0.0
    wrong: float = 0.0  # added to what specialised kernels give
    off: float = 0.0  # and to what all kernels give
    calls: list[str] = field(default_factory=list)
    # Where it is set, streams do what is enqueued only when they must, and in an order that it draws
    late: random.Random | None = None
    trace: list[str] = field(default_factory=list)  # what streams did, in that order

    def allows(self, call: str) -> bool:
        self.calls.append(call)
        return call not in self.refuse


class Severity(IntEnum):
    INTERNAL_ERROR = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    VERBOSE = 4


class DataType(Enum):
    FLOAT = "tensor(float)"
    HALF = "tensor(float16)"
    INT64 = "tensor(int64)"
    FP8 = "tensor(float8e4m3fn)"


class EngineValidity(Enum):
    VALID = 0
    SUBOPTIMAL = 1
    INVALID = 2


class EngineInvalidityDiagnostics(IntEnum):
    VERSION_MISMATCH = 1
    UNSUPPORTED_CC = 2
    OLD_CUDA_DRIVER = 4
    OLD_CUDA_RUNTIME = 8
    INSUFFICIENT_GPU_MEMORY = 16
    MALFORMED_ENGINE = 32
    CUDA_ERROR = 64


class TensorIOMode(Enum):
    NONE = 0
    INPUT = 1
    OUTPUT = 2


class TensorLocation(Enum):
    DEVICE = 0
    HOST = 1


class ErrorCodeTRT(Enum):
    UNSPECIFIED_ERROR = 1


class DynamicShapesKernelSpecializationStrategy(Enum):
    LAZY = 0
    EAGER = 1
    NONE = 2


class CudaGraphStrategy(Enum):
    DISABLED = 0
    WHOLE_GRAPH_CAPTURE = 1


class ExecutionContextAllocationStrategy(Enum):
    STATIC = 0
    ON_PROFILE_CHANGE = 1
    USER_MANAGED = 2


_SIZES = {DataType.FLOAT: 4, DataType.HALF: 2, DataType.INT64: 8, DataType.FP8: 1}
# NumPy has no e4m3: its bytes, which onnxruntime is told to take for it
_NUMPY = {DataType.FLOAT: "float32", DataType.HALF: "float16", DataType.INT64: "int64", DataType.FP8: "uint8"}
_E4M3 = 17  # ONNX's number of it


class ILogger:
    INTERNAL_ERROR, ERROR, WARNING, INFO, VERBOSE = Severity
    Severity = Severity

    def log(self, severity: Severity, message: str) -> None:
        raise NotImplementedError


class IErrorRecorder:
    def report_error(self, code: ErrorCodeTRT, description: str) -> bool:
        raise NotImplementedError


@dataclass
class Weights:
    dtype: DataType
    address: int
    size: int


class IHostMemory:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self.nbytes = len(content)

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self._content)

    def __bytes__(self) -> bytes:
        return self._content


class Module:
    """Stands where the module tensorrt_rtx does."""

    ILogger = ILogger
    IErrorRecorder = IErrorRecorder
    Weights = Weights
    DataType = DataType
    EngineValidity = EngineValidity
    EngineInvalidityDiagnostics = EngineInvalidityDiagnostics
    TensorIOMode = TensorIOMode
    TensorLocation = TensorLocation
    ErrorCodeTRT = ErrorCodeTRT
    DynamicShapesKernelSpecializationStrategy = DynamicShapesKernelSpecializationStrategy
    CudaGraphStrategy = CudaGraphStrategy
    ExecutionContextAllocationStrategy = ExecutionContextAllocationStrategy

    def __init__(self, script: Script) -> None:
        self.script = script

    def Runtime(self, logger: ILogger) -> Runtime | None:  # noqa: N802  # the module's own name
        return Runtime(self.script, logger) if self.script.allows("Runtime") else None

    def Refitter(self, engine: ICudaEngine, logger: ILogger) -> Refitter | None:  # noqa: N802
        return Refitter(self.script, engine) if self.script.allows("Refitter") else None


def make_plan(graph: bytes, weights: dict[str, str]) -> bytes:
    """A plan of the double: `weights` maps the graph's inputs that are weights to `placeholder` or `input`."""
    header = _MAGIC + b"\0" * 20 + bytes(VERSION) + b"\0" * (HEADER - 28)
    named = json.dumps(weights).encode()
    return header + struct.pack("<I", len(named)) + named + graph


class Runtime:
    def __init__(self, script: Script, logger: ILogger) -> None:
        self._script = script
        self._logger = logger
        self.error_recorder: IErrorRecorder | None = None
        self.engine_header_size = HEADER

    def get_engine_validity(self, buffer: bytes) -> tuple[EngineValidity, int]:
        script = self._script
        if script.diagnostics is not None:
            return EngineValidity.INVALID, script.diagnostics
        if len(buffer) < HEADER or not buffer.startswith(_MAGIC):
            return EngineValidity.INVALID, EngineInvalidityDiagnostics.MALFORMED_ENGINE
        if tuple(buffer[24:28]) != script.version:
            return EngineValidity.INVALID, EngineInvalidityDiagnostics.VERSION_MISMATCH
        return EngineValidity.VALID, 0

    def deserialize_cuda_engine(self, serialized_engine: bytes) -> ICudaEngine | None:
        if not self._script.allows("deserialize_cuda_engine"):
            self.complain("the plan is refused")
            return None
        return ICudaEngine(self._script, self, serialized_engine)

    def complain(self, text: str) -> None:
        """The recorder hears it if there is one, else the log."""
        if self.error_recorder is not None:
            self.error_recorder.report_error(ErrorCodeTRT.UNSPECIFIED_ERROR, text)
        else:
            self._logger.log(Severity.ERROR, text)


class ICudaEngine:
    def __init__(self, script: Script, runtime: Runtime, plan: bytes) -> None:
        self.script = script
        self.runtime = runtime
        (length,) = struct.unpack("<I", plan[HEADER : HEADER + 4])
        self.kinds: dict[str, str] = json.loads(plan[HEADER + 4 : HEADER + 4 + length])
        ort: Any = import_module("onnxruntime")
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        graph = plan[HEADER + 4 + length :]
        self.name = hashlib.sha256(plan).hexdigest()[:8]
        self.session: Any = ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self.inputs = {one.name: one for one in self.session.get_inputs()}
        self.outputs = {one.name: one for one in self.session.get_outputs()}
        self.placeholders = [name for name in self.inputs if self.kinds.get(name) == "placeholder"]
        self.names = [name for name in (*self.inputs, *self.outputs) if name not in self.placeholders]
        self.values: dict[str, Any] = {}  # what the placeholders hold
        self.away = False
        self.pending = 0
        self.num_io_tensors = len(self.names)

    def get_tensor_name(self, index: int) -> str:
        return self.names[index]

    def get_tensor_mode(self, name: str) -> TensorIOMode:
        return TensorIOMode.INPUT if name in self.inputs else TensorIOMode.OUTPUT

    def get_tensor_dtype(self, name: str) -> DataType:
        return DataType((self.inputs | self.outputs)[name].type)

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        shape = (self.inputs | self.outputs)[name].shape
        return tuple(size if isinstance(size, int) else -1 for size in shape)

    def create_runtime_config(self) -> IRuntimeConfig | None:
        return IRuntimeConfig(self) if self.script.allows("create_runtime_config") else None

    def create_execution_context(self, runtime_config: IRuntimeConfig) -> IExecutionContext | None:
        assert not self.away, "a context is made while the weights are away"
        assert runtime_config.cache is not None
        generic = f"generic {self.name}"
        warm = generic in runtime_config.cache.kernels
        time.sleep(self.script.warm if warm else self.script.cold)
        if not self.script.allows("create_execution_context"):
            self.runtime.complain("the kernels cannot be compiled")
            return None
        runtime_config.cache.kernels.setdefault(generic, 1)
        return IExecutionContext(self, runtime_config)

    def create_weights_manager(self) -> IWeightsManager | None:
        return IWeightsManager(self) if self.script.allows("create_weights_manager") else None


class IRuntimeConfig:
    def __init__(self, engine: ICudaEngine) -> None:
        self._engine = engine
        self.cache: IRuntimeCache | None = None
        self.dynamic_shapes_kernel_specialization_strategy = DynamicShapesKernelSpecializationStrategy.LAZY
        self.cuda_graph_strategy = CudaGraphStrategy.DISABLED
        self.allocation = ExecutionContextAllocationStrategy.STATIC

    def create_runtime_cache(self) -> IRuntimeCache | None:
        return IRuntimeCache(self._engine) if self._engine.script.allows("create_runtime_cache") else None

    def set_runtime_cache(self, cache: IRuntimeCache) -> bool:
        self.cache = cache
        return self._engine.script.allows("set_runtime_cache")

    def set_execution_context_allocation_strategy(self, strategy: ExecutionContextAllocationStrategy) -> None:
        self.allocation = strategy


class IRuntimeCache:
    """Its content is JSON: whose it is, and a name for each kernel."""

    def __init__(self, engine: ICudaEngine) -> None:
        self._engine = engine
        self.kernels: dict[str, int] = {}

    def serialize(self) -> IHostMemory | None:
        assert not self._engine.pending, "serialised while something is under way"
        if not self._engine.script.allows("serialize"):
            return None
        script = self._engine.script
        content = {"gpu": script.gpu, "version": script.version, "kernels": self.kernels}
        return IHostMemory(json.dumps(content).encode())

    def deserialize(self, blob: bytes) -> bool:
        script = self._engine.script
        try:
            content = json.loads(bytes(blob))
            fits = content["gpu"] == script.gpu and tuple(content["version"]) == script.version
        except (ValueError, KeyError, TypeError):
            fits, content = False, {}
        if not fits or not script.allows("deserialize"):
            self._engine.runtime.complain("the cache is of another GPU or version, or damaged")
            return False
        self.kernels |= content["kernels"]
        return True


class IExecutionContext:
    def __init__(self, engine: ICudaEngine, config: IRuntimeConfig) -> None:
        assert config.allocation is ExecutionContextAllocationStrategy.USER_MANAGED
        self._engine = engine
        self._config = config
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._addresses: dict[str, int] = {}
        self._memory = 0
        self._need = 0
        self._asked = False
        self._fast: set[str] = set()

    def set_input_shape(self, name: str, shape: tuple[int, ...]) -> bool:
        assert name in self._engine.inputs
        known = self._engine.get_tensor_shape(name)
        if len(known) != len(shape) or any(a not in (-1, b) for a, b in zip(known, shape, strict=True)):
            self._engine.runtime.complain(f"{name} cannot have the shape {shape}")
            return False
        self._shapes[name] = tuple(shape)
        self._asked = False
        return self._engine.script.allows("set_input_shape")

    def infer_shapes(self) -> list[str]:
        wanted = [name for name in self._engine.inputs if name not in self._engine.kinds]
        return [name for name in wanted if name not in self._shapes]

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        """Computed by running on zeros: onnxruntime tells no sizes beforehand."""
        if name in self._shapes:
            return self._shapes[name]
        numpy: Any = import_module("numpy")
        feeds = {
            one: numpy.zeros(size, _NUMPY[self._engine.get_tensor_dtype(one)]) for one, size in self._shapes.items()
        }
        return tuple(self._compute(feeds, [name])[0].shape)

    def set_tensor_address(self, name: str, memory: int) -> bool:
        assert name in self._engine.names
        assert memory % ALIGNMENT == 0
        self._addresses[name] = memory
        return self._engine.script.allows("set_tensor_address")

    def update_device_memory_size_for_shapes(self) -> int:
        assert not self.infer_shapes()
        self._asked = True
        self._need = sum(_count(size) for size in self._shapes.values()) * 16
        return self._need

    def set_device_memory(self, memory: int, size: int) -> None:
        assert memory % ALIGNMENT == 0
        assert size >= self._need, "too little memory for these shapes"
        self._memory = memory

    def execute_async_v3(self, stream_handle: int) -> bool:
        engine = self._engine
        assert stream_handle, "the default stream cannot be captured"
        assert self._asked, "the size of the memory was not asked for after a change of shapes"
        assert self._memory
        assert set(self._addresses) == set(engine.names), "a tensor has no address"
        assert not engine.away, "the weights are away"
        assert set(engine.values) == set(engine.placeholders), "weights are missing: it would compute garbage"
        if not engine.script.allows("execute_async_v3"):
            engine.runtime.complain("a kernel fails")
            return False
        assert all(HostGpu.is_live(address) for address in self._addresses.values()), "an address was given back"
        specialised = self._specialise()
        if specialised is None:
            engine.runtime.complain("the kernels for this shape cannot be compiled")
            return False
        if specialised and not engine.script.allows("execute specialised"):
            engine.runtime.complain("a specialised kernel fails")
            return False
        addresses, shapes = dict(self._addresses), dict(self._shapes)
        shapes |= {name: engine.get_tensor_shape(name) for name in engine.inputs if name not in shapes}
        away = engine.script.off + (engine.script.wrong if specialised else 0)

        def launch() -> None:
            """With what is at the addresses then."""
            read = [name for name in engine.inputs if name in engine.names]
            feeds = {name: _read(addresses[name], engine.get_tensor_dtype(name), shapes[name]) for name in read}
            for name, value in zip(engine.outputs, self._compute(feeds, list(engine.outputs)), strict=True):
                content = (value + value.dtype.type(away)).tobytes()
                ctypes.memmove(addresses[name], content, len(content))

        HostGpu.on(stream_handle).enqueue(launch, "launch")
        return True

    def _specialise(self) -> bool | None:
        """Whether this shape's own kernels run; EAGER makes them first (None if that fails), LAZY for the next call."""
        strategy = self._config.dynamic_shapes_kernel_specialization_strategy
        strategies = DynamicShapesKernelSpecializationStrategy
        if strategy is strategies.NONE:
            return False
        assert self._config.cache is not None
        key = f"{self._engine.name} {json.dumps(sorted(self._shapes.items()))}"
        known = key in self._config.cache.kernels
        if strategy is strategies.EAGER and not known:
            time.sleep(self._engine.script.eager)
            if not self._engine.script.allows("compile"):
                return None
        self._config.cache.kernels[key] = 1
        return known or strategy is strategies.EAGER

    def _compute(self, feeds: dict[str, Any], names: list[str]) -> list[Any]:
        engine = self._engine
        weights = dict(engine.values)
        for name in engine.kinds:  # before they are put in, sizes can be asked for all the same
            if name not in weights and name not in feeds:
                weights[name] = _zeros(engine.get_tensor_shape(name), engine.get_tensor_dtype(name))
        return _run(engine, names, {**weights, **feeds})


class Refitter:
    def __init__(self, script: Script, engine: ICudaEngine) -> None:
        self._script = script
        self._engine = engine
        self._set: dict[str, Weights] = {}
        self.error_recorder: IErrorRecorder | None = None

    def get_all_weights(self) -> list[str]:
        return list(self._engine.placeholders)

    def get_weights_prototype(self, weights_name: str) -> Weights:
        size = _count(self._engine.get_tensor_shape(weights_name))
        return Weights(self._engine.get_tensor_dtype(weights_name), 0, size)

    def set_named_weights(self, name: str, weights: Weights, location: TensorLocation) -> bool:
        prototype = self.get_weights_prototype(name)
        assert (weights.dtype, weights.size) == (prototype.dtype, prototype.size)
        assert location is TensorLocation.HOST
        self._set[name] = weights
        return self._script.allows("set_named_weights")

    def get_missing_weights(self) -> list[str]:
        """The bias that is kept in one piece with a weight that is set, as fusions make it."""
        partners = (name.replace(".weight", ".bias") for name in self._set)
        return [name for name in partners if name in self._engine.placeholders and name not in self._set]

    def refit_cuda_engine_async(self, stream_handle: int) -> bool:
        assert stream_handle
        assert not self._engine.away
        assert not self.get_missing_weights()
        if not self._script.allows("refit_cuda_engine_async"):
            self._engine.runtime.complain("the weights are refused")
            return False
        for name, weights in self._set.items():
            shape = self._engine.get_tensor_shape(name)
            self._engine.values[name] = _read(weights.address, weights.dtype, shape)
        return True

    def release_refit_resources(self) -> bool:
        return self._script.allows("release_refit_resources")

    def unset_named_weights(self, weights_name: str) -> bool:
        return self._set.pop(weights_name, None) is not None


class IWeightsManager:
    """The weights in one piece, in the order of their names."""

    def __init__(self, engine: ICudaEngine) -> None:
        self._engine = engine

    def get_size(self) -> int:
        return sum(self._engine.values[name].nbytes for name in sorted(self._engine.values))

    def save_to_buffer(self, destination: int, size: int, location: TensorLocation, stream_handle: int) -> bool:
        assert not self._engine.away
        assert (size, location) == (self.get_size(), TensorLocation.HOST)
        content = b"".join(self._engine.values[name].tobytes() for name in sorted(self._engine.values))
        ctypes.memmove(destination, content, size)
        return self._engine.script.allows("save_to_buffer")

    def unload(self, stream_handle: int) -> bool:
        self._engine.away = self._engine.script.allows("unload")
        for value in self._engine.values.values() if self._engine.away else ():
            value.fill(0)
        return self._engine.away

    def restore_from_buffer(self, source: int, size: int, location: TensorLocation, stream_handle: int) -> bool:
        assert self._engine.away
        assert (size, location) == (self.get_size(), TensorLocation.HOST)
        for name in sorted(self._engine.values):
            value = self._engine.values[name]
            ctypes.memmove(value.ctypes.data, source, value.nbytes)
            source += value.nbytes
        self._engine.away = not self._engine.script.allows("restore_from_buffer")
        return not self._engine.away


class HostEvent:
    """An event: passed when as many marks have been passed as were recorded."""

    def __init__(self) -> None:
        self.recorded = self.passed = 0
        self.gpu: HostGpu | None = None
        self.is_closed = False

    def synchronise(self) -> None:
        assert not self.is_closed
        if self.gpu is not None:
            self.gpu.run_until(self.recorded, self)

    def close(self) -> None:
        assert self.recorded == self.passed, "closed while it is waited for"
        self.is_closed = True


class HostGpu:
    """A `Gpu` whose memory is the host's. Everything happens at once, unless the script says `late`.

    Then what is enqueued waits: whoever synchronises lets streams work in a drawn order that only their own order and
    events bind, so that a race that a GPU could run into happens in some draw.
    """

    _streams = itertools.count(1)
    _all: ClassVar[weakref.WeakSet[HostGpu]] = weakref.WeakSet()

    def __init__(self, script: Script) -> None:
        self._script = script
        self._blocks: dict[int, Any] = {}
        self._queue: deque[tuple[Callable[[], None], Callable[[], bool], str]] = deque()
        self._all.add(self)
        self.used = 0
        self.stream = next(self._streams)

    @classmethod
    def on(cls, stream: int) -> HostGpu:
        """The one with that stream."""
        return next(gpu for gpu in list(cls._all) if gpu.stream == stream)

    def enter(self) -> None:
        pass

    def allocate(self, size: int) -> Block:
        if self.used + size > self._script.memory:
            raise NoRoom("The memory of the GPU ran out.", "Ask for a smaller size.")
        self.used += size
        return self._take(size)

    def free(self, block: Block) -> None:
        assert not self._queue, "memory is freed while something is under way"
        del self._blocks[block.address]
        self.used -= block.size

    def allocate_pinned(self, size: int) -> Block:
        return self._take(size)

    def free_pinned(self, block: Block) -> None:
        assert not self._queue, "memory is freed while something is under way"
        del self._blocks[block.address]

    def copy(self, target: int, source: int, size: int) -> None:
        self.enqueue(lambda: ctypes.memmove(target, source, size), f"copy to {target}")

    def synchronise(self) -> None:
        while self._queue:
            self._advance()

    def make_event(self) -> HostEvent:
        return HostEvent()

    def record(self, event: Event) -> None:
        assert isinstance(event, HostEvent)
        event.recorded += 1
        event.gpu = self
        mark = event.recorded

        def reach() -> None:
            event.passed = mark

        self.enqueue(reach, "")

    def wait(self, event: Event) -> None:
        assert isinstance(event, HostEvent)
        mark = event.recorded  # as it is now: later ones are not waited for
        self.enqueue(lambda: None, "", lambda: event.passed >= mark)

    def enqueue(self, work: Callable[[], object], what: str, is_ready: Callable[[], bool] = lambda: True) -> None:
        """Do it when the stream comes to it."""
        self._queue.append((lambda: (work(), None)[1], is_ready, what))
        if self._script.late is None:
            self.synchronise()

    def run_until(self, mark: int, event: HostEvent) -> None:
        while event.passed < mark:
            self._advance()

    def _advance(self) -> None:
        """One thing on one of the streams that can go on; what is waited for need not be the first."""
        ready = [gpu for gpu in list(self._all) if gpu._queue and gpu._queue[0][1]()]
        assert ready, "all streams wait for one another"
        late = self._script.late
        gpu = self if late is None else sorted(ready, key=lambda one: one.stream)[late.randrange(len(ready))]
        work, _, what = gpu._queue.popleft()
        work()
        if what:
            self._script.trace.append(what)

    def fork(self) -> HostGpu:
        return HostGpu(self._script)

    def close(self) -> None:
        assert not self._blocks, "memory is not given back"

    def _take(self, size: int) -> Block:
        memory = ctypes.create_string_buffer(size + ALIGNMENT)
        address = -(-ctypes.addressof(memory) // ALIGNMENT) * ALIGNMENT
        self._blocks[address] = memory
        return Block(address, size)

    @classmethod
    def is_live(cls, address: int) -> bool:
        """Whether memory at that address is allocated, on any of them."""
        return any(
            place <= address < place + len(memory)
            for gpu in list(cls._all)
            for place, memory in list(gpu._blocks.items())
        )

    @property
    def blocks(self) -> int:
        return len(self._blocks)


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _run(engine: ICudaEngine, names: list[str], feeds: dict[str, Any]) -> list[Any]:
    types = {name: engine.get_tensor_dtype(name) for name in feeds}
    if DataType.FP8 not in types.values():
        return list(engine.session.run(names, feeds))
    make: Any = import_module("onnxruntime").OrtValue
    values = {
        name: make.ortvalue_from_numpy_with_onnx_type(value, _E4M3)
        if types[name] is DataType.FP8
        else make.ortvalue_from_numpy(value)
        for name, value in feeds.items()
    }
    return [one.numpy() for one in engine.session.run_with_ort_values(names, values)]


def _zeros(shape: tuple[int, ...], dtype: DataType) -> Any:
    return import_module("numpy").zeros(shape, _NUMPY[dtype])


def _read(address: int, dtype: DataType, shape: tuple[int, ...]) -> Any:
    """A copy of the tensor at an address."""
    numpy: Any = import_module("numpy")
    content = ctypes.string_at(address, _count(shape) * _SIZES[dtype])
    return numpy.frombuffer(content, _NUMPY[dtype]).reshape(shape).copy()
