"""The contract of `firstlight cache`."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.engine.cache import KernelCaches
from pipelines.engine.cache_manifest import CacheFacts
from pipelines.engine.shapes import ShapeKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.conftest import Command

# As the fake backend keeps them: they fit any machine with this system
FACTS = CacheFacts("fake", "transformer", "fp32", "", "", "1", platform.system(), "")
SHAPES = (ShapeKey((("hidden_states", (1, 16, 64)),), "64x64"),)


@pytest.fixture
def kernels(home: Path) -> KernelCaches:
    return KernelCaches(home / "cache" / "kernels")


def keep(kernels: KernelCaches, facts: CacheFacts = FACTS) -> str:
    assert kernels.save(facts, "transformer", b"kernels" * 100, SHAPES, 3.5)
    return facts.name


def test_list(firstlight: Command, kernels: KernelCaches) -> None:
    empty = firstlight("cache", "list")
    assert (empty.code, empty.err) == (0, "")
    assert "No kernels are kept yet" in empty.out
    name, foreign = keep(kernels), keep(kernels, replace(FACTS, system="Plan9"))
    rows = {row["name"]: row for row in firstlight("cache", "list", "--json").json["caches"]}
    assert (rows[name]["fits"], rows[name]["shapes"], rows[name]["bytes"]) == (True, ["64x64"], 700)
    assert rows[name]["facts"]["backend"] == "fake"
    assert rows[foreign]["difference"] == {"fact": "system", "theirs": "Plan9", "ours": platform.system()}
    shown = firstlight("cache", "list").out
    assert "does not fit here: the system is Plan9" in shown
    assert "1.4 kB of at most 2.1 GB" in shown


def test_clear(firstlight: Command, kernels: KernelCaches) -> None:
    one, two = keep(kernels), keep(kernels, replace(FACTS, engine="vae"))
    assert firstlight("cache", "clear", one, "--json").json == {"removed": [one], "set_aside": 0}
    assert firstlight("cache", "clear", one).code == 3
    (kernels.folder / f"{two}.json").write_text("damaged")
    assert firstlight("cache", "clear", "--json").json == {"removed": [], "set_aside": 2}
    assert "nothing" in firstlight("cache", "clear").out


def test_export_and_import(
    firstlight: Command, kernels: KernelCaches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = keep(kernels)
    file = tmp_path / "our kernels.zip"
    exported = firstlight("cache", "export", str(file), "--json").json
    assert exported == {"file": str(file), "exported": [name], "bytes": file.stat().st_size}
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(tmp_path / "other"))
    assert firstlight("cache", "import", str(file), "--json").json == {"imported": [name], "refused": []}
    assert firstlight("cache", "list", "--json").json["caches"][0]["name"] == name


def test_foreign_kernels_are_refused(firstlight: Command, kernels: KernelCaches, tmp_path: Path) -> None:
    keep(kernels, replace(FACTS, gpu="NVIDIA L4", compute_capability="8.9", driver="580.1"))
    firstlight("cache", "export", str(tmp_path / "x.zip"))
    refused = firstlight("cache", "import", str(tmp_path / "x.zip"), "--json")
    assert refused.code == 3
    assert "NVIDIA L4" in refused.json["error"]["message"]
    assert refused.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ([], 2),
        (["nonsense"], 2),
        (["export"], 2),
        (["import"], 2),
        (["export", "x.zip"], 3),
        (["import", "nowhere.zip"], 3),
        (["clear", "nonsense"], 3),
    ],
)
def test_what_cannot_be_done(
    firstlight: Command, line: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = firstlight("cache", *line)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.count("\n") == 1
    assert not list(tmp_path.glob("*.zip"))
