"""`firstlight models add|download|verify|remove|token` as a script uses them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import keyring
import pytest

from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_models import FLUX, write, write_pipeline
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.conftest import Command
    from tests.app.services.test_tokens import Memory

TOKEN = "hf_veryVerySecret"


def test_add_list_show_verify_remove(firstlight: Command, tmp_path: Path) -> None:
    file = write(tmp_path / "my models" / "Fine tune.safetensors", FLUX)
    added = firstlight("models", "add", str(file.parent), "--json").json
    assert [(model["name"], model["kind"], model["keeping"]) for model in added["models"]] == [
        ("fine-tune", "network", "in place")
    ]
    listed = firstlight("models", "list", "--json").json
    assert listed["models"][-1]["name"] == "fine-tune"
    assert listed["disk"]["models"] == [["fine-tune", file.stat().st_size]]
    assert "Fine tune.safetensors" in firstlight("models", "show", "Fine-Tune").out
    verified = firstlight("models", "verify", "--json")
    assert (verified.code, verified.json["models"][0]["ok"]) == (0, True)
    dry = firstlight("models", "remove", "fine-tune", "--dry-run", "--json").json
    assert (dry["removed"], dry["paths"]) == (False, [])
    assert "only forgotten" in firstlight("models", "remove", "fine-tune").out
    assert file.is_file()
    assert firstlight("models", "verify", "fine-tune").code == 3


def test_new_and_lost_files_are_told(firstlight: Command, tmp_path: Path) -> None:
    first = write(tmp_path / "m" / "a.safetensors", FLUX)
    firstlight("models", "add", str(tmp_path / "m"))
    write(tmp_path / "m" / "b.safetensors", FLUX)
    first.unlink()
    shown = firstlight("models", "list")
    assert shown.err.startswith("firstlight: New: b (")
    assert "is gone" in next(line for line in shown.out.splitlines() if line.startswith("a "))


def test_a_damaged_model_is_told_with_exit_code_3(firstlight: Command, tmp_path: Path) -> None:
    file = write(tmp_path / "a.safetensors", FLUX)
    firstlight("models", "add", str(file))
    file.write_bytes(file.read_bytes()[:-1])
    verified = firstlight("models", "verify", "a")
    assert verified.code == 3
    assert "damaged" in verified.out
    assert "incomplete" in verified.out
    assert firstlight("models", "verify", "a", "--json").json["models"][0]["ok"] is False


def test_a_copy_is_removed_with_what_it_frees(firstlight: Command, tmp_path: Path, home: Path) -> None:
    source = write_pipeline(tmp_path / "x")
    model = firstlight("models", "add", str(source), "--copy", "--name", "mine", "--json").json["models"][0]
    assert model["location"] == str(home / "data" / "models" / "mine")
    removed = firstlight("models", "remove", "mine", "--permanently", "--json").json
    assert removed == {"removed": True, "name": "mine", "paths": [model["location"]], "bytes": model["bytes"]}
    assert source.is_dir()
    assert not (home / "data" / "models" / "mine").exists()


def test_download_of_a_gated_model(
    firstlight: Command,
    hub: HubServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    keys: Memory,  # noqa: F811
) -> None:
    name = "black-forest-labs/FLUX.1-dev"
    hub.repositories[name] = {
        "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
        "transformer/x.safetensors": safetensors(1000),
    }
    hub.gated, hub.gate.admitted = {name}, {TOKEN}
    refused = firstlight("models", "download", "flux.1-dev", "--json")
    assert refused.code == 3
    assert f"{hub.endpoint}/{name}" in refused.json["error"]["action"]
    assert "Non-Commercial" in refused.err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TOKEN.encode() + b"\n")))
    stored = firstlight("models", "token", "--json")
    assert stored.json == {"host": "127.0.0.1", "stored": True}
    assert keyring.get_password("firstlight", "127.0.0.1") == TOKEN
    done = firstlight("models", "download", "--json")
    assert (done.code, done.json["models"][0]["name"]) == (0, "flux.1-dev")
    shown = firstlight("models", "show", "flux.1-dev", "--json").json["model"]
    assert shown["location"] == str(home / "data" / "models" / "flux.1-dev")
    assert shown["licence"] == "FLUX.1 [dev] Non-Commercial License"
    for outcome in (refused, stored, done):
        assert TOKEN not in outcome.out + outcome.err
    for file in home.rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes()
    assert firstlight("models", "token", "--remove").code == 0
    assert keys.kept == {}


def test_memory_needs_are_told(firstlight: Command) -> None:
    memory = firstlight("models", "show", "flux.1-dev", "--json").json["model"]["memory"]
    needs = {need["precision"]: need["bytes"] for need in memory}
    assert needs["bf16"] == needs["fp16"] < needs["fp32"]
    assert 33.7e9 < needs["bf16"] < 40e9  # 16.9 billion values of two bytes, and room to work
    assert "GiB" in firstlight("models", "show", "flux.1-dev").out


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["add", "nowhere"], 3),
        (["add", ""], 2),
        (["download", "nowhere"], 3),
        (["download", "http://example.com/x.safetensors"], 3),
        (["download", "https://example.com/x.safetensors?token=1"], 2),
        (["download", "starter"], 2),
        (["download", "--name", "x"], 2),
        (["remove", "nothing"], 3),
        (["remove", "starter"], 3),
        (["token"], 2),
    ],
)
def test_what_cannot_be_done(firstlight: Command, line: list[str], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    outcome = firstlight("models", *line)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("firstlight: ")
    assert "Traceback" not in outcome.err


def test_nothing_to_download(firstlight: Command, hub: HubServer) -> None:
    assert firstlight("models", "download", "--json").json == {"models": []}
    assert "nothing to download" in firstlight("models", "download").err


def test_a_downloaded_model_draws_by_its_name(
    firstlight: Command, hub: HubServer, tiny_model: Path, tmp_path: Path
) -> None:
    hub.repositories["maker/Tiny"] = {
        str(file.relative_to(tiny_model).as_posix()): Content(file.read_bytes())
        for file in tiny_model.rglob("*")
        if file.is_file()
    }
    assert firstlight("models", "download", "maker/Tiny").code == 0
    damaged = tmp_path / "home/data/models/tiny/vae/diffusion_pytorch_model.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:100])
    assert "had" in firstlight("models", "list").out
    mended = firstlight("models", "download", "tiny")
    assert (mended.code, "damaged" in mended.err) == (0, True)
    assert "whole" in firstlight("models", "download", "tiny").err
    entry = firstlight("models", "list", "--json").json["models"][-1]
    assert (entry["name"], entry["ready"], entry["problem"]) == ("tiny", True, "")
    drawn = firstlight(
        "generate", "x", "--model", "tiny", "--size", "64x64", "--steps", "1", "--out", str(tmp_path / "a.png")
    )
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "a.png").is_file()
    assert json.loads((tmp_path / "home/data/models.json").read_text())["models"][0]["name"] == "tiny"
