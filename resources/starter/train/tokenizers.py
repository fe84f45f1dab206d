"""Trains the two tokenizers on captions: byte-level BPE for CLIP, a sentencepiece unigram model for T5."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from resources.starter.train.architecture import CLIP_LENGTH
from resources.starter.train.scenes import SceneSampler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from resources.starter.train.concepts import Concept

_CLIP_VOCAB, _T5_VOCAB = 4300, 4000
_CAPTIONS = 300_000
_START, _END = "<|startoftext|>", "<|endoftext|>"


def train(concepts: Sequence[Concept], folder: Path) -> None:
    """Write `tokenizer/` and `tokenizer_2/` under `folder`."""
    sampler = SceneSampler(concepts, seed=0)
    captions = [sampler.sample(1.0).caption for _ in range(_CAPTIONS)]
    captions += [name for concept in concepts for name in concept.names] * 20
    _train_clip(captions, folder / "tokenizer")
    _train_t5(captions, folder / "tokenizer_2")


def _train_clip(captions: list[str], folder: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import CLIPTokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bpe = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    bpe.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Punctuation(),
            pre_tokenizers.ByteLevel(False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(vocab_size=_CLIP_VOCAB, end_of_word_suffix="</w>", initial_alphabet=alphabet)
    bpe.train_from_iterator(captions, trainer)
    learnt = json.loads(bpe.to_str())["model"]
    merges = [tuple(pair) for pair in learnt["merges"]]
    # CLIP wants every byte, bare and as the end of a word, before what the merges make.
    pieces = dict.fromkeys([*alphabet, *(byte + "</w>" for byte in alphabet), *("".join(pair) for pair in merges)])
    vocab = {piece: number for number, piece in enumerate([*pieces, _START, _END])}
    tokenizer = CLIPTokenizer(vocab=vocab, merges=merges, model_max_length=CLIP_LENGTH)
    tokenizer.save_pretrained(folder)


def _train_t5(captions: list[str], folder: Path) -> None:
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    from transformers import T5Tokenizer

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(captions),
        model_writer=model,
        vocab_size=_T5_VOCAB,
        normalization_rule_name="nmt_nfkc_cf",  # case-folds
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        byte_fallback=False,
        input_sentence_size=200_000,
        minloglevel=2,
    )
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    # transformers 5 takes the pieces and the normaliser apart; without the charsmap each capital is <unk>.
    tokenizer = T5Tokenizer(
        vocab=[(piece.piece, piece.score) for piece in proto.pieces],
        _spm_precompiled_charsmap=proto.normalizer_spec.precompiled_charsmap,
        extra_ids=0,
        model_max_length=512,
    )
    tokenizer.save_pretrained(folder)
