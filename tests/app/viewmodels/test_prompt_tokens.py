from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import resources
from app.viewmodels import tokenizing
from app.viewmodels.prompt_tokens import Length, PromptTokens
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.app.viewmodels.conftest import Bench

PROMPTS = [
    "", " ", "a red fox",
    "  two  spaces ", "line\nbreak\ttab", "emoji 😄 ō", "</s> <extra_id_0> <pad> <unk>", "\uff26\uff35 ﬁ",
    "a " * 40,
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich", "日本語の絵", "(word:1.5) {a|b} __x__",
]  # fmt: skip
_BY_TRANSFORMERS = """
import json, sys
from transformers import T5TokenizerFast
tokenizer = T5TokenizerFast.from_pretrained(sys.argv[1], local_files_only=True)
found = []
for prompt in json.load(sys.stdin):
    cut = tokenizer(prompt, max_length=16, truncation=True, return_offsets_mapping=True)
    found.append([len(tokenizer(prompt)["input_ids"]), max(end for _, end in cut["offset_mapping"])])
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="module")
def truth() -> list[list[int]]:
    """What transformers itself counts, and where the text ends that it keeps of at most 16 tokens."""
    folder = resources.folder() / "starter" / "tokenizer_2"
    given = json.dumps(PROMPTS)
    done = subprocess.run(
        [sys.executable, "-c", _BY_TRANSFORMERS, str(folder)], input=given, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("index", range(len(PROMPTS)))
def test_it_counts_and_cuts_as_the_pipeline_does(index: int, truth: list[list[int]]) -> None:
    tokens = tokenizing.load(resources.folder() / "starter")(PROMPTS[index])
    count, kept = truth[index]
    assert tokens.count == count
    cut = tokens.cut_at(16)
    if count <= 16:
        assert cut is None
    else:
        assert cut is not None
        assert PROMPTS[index][kept:cut].strip() == ""  # it begins where the kept text ends


def test_a_sentencepiece_file_counts_alike(tmp_path: Path, truth: list[list[int]]) -> None:
    """Older folders have T5's own file alone: one of the same pieces is made here."""
    from sentencepiece import sentencepiece_model_pb2 as pb

    vocabulary = json.loads((resources.folder() / "starter" / "tokenizer_2" / "tokenizer.json").read_text())
    model = pb.ModelProto()  # pyright: ignore[reportAttributeAccessIssue] # made when it is imported
    for piece, score in vocabulary["model"]["vocab"]:
        kind = {"<pad>": 3, "</s>": 3, "<unk>": 2}.get(piece, 1)
        model.pieces.add(piece=piece, score=score, type=kind)
    model.trainer_spec.pad_id, model.trainer_spec.eos_id, model.trainer_spec.unk_id = 0, 1, 2
    (tmp_path / "tokenizer_2").mkdir()
    (tmp_path / "tokenizer_2" / "spiece.model").write_bytes(model.SerializeToString())
    tokenizer = tokenizing.load(tmp_path)
    for index in (0, 1, 2, 3, 4, 5, 7, 8, 10, 11):
        lowered = PROMPTS[index].lower()  # the starter model's tokenizer does that by itself
        assert tokenizer(lowered).count == truth[index][0], PROMPTS[index]
    assert tokenizer("a red fox").starts[0] == 0


def test_a_folder_without_or_with_a_damaged_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile):
        tokenizing.load(tmp_path)
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "tokenizer" / "tokenizer.json").write_text("{")
    with pytest.raises(UnusableFile):
        tokenizing.load(tmp_path)


@pytest.fixture
def tokens(benches: Callable[..., Bench]) -> tuple[Bench, PromptTokens]:
    bench = benches(start=False)
    counter = PromptTokens(bench.generation)
    bench.closers.append(counter.close)
    return bench, counter


def test_the_count_follows_what_is_typed(tokens: tuple[Bench, PromptTokens], wait: Callable[..., None]) -> None:
    bench, counter = tokens
    bench.generation.prompt = "a red fox"
    wait(lambda: counter.prompt == Length(4, 32))
    assert counter.negative is None
    bench.generation.negative_prompt = "rain"
    wait(lambda: counter.negative is not None)
    for count in range(50):
        bench.generation.prompt = "😄 " + "fox " * count
    wait(lambda: counter.prompt is not None and counter.prompt.count > 45)
    assert counter.prompt is not None
    cut = counter.prompt.cut_from
    assert cut is not None
    units = bench.generation.prompt.encode("utf-16-le")
    assert units[2 * cut :].decode("utf-16-le").lstrip().startswith("fox")  # Qt's units: no emoji is torn


def test_weights_are_left_out_as_the_pipeline_does(
    tokens: tuple[Bench, PromptTokens], wait: Callable[..., None]
) -> None:
    bench, counter = tokens
    bench.generation.prompt = "a (red fox:1.3) BREAK in snow"
    wait(lambda: counter.prompt is not None and counter.prompt.count > 1)
    plain = tokenizing.load(resources.folder() / "starter")("a red fox in snow").count
    assert counter.prompt is not None
    assert counter.prompt.count == plain
    bench.generation.prompt = "(a fox:1.5) " * 30
    wait(lambda: counter.prompt is not None and counter.prompt.count > 32)
    cut = counter.prompt.cut_from
    assert cut is not None
    assert bench.generation.prompt[cut:].startswith(("a fox", " fox", "fox"))


def test_words_of_a_style_count_and_are_not_marked(
    tokens: tuple[Bench, PromptTokens], wait: Callable[..., None]
) -> None:
    bench, counter = tokens
    page = bench.generation
    page.style = next(style for style in page.styles if style.key == "portrait")
    page.prompt = "a fox " * 3
    wait(lambda: counter.prompt is not None and counter.prompt.count > 32)
    assert counter.prompt is not None
    assert counter.prompt.cut_from == len(page.prompt)
    page.prompt = "a fox " * 20
    wait(lambda: counter.prompt is not None and counter.prompt.cut_from not in (None, 18))
    assert 0 < (counter.prompt.cut_from or 0) < len(page.prompt)


def test_half_a_character_and_a_model_without_tokenizer_do_no_harm(
    tokens: tuple[Bench, PromptTokens], wait: Callable[..., None], model_copy: Path
) -> None:
    bench, counter = tokens
    bench.generation.prompt = "a fox \ud83d"
    wait(lambda: counter.prompt is not None and counter.prompt.count > 4)
    for name in ("tokenizer", "tokenizer_2"):
        shutil.rmtree(model_copy / name)
    bench.generation.choose_model(str(model_copy))
    wait(lambda: counter.prompt is None)


def test_counting_loads_neither_pytorch_nor_transformers() -> None:
    code = (
        "import sys, resources; from app.viewmodels import tokenizing, prompt_tokens, generation, run, queue; "
        "tokenizing.load(resources.folder() / 'starter')('a fox'); "
        "print([name for name in ('torch', 'transformers', 'diffusers', 'numpy', 'PIL') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
