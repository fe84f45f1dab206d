"""Faster forms of blocks that diffusers writes piece by piece: the same weights and results, fewer and larger products.

The layers that take the same input become one product, and the weights of the block become parts of its weight: no
memory more, and what writes a weight of the network (a LoRA) writes the form's too. GELU is left to cuBLAS, which does
it as it writes the product, and FLUX's single blocks multiply attention and MLP with their parts of the last weight
instead of joining them first. Measured on an H200 at 1024 x 1024: README.md, "Speed".
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.nn import functional as F

from pipelines.engine.quantise import NarrowLinear

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMS_VERSION = 1  # grows with every change of what a form computes or of its weights: kept builds are for one
Rotary = tuple[Tensor, Tensor]  # cosines and sines (tokens, head size), each value twice


def make_form(block: torch.nn.Module) -> torch.nn.Module:
    """The fastest form of a block that there is: another module, or the block itself."""
    make = _FORMS.get(type(block).__name__)
    if make is None or not _is_plain(block):
        return block
    return make(block)


def _is_plain(block: Any) -> bool:
    """Whether it computes what the forms do: the processor that diffusers gives it, and biases everywhere."""
    layers: list[Any] = [one for one in block.modules() if isinstance(one, torch.nn.Linear)]
    return type(block.attn.processor).__name__ == "FluxAttnProcessor" and all(one.bias is not None for one in layers)


def join(layers: Sequence[torch.nn.Linear]) -> torch.nn.Linear:
    """Layers of one input, wide or narrow, as one: its outputs are theirs side by side. Theirs become parts of it."""
    first = layers[0]
    memo: dict[int, Any] = {}
    for name, weight in first.named_parameters():
        memo[id(weight)] = torch.nn.Parameter(_join(layers, name), requires_grad=False)
    for name, buffer in first.named_buffers():
        memo[id(buffer)] = _join(layers, name)
    joined = copy.deepcopy(first, memo)  # with these instead of its own
    joined.out_features = sum(layer.out_features for layer in layers)
    return joined


def _join(layers: Sequence[torch.nn.Linear], name: str) -> Tensor:
    parts = [cast("Tensor", getattr(layer, name)).detach() for layer in layers]
    joined = torch.cat(parts)
    start = 0
    for layer, part in zip(layers, parts, strict=True):
        getattr(layer, name).data = joined[start : start + part.shape[0]]
        start += part.shape[0]
    return joined


class FluxSingle(torch.nn.Module):
    """`FluxSingleTransformerBlock` of diffusers."""

    def __init__(self, block: Any) -> None:
        super().__init__()
        self.norm, self.heads = block.norm, int(block.attn.heads)
        self.norm_q, self.norm_k = block.attn.norm_q, block.attn.norm_k
        self.qkv = join((block.attn.to_q, block.attn.to_k, block.attn.to_v))
        self.proj_mlp, self.proj_out = block.proj_mlp, block.proj_out

    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor,
        temb: Tensor,
        image_rotary_emb: Rotary,
        joint_attention_kwargs: None = None,
    ) -> tuple[Tensor, Tensor]:
        """See diffusers; batch by batch the same."""
        text = encoder_hidden_states.shape[1]
        hidden_states = torch.cat((encoder_hidden_states, hidden_states), 1)
        normed, gate = self.norm(hidden_states, emb=temb)
        query, key, value = self.qkv(normed).unflatten(-1, (3, self.heads, -1)).unbind(2)
        query = _rotate(self.norm_q(query), image_rotary_emb)
        key = _rotate(self.norm_k(key), image_rotary_emb)
        attended = _attend(query, key, value)
        change = _both(attended, _linear_gelu(normed, self.proj_mlp), self.proj_out)
        hidden_states = _limit(hidden_states + gate[:, None] * change)
        return hidden_states[:, :text], hidden_states[:, text:]


class FluxDouble(torch.nn.Module):
    """`FluxTransformerBlock` of diffusers."""

    def __init__(self, block: Any) -> None:
        super().__init__()
        attention = block.attn
        self.heads = int(attention.heads)
        self.norm1, self.norm1_context = block.norm1, block.norm1_context
        self.norm2, self.norm2_context = block.norm2, block.norm2_context
        self.norm_q, self.norm_k = attention.norm_q, attention.norm_k
        self.norm_added_q, self.norm_added_k = attention.norm_added_q, attention.norm_added_k
        self.qkv = join((attention.to_q, attention.to_k, attention.to_v))
        self.added_qkv = join((attention.add_q_proj, attention.add_k_proj, attention.add_v_proj))
        self.to_out, self.to_add_out = attention.to_out[0], attention.to_add_out
        self.ff, self.ff_context = block.ff.net, block.ff_context.net

    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor,
        temb: Tensor,
        image_rotary_emb: Rotary,
        joint_attention_kwargs: None = None,
    ) -> tuple[Tensor, Tensor]:
        """See diffusers; batch by batch the same."""
        normed, gate, shift, scale, gate_mlp = self.norm1(hidden_states, emb=temb)
        added, added_gate, added_shift, added_scale, added_gate_mlp = self.norm1_context(
            encoder_hidden_states, emb=temb
        )
        query, key, value = self.qkv(normed).unflatten(-1, (3, self.heads, -1)).unbind(2)
        added_query, added_key, added_value = self.added_qkv(added).unflatten(-1, (3, self.heads, -1)).unbind(2)
        query = torch.cat((self.norm_added_q(added_query), self.norm_q(query)), 1)
        key = torch.cat((self.norm_added_k(added_key), self.norm_k(key)), 1)
        value = torch.cat((added_value, value), 1)
        attended = _attend(_rotate(query, image_rotary_emb), _rotate(key, image_rotary_emb), value)
        text = encoder_hidden_states.shape[1]

        hidden_states = hidden_states + gate[:, None] * self.to_out(attended[:, text:])
        normed = self.norm2(hidden_states) * (1 + scale[:, None]) + shift[:, None]
        hidden_states = hidden_states + gate_mlp[:, None] * _feed_forward(normed, self.ff)

        added = encoder_hidden_states + added_gate[:, None] * self.to_add_out(attended[:, :text])
        normed = self.norm2_context(added) * (1 + added_scale[:, None]) + added_shift[:, None]
        return _limit(added + added_gate_mlp[:, None] * _feed_forward(normed, self.ff_context)), hidden_states


_FORMS: dict[str, Callable[[torch.nn.Module], torch.nn.Module]] = {
    "FluxSingleTransformerBlock": FluxSingle,
    "FluxTransformerBlock": FluxDouble,
}


def _linear_gelu(rows: Tensor, layer: torch.nn.Linear) -> Tensor:
    """A linear layer and GELU in its tanh form."""
    if rows.is_cuda and not isinstance(layer, NarrowLinear):
        flat = torch.ops.firstlight.linear_gelu(rows.flatten(0, -2), layer.weight, layer.bias)
        return flat.unflatten(0, rows.shape[:-1])
    return F.gelu(layer(rows), approximate="tanh")


def _both(attended: Tensor, mlp: Tensor, layer: torch.nn.Linear) -> Tensor:
    """The layer on both side by side: without joining them, unless it is a narrow one."""
    if isinstance(layer, NarrowLinear):
        joined: Tensor = layer(torch.cat((attended, mlp), -1))
        return joined
    width = attended.shape[-1]
    product = torch.addmm(layer.bias, mlp.flatten(0, -2), layer.weight[:, width:].t())
    product = torch.addmm(product, attended.flatten(0, -2), layer.weight[:, :width].t())
    return cast("Tensor", product.unflatten(0, mlp.shape[:-1]))


def _feed_forward(rows: Tensor, layers: Any) -> Tensor:
    result: Tensor = layers[2](_linear_gelu(rows, layers[0].proj))
    return result


def _attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """(batch, tokens, heads, head size) each, to (batch, tokens, width)."""
    result = F.scaled_dot_product_attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2))
    return result.transpose(1, 2).flatten(2)


def _rotate(rows: Tensor, rotary: Rotary) -> Tensor:
    """Rotary positions on (batch, tokens, heads, head size), as `apply_rotary_emb` of diffusers."""
    cosine, sine = (one[:, None, ::2] for one in rotary)
    pairs = cast("Tensor", rows.float().unflatten(-1, (-1, 2)))
    real, imaginary = pairs[..., 0], pairs[..., 1]
    turned = torch.stack((real * cosine - imaginary * sine, imaginary * cosine + real * sine), -1)
    return turned.flatten(-2).to(rows.dtype)


def _limit(rows: Tensor) -> Tensor:
    return rows.clip(-65504, 65504) if rows.dtype == torch.float16 else rows


@torch.library.custom_op("firstlight::linear_gelu", mutates_args=())
def linear_gelu(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """GELU of rows (n, inputs) times weight (outputs, inputs) plus bias; an operator, so that it stays in one piece."""
    product: Tensor = torch.ops.aten._addmm_activation(bias, rows, weight.t(), use_gelu=True)
    return product


def _sketch_linear_gelu(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return rows.new_empty((rows.shape[0], weight.shape[0]))


cast("Any", linear_gelu).register_fake(_sketch_linear_gelu)
