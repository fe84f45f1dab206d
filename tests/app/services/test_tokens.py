"""Tokens: in the keyring and nowhere else."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring

from app.services.tokens import Tokens
from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

HUB = "hub.example.com"


class Memory(KeyringBackend):
    """A keyring that is forgotten."""

    priority = 1  # pyright: ignore[reportAssignmentType]  # a plain class attribute is how backends state it

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_TOKEN_PATH", "/nowhere")
    before, memory = keyring.get_keyring(), Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def test_a_token_is_kept_by_host_and_removed(keys: Memory) -> None:
    tokens = Tokens(HUB, {})
    assert tokens.find(HUB) == ""
    tokens.store(HUB, " hf_abc\n")
    assert keys.kept == {("firstlight", HUB): "hf_abc"}
    assert (tokens.find(HUB), tokens.find("other.example.com")) == ("hf_abc", "")
    tokens.store(HUB, "")
    tokens.store(HUB, "")
    assert keys.kept == {}


def test_the_environment_goes_first_and_for_the_hub_alone() -> None:
    tokens = Tokens(HUB, {"HF_TOKEN": "from-environment"})
    tokens.store(HUB, "kept")
    assert tokens.find(HUB) == "from-environment"
    assert tokens.find("other.example.com") == ""


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "ümlaut", "nul\0"])
def test_what_cannot_be_a_token_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        Tokens(HUB, {}).store(HUB, text)
    assert text not in str(caught.value)


def test_without_a_keyring(caplog: pytest.LogCaptureFixture) -> None:
    keyring.set_keyring(NoKeyring())
    tokens = Tokens(HUB, {})
    with caplog.at_level(logging.DEBUG), pytest.raises(UnusableFile, match="no keyring") as caught:
        tokens.store(HUB, "hf_secret")
    assert "HF_TOKEN" in caught.value.action
    assert tokens.find(HUB) == ""
    assert "hf_secret" not in caplog.text
