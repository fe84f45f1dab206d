"""The weights of an engine: read from the mapped files of a checkpoint, put in, and put back as they were.

The files are the originals: nothing is ever computed from weights that are in the engine. So fifty LoRAs later the
base is what it was, bit for bit.
"""

from __future__ import annotations

import importlib
import logging
import math
from typing import TYPE_CHECKING, Any, Protocol

from pipelines.engine import narrow_graph
from pipelines.engine.gpu_memory import Buffer
from pipelines.engine.rtx_engine import find_dtype
from pipelines.errors import EngineFailure, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import torch

    from pipelines.engine.base import ComponentSpec
    from pipelines.engine.gpu_memory import Gpu
    from pipelines.engine.rtx_engine import Library

GROUP = 256 * 2**20  # bytes that are in memory at once while weights are put in
# diffusers 0.13 and older called the parts of a VAE's attention so, and their files are still about
_OLD_NAMES = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
log = logging.getLogger(__name__)


class Source(Protocol):
    """Where weights come from."""

    def __call__(self, name: str, /) -> torch.Tensor:
        """The weight of that name, of any type, on the CPU."""
        ...


class Originals:
    """The weights in the safetensors `files` of a network, mapped, not read."""

    def __init__(self, files: Sequence[Path]) -> None:
        from safetensors import safe_open

        opened: list[Any] = [safe_open(str(file), framework="pt") for file in files]
        self._places: dict[str, Any] = {name: file for file in opened for name in file.keys()}  # noqa: SIM118

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that no file has."""
        return [name for name in names if self._find(name) not in self._places]

    def __call__(self, name: str, /) -> torch.Tensor:
        """See `Source`."""
        found = self._find(name)
        if found not in self._places:
            raise UnusableFile(f"The weight {name} is not in the files of the model.", "Get the model again.")
        return self._places[found].get_tensor(found)

    def _find(self, name: str) -> str:
        if name in self._places:
            return name
        for new, old in _OLD_NAMES.items():
            if f".{new}." in name and (older := name.replace(f".{new}.", f".{old}.")) in self._places:
                return older
        return name


class LibraryWeights:
    """The weights as they are loaded for PyTorch, which knows the names of older versions and of single files."""

    def __init__(self, spec: ComponentSpec) -> None:
        from pipelines import single_file
        from pipelines.checkpoints import OriginalSpec

        if isinstance(spec, OriginalSpec):
            self._values: dict[str, torch.Tensor] = single_file.read_state_dict(spec)
            return
        network: Any = getattr(importlib.import_module(spec.library), spec.class_name)
        options = {"local_files_only": True, "use_safetensors": True, "dtype": "auto"}
        module: Any = network.from_pretrained(str(spec.folder), **options)
        self._values = module.state_dict()

    def __call__(self, name: str, /) -> torch.Tensor:
        """See `Source`."""
        if name not in self._values:
            raise UnusableFile(f"The weight {name} is not in the files of the model.", "Get the model again.")
        return self._values[name]


class Slots(Protocol):
    """The places for weights in an engine, however it holds them."""

    @property
    def names(self) -> tuple[str, ...]:
        """All that can be filled."""
        ...

    def fill(self, names: Iterable[str], source: Source, on_group: Callable[[int, int], None]) -> None:
        """Put these in; `on_group` hears how many of how many are.

        Raises:
            EngineFailure: the engine does not take one.
            UnusableFile: one is missing, or of another size.
        """
        ...

    def close(self) -> None:
        """Free what is held."""
        ...


class RefittedSlots:
    """Placeholders, filled through a Refitter in groups, so that memory holds one group at a time."""

    def __init__(self, library: Library, engine: Any, name: str, gpu: Gpu, wanted: Iterable[str]) -> None:
        self._library = library
        self._name = name
        self._gpu = gpu
        self._refitter: Any = library.trt.Refitter(engine, library.logger)
        if self._refitter is None:
            raise library.failure(f"The weights of the {name} cannot be changed")
        self._refitter.error_recorder = library.recorder
        self.names: tuple[str, ...] = tuple(self._refitter.get_all_weights())
        lacking = set(wanted) - set(self.names)
        if lacking:
            raise EngineFailure(
                f"The engine of the {name} has no place for {len(lacking)} weights, such as {min(lacking)}.",
                "Build it again: firstlight engine build --rebuild.",
            )

    def fill(self, names: Iterable[str], source: Source, on_group: Callable[[int, int], None]) -> None:
        """See `Slots`."""
        wanted = dict.fromkeys(names)
        done, total = 0, len(wanted)
        while wanted:
            group = self._set_group(wanted, source)
            self._refit()
            for name in group:
                self._refitter.unset_named_weights(name)
                wanted.pop(name, None)
            group.clear()
            done = total - len(wanted)
            on_group(done, total)

    def close(self) -> None:
        """See `Slots`."""
        self._refitter = None

    def _set_group(self, wanted: dict[str, None], source: Source) -> dict[str, torch.Tensor]:
        """Set weights until the group is full, and all that TensorRT-RTX then asks for besides."""
        group: dict[str, torch.Tensor] = {}
        size = 0
        for name in wanted:
            if size >= GROUP:
                break
            size += self._set(name, source, group)
        while missing := [name for name in self._refitter.get_missing_weights() if name not in group]:
            for name in missing:
                self._set(name, source, group)
        return group

    def _set(self, name: str, source: Source, group: dict[str, torch.Tensor]) -> int:
        trt = self._library.trt
        prototype = self._refitter.get_weights_prototype(name)
        value = take(source, name, prototype.size, find_dtype(prototype.dtype))
        weights = trt.Weights(prototype.dtype, value.data_ptr(), value.numel())
        if not self._refitter.set_named_weights(name, weights, trt.TensorLocation.HOST):
            raise self._library.failure(f"The {self._name} does not take the weight {name}")
        group[name] = value  # must stay until it is in
        return value.numel() * value.element_size()

    def _refit(self) -> None:
        if not self._refitter.refit_cuda_engine_async(self._gpu.stream):
            raise self._library.failure(f"The weights of the {self._name} cannot be put in")
        self._gpu.synchronise()
        if not self._refitter.release_refit_resources():
            log.warning("%s: memory for putting weights in is not given back", self._name)


class InputSlots:
    """Weights that are inputs of the engine: memory on the GPU that is written to, at addresses that never move."""

    def __init__(self, engine: Any, gpu: Gpu, wanted: Iterable[str]) -> None:
        self._gpu = gpu
        self._buffers: dict[str, tuple[Buffer, int, torch.dtype]] = {}
        for name in wanted:
            count, dtype = math.prod(engine.get_tensor_shape(name)), find_dtype(engine.get_tensor_dtype(name))
            self._buffers[name] = Buffer(gpu, count * dtype.itemsize), count, dtype

    @property
    def names(self) -> tuple[str, ...]:
        """See `Slots`."""
        return tuple(self._buffers)

    @property
    def addresses(self) -> dict[str, int]:
        """Where each weight is."""
        return {name: buffer.block.address for name, (buffer, _, _) in self._buffers.items()}

    def fill(self, names: Iterable[str], source: Source, on_group: Callable[[int, int], None]) -> None:
        """See `Slots`."""
        wanted = list(dict.fromkeys(names))
        size = 0
        for place, name in enumerate(wanted):
            buffer, count, dtype = self._buffers[name]
            value = take(source, name, count, dtype)
            buffer.write(value)
            self._gpu.synchronise()
            buffer.release_pinned()
            size += buffer.block.size
            if size >= GROUP:
                size = 0
                on_group(place + 1, len(wanted))
        on_group(len(wanted), len(wanted))

    def close(self) -> None:
        """See `Slots`."""
        for buffer, _, _ in self._buffers.values():
            buffer.close()
        self._buffers.clear()


def take(source: Source, name: str, count: int, dtype: torch.dtype) -> torch.Tensor:
    """A weight as the engine holds it: of that type, contiguous, on the CPU; in fp8, made from the checkpoint's.

    Raises:
        UnusableFile: it has another size, or values that the type cannot hold.
    """
    value = narrow_graph.make(name, source(narrow_graph.original(name)))
    if value.numel() != count:
        raise UnusableFile(
            f"The weight {name} has {value.numel()} values, and the engine's has {count}.",
            "Use a model of the same family, or build its engine.",
        )
    return value.detach().to("cpu", dtype).contiguous()
