"""English and German, complete: every word of the window, and what pipelines and services say."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from app.services.engine_exit import describe_exit
from app.views import messages, window_words
from pipelines import request
from pipelines.errors import FirstlightError, InvalidRequest, UnusableFile
from resources.translations import __main__ as translations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LANGUAGES = translations.LANGUAGES
HINT = "run `python -m resources.translations`, then translate what is new in resources/translations/*.ts"
_MARKS = re.compile(r"%n|%\d|\{\w*\}")


def read(file: Path) -> Iterator[tuple[str, str, list[str], bool]]:
    """Context, source, the forms of the translation, and whether it is finished, of each message."""
    for context in ElementTree.parse(file).iter("context"):
        name = context.findtext("name") or ""
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            finished = translation.get("type") != "unfinished" and all(forms)
            yield name, message.findtext("source") or "", forms, finished


def file_of(language: str, suffix: str = "ts") -> Path:
    return translations.FOLDER / f"firstlight_{language}.{suffix}"


@pytest.fixture
def german(qt_core: QCoreApplication) -> Iterator[None]:
    translator = QTranslator()
    assert translator.load(str(file_of("de", "qm")))
    qt_core.installTranslator(translator)
    yield
    qt_core.removeTranslator(translator)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_to_translate(language: str) -> None:
    left = [(context, source) for context, source, _, finished in read(file_of(language)) if not finished]
    assert left == [], HINT


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_source_is_there_and_no_other(language: str, tmp_path: Path) -> None:
    for one in LANGUAGES:
        shutil.copy(file_of(one), tmp_path)
    translations.update(tmp_path)
    fresh = {(context, source) for context, source, *_ in read(tmp_path / file_of(language).name)}
    assert {(context, source) for context, source, *_ in read(file_of(language))} == fresh, HINT


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_window_reads_what_the_translators_wrote(language: str, tmp_path: Path) -> None:
    translations.release(out=tmp_path)
    assert (tmp_path / file_of(language, "qm").name).read_bytes() == file_of(language, "qm").read_bytes(), HINT


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gaps_are_the_same(language: str) -> None:
    for context, source, forms, _ in read(file_of(language)):
        for form in forms:
            assert Counter(_MARKS.findall(form)) == Counter(_MARKS.findall(source)), (context, source)


def test_german_has_no_exclamation_and_ends_as_english_does() -> None:
    for context, source, forms, _ in read(file_of("de")):
        for form in forms:
            assert "!" not in form, (context, source)
            if context != "Messages":
                assert form.endswith(("…", ".", ":", "?")) == source.endswith(("…", ".", ":", "?")), (context, source)


def test_all_messages_are_listed() -> None:
    assert translations.MESSAGE_LIST.read_text(encoding="utf-8") == translations.make_message_list(), HINT


def test_words_for_the_command_line_are_replaced_in_the_window() -> None:
    for template in translations.find():
        if "--" in template or "'firstlight " in template:
            shown = messages.translate(template.replace("{0}", "a").replace("{1}", "b"))
            assert "--" not in shown or "firstlight engine build" in shown, "see app/views/window_words.py"
    assert messages.translate("The file 'x' is missing. Use --backend eager.") == (
        "The file 'x' is missing. Set the engine to PyTorch in the settings."
    )
    assert set(window_words.WINDOW_WORDS) <= set(translations.find())


def test_in_english_messages_stay_as_they_are() -> None:
    assert messages.translate("The disk is full: '/x' could not be written.") == (
        "The disk is full: '/x' could not be written."
    )


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("english", "words"),
    [
        ("", ""),
        ("Cancelled.", "Abgebrochen."),
        ("nobody knows this sentence", "nobody knows this sentence"),
        (
            "The disk is full: '/x/a b.png' could not be written.",
            "Die Festplatte ist voll: '/x/a b.png' konnte nicht geschrieben werden.",
        ),
        (
            "Firstlight is open already and uses the library /x.sqlite. It is left as it is: queue and history of this "
            "session end with it. Pictures are saved as always.",
            "Firstlight ist bereits geöffnet und benutzt die Bibliothek /x.sqlite. Sie bleibt unverändert: "
            "Warteschlange und Verlauf dieser Sitzung enden mit ihr. Bilder werden wie immer gespeichert.",
        ),
        (
            "The engine process ended while it was loading transformer: it crashed (SIGSEGV).",
            "Der Engine-Prozess wurde beendet (bei: Laden von transformer): Absturz (SIGSEGV).",
        ),
        (
            "The file '/a. b/c. d.png' is missing. Check the path.",
            "Die Datei '/a. b/c. d.png' fehlt. Bitte den Pfad prüfen.",
        ),
    ],
)
def test_messages_are_found_with_their_gaps(english: str, words: str) -> None:
    assert messages.translate(english) == words


@pytest.mark.usefixtures("german")
def test_real_failures_are_told_in_german() -> None:
    failures: list[FirstlightError] = []
    for size in ("x", "9999x10", "512x256x1"):
        with pytest.raises(InvalidRequest) as refused:
            request.parse_size(size)
        failures.append(refused.value)
    failures.append(UnusableFile("The file 'x' is incomplete: 5 of 10 bytes.", "Get the model again."))
    for failure in failures:
        for words in (failure.message, failure.action):
            assert messages.translate(words) != words
    ended = describe_exit(-9, "while it was drawing", out_of_memory=True)
    assert messages.say(ended).startswith("Das System hat die Engine beendet")
