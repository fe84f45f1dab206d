"""Prompts of any length, with weights, through CLIP: chunks of 75 tokens, as AUTOMATIC1111 does it.

A prompt of one chunk without weights gives what diffusers' own `encode_prompt` gives. Importing this loads PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor

from pipelines import prompts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.families.standins import TextEncoder

_LOOK_BACK = 20  # tokens: a chunk rather ends after a comma that is no further back, so that no phrase is cut
_BATCH = 8  # chunks at once; engines take no more


class ClipTokenizer(Protocol):
    """What is used of `CLIPTokenizer`."""

    bos_token_id: int
    eos_token_id: int
    pad_token_id: int

    def __call__(self, text: str, *, add_special_tokens: bool) -> Mapping[str, list[int]]:
        """Token numbers as `input_ids`."""
        ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens of one call of the encoder, without those that begin and end it, and each one's weight."""

    tokens: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()


class Clip:
    """A CLIP text encoder with its tokenizer.

    `penultimate`: the last but one layer is what the denoiser was trained with, as with SDXL; weights then scale the
    tokens alone. Else the mean over all is kept too, as AUTOMATIC1111 does: SDXL's pictures break by that.
    """

    def __init__(self, tokenizer: ClipTokenizer, encoder: TextEncoder, *, penultimate: bool = False) -> None:
        self._tokenizer = tokenizer
        self._encoder = encoder
        self._penultimate = penultimate
        self._length = int(encoder.number("max_position_embeddings")) or 77

    def split(self, prompt: str) -> tuple[Chunk, ...]:
        """The prompt's chunks, at least one."""
        size = self._length - 2
        (comma,) = self._ids(",")[:1] or (-1,)
        done: list[Chunk] = []
        tokens, weights = list[int](), list[float]()
        for piece in prompts.parse(prompt):
            if piece.ends_chunk:
                done.append(Chunk(tuple(tokens), tuple(weights)))
                tokens, weights = [], []
            for token in self._ids(piece.text):
                if len(tokens) == size:
                    cut = _cut(tokens, comma) if token != comma else size
                    done.append(Chunk(tuple(tokens[:cut]), tuple(weights[:cut])))
                    tokens, weights = tokens[cut:], weights[cut:]
                tokens.append(token)
                weights.append(piece.weight)
        return (*done, Chunk(tuple(tokens), tuple(weights))) if tokens or not done else tuple(done)

    def encode(self, chunks: tuple[Chunk, ...], count: int) -> tuple[Tensor, Tensor | None]:
        """(1, 77 x count, width), filled up with empty chunks; and (1, width) pooled from the first, if it has that."""
        rows = chunks + (Chunk(),) * (count - len(chunks))
        ids = torch.tensor([self._row(chunk.tokens) for chunk in rows])
        outputs = [self._encoder.run(input_ids=ids[i : i + _BATCH]) for i in range(0, len(ids), _BATCH)]
        name = "penultimate" if self._penultimate else "last_hidden_state"
        hidden = torch.cat([output[name] for output in outputs])
        pooled = outputs[0].get("text_embeds")
        hidden = self._weigh(hidden, rows)
        return hidden.reshape(1, -1, hidden.shape[-1]), pooled[:1] if pooled is not None else None

    def _weigh(self, hidden: Tensor, rows: tuple[Chunk, ...]) -> Tensor:
        if all(weight == 1.0 for row in rows for weight in row.weights):
            return hidden
        factors = torch.ones(hidden.shape[:2], device=hidden.device)
        for i, row in enumerate(rows):
            factors[i, 1 : 1 + len(row.weights)] = torch.tensor(row.weights, device=hidden.device)
        weighed = hidden * factors.unsqueeze(-1)
        if self._penultimate:
            return weighed
        means = weighed.mean(dim=(1, 2), keepdim=True)
        return weighed * (hidden.mean(dim=(1, 2), keepdim=True) / torch.where(means == 0, 1.0, means))

    def _row(self, tokens: tuple[int, ...]) -> list[int]:
        row = [self._tokenizer.bos_token_id, *tokens, self._tokenizer.eos_token_id]
        return row + [self._tokenizer.pad_token_id] * (self._length - len(row))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def _cut(tokens: list[int], comma: int) -> int:
    """Where a full chunk ends: after its last comma, if that is near."""
    for back in range(_LOOK_BACK):
        if tokens[len(tokens) - 1 - back] == comma:
            return len(tokens) - back
    return len(tokens)
