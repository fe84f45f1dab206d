"""Memory and a stream of a GPU, through cuda-python: what running an engine needs besides TensorRT-RTX.

PyTorch need not have been built with CUDA for it: tensors on the CPU go through pinned memory, those on the GPU are
copied there. `Gpu` is the seam that tests stand in for.
"""

from __future__ import annotations

import ctypes
import importlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from pipelines.errors import DeviceLost, EngineFailure, NoRoom

if TYPE_CHECKING:
    from torch import Tensor

ALIGNMENT = 256  # bytes; TensorRT-RTX asks for it, cudaMalloc gives it
_LATE = (
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpyAsync",
)  # errors of kernels come out here, and stay
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Block:
    """`size` bytes at `address`, on the GPU or pinned on the host."""

    address: int
    size: int


class Gpu(Protocol):
    """One GPU with one stream, on which everything happens in order."""

    @property
    def stream(self) -> int:
        """Its handle; never the default stream, on which nothing can be captured."""
        ...

    def enter(self) -> None:
        """Make it the one that this thread works with."""
        ...

    def allocate(self, size: int) -> Block:
        """Memory on the GPU.

        Raises:
            NoRoom: there is none.
        """
        ...

    def free(self, block: Block) -> None:
        """Give it back; what was enqueued has ended."""
        ...

    def allocate_pinned(self, size: int) -> Block:
        """Memory on the host that the GPU can read while the CPU goes on; ordinary memory where there is no more.

        Raises:
            NoRoom: there is neither.
        """
        ...

    def free_pinned(self, block: Block) -> None:
        """Give it back."""
        ...

    def copy(self, target: int, source: int, size: int) -> None:
        """Enqueue a copy between any two addresses."""
        ...

    def synchronise(self) -> None:
        """Wait until all that was enqueued has ended.

        Raises:
            DeviceLost: the GPU stopped answering.
        """
        ...

    def make_event(self) -> Event:
        """A mark that streams and the CPU can wait for; passed as long as it was never recorded."""
        ...

    def record(self, event: Event) -> None:
        """Put the mark behind all that was enqueued so far."""
        ...

    def wait(self, event: Event) -> None:
        """What is enqueued from now on begins when the mark, on whatever stream, is passed."""
        ...

    def fork(self) -> Gpu:
        """The same GPU with a stream of its own, of the lowest priority, for background work."""
        ...

    def close(self) -> None:
        """Give the stream back."""
        ...


class Event(Protocol):
    """A mark between what is enqueued on streams."""

    def synchronise(self) -> None:
        """Wait until it is passed.

        Raises:
            DeviceLost: the GPU stopped answering.
        """
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class CudaEvent:
    """An `Event` of CUDA's, without times."""

    def __init__(self, cuda: Any) -> None:
        self._cuda = cuda
        (self.handle,) = _call(cuda, "cudaEventCreateWithFlags", cuda.cudaEventDisableTiming)

    def synchronise(self) -> None:
        """See `Event`."""
        _call(self._cuda, "cudaEventSynchronize", self.handle)

    def close(self) -> None:
        """See `Event`."""
        _call(self._cuda, "cudaEventDestroy", self.handle)


class CudaGpu:
    """GPU number `index` of CUDA."""

    def __init__(self, index: int, *, is_background: bool = False) -> None:
        self._cuda = load_cuda()
        self._index = index
        self._ordinary: dict[int, object] = {}  # memory that could not be pinned, by address
        self.enter()
        least, greatest = self._call("cudaDeviceGetStreamPriorityRange")
        flags = self._cuda.cudaStreamNonBlocking
        (self._stream,) = self._call("cudaStreamCreateWithPriority", flags, least if is_background else greatest)

    @property
    def stream(self) -> int:
        """See `Gpu`."""
        return int(self._stream)

    def enter(self) -> None:
        """See `Gpu`."""
        self._call("cudaSetDevice", self._index)

    def allocate(self, size: int) -> Block:
        """See `Gpu`."""
        (address,) = self._call("cudaMalloc", max(size, ALIGNMENT))
        return Block(int(address), size)

    def free(self, block: Block) -> None:
        """See `Gpu`."""
        self._call("cudaFree", block.address)

    def allocate_pinned(self, size: int) -> Block:
        """See `Gpu`."""
        try:
            (address,) = self._call("cudaMallocHost", max(size, 1))
            return Block(int(address), size)
        except NoRoom as error:  # Windows pins no more than a part of it; copies from the rest hold the CPU up
            log.warning("%d bytes are not pinned", size)
            try:
                memory = ctypes.create_string_buffer(max(size, 1))
            except MemoryError:
                raise error from None
            self._ordinary[ctypes.addressof(memory)] = memory
            return Block(ctypes.addressof(memory), size)

    def free_pinned(self, block: Block) -> None:
        """See `Gpu`."""
        if self._ordinary.pop(block.address, None) is None:
            self._call("cudaFreeHost", block.address)

    def copy(self, target: int, source: int, size: int) -> None:
        """See `Gpu`. CUDA sees from the addresses where they are."""
        self._call("cudaMemcpyAsync", target, source, size, self._cuda.cudaMemcpyKind.cudaMemcpyDefault, self._stream)

    def synchronise(self) -> None:
        """See `Gpu`."""
        self._call("cudaStreamSynchronize", self._stream)

    def make_event(self) -> CudaEvent:
        """See `Gpu`."""
        return CudaEvent(self._cuda)

    def record(self, event: Event) -> None:
        """See `Gpu`."""
        self._call("cudaEventRecord", cast("CudaEvent", event).handle, self._stream)

    def wait(self, event: Event) -> None:
        """See `Gpu`."""
        self._call("cudaStreamWaitEvent", self._stream, cast("CudaEvent", event).handle, 0)

    def fork(self) -> CudaGpu:
        """See `Gpu`."""
        return CudaGpu(self._index, is_background=True)

    def close(self) -> None:
        """See `Gpu`."""
        self._call("cudaStreamDestroy", self._stream)

    def _call(self, name: str, *arguments: object) -> tuple[Any, ...]:
        return _call(self._cuda, name, *arguments)


def _call(cuda: Any, name: str, *arguments: object) -> tuple[Any, ...]:
    """Call CUDA; what it returns besides its error code."""
    error, *values = getattr(cuda, name)(*arguments)
    if error == cuda.cudaError_t.cudaSuccess:
        return tuple(values)
    _, text = cuda.cudaGetErrorString(error)
    words = f"{name}: {text.decode() if isinstance(text, bytes) else text}"
    if error == cuda.cudaError_t.cudaErrorMemoryAllocation:
        if name == "cudaMallocHost":
            raise NoRoom("There is no main memory left that the GPU can read from.", "Close other programs.")
        raise NoRoom("The memory of the GPU ran out.", "Ask for a smaller size, or close other programs.")
    if name in _LATE:
        raise DeviceLost(f"The GPU stopped answering ({words}).", "Try again, or update the driver of the GPU.")
    raise EngineFailure(f"CUDA refuses {words}.", "Update the driver of the GPU.")


def load_cuda() -> Any:
    """cuda-python's module of the runtime API.

    Raises:
        EngineFailure: it is not installed.
    """
    try:
        return importlib.import_module("cuda.bindings.runtime")
    except (ImportError, OSError) as error:
        raise EngineFailure(
            f"cuda-python cannot be loaded: {error}.", "Install it again: pip install 'firstlight[rtx]'."
        ) from error


class Buffer:
    """A tensor's place on the GPU that never moves, so that graphs stay valid, with pinned memory for CPU tensors."""

    def __init__(self, gpu: Gpu, size: int) -> None:
        self._gpu = gpu
        self._pinned: Block | None = None
        self.block = gpu.allocate(size)

    def write(self, tensor: Tensor) -> None:
        """Enqueue copying a tensor of the right type in; it must stay until the stream is synchronised."""
        size = tensor.numel() * tensor.element_size()
        if size > self.block.size or not tensor.is_contiguous():
            raise EngineFailure("A tensor does not fit its place on the GPU.", "Report this fault of Firstlight.")
        if tensor.device.type == "cpu":
            pinned = self._need_pinned()
            ctypes.memmove(pinned.address, tensor.data_ptr(), size)
            self._gpu.copy(self.block.address, pinned.address, size)
        else:
            self._gpu.copy(self.block.address, tensor.data_ptr(), size)

    def read(self, tensor: Tensor) -> None:
        """Copy out into a contiguous tensor, and wait for it."""
        size = tensor.numel() * tensor.element_size()
        if tensor.device.type == "cpu":
            pinned = self._need_pinned()
            self._gpu.copy(pinned.address, self.block.address, size)
            self._gpu.synchronise()
            ctypes.memmove(tensor.data_ptr(), pinned.address, size)
        else:
            self._gpu.copy(tensor.data_ptr(), self.block.address, size)
            self._gpu.synchronise()

    def close(self) -> None:
        """Free it."""
        self._gpu.free(self.block)
        self.release_pinned()

    def release_pinned(self) -> None:
        """Free the pinned part, for what is written once; nothing may be under way."""
        if self._pinned is not None:
            self._gpu.free_pinned(self._pinned)
            self._pinned = None

    def _need_pinned(self) -> Block:
        if self._pinned is None:
            self._pinned = self._gpu.allocate_pinned(self.block.size)
        return self._pinned


class Scratch:
    """One piece of memory for the activations of all networks, which never run at the same time. It only grows."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._block: Block | None = None

    def reserve(self, size: int) -> Block:
        """At least `size` bytes; the address changes when it has to grow.

        Raises:
            NoRoom: there is not that much.
        """
        if self._block is None or self._block.size < size:
            self.close()
            self._block = self._gpu.allocate(size)
        return self._block

    def close(self) -> None:
        """Free it."""
        if self._block is not None:
            self._gpu.free(self._block)
            self._block = None
