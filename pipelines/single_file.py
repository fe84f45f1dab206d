"""Networks from files in an original layout, converted by diffusers' own functions. Importing this loads PyTorch.

Files in fp8 and GGUF's quantised types are brought to the wanted precision; ComfyUI's scaled ones
(https://github.com/Comfy-Org/ComfyUI, `scaled_fp8`) hold a factor for each layer as `scale_weight`.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any, cast

import torch

from pipelines.catalog import read_json
from pipelines.errors import UnusableFile
from pipelines.families import standins
from pipelines.gguf_header import is_gguf
from pipelines.gguf_weights import read_tensors as read_gguf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from pipelines.checkpoints import OriginalSpec
    from pipelines.engine.base import ComponentSpec

_SCALE, _MARKS = ".scale_weight", (".scale_input", "scaled_fp8")
_FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)
# T5 in llama.cpp's names, as GGUF files have it (https://github.com/ggml-org/llama.cpp, gguf-py's tensor_mapping)
_T5_NAMES = {
    "token_embd": "shared", "enc.blk": "encoder.block", "enc.output_norm": "encoder.final_layer_norm",
    "attn_q": "layer.0.SelfAttention.q", "attn_k": "layer.0.SelfAttention.k", "attn_v": "layer.0.SelfAttention.v",
    "attn_o": "layer.0.SelfAttention.o", "attn_rel_b": "layer.0.SelfAttention.relative_attention_bias",
    "attn_norm": "layer.0.layer_norm", "ffn_norm": "layer.1.layer_norm", "ffn_gate": "layer.1.DenseReluDense.wi_0",
    "ffn_up": "layer.1.DenseReluDense.wi_1", "ffn_down": "layer.1.DenseReluDense.wo",
}  # fmt: skip
_T5_NAME = re.compile(rf"\b({'|'.join(map(re.escape, _T5_NAMES))})\b")
_UTILITIES = "diffusers.loaders.single_file_utils"
# Of no use to a network, and left in by those who made the files
_LEFTOVERS = ("position_ids", "logit_scale", ".num_batches_tracked", "_ema.", "spiece_model")


def load_module(spec: OriginalSpec, dtype: torch.dtype) -> torch.nn.Module:
    """The network with its weights, in that precision, on the CPU.

    Raises:
        UnusableFile: tensors are missing, left over or of another shape.
    """
    module = make_network(spec)
    state_dict = {name: tensor.to(dtype) for name, tensor in read_state_dict(spec, dtype).items()}
    check(spec.files[0], spec.name, state_dict, module.state_dict())
    module.load_state_dict(state_dict, assign=True, strict=False)
    _fill_buffers(module)
    return module


def read_state_dict(spec: OriginalSpec, dtype: torch.dtype = torch.bfloat16) -> dict[str, Tensor]:
    """The network's tensors by the names that its library has for them, in the file's precision.

    What is in fp8 comes in bf16, and a GGUF file's in `dtype`.

    Raises:
        UnusableFile: the layout is not that of the network.
    """
    file = spec.files[0]
    tensors = read_gguf(file, spec.prefix, dtype) if is_gguf(file) else _unscale(_read(file, spec.prefix))
    return convert(spec.class_name, tensors, spec.folder)


def convert(class_name: str, tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """Tensors by their names in the original layout, without the network's prefix, to the library's names.

    `folder` holds the network's config.json. Tensors may be on PyTorch's meta device.

    Raises:
        UnusableFile: the layout is not that of the network.
    """
    tensors = {name: tensor for name, tensor in tensors.items() if not any(mark in name for mark in _LEFTOVERS)}
    try:
        return _CONVERTERS[class_name](tensors, folder)
    except (KeyError, IndexError, ValueError, RuntimeError) as error:
        raise UnusableFile(
            f"The {class_name} in the file is in a layout that is not known: {error}.", "Use another file."
        ) from error


def check(file: Path, name: str, found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    """Refuse tensors that are not exactly those of the network, with their counts.

    Raises:
        UnusableFile: they are not.
    """
    missing, unknown = wanted.keys() - found.keys(), found.keys() - wanted.keys()
    shape = [one for one in wanted.keys() & found.keys() if wanted[one].shape != found[one].shape]
    for count, what in ((missing, "are missing"), (unknown, "are not known"), (shape, "are of another shape")):
        if count:
            raise UnusableFile(
                f"The {name} in {str(file)!r} does not fit the network: {len(count)} tensors {what}, "
                f"{min(count)} for one.",
                "Get the model again, or use another file.",
            )


def _read(file: Path, prefix: str) -> dict[str, Tensor]:
    safetensors = cast("Any", importlib.import_module("safetensors"))
    with safetensors.safe_open(str(file), framework="pt", device="cpu") as opened:
        names = [name for name in opened.keys() if name.startswith(prefix)]  # noqa: SIM118 # it is no dictionary
        return {name.removeprefix(prefix): opened.get_tensor(name) for name in names}


def _unscale(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    if not any(tensor.dtype in _FP8 for tensor in tensors.values()):
        return tensors
    plain: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith(_SCALE) or any(name.endswith(mark) for mark in _MARKS):
            continue
        scale = tensors.get(name.removesuffix(".weight") + _SCALE)
        value = tensor.to(torch.bfloat16) if tensor.dtype in _FP8 else tensor
        plain[name] = value if scale is None else (value.float() * scale.float()).to(torch.bfloat16)
    return plain


def make_network(spec: ComponentSpec) -> torch.nn.Module:
    """The network without weights, on the meta device."""
    network: Any = getattr(importlib.import_module(spec.library), spec.class_name)
    config = read_json(spec.folder / "config.json")
    with torch.device("meta"):
        if spec.library == "transformers":
            return cast("torch.nn.Module", network(network.config_class(**config)).eval())
        return cast("torch.nn.Module", network.from_config(config).eval())


def _fill_buffers(module: torch.nn.Module) -> None:
    """CLIP's places are the one thing that networks compute when they are made, and files do not hold."""
    for name, buffer in list(module.named_buffers()):
        if buffer.is_meta:
            owner = module.get_submodule(name.rpartition(".")[0])
            places = torch.arange(buffer.shape[-1]).expand(buffer.shape).to(buffer.dtype)
            owner.register_buffer(name.rpartition(".")[2], places, persistent=False)


def _convert_unet(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if "conv_in.weight" in tensors:
        return tensors  # diffusers' own names
    config = standins.read_config(_diffusers("UNet2DConditionModel"), folder)
    prefixed = {f"model.diffusion_model.{name}": tensor for name, tensor in tensors.items()}
    return _utilities().convert_ldm_unet_checkpoint(prefixed, config)


def _convert_controlnet(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if "controlnet_cond_embedding.conv_in.weight" in tensors:
        return tensors
    config = standins.read_config(_diffusers("ControlNetModel"), folder)
    converted = cast("dict[str, Tensor | None]", _utilities().convert_controlnet_checkpoint(tensors, config))
    found = {name: tensor for name, tensor in converted.items() if tensor is not None}
    if len(found) != len(tensors):
        raise ValueError(f"{len(tensors) - len(found)} tensors are not known")
    return found


def _convert_vae(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if any(name.startswith("decoder.up_blocks.") for name in tensors):
        return tensors
    config = standins.read_config(_diffusers("AutoencoderKL"), folder)
    prefixed = {f"first_stage_model.{name}": tensor for name, tensor in tensors.items()}
    return _utilities().convert_ldm_vae_checkpoint(prefixed, config)


def _convert_flux(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if "x_embedder.weight" in tensors:
        return tensors
    converted = cast("dict[str, Tensor]", _utilities().convert_flux_transformer_checkpoint_to_diffusers(tensors))
    if tensors:
        raise ValueError(f"{len(tensors)} tensors are not known")  # what the conversion knows, it takes out
    return converted


def _convert_clip(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if "positional_embedding" in tensors:
        return _convert_open_clip(tensors, folder)
    return {name.removeprefix("text_model."): tensor for name, tensor in tensors.items() if "projection" not in name}


def _convert_open_clip(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    transformers = cast("Any", importlib.import_module("transformers"))
    config = transformers.CLIPTextConfig(**read_json(folder / "config.json"))
    with_projection = "CLIPTextModelWithProjection" in (config.architectures or ())
    prefix = "conditioner.embedders.1.model." if with_projection else "cond_stage_model.model."
    # The layers that were trained but are not used: Stable Diffusion 2 ends one before the last.
    blocks = tuple(f"transformer.resblocks.{i}." for i in range(config.num_hidden_layers))
    kept = {
        f"{prefix}{name}": tensor
        for name, tensor in tensors.items()
        if (name.startswith(blocks) or not name.startswith("transformer."))
        and (with_projection or "projection" not in name)
    }

    class Sizes:
        """What the conversion asks of the network."""

    sizes = cast("Any", Sizes())
    sizes.config = config
    converted = cast("dict[str, Tensor]", _utilities().convert_open_clip_checkpoint(sizes, kept, prefix=prefix))
    if with_projection:
        return converted
    return {name.removeprefix("text_model."): tensor for name, tensor in converted.items()}


def _convert_t5(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """transformers' own names or llama.cpp's; the embedding is there once or twice."""
    tensors = {_T5_NAME.sub(lambda found: _T5_NAMES[found[0]], name): one for name, one in tensors.items()}
    shared = tensors.get("shared.weight", tensors.get("encoder.embed_tokens.weight"))
    if shared is None:
        raise KeyError("shared.weight")
    return {**tensors, "shared.weight": shared, "encoder.embed_tokens.weight": shared}


def _utilities() -> Any:
    return importlib.import_module(_UTILITIES)


def _diffusers(class_name: str) -> type[torch.nn.Module]:
    return cast("type[torch.nn.Module]", getattr(importlib.import_module("diffusers"), class_name))


_CONVERTERS: dict[str, Callable[[dict[str, Tensor], Path], dict[str, Tensor]]] = {
    "UNet2DConditionModel": _convert_unet,
    "AutoencoderKL": _convert_vae,
    "ControlNetModel": _convert_controlnet,
    "FluxTransformer2DModel": _convert_flux,
    "CLIPTextModel": _convert_clip,
    "CLIPTextModelWithProjection": _convert_open_clip,
    "T5EncoderModel": _convert_t5,
}
