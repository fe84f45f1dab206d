"""The report for the developers, and what must not be in it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from app.services.anonymous import anonymise
from app.services.report import Contents, write
from app.services.settings_table import LAST_REQUEST, PICTURES_FOLDER, THEME
from pipelines import devices
from pipelines.errors import UnusableFile


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("token hf_abcDEF123456789 given", "token <token> given"),
        ("Authorization: Bearer abcdefghij", "<token>"),
        ("api_key=SECRET123", "<token>"),
        ("https://me:secret@example.org/x", "https://<name>@example.org/x"),
        ("GET https://cdn.example.org/a.bin?X-Sig=abc&y=1 200", "GET https://cdn.example.org/a.bin?<query> 200"),
        ("mail me@example.org now", "mail <mail> now"),
        ("/home/anna/Pictures/Firstlight/a red apple.png", "<path>"),
        (r"C:\Users\Anna Müller\AppData\x.log failed", "<path> failed"),
        (r'File "C:\\Users\\Anna\\app\\views\\window.py", line 3', 'File "app/views/window.py", line 3'),
        (
            'File "/home/anna/venv/lib/python3.11/site-packages/torch/nn.py"',
            'File "lib/python3.11/site-packages/torch/nn.py"',
        ),
        ("Anna and ANNA, but not Annabel", "<private> and <private>, but not Annabel"),
        ("a step took 3/4 of the time, 100 %", "a step took 3/4 of the time, 100 %"),
    ],
)
def test_what_is_taken_out(text: str, clean: str) -> None:
    assert anonymise(text, names=["anna"]) == clean


def test_a_folder_is_taken_out_in_every_way_of_writing() -> None:
    place = Path("/data/mein Ordner")
    text = "in /data/mein Ordner/ein Bild vom Ordner.png and /data/mein Ordner."
    assert "Ordner" not in anonymise(text, places=[place])


def test_a_report_has_what_helps_and_nothing_private(tmp_path: Path) -> None:
    logs = tmp_path / "anna" / "logs"
    logs.mkdir(parents=True)
    (logs / "firstlight.log").write_text(
        f"2026 INFO app: drawing 'a castle for Bruno' into {tmp_path / 'anna' / 'pictures' / 'castle.png'}\n"
        "2026 ERROR hub: token hf_abcDEF123456789 was refused\n",
        encoding="utf-8",
    )
    (logs / "engine-fault.log").write_text("Fatal Python error: Segmentation fault\n", encoding="utf-8")
    (logs / "other.txt").write_text("not ours", encoding="utf-8")
    settings = {THEME.name: "dark", PICTURES_FOLDER.name: "/home/anna/x", LAST_REQUEST.name: '{"prompt": "a castle"}'}
    file = tmp_path / "report.zip"
    write(
        file,
        Contents("1.2.3", devices.probe(), settings, ["[no_room] full"], logs, [tmp_path], ["a castle for Bruno"]),
    )
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(parts) == {
        "report.txt", "machine.json", "settings.json", "logs/firstlight.log", "logs/engine-fault.log"
    }  # fmt: skip
    everything = "\n".join(parts.values())
    for private in ("Bruno", "castle", "hf_abc", "anna", str(tmp_path)):
        assert private not in everything
    assert "Firstlight 1.2.3" in parts["report.txt"]
    assert "[no_room] full" in parts["report.txt"]
    assert json.loads(parts["settings.json"]) == {
        "theme": "dark",
        "pictures_folder": "<set>",
        "last_request": "<set>",
    }
    assert json.loads(parts["machine.json"])["cores"] >= 1
    assert "Segmentation fault" in parts["logs/engine-fault.log"]
    assert list(tmp_path.glob("*.part")) == []


def test_a_report_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="cannot be written"):
        write(tmp_path / "none" / "report.zip", Contents("1", None, {}, [], tmp_path, [], []))
    assert list(tmp_path.iterdir()) == []
