"""CLIP's tokenizer from its published vocabulary, for checkpoints that come without one: all use the same.

The file, bpe_simple_vocab_16e6.txt.gz, is OpenAI's list of merges (https://github.com/openai/CLIP, MIT). Token numbers
are: the 256 bytes, the same at the end of a word, one for each merge that is used, beginning and end of the text.
"""

from __future__ import annotations

import functools
import gzip
import importlib
from typing import TYPE_CHECKING, Protocol, cast

import resources
from pipelines.catalog import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.families.model import Tokenizer

_FILE = "configs/clip/bpe_simple_vocab_16e6.txt.gz"
_MERGES = 49152 - 256 - 2  # of those in the file, CLIP uses so many
_SPECIAL = ("<|startoftext|>", "<|endoftext|>")


class _Make(Protocol):
    def __call__(self, **options: object) -> Tokenizer: ...


def make(folder: Path) -> Tokenizer:
    """The tokenizer with what tokenizer_config.json in `folder` says: models differ in what fills up a prompt.

    Raises:
        UnusableFile: there is no such file.
    """
    options = {key: value for key, value in read_json(folder / "tokenizer_config.json").items() if "class" not in key}
    vocab, merges = _read()
    tokenizer = cast("_Make", importlib.import_module("transformers").CLIPTokenizer)
    return tokenizer(vocab=dict(vocab), merges=list(merges), **options)


@functools.cache
def _read() -> tuple[dict[str, int], list[tuple[str, str]]]:
    lines = gzip.decompress((resources.folder() / _FILE).read_bytes()).decode("utf-8").split("\n")
    pairs = [line.split() for line in lines[1 : _MERGES + 1]]
    merges = [(left, right) for left, right in pairs]
    letters = _letters()
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges), *_SPECIAL]
    return {token: number for number, token in enumerate(tokens)}, merges


def _letters() -> list[str]:
    """A visible letter for each byte, those that are visible themselves first: the order that CLIP numbers them in."""
    visible = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return [chr(byte) for byte in visible] + [chr(256 + i) for i in range(len(hidden))]
