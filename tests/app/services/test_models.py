"""Import in place or copied, noticing, checking and removing: other programs' files are never touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.services import importing
from app.services.importing import Kind, classify
from app.services.models import Models
from app.services.registry import Keeping
from pipelines.errors import Cancelled, InvalidRequest, NoRoom, UnusableFile
from tests.app.hub_server import safetensors

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.model_files import FileProgress


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(tmp_path / "data", tmp_path / "cache")


def ignore(progress: FileProgress) -> None:
    pass


def write(file: Path, *tensors: str) -> Path:
    """A whole safetensors file with tensors of these names, one byte each."""
    names = tensors or ("x",)
    header = {name: {"dtype": "U8", "shape": [1], "data_offsets": [at, at + 1]} for at, name in enumerate(names)}
    text = json.dumps(header).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(len(names)))
    return file


def write_pipeline(folder: Path, model_class: str = "FluxPipeline") -> Path:
    write(folder / "vae" / "diffusion_pytorch_model.safetensors")
    (folder / "model_index.json").write_text(json.dumps({"_class_name": model_class}))
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes | None]]:
    """Everything below: what it is, when it was changed, and its bytes."""
    found: dict[str, tuple[int, int, bytes | None]] = {}
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(root) / name
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


FLUX, LORA = "double_blocks.0.img_attn.qkv.weight", "transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight"


def test_other_programs_layouts_are_understood(models: Models, tmp_path: Path) -> None:
    top = tmp_path / "their models"
    sd = ("model.diffusion_model.input_blocks.0.0.weight", "cond_stage_model.transformer.text_model.x")
    write(top / "A1111/models/Stable-diffusion/old.safetensors", *sd)
    write(top / "A1111/models/Lora/style.safetensors", LORA)
    write(top / "ComfyUI/models/diffusion_models/flux.safetensors", FLUX)
    write(top / "ComfyUI/models/upscale_models/4x.safetensors", "what.is.this")
    write(top / "StabilityMatrix/Data/Models/VAE/ae.safetensors", "encoder.conv_in.weight", "decoder.conv_in.weight")
    write_pipeline(top / "diffusers/FLUX.1-dev")
    write_pipeline(top / "diffusers/sdxl", "StableDiffusionXLPipeline")
    before = snapshot(top)
    added = models.add(top)
    found = {model.name: (model.kind, model.family) for model in added.models}
    assert found == {
        "old": (Kind.checkpoint, "sd"),
        "style": (Kind.lora, "flux"),
        "flux": (Kind.network, "flux"),
        "4x": (Kind.upscaler, ""),
        "ae": (Kind.vae, ""),
        "flux.1-dev-2": (Kind.pipeline, "flux"),  # flux.1-dev is a name of the catalog
        "sdxl": (Kind.pipeline, "sdxl"),
    }
    assert all(model.keeping is Keeping.in_place for model in added.models)
    assert models.all() == added.models
    assert snapshot(top) == before
    assert models.add(top).models == ()  # known by now


@pytest.mark.parametrize(
    ("names", "kind", "family"),
    [
        (["lora_unet_down_blocks_0_attn.lora_up.weight", "lora_te_text.alpha"], Kind.lora, "sd"),
        (["lora_unet_double_blocks_0_img_attn.lora_down.weight"], Kind.lora, "flux"),
        (["lora_te2_x.lora_up.weight"], Kind.lora, "sdxl"),
        (
            ["model.diffusion_model.double_blocks.0.img_attn.qkv.weight", "text_encoders.t5xxl.x"],
            Kind.checkpoint,
            "flux",
        ),
        (["model.diffusion_model.input_blocks.0.0.weight", "conditioner.embedders.1.model.x"], Kind.checkpoint, "sdxl"),
        (["encoder.block.0.layer.0.SelfAttention.q.weight"], Kind.text_encoder, ""),
        (["text_model.encoder.layers.0.mlp.fc1.weight"], Kind.text_encoder, ""),
        (["controlnet_cond_embedding.conv_in.weight", "down_blocks.0.x"], Kind.controlnet, "sd"),
        (["emb_params"], Kind.embedding, ""),
        (["x"], Kind.unknown, ""),
        ([], Kind.unknown, ""),
    ],
)
def test_a_file_says_itself_what_it_is(names: list[str], kind: Kind, family: str) -> None:
    assert classify(names) == (kind, family)


def test_five_thousand_files_with_links_and_a_loop_in_two_seconds(models: Models, tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    write(outside / "private.safetensors")
    tensors = [f"lora_unet_double_blocks_{number}_img_attn.lora_up.weight" for number in range(50)]
    first = write(top / "0" / "0.safetensors", *tensors).read_bytes()
    for folder in range(50):
        (top / str(folder)).mkdir(exist_ok=True)
        for number in range(100):
            suffix = "safetensors" if number % 4 == 0 else "png"
            (top / str(folder) / f"{number}.{suffix}").write_bytes(first if suffix == "safetensors" else b"x")
    (top / "loop").symlink_to(top, target_is_directory=True)
    (top / "7" / "up").symlink_to("..", target_is_directory=True)
    (top / "away").symlink_to(outside, target_is_directory=True)
    (top / "file.safetensors").symlink_to(outside / "private.safetensors")
    (top / "broken.safetensors").symlink_to("nowhere")
    before = snapshot(tmp_path)
    began = time.process_time()  # of this process: other work on the machine does not count
    added = models.add(top)
    seconds = time.process_time() - began
    assert len(added.models) == 1250
    assert len({model.name for model in added.models}) == 1250
    assert {path.name for path in added.scan.links} == {"loop", "up", "away", "file.safetensors", "broken.safetensors"}
    shutil.rmtree(tmp_path / "data")
    assert snapshot(tmp_path) == before
    assert seconds <= 2, f"{seconds:.2f} s"


def test_what_cannot_be_used_is_named_and_left_out(models: Models, tmp_path: Path) -> None:
    whole = write(tmp_path / "m" / "whole.safetensors", FLUX)
    (tmp_path / "m" / "half.safetensors").write_bytes(whole.read_bytes()[:20])
    (tmp_path / "m" / "page.safetensors").write_bytes(b"<!DOCTYPE html><html></html>")
    (tmp_path / "m" / "old.ckpt").write_bytes(b"PK\x03\x04")
    added = models.add(tmp_path / "m")
    assert [model.name for model in added.models] == ["whole"]
    assert len(added.problems) == 2
    assert [path.name for path in added.scan.pickles] == ["old.ckpt"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("half.safetensors", b"\x80\0\0\0\0\0\0\0{", "incomplete"),
        ("x.ckpt", b"PK", "pickle"),
        ("none.safetensors", None, "nothing at"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    models: Models, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UnusableFile, match=words):
        models.add(tmp_path / name)
    assert models.all() == ()


def test_an_empty_folder_is_refused_and_a_known_one_is_not(models: Models, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnusableFile, match="no model in"):
        models.add(tmp_path / "empty")
    file = write(tmp_path / "m" / "a.safetensors")
    (tmp_path / "m" / "old.ckpt").touch()
    for place in (file, file.parent):
        models.add(place)
        assert models.add(place).models == ()
    assert [model.name for model in models.all()] == ["a"]


def test_a_link_is_not_followed(models: Models, tmp_path: Path) -> None:
    write(tmp_path / "real" / "x.safetensors")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    with pytest.raises(UnusableFile, match="is a link"):
        models.add(tmp_path / "link")


def test_files_that_appear_and_vanish_are_noticed(models: Models, tmp_path: Path) -> None:
    top = tmp_path / "m"
    first, second = write(top / "a.safetensors", FLUX), write(top / "b.safetensors", FLUX)
    models.add(top)
    assert models.refresh().appeared == ()
    write(top / "new" / "c.safetensors", LORA)
    first.unlink()
    second.write_bytes(second.read_bytes() + b"more")
    changes = models.refresh()
    assert [model.name for model in changes.appeared] == ["c"]
    assert [model.name for model in changes.vanished] == ["a", "b"]
    problems = {model.name: models.find_problem(model) for model in models.all()}
    assert "is gone" in problems["a"]
    assert "had" in problems["b"]
    assert problems["c"] == ""
    shutil.rmtree(top)  # a drive that is away
    assert len(models.refresh().vanished) == 3
    assert len(models.all()) == 3


def test_what_a_killed_copy_left_is_no_part_of_the_next(models: Models, tmp_path: Path) -> None:
    source = write_pipeline(tmp_path / "x")
    left = models.folder / "x.copy.part" / "stale.safetensors"
    left.parent.mkdir(parents=True)
    left.touch()
    (model,) = models.add(source, copy=True).models
    assert not (model.location / "stale.safetensors").exists()
    assert [path.name for path in models.folder.iterdir()] == ["x"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_copy_is_our_own_and_the_original_stays(models: Models, tmp_path: Path, kind: str) -> None:
    top = tmp_path / "theirs"
    source = write(top / "x.safetensors", FLUX) if kind == "file" else write_pipeline(top / "x")
    (top / "link").symlink_to(top, target_is_directory=True)
    before = snapshot(top)
    seen: list[FileProgress] = []
    model = models.add(source, copy=True, name="Mine", report=seen.append).models[0]
    assert (model.name, model.keeping) == ("mine", Keeping.copied)
    assert model.location.is_relative_to(models.folder / "mine")
    assert snapshot(top) == before
    assert all(verdict.hashed and not verdict.problem for verdict in models.verify(model, ignore))
    assert seen[-1].done == seen[-1].total == model.size
    assert [path.name for path in models.folder.iterdir()] == ["mine"]


def test_a_copy_that_is_stopped_leaves_nothing(models: Models, tmp_path: Path) -> None:
    source = write_pipeline(tmp_path / "x")

    def stop(progress: FileProgress) -> None:
        if progress.done:
            raise Cancelled

    with pytest.raises(Cancelled):
        models.add(source, copy=True, report=stop)
    assert list(models.folder.iterdir()) == []
    assert models.all() == ()


def test_a_copy_that_does_not_fit_is_refused_before(models: Models, tmp_path: Path) -> None:
    sparse = tmp_path / "huge.safetensors"
    size = 2**43
    header = json.dumps({"x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    with sparse.open("wb") as stream:
        stream.write(len(header).to_bytes(8, "little") + header)
        stream.truncate(8 + len(header) + size)
    with pytest.raises(NoRoom, match="are needed"):
        models.add(sparse, copy=True)
    assert not models.folder.exists()


def test_a_name_is_for_one_model(models: Models, tmp_path: Path) -> None:
    write(tmp_path / "m" / "a.safetensors")
    write(tmp_path / "m" / "b.safetensors")
    with pytest.raises(InvalidRequest, match="2 models"):
        models.add(tmp_path / "m", name="x")


def test_verify_finds_what_changed_since(models: Models, tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    content = safetensors(5000)
    file.write_bytes(content.read(0, content.size))
    models.add(file)

    def check() -> tuple[str, bool]:
        model = models.find("x")
        assert model is not None
        (verdict,) = models.verify(model, ignore)
        return verdict.problem, verdict.hashed

    assert check() == ("", False)  # no hash was known yet
    assert check() == ("", True)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert "sha256 differs" in check()[0]
    file.write_bytes(data[:-1])
    assert "incomplete" in check()[0]
    file.unlink()
    assert "missing" in check()[0]


def test_removing_what_is_used_in_place_only_forgets_it(models: Models, tmp_path: Path) -> None:
    file = write(tmp_path / "x.safetensors")
    (model,) = models.add(file).models
    removal = models.plan_removal(model)
    assert (removal.paths, removal.freed) == ((), 0)
    models.remove(removal, permanently=True)
    assert models.all() == ()
    assert file.is_file()


def test_removing_our_own_deletes_its_folder_and_nothing_behind_a_link(models: Models, tmp_path: Path) -> None:
    (model,) = models.add(write_pipeline(tmp_path / "x"), copy=True).models
    precious = write(tmp_path / "precious" / "p.safetensors")
    (model.location / "link").symlink_to(precious.parent, target_is_directory=True)
    removal = models.plan_removal(model)
    assert removal.paths == (model.location,)
    assert removal.freed == model.size
    models.remove(removal, permanently=True)
    assert not model.location.exists()
    assert precious.is_file()
    assert (tmp_path / "x").is_dir()


def test_a_folder_that_became_a_link_is_not_deleted(models: Models, tmp_path: Path) -> None:
    (model,) = models.add(write_pipeline(tmp_path / "x"), copy=True).models
    removal = models.plan_removal(model)
    shutil.move(model.location, tmp_path / "elsewhere")
    model.location.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(UnusableFile, match="own"):
        models.remove(removal, permanently=True)
    assert (tmp_path / "elsewhere" / "model_index.json").is_file()
    assert models.plan_removal(model).paths == ()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into the bin of the freedesktop specification")
def test_removing_puts_it_into_the_bin(tmp_path: Path) -> None:
    script = """
import sys, pathlib
from app.services.models import Models
models = Models(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1]) / "cache")
models.remove(models.plan_removal(models.all()[0]))
print(len(models.all()))
"""
    models = Models(tmp_path / "data", tmp_path / "cache")
    models.add(write_pipeline(tmp_path / "x"), copy=True)
    bin_home = tmp_path / "share"
    environment = {**os.environ, "XDG_DATA_HOME": str(bin_home), "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "data")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0\n"
    assert (bin_home / "Trash" / "files" / "x" / "model_index.json").is_file()


def test_the_use_of_the_disk_is_told_by_model_engine_and_cache(models: Models, tmp_path: Path) -> None:
    (model,) = models.add(write(tmp_path / "x.safetensors"), copy=True).models
    for name, size in (("data/engines/a/engine", 100), ("cache/b", 20), ("data/models/y.part/z.part", 3)):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(size))
    usage = models.usage()
    assert usage.models == (("x", model.size),)
    assert (usage.engines, usage.cache, usage.unfinished) == (100, 20, 3)
    assert usage.free > 0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"models": [1, {}, {"name": "x", "kind": "none"}]}'])
def test_a_damaged_registry_is_set_aside(models: Models, tmp_path: Path, content: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "models.json").write_text(content)
    assert models.all() == ()
    models.add(write(tmp_path / "x.safetensors"))
    assert [model.name for model in models.all()] == ["x"]
    if not content.startswith('{"'):
        assert (tmp_path / "data" / "models.damaged.json").read_text() == content


def make_long(folder: Path) -> Path:
    return folder.joinpath(*["a long folder name " * 6 + "x"] * 4)


@pytest.mark.parametrize(
    "place", [lambda p: p / "with space", lambda p: p / "Ünï 図 😄", make_long], ids=["space", "unicode", "long"]
)
def test_any_path_does(tmp_path: Path, place: Callable[[Path], Path]) -> None:
    top = place(tmp_path)
    models = Models(top / "data", top / "cache")
    write(top / "theirs" / "a b ü 😄.safetensors", FLUX)
    (model,) = models.add(top / "theirs", copy=True).models
    assert models.verify(model, ignore)[0].problem == ""
    assert models.plan_removal(model).freed == model.size
    models.remove(models.plan_removal(model), permanently=True)
    assert (top / "theirs" / "a b ü 😄.safetensors").is_file()


@pytest.mark.skipif(sys.platform != "linux", reason="as deep as Linux allows")
def test_a_deep_folder_is_no_trouble(tmp_path: Path) -> None:
    deep = tmp_path
    while len(str(deep)) < 3900:  # deeper than Python's recursion goes, just within what Linux takes
        deep = deep / "d"
        deep.mkdir()
    assert len(deep.parts) > 1000
    try:
        assert importing.scan(tmp_path).found == ()
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)  # which is more than Python's own can
