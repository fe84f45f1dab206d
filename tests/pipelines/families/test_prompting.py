"""Prompts on their way into pictures: chunks, weights, wildcards, for every family."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline
from PIL import Image
from transformers import CLIPTextModel, CLIPTokenizer

from pipelines import devices, images
from pipelines.errors import UnusableFile
from pipelines.events import Notice
from pipelines.families.clip import Chunk, Clip
from pipelines.families.standins import TextEncoder
from pipelines.request import GenerationRequest
from pipelines.session import Session
from tests.pipelines import miniatures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from tests.conftest import Recorder

LONG = ", ".join(f"number {i} of the many apples" for i in range(40))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    kinds = {kind.name: kind for kind in miniatures.MINIATURES}
    made: dict[str, Path] = {}

    def find(name: str) -> Path:
        if name not in made:
            made[name] = miniatures.make(kinds[name], tmp_path_factory.mktemp("miniatures") / name)
            (made[name] / "starter.json").write_text('{"min_pixels": 64, "max_sequence_length": 512}')
        return made[name]

    return find


@pytest.fixture(scope="module")
def clip(models: Callable[[str], Path]) -> Clip:
    folder = models("sd15")
    tokenizer: Any = CLIPTokenizer.from_pretrained(str(folder / "tokenizer"), local_files_only=True)
    network: Any = CLIPTextModel.from_pretrained(str(folder / "text_encoder"), local_files_only=True)

    def run(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"last_hidden_state": network(**tensors).last_hidden_state}

    component: Any = run
    return Clip(tokenizer, TextEncoder(component, {"max_position_embeddings": 77}, "cpu"))


@pytest.fixture
def draw(models: Callable[[str], Path], tmp_path: Path, events: Recorder) -> Callable[..., np.ndarray]:
    def run(name: str, prompt: str, **changes: Any) -> np.ndarray:
        request = GenerationRequest(prompt, str(models(name)), 64, 64, 2, 4.0, 7)
        with Session(devices.probe(), wildcards=tmp_path / "wildcards") as session:
            target = images.Target.from_out(tmp_path / "o.png")
            (saved,) = session.generate(replace(request, **changes), target, events)
        with Image.open(saved.path) as image:
            return np.asarray(image.convert("RGB"), np.int16)

    return run


def test_a_chunk_is_what_diffusers_encodes(clip: Clip, models: Callable[[str], Path]) -> None:
    pipeline: Any = StableDiffusionPipeline.from_pretrained(str(models("sd15")), local_files_only=True)
    theirs, negative = pipeline.encode_prompt("a red apple, big", torch.device("cpu"), 1, True, "blurry")
    for text, expected in (("a red apple, big", theirs), ("blurry", negative)):
        ours, _ = clip.encode(clip.split(text), 1)
        assert torch.allclose(ours, expected, atol=1e-5)


class TestChunks:
    def test_full_chunks_of_75_and_every_token_in_order(self, clip: Clip) -> None:
        chunks = clip.split("apple " * 200)
        assert [len(chunk.tokens) for chunk in chunks[:-1]] == [75] * (len(chunks) - 1)
        whole = clip.split("apple " * 10)[0].tokens
        assert sum(len(chunk.tokens) for chunk in chunks) == 20 * len(whole)

    def test_a_chunk_rather_ends_at_a_comma(self, clip: Clip) -> None:
        chunks = clip.split(LONG)
        comma = clip.split(",")[0].tokens[0]
        assert len(chunks) > 2
        assert all(chunk.tokens[-1] == comma for chunk in chunks[:-1])
        assert all(55 <= len(chunk.tokens) <= 75 for chunk in chunks[:-1])

    def test_break_ends_one(self, clip: Clip) -> None:
        one, two = clip.split("a cat BREAK a dog")
        assert (one, two) == (clip.split("a cat")[0], clip.split("a dog")[0])

    def test_an_empty_prompt_is_one_empty_chunk(self, clip: Clip) -> None:
        assert clip.split("") == (Chunk(),)

    def test_weights_are_by_token(self, clip: Clip) -> None:
        (chunk,) = clip.split("a (red:1.5) apple")
        plain = clip.split("a red apple")[0]
        assert chunk.tokens == plain.tokens
        assert sorted(set(chunk.weights)) == [1.0, 1.5]

    def test_weights_change_their_tokens_alone_but_for_the_mean(self, clip: Clip) -> None:
        plain, _ = clip.encode(clip.split("a red apple"), 1)
        weighed, _ = clip.encode(clip.split("a (red:1.5) apple"), 1)
        assert float(weighed.mean()) == pytest.approx(float(plain.mean()), abs=1e-6)
        ratio = weighed / plain
        per_token = ratio.median(dim=-1).values[0]
        assert per_token.max() / per_token.min() == pytest.approx(1.5, rel=1e-3)

    def test_the_shorter_of_two_is_filled_up(self, clip: Clip) -> None:
        short, _ = clip.encode(clip.split("a cat"), 3)
        empty, _ = clip.encode(clip.split(""), 1)
        assert short.shape[1] == 3 * 77
        assert torch.allclose(short[:, 77:154], empty, atol=1e-5)


@pytest.mark.parametrize("name", ["sd15", "sd21-v", "sdxl"])
def test_the_end_of_a_long_prompt_counts(draw: Callable[..., np.ndarray], events: Recorder, name: str) -> None:
    asked = [("red", ""), ("green", ""), ("red", "dark"), ("red", LONG)]
    ends = {draw(name, f"{LONG}, {end}", negative_prompt=negative).tobytes() for end, negative in asked}
    assert len(ends) == 4
    assert not [one for one in events.of(Notice) if "tokens long" in one.message]


@pytest.mark.parametrize("name", ["sd15", "sdxl"])
def test_weights_shape_the_picture(draw: Callable[..., np.ndarray], name: str) -> None:
    prompts = ["a red apple", "a (red:1.4) apple", "a [red] apple", "a red BREAK apple"]
    assert len({draw(name, prompt).tobytes() for prompt in prompts}) == 4
    assert (draw(name, "a (red:1.0) apple") == draw(name, "a red apple")).all()


def test_where_weights_do_not_count_it_is_said(draw: Callable[..., np.ndarray], events: Recorder) -> None:
    plain = draw("flux", "a red apple")
    assert not [one for one in events.of(Notice) if "weights of words" in one.message]
    assert (draw("flux", "a (red:1.4) apple") == plain).all()
    assert [one for one in events.of(Notice) if "weights of words" in one.message]


class TestWildcards:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        (tmp_path / "wildcards").mkdir()
        (tmp_path / "wildcards" / "colour.txt").write_text("red\ngreen\nblue\n")

    def test_the_picture_remembers_what_was_drawn_and_can_be_made_again(
        self, draw: Callable[..., np.ndarray], tmp_path: Path
    ) -> None:
        drawn = draw("sd15", "a __colour__ {cat|dog}", negative_prompt="{dark|blurry}")
        record = images.read(tmp_path / "o.png").record
        assert record is not None
        notes = dict(record.notes)
        assert notes["prompt as written"] == "a __colour__ {cat|dog}"
        assert notes["negative prompt as written"] == "{dark|blurry}"
        words = record.request.prompt.split()
        assert words[1] in ("red", "green", "blue")
        assert notes["wildcards"].startswith(f"__colour__ = {words[1]}; {{cat|dog}} = {words[2]}")
        again = draw("sd15", record.request.prompt, negative_prompt=record.request.negative_prompt)
        assert (again == drawn).all()

    def test_each_picture_of_a_batch_draws_its_own(
        self, models: Callable[[str], Path], tmp_path: Path, events: Recorder
    ) -> None:
        request = GenerationRequest("a __colour__ cat", str(models("sd15")), 64, 64, 1, 4.0, 7, num_images=6)
        with Session(devices.probe(), wildcards=tmp_path / "wildcards") as session:
            saved = session.generate(request, images.Target.from_out(f"{tmp_path}/batch/"), events)
            prompts: set[str] = set()
            for one in saved:
                record = images.read(one.path).record
                assert record is not None
                prompts.add(record.request.prompt)
                alone = replace(request, seed=one.seed, num_images=1)
                (again,) = session.generate(alone, images.Target.from_out(tmp_path / "a.png"), events)
                with Image.open(again.path) as image, Image.open(one.path) as first:
                    assert image.tobytes() == first.tobytes()
        assert len(prompts) > 1

    def test_a_missing_one_is_refused_before_anything_is_loaded(self, draw: Callable[..., np.ndarray]) -> None:
        with pytest.raises(UnusableFile, match="__none__"):
            draw("sd15", "a __none__ cat")
