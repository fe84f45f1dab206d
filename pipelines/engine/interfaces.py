"""What goes into and comes out of each network as an engine: names, sizes and the ranges that they may have.

A new family is a row of `_ROWS`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pipelines.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Kind(Enum):
    """What values a tensor has. `run` is the engine's own precision."""

    run = "run"
    fp32 = "fp32"
    int64 = "int64"


@dataclass(frozen=True, slots=True)
class Axis:
    """A size that may change from call to call; `usual` is what kernels are tuned for. A multiple of `step`."""

    name: str
    minimum: int
    usual: int
    maximum: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor that the network is called with."""

    name: str
    kind: Kind
    shape: tuple[int | Axis, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """One way of calling a network. `method` is the module's own, `outputs` are the names of what it returns."""

    method: str
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]


class Part(Enum):
    """What becomes one engine: a network, or one half of the VAE. The folder of its config is `component`."""

    text_encoder = "text_encoder"
    text_encoder_2 = "text_encoder_2"
    transformer = "transformer"
    unet = "unet"
    vae_decoder = "vae_decoder"
    vae_encoder = "vae_encoder"

    @property
    def component(self) -> str:
        """The network's attribute in the diffusers pipeline."""
        return "vae" if self.value.startswith("vae") else self.value


IN_BLOCKS = (Part.transformer, Part.unet)  # what consists mostly of repeated blocks
OUTPUT = "out_"  # before the name of an output that is called like an input
PENULTIMATE = "penultimate"  # an output: the last but one of a text encoder's hidden states, which SDXL reads
BATCH = Axis("batch", 1, 1, 8)
# From 64 x 64 pixels to 2048 x 2048, or to FLUX.1 Kontext's picture and start picture of 2 million pixels together
IMAGE = Axis("image", 16, 4096, 16384)
TEXT = Axis("text", 1, 512, 512)
PIECES = Axis("text", 77, 77, 616)  # CLIP's pieces of 77 tokens one after another: prompts of up to 600 tokens
LATENT_HEIGHT = Axis("latent_height", 8, 128, 512)
LATENT_WIDTH = Axis("latent_width", 8, 128, 512)
# Of a UNet: from 128 pixels on, as its innermost level is an eighth of this and must not be a single value
UNET_HEIGHT = Axis("latent_height", 16, 128, 512)
UNET_WIDTH = Axis("latent_width", 16, 128, 512)
HEIGHT = Axis("height", 64, 1024, 4096, step=8)
WIDTH = Axis("width", 64, 1024, 4096, step=8)


def check_class(class_name: str, part: Part) -> None:
    """Refuse a network that no engine is made of.

    Raises:
        InvalidRequest: it is one.
    """
    if _row_key(class_name, part) not in _ROWS:
        raise InvalidRequest(
            f"This version makes no engine of a {class_name}.", "Use the model without one: --backend eager."
        )


def find_interface(class_name: str, part: Part, config: Mapping[str, object]) -> Interface:
    """How the network `class_name` of that (full) configuration is called as `part`.

    Raises:
        InvalidRequest: engines of this network are not made.
    """
    check_class(class_name, part)
    return _ROWS[_row_key(class_name, part)](config)


def _row_key(class_name: str, part: Part) -> tuple[str, str]:
    return class_name, part.value if part.component == "vae" else ""


def _number(config: Mapping[str, object], key: str) -> int:
    value = config.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidRequest(f"The network's configuration has no whole number {key!r}.", "Get the model again.")
    return value


def _flux(config: Mapping[str, object]) -> Interface:
    inputs = [
        Input("hidden_states", Kind.run, (BATCH, IMAGE, _number(config, "in_channels"))),
        Input("encoder_hidden_states", Kind.run, (BATCH, TEXT, _number(config, "joint_attention_dim"))),
        Input("pooled_projections", Kind.run, (BATCH, _number(config, "pooled_projection_dim"))),
        Input("timestep", Kind.run, (BATCH,)),
        Input("img_ids", Kind.fp32, (IMAGE, 3)),
        Input("txt_ids", Kind.fp32, (TEXT, 3)),
    ]
    if config.get("guidance_embeds"):
        inputs.append(Input("guidance", Kind.run, (BATCH,)))
    return Interface("forward", tuple(inputs), ("sample",))


def _unet(config: Mapping[str, object]) -> Interface:
    inputs = [
        Input("sample", Kind.run, (BATCH, _number(config, "in_channels"), UNET_HEIGHT, UNET_WIDTH)),
        Input("timestep", Kind.fp32, (BATCH,)),
        Input("encoder_hidden_states", Kind.run, (BATCH, PIECES, _number(config, "cross_attention_dim"))),
    ]
    if config.get("addition_embed_type") == "text_time":  # SDXL's pooled prompt and numbers of sizes
        step = _number(config, "addition_time_embed_dim")
        width = _number(config, "projection_class_embeddings_input_dim")
        # Six, or the refiner's five, whose pooled prompt is as wide as its one encoder's
        count = 5 if width - 5 * step == _number(config, "cross_attention_dim") else 6
        # Both in fp32: ONNX joins no tensors of two types, as PyTorch does
        pooled = Input("text_embeds", Kind.fp32, (BATCH, width - count * step))
        inputs += [pooled, Input("time_ids", Kind.fp32, (BATCH, count))]
    return Interface("forward", tuple(inputs), (f"{OUTPUT}sample",))  # a graph has no two tensors of one name


def _clip(config: Mapping[str, object]) -> Interface:
    # Longer prompts are several pieces of this length, one after another in the batch
    length = _number(config, "max_position_embeddings")
    inputs = (Input("input_ids", Kind.int64, (BATCH, length)),)
    return Interface("forward", inputs, ("last_hidden_state", "pooler_output", PENULTIMATE))


def _clip_projection(config: Mapping[str, object]) -> Interface:
    return Interface("forward", _clip(config).inputs, ("text_embeds", "last_hidden_state", PENULTIMATE))


def _t5(config: Mapping[str, object]) -> Interface:
    return Interface("forward", (Input("input_ids", Kind.int64, (BATCH, TEXT)),), ("last_hidden_state",))


def _vae_decoder(config: Mapping[str, object]) -> Interface:
    shape = (BATCH, _number(config, "latent_channels"), LATENT_HEIGHT, LATENT_WIDTH)
    return Interface("decode", (Input("z", Kind.run, shape),), ("sample",))


def _vae_encoder(config: Mapping[str, object]) -> Interface:
    shape = (BATCH, _number(config, "in_channels"), HEIGHT, WIDTH)
    return Interface("encode", (Input("x", Kind.run, shape),), ("parameters",))


_ROWS: dict[tuple[str, str], Callable[[Mapping[str, object]], Interface]] = {
    ("FluxTransformer2DModel", ""): _flux,
    ("UNet2DConditionModel", ""): _unet,
    ("CLIPTextModel", ""): _clip,
    ("CLIPTextModelWithProjection", ""): _clip_projection,
    ("T5EncoderModel", ""): _t5,
    ("AutoencoderKL", "vae_decoder"): _vae_decoder,
    ("AutoencoderKL", "vae_encoder"): _vae_encoder,
}
