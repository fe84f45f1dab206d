"""Every model in one list, each with its condition."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from app.services.models import Models
from app.services.shelf import Condition, Place, Shelved, read_shelf
from tests.app.services.test_models import LORA, write, write_pipeline

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(tmp_path / "data", tmp_path / "cache")


def find(models: Models, name: str) -> Shelved:
    (row,) = [row for row in read_shelf(models) if row.name == name]
    return row


def test_the_starter_is_whole_and_the_others_are_offered(models: Models) -> None:
    first, *others = read_shelf(models)
    assert (first.name, first.place, first.condition, first.said) == ("starter", Place.shipped, Condition.ready, "")
    assert first.location is not None
    assert first.licence == "Apache-2.0"
    assert all(row.place is Place.offered and row.location is None and row.size == 0 for row in others)


def test_a_model_that_can_be_drawn_with(models: Models, tiny_model: Path) -> None:
    models.add(tiny_model)
    row = find(models, "tiny")
    assert (row.place, row.condition, row.family) == (Place.here, Condition.ready, "flux")
    assert row.location == tiny_model
    assert row.size == sum(file.stat().st_size for file in tiny_model.rglob("*") if file.is_file())


def test_a_model_of_another_kind_is_kept_and_told(models: Models, tmp_path: Path) -> None:
    models.add(write_pipeline(tmp_path / "new", "SomethingNewPipeline"))
    row = find(models, "new")
    assert row.condition is Condition.no_engine
    assert "SomethingNewPipeline" in row.said


def test_a_part_of_a_model(models: Models, tmp_path: Path) -> None:
    models.add(write(tmp_path / "style.safetensors", LORA))
    assert find(models, "style").condition is Condition.part


def test_files_that_are_gone_changed_or_damaged(models: Models, tiny_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "copy")
    models.add(folder)
    file = folder / "vae" / "diffusion_pytorch_model.safetensors"
    content = file.read_bytes()
    file.write_bytes(b"\xff" * len(content))  # the size is right
    row = find(models, "copy")
    assert row.condition is Condition.damaged
    assert row.said
    file.write_bytes(content[:-1])
    row = find(models, "copy")
    assert (row.condition, row.path) == (Condition.changed, str(file))
    file.unlink()
    row = find(models, "copy")
    assert (row.condition, row.path) == (Condition.gone, str(file))
    file.write_bytes(content)
    assert find(models, "copy").condition is Condition.ready
