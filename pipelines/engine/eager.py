"""PyTorch itself runs the networks: the reference for correctness, and what the other backends fall back on.

Importing this loads PyTorch; diffusers and transformers are loaded with the first component.
"""

from __future__ import annotations

import importlib
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, cast

import torch
from torch import Tensor

from pipelines import lora, single_file
from pipelines.checkpoints import OriginalSpec
from pipelines.engine import quantise
from pipelines.errors import EngineFailure, NoRoom, UnusableFile
from pipelines.quiet import quieten
from pipelines.request import NARROW

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping, Sequence

    from pipelines.engine.base import ComponentSpec, Plan
    from pipelines.events import Report
    from pipelines.request import LoraChoice

log = logging.getLogger(__name__)

_POSITIONS = "_ids"  # such tensors hold token numbers and places: they keep their own type
# Up to 1000, which bf16 rounds: networks turn them into angles in fp32 and cast those themselves
_TIMESTEPS = ("timestep", "t")
_ADDED = ("text_embeds", "time_ids")  # diffusers' UNets take SDXL's two in a dictionary
_PENULTIMATE = ("clip_text_model", "qwen3")  # text encoders whose last but one layer is what denoisers are given


class _LoadingInfo(Protocol):
    """What `from_pretrained(..., output_loading_info=True)` says beside the network: a dictionary."""

    def __getitem__(self, key: str) -> Collection[object]: ...


class _NetworkClass(Protocol):
    """The one method of diffusers' and transformers' network classes that is used here."""

    def from_pretrained(self, folder: str, **options: object) -> tuple[torch.nn.Module, _LoadingInfo]: ...


class _Latents(Protocol):
    """What diffusers' VAE returns from `encode`."""

    parameters: Tensor


class EagerComponent:
    """A network as the `torch.nn.Module` that its library made. `module` is for LoRA files."""

    def __init__(self, name: str, module: torch.nn.Module, dtype: torch.dtype, device: str) -> None:
        self._name = name
        self._module: torch.nn.Module | None = module
        self._dtype = dtype
        self._device = device

    @property
    def module(self) -> torch.nn.Module:
        """The network.

        Raises:
            EngineFailure: the component was closed.
        """
        if self._module is None:
            raise EngineFailure(f"The {self._name} was closed.", "Report this: it is a fault of Firstlight.")
        return self._module

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """See `Component`."""
        inputs = {name: self._admit(name, tensor) for name, tensor in tensors.items()}
        with _own_words(self._name), torch.no_grad():
            outputs = _run(self.module, inputs)
        return {name: tensor.float() for name, tensor in outputs.items()}

    def set_loras(self, choices: Sequence[LoraChoice]) -> None:
        """Carry exactly these LoRAs, beside the weights.

        Raises:
            UnusableFile: one cannot be used; there are none then.
        """
        lora.remove(self.module)
        if choices:
            lora.apply(self.module, choices, self._name)

    def close(self) -> None:
        """See `Component`."""
        self._module = None
        if self._device != "cpu":
            torch.cuda.empty_cache()

    def _admit(self, name: str, tensor: Tensor) -> Tensor:
        keeps = name.endswith(_POSITIONS) or name in _TIMESTEPS or not tensor.is_floating_point()
        return tensor.to(self._device, dtype=None if keeps else self._dtype)


class EagerLoader:
    """The `eager` backend."""

    def load(self, spec: ComponentSpec, plan: Plan, report: Report) -> EagerComponent:
        """See `ComponentLoader`. There is nothing to report: PyTorch loads in one go."""
        dtype = quantise.find_dtype(plan)
        with _own_words(spec.name, spec), torch.no_grad():
            module = _load_module(spec, dtype)
            if plan.precision in NARROW:
                quantise.quantise(module, plan)
            module = module.to(plan.device)
        module.eval().requires_grad_(requires_grad=False)
        return EagerComponent(spec.name, module, dtype, plan.device)


def _load_module(spec: ComponentSpec, dtype: torch.dtype) -> torch.nn.Module:
    """Let the library build the network and fill it; what it only warns of is refused here."""
    quieten()
    if isinstance(spec, OriginalSpec):
        return single_file.load_module(spec, dtype)
    network = cast("_NetworkClass", getattr(importlib.import_module(spec.library), spec.class_name))
    module, info = network.from_pretrained(
        str(spec.folder),
        local_files_only=True,
        use_safetensors=True,
        output_loading_info=True,
        dtype=dtype,
    )
    for problem in ("missing_keys", "mismatched_keys"):
        count = len(info[problem])
        if count:
            raise UnusableFile(
                f"The weights in {str(spec.folder)!r} do not fit the network: {count} tensors are "
                f"{'missing' if problem == 'missing_keys' else 'of another shape'}.",
                "Get the model again.",
            )
    if info["unexpected_keys"]:
        log.warning("%s: %d tensors are not used", spec.folder, len(info["unexpected_keys"]))
    return module


def _run(module: torch.nn.Module, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    if "z" in inputs:
        decode = cast("torch.nn.Module", module.decode)
        return {"sample": decode(**inputs, return_dict=False)[0]}
    if "x" in inputs:
        encode = cast("torch.nn.Module", module.encode)
        return {"parameters": cast("_Latents", encode(**inputs, return_dict=False)[0]).parameters}
    added = {name: inputs.pop(name) for name in _ADDED if name in inputs}
    options: dict[str, object] = {"added_cond_kwargs": added} if added else {}
    has_penultimate = getattr(getattr(module, "config", None), "model_type", "") in _PENULTIMATE
    if has_penultimate:
        options["output_hidden_states"] = True
    outputs = cast("Mapping[str, object]", module(**_gather(inputs), **options, return_dict=True))
    found = {name: value for name, value in outputs.items() if isinstance(value, Tensor)}
    if has_penultimate:
        found["penultimate"] = cast("Sequence[Tensor]", outputs["hidden_states"])[-2]
    for name, value in outputs.items():
        if isinstance(value, list):
            found |= {f"{name}.{i}": one for i, one in enumerate(cast("list[Tensor]", value))}
    return found


def _gather(inputs: Mapping[str, Tensor]) -> dict[str, Tensor | list[Tensor]]:
    """`x.0`, `x.1` … are one list `x`: some networks take tensors of different sizes so."""
    gathered: dict[str, Tensor | list[Tensor]] = {}
    for name, tensor in inputs.items():
        stem, dot, _ = name.partition(".")
        if dot:
            cast("list[Tensor]", gathered.setdefault(stem, [])).append(tensor)
        else:
            gathered[name] = tensor
    return gathered


@contextmanager
def _own_words(name: str, spec: ComponentSpec | None = None) -> Generator[None]:
    """Translate the exceptions of PyTorch and the two libraries; `spec` is given while loading."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise NoRoom(f"Memory ran out in the {name}.", "Ask for a smaller size, or close other programs.") from error
    except (RuntimeError, ValueError, TypeError, KeyError, OSError) as error:
        if "can't allocate memory" in str(error) or "not enough memory" in str(error):  # PyTorch's CPU allocator
            raise NoRoom(
                f"Memory ran out in the {name}.", "Ask for a smaller size, or close other programs."
            ) from error
        log.exception("the %s failed", name)
        if spec is not None:
            raise UnusableFile(
                f"The {name} in {str(spec.folder)!r} cannot be loaded: {_first_sentence(error)}.",
                "Get the model again.",
            ) from error
        why = _first_sentence(error)
        raise EngineFailure(f"The {name} cannot be run: {why}.", "The log has the details.") from error


def _first_sentence(error: Exception) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line.split(". ")[0].rstrip(".")  # advice for programmers follows
