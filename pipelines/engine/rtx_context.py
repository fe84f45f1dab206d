"""Ways of running one engine: IExecutionContext with fixed buffers, shared scratch memory and a shared cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from pipelines.engine.interfaces import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipelines.engine.gpu_memory import Gpu, Scratch
    from pipelines.engine.rtx_engine import Bound, BoundEngine, Buffers, Sizes

Outputs = dict[str, tuple[tuple[int, ...], torch.dtype]]  # sizes and types by name


class Context:
    """One way of running the engine.

    `strategy` is the name of a DynamicShapesKernelSpecializationStrategy. Making it is where kernels are compiled: it
    can take a minute, knows no progress and cannot be interrupted.

    Raises:
        EngineFailure, NoRoom: TensorRT-RTX refuses.
    """

    def __init__(self, bound: BoundEngine, strategy: str, gpu: Gpu, scratch: Scratch) -> None:
        self._bound = bound
        self._gpu = gpu
        self._scratch = scratch
        self._outputs: Outputs = {}
        self._bound_to: tuple[Sizes, Buffers] | None = None
        self._memory = (0, 0)
        self._need = 0
        self._context: Any
        self._context, self._config = make_context(bound, bound.engine, strategy, has_graphs=True)

    def run(self, inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Compute; see `call`.

        Raises:
            EngineFailure: TensorRT-RTX refuses.
            NoRoom: the memory of the GPU does not suffice for this shape.
        """
        return call(self._bound, inputs, self._use, lambda _: self._enqueue("run"))

    def rehearse(self, sizes: Sizes) -> None:
        """Compute once on memory of its own, so that the kernels of this shape are compiled."""
        buffers = self._bound.make_buffers(sizes, self._gpu)
        try:
            self._use(sizes, buffers)
            self._enqueue("specialised")
        finally:
            self._bound_to = None  # the next call binds the buffers that all share
            buffers.close()

    def move(self, gpu: Gpu, scratch: Scratch) -> None:
        """From now on compute on another stream and scratch memory."""
        self._gpu, self._scratch = gpu, scratch
        self._bound_to, self._memory = None, (0, 0)

    def close(self) -> None:
        """Drop it, before cache and engine."""
        self._context = None

    def _use(self, sizes: Sizes, buffers: Buffers) -> Outputs:
        """Bind everything for a shape; how much memory it takes is asked again at every change."""
        if self._bound_to is None or self._bound_to[0] != sizes or self._bound_to[1] is not buffers:
            self._bound_to = None
            set_sizes(self._bound, self._context, sizes.inputs)
            self._outputs = self._bound.bind(self._context, buffers, self._gpu)
            self._need = self._context.update_device_memory_size_for_shapes()
            self._memory = (0, 0)
            self._bound_to = sizes, buffers
        block = self._scratch.reserve(self._need)
        if self._memory != (block.address, block.size):  # it has grown for another network, say
            self._context.set_device_memory(block.address, block.size)
            self._memory = (block.address, block.size)
        return self._outputs

    def _enqueue(self, verb: str) -> None:
        enqueue(self._bound, self._context, self._gpu.stream, verb)
        self._gpu.synchronise()


def set_sizes(bound: Bound, context: Any, sizes: Iterable[tuple[str, tuple[int, ...]]]) -> None:
    """Tell a context how large its inputs are.

    Raises:
        EngineFailure: it takes no such sizes, or these are not all.
    """
    for name, size in sizes:
        demand(bound, context.set_input_shape(name, size), f"takes no {name} of {size}")
    missing = context.infer_shapes()
    demand(bound, not missing, f"lacks the sizes of {', '.join(missing)}")


def enqueue(bound: Bound, context: Any, stream: int, verb: str) -> None:
    """Let a context compute when the stream comes to it; `verb` is for the words of a failure.

    Raises:
        EngineFailure: it refuses.
    """
    if not context.execute_async_v3(stream):
        raise bound.library.failure(f"The {bound.name} cannot be {verb}")


def demand(bound: Bound, answer: bool, what: str) -> None:
    """Raise `EngineFailure` with the library's own words unless the answer is yes."""
    if not answer:
        raise bound.library.failure(f"The engine of the {bound.name} {what}")


def make_context(bound: Bound, engine: Any, strategy: str, *, has_graphs: bool) -> tuple[Any, Any]:
    """An execution context, and its configuration, which must outlive it. Kernels are compiled here.

    Raises:
        EngineFailure, NoRoom: TensorRT-RTX refuses.
    """
    library, trt = bound.library, bound.library.trt
    config = engine.create_runtime_config()
    if config is None or not config.set_runtime_cache(bound.kernels.cache):
        raise library.failure(f"The engine of the {bound.name} cannot be configured")
    strategies = trt.DynamicShapesKernelSpecializationStrategy
    config.dynamic_shapes_kernel_specialization_strategy = getattr(strategies, strategy)
    graphs = trt.CudaGraphStrategy
    config.cuda_graph_strategy = graphs.WHOLE_GRAPH_CAPTURE if has_graphs else graphs.DISABLED
    config.set_execution_context_allocation_strategy(trt.ExecutionContextAllocationStrategy.USER_MANAGED)
    context = engine.create_execution_context(config)
    if context is None:
        raise library.failure(f"The engine of the {bound.name} cannot be prepared")
    return context, config


def call(
    bound: Bound,
    inputs: Mapping[str, torch.Tensor],
    use: Callable[[Sizes, Buffers], Outputs],
    compute: Callable[[Buffers], None],
) -> dict[str, torch.Tensor]:
    """Call a network with tensors: `use` binds everything for their shape, `compute` returns when all has ended.

    The outputs are fp32 tensors where the first input is.
    """
    tensors = bound.admit(inputs)
    device = next(iter(inputs.values())).device
    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()  # our stream does not wait for PyTorch's by itself
    sizes = bound.order({name: tuple(tensor.shape) for name, tensor in tensors.items()})
    buffers = bound.buffers(sizes)
    found = use(sizes, buffers)
    for name, tensor in tensors.items():
        buffers.inputs[name].write(tensor)
    compute(buffers)
    outputs: dict[str, torch.Tensor] = {}
    for name, (size, dtype) in found.items():
        value = torch.empty(size, dtype=dtype, device=device)
        buffers.outputs[name].read(value)
        outputs[name.removeprefix(OUTPUT)] = value.float()
    return outputs
