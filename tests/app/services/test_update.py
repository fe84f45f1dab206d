"""Updates: only a manifest signed by the right key is believed, and only the file that it names is kept."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services import ed25519, update
from app.services.transfer import TransferFailed, make_client
from app.services.update import UpdateSource
from installer.update_manifest import make_key, make_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# RFC 8032, section 7.1: secret key, public key, message, signature
VECTORS = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
    ),
)
SECRET = bytes(range(32))
KEY = ed25519.public_key(SECRET)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # the base class's word
        pass


class Control:
    """Lets a transfer run."""

    def check(self) -> None: ...
    def add(self, count: int, *, fresh: bool) -> None: ...
    def say(self, message: str) -> None: ...
    def attach(self, wake: Callable[[], None]) -> None: ...


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder on a server of this machine, and its address."""
    folder = tmp_path / "site"
    folder.mkdir()
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def publish(folder: Path, address: str, version: str = "0.2.0") -> Path:
    setup = folder / f"Firstlight-{version}-setup.exe"
    setup.write_bytes(b"MZ" + bytes(range(256)) * 400)
    (folder / "latest.json").write_text(make_manifest(setup, f"{address}/{setup.name}", "What is new", SECRET))
    return setup


@pytest.mark.parametrize(("secret", "public", "message", "signature"), VECTORS)
def test_the_vectors_of_the_rfc(secret: str, public: str, message: str, signature: str) -> None:
    key, text, sign = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
    assert ed25519.public_key(bytes.fromhex(secret)) == key
    assert ed25519.sign(bytes.fromhex(secret), text) == sign
    assert ed25519.verify(key, text, sign)


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=50), st.integers(0, 64 * 8 - 1))
def test_one_flipped_bit_breaks_a_signature(message: bytes, bit: int) -> None:
    signature = bytearray(ed25519.sign(SECRET, message))
    signature[bit // 8] ^= 1 << bit % 8
    assert not ed25519.verify(KEY, message, bytes(signature))
    assert not ed25519.verify(KEY, message + b"x", ed25519.sign(SECRET, message))


def test_a_newer_version_is_found_and_fetched(server: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = server
    setup = publish(folder, address)
    with make_client() as client:
        found = update.look(UpdateSource(f"{address}/latest.json", KEY), "0.1.0", client)
        assert found is not None
        assert (found.version, found.notes) == ("0.2.0", "What is new")
        path = update.fetch(found, tmp_path / "data", client, Control())
    assert path.read_bytes() == setup.read_bytes()


@pytest.mark.parametrize("mine", ["0.2.0", "0.2.1", "0.10.0", "1.0"])
def test_the_same_or_an_older_version_is_no_news(server: tuple[Path, str], mine: str) -> None:
    folder, address = server
    publish(folder, address)
    with make_client() as client:
        assert update.look(UpdateSource(f"{address}/latest.json", KEY), mine, client) is None


def test_another_file_than_the_signed_one_is_not_kept(server: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = server
    setup = publish(folder, address)
    with make_client() as client:
        found = update.look(UpdateSource(f"{address}/latest.json", KEY), "0.1.0", client)
        assert found is not None
        setup.write_bytes(bytes(setup.stat().st_size))
        with pytest.raises(TransferFailed, match="not the promised one"):
            update.fetch(found, tmp_path / "data", client, Control())
    assert not list((tmp_path / "data").rglob("*.exe"))


def test_a_manifest_of_another_key_is_refused(server: tuple[Path, str]) -> None:
    folder, address = server
    publish(folder, address)
    with make_client() as client, pytest.raises(TransferFailed, match="not signed"):
        update.look(UpdateSource(f"{address}/latest.json", bytes(31) + b"\1"), "0.1.0", client)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"payload": 1, "signature": ""}', b"<html>", b"[" * 10_000])
def test_damaged_manifests_are_refused(data: bytes) -> None:
    with pytest.raises(TransferFailed):
        update.read_manifest(data, KEY)


def test_a_signed_payload_that_makes_no_sense_is_refused() -> None:
    text = json.dumps({"version": "9; rm", "url": "https://x", "size": 1, "sha256": "0" * 64})
    data = json.dumps({"payload": text, "signature": ed25519.sign(SECRET, text.encode()).hex()}).encode()
    with pytest.raises(TransferFailed):
        update.read_manifest(data, KEY)


def test_plain_http_is_refused(tmp_path: Path) -> None:
    from pipelines.errors import UnusableFile

    with make_client() as client, pytest.raises(UnusableFile, match="protected"):
        update.look(UpdateSource("http://example.com/latest.json", KEY), "0.1.0", client)


def test_a_program_built_without_a_source_never_asks(tmp_path: Path) -> None:
    facts = tmp_path / "installation.json"
    facts.write_text(json.dumps({"update": {"url": "", "key": ""}}))
    assert update.find_source(tmp_path) is None
    facts.write_text(json.dumps({"update": {"url": "https://example.com/latest.json", "key": KEY.hex()}}))
    assert update.find_source(tmp_path) == UpdateSource("https://example.com/latest.json", KEY)


def test_a_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "key"
    public = make_key(path)
    assert ed25519.public_key(bytes.fromhex(path.read_text().strip())) == public
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        make_key(path)
