"""Counting a prompt's tokens with the model's own tokenizer files, without PyTorch or transformers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# The encoder that reads the prompt whole comes first: FLUX.1 has T5 as its second
_FOLDERS = ("tokenizer_2", "tokenizer")


@dataclass(frozen=True, slots=True)
class Tokens:
    """`count` tokens, those that mark the ends included; `starts` says where each begins in the text."""

    count: int
    starts: tuple[int, ...]

    def cut_at(self, limit: int) -> int | None:
        """Where in the text what the model does not read begins; None where it reads all.

        As the libraries cut: marks at the ends stay, words at the end go.
        """
        if self.count <= limit:
            return None
        marks = self.count - len(self.starts)
        kept = max(limit - marks, 0)
        return self.starts[kept] if kept < len(self.starts) else None


class Tokenizer(Protocol):
    """Counts tokens."""

    def __call__(self, text: str) -> Tokens:
        """Take the text apart."""
        ...


def load(model: Path) -> Tokenizer:
    """The tokenizer of a diffusers folder.

    Raises:
        UnusableFile: it has none that can be read.
    """
    for name in _FOLDERS:
        folder = model / name
        try:
            if (folder / "tokenizer.json").is_file():
                return _Counter(_from_json(folder / "tokenizer.json"))
            if (folder / "spiece.model").is_file():
                return _Counter(_from_sentencepiece(folder / "spiece.model"))
        except Exception as error:  # both libraries raise plain ones, of any kind, for a damaged file
            raise UnusableFile(f"The tokenizer in {str(folder)!r} cannot be loaded.", "Get the model again.") from error
    raise UnusableFile(f"There is no tokenizer in {str(model)!r} that can count.")


class _Encoding(Protocol):
    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    special_tokens_mask: Sequence[int]


class _Pieces(Protocol):
    def get_piece_size(self) -> int: ...
    def id_to_piece(self, number: int) -> str: ...
    def get_score(self, number: int) -> float: ...
    def unk_id(self) -> int: ...
    def eos_id(self) -> int: ...


class _Counter:
    def __init__(self, library: object) -> None:
        self._encode = cast("Callable[[str], _Encoding]", getattr(library, "encode"))  # noqa: B009  # it has no types

    def __call__(self, text: str) -> Tokens:
        found = self._encode(text)
        # Only the marks that the tokenizer adds have no place in the text; one that is typed out has
        own = [i for i, (start, end) in enumerate(found.offsets) if end > start or not found.special_tokens_mask[i]]
        return Tokens(len(found.ids), tuple(found.offsets[i][0] for i in own))


def _from_json(file: Path) -> object:
    from tokenizers import Tokenizer as Library

    library = Library.from_file(str(file))
    library.no_truncation()
    library.no_padding()
    return library


def _from_sentencepiece(file: Path) -> object:
    """T5's own file, read as transformers reads it: pieces never go over a space, and one mark stands at the end.

    The file's table of characters is not read; Unicode's NFKC, which it was made from, stands for it.
    """
    from sentencepiece import SentencePieceProcessor
    from tokenizers import Tokenizer as Library
    from tokenizers import models, normalizers, pre_tokenizers, processors

    pieces = cast("_Pieces", SentencePieceProcessor(model_file=str(file)))  # pyright: ignore[reportCallIssue]
    vocabulary = [(pieces.id_to_piece(i), pieces.get_score(i)) for i in range(pieces.get_piece_size())]
    library = Library(models.Unigram(vocabulary, unk_id=pieces.unk_id()))
    library.normalizer = normalizers.NFKC()
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    end = pieces.eos_id()
    mark = pieces.id_to_piece(end)
    library.post_processor = processors.TemplateProcessing(single=f"$A {mark}", special_tokens=[(mark, end)])
    return library
