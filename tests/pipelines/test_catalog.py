"""The catalog's rows, and models given by their folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines import catalog
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path


def test_the_starter_ships_and_its_defaults_lie_in_what_it_was_trained_for() -> None:
    entry = catalog.find("starter")
    assert entry.location is not None
    assert entry.location.is_dir()
    assert entry.min_pixels <= entry.width * entry.height <= entry.max_pixels


@pytest.mark.parametrize("entry", catalog.load(), ids=lambda entry: entry.name)
def test_every_row_is_whole_and_sensible(entry: catalog.Entry) -> None:
    for name in ("name", "title", "family", "model_class", "licence", "source"):
        assert getattr(entry, name)
    assert entry.width % entry.size_multiple == entry.height % entry.size_multiple == 0
    assert 0 < entry.min_pixels < entry.max_pixels
    assert 1 <= entry.max_sequence_length <= 512  # diffusers' FluxPipeline takes no more
    assert isinstance(entry.guidance_scale, float)


def test_names_are_unique() -> None:
    names = [entry.name.casefold() for entry in catalog.load()]
    assert len(set(names)) == len(names)


def test_a_name_is_found_in_any_case() -> None:
    assert catalog.find("FLUX.1-Dev").name == "flux.1-dev"


@pytest.mark.parametrize(("wrong", "words"), [("startr", "Did you mean 'starter'?"), ("xyz", "Known models:")])
def test_an_unknown_name_is_refused_with_what_there_is(wrong: str, words: str) -> None:
    with pytest.raises(UnusableFile) as caught:
        catalog.find(wrong)
    assert words in caught.value.action
    assert "starter" in caught.value.action


def test_a_folder_says_itself_what_it_was_trained_for(tiny_model: Path) -> None:
    entry = catalog.find(str(tiny_model))
    assert entry.location == tiny_model
    assert (entry.width, entry.steps, entry.max_sequence_length) == (64, 2, 16)


@pytest.mark.parametrize(("guidance_embeds", "steps"), [(True, 28), (False, 4)])
def test_a_folder_without_our_settings_gets_those_of_its_kind(
    tmp_path: Path, guidance_embeds: bool, steps: int
) -> None:
    (tmp_path / "transformer").mkdir()
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "FluxPipeline"}))
    config = json.dumps({"guidance_embeds": guidance_embeds})
    (tmp_path / "transformer" / "config.json").write_text(config)
    assert catalog.find(str(tmp_path)).steps == steps


def test_a_folder_of_another_kind_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "WanPipeline"}))
    with pytest.raises(UnusableFile, match="WanPipeline"):
        catalog.find(str(tmp_path))


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match=r"no model_index\.json"):
        catalog.find(str(tmp_path))


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", "\x00\x01", '{"_class_name": "FluxPipeline"'])
def test_a_damaged_index_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "model_index.json").write_text(content)
    with pytest.raises(UnusableFile, match="damaged"):
        catalog.find(str(tmp_path))


def test_an_index_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnusableFile, match="damaged"):
        catalog.find(str(tmp_path))


@pytest.mark.parametrize("value", ["32", None, True, [1]])
def test_our_own_settings_must_be_numbers(model_copy: Path, value: object) -> None:
    (model_copy / "starter.json").write_text(json.dumps({"max_sequence_length": value}))
    with pytest.raises(UnusableFile, match="max_sequence_length"):
        catalog.find(str(model_copy))


def test_a_file_and_a_missing_path_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"x")
    with pytest.raises(UnusableFile, match="incomplete"):
        catalog.find(str(file))
    with pytest.raises(UnusableFile, match="no model folder"):
        catalog.find(str(tmp_path / "none"))
