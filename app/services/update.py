"""Looking for a newer version: only where the user has switched it on, and only by a signed manifest. No Qt here.

The manifest is JSON: `payload`, a JSON text with `version`, `url`, `size`, `sha256` and `notes`, and `signature`,
Ed25519 over the bytes of that text. A newer setup program is fetched when the user asks for it, checked, and started
when the user says so; nothing is deleted or installed unasked.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import httpx2

from app import runtime_path
from app.services import ed25519, files, transfer
from app.services.part import RemoteFile
from app.services.transfer import Server, TransferFailed
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.part import Control

FOLDER = "updates"  # in the data folder
_MANIFEST_MAX = 200_000  # bytes
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){1,3}")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UpdateSource:
    """Where to look, as the build of this program says: an https address and a public key of 32 bytes."""

    url: str
    key: bytes


@dataclass(frozen=True, slots=True)
class Update:
    """A newer version. `size` is in bytes; `notes` say what is new, as plain text."""

    version: str
    url: str
    size: int
    sha256: str
    notes: str


def find_source(program: Path) -> UpdateSource | None:
    """What the installed program was built with; None where its builder named nothing: then there is no check."""
    try:
        facts = json.loads((program / runtime_path.FACTS).read_text(encoding="utf-8"))
        url, key = str(facts["update"]["url"]), bytes.fromhex(str(facts["update"]["key"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("no source of updates: %s", error)
        return None
    return UpdateSource(url, key) if url and len(key) == 32 else None


def look(source: UpdateSource, version: str, client: httpx2.Client) -> Update | None:
    """Ask for the newest version; None where `version` is it, or is newer.

    Raises:
        TransferFailed: the server does not answer, or not with a manifest that is signed by the key.
    """
    transfer.check_url(source.url)
    try:
        response = client.get(source.url)
        response.raise_for_status()
    except httpx2.HTTPError as error:
        raise TransferFailed(
            "The server that tells of new versions does not answer.", "Check the connection, or try again later."
        ) from error
    update = read_manifest(response.content, source.key)
    return update if _number(update.version) > _number(version) else None


def read_manifest(data: bytes, key: bytes) -> Update:
    """Read a manifest.

    Raises:
        TransferFailed: it is damaged, or not signed by the key.
    """
    try:
        if len(data) > _MANIFEST_MAX:
            raise ValueError("it is too large")
        document = cast("dict[str, str]", json.loads(data))
        payload = document["payload"].encode("utf-8")
        if not ed25519.verify(key, payload, bytes.fromhex(document["signature"])):
            raise ValueError("the signature is not of the key")
        return _read_payload(json.loads(payload))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("the manifest of updates is refused: %s", error)
        raise TransferFailed(
            "What the server says of new versions is not signed by Firstlight's makers, and was not believed.",
            "Get new versions from the project's own page.",
        ) from error


def fetch(update: Update, data: Path, client: httpx2.Client, control: Control) -> Path:
    """Fetch the setup program, resumed where an earlier try stopped; it has its name only when it is whole.

    Raises:
        TransferFailed: it cannot be fetched, or is another file than the manifest says.
        NoRoom: the disk is full.
    """
    transfer.check_url(update.url)
    target = data / FOLDER / f"Firstlight-{update.version}-setup.exe"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise files.explain(error, target) from error
    remote = RemoteFile(update.url, target.name, size=update.size, hash=update.sha256)
    transfer.fetch(Server(client, {}, _explain), remote, target, control)
    return target


def start_setup(setup: Path) -> None:
    """Start the setup program, which waits for this one to end and starts the new version. Call it on the user's word.

    Raises:
        UnusableFile: it cannot be started.
    """
    try:
        subprocess.Popen([str(setup), "/UPDATE"], creationflags=getattr(subprocess, "DETACHED_PROCESS", 0))
    except OSError as error:
        raise UnusableFile(
            f"The setup program cannot be started: {error.strerror}.", f"Start it yourself: {setup}."
        ) from error


def can_update() -> bool:
    """Whether updates are for this program: installed by a setup program that knows where to look, on Windows."""
    program = runtime_path.find_program()
    return sys.platform == "win32" and program is not None and find_source(program) is not None


def _read_payload(given: dict[str, object]) -> Update:
    update = Update(
        version=str(given["version"]),
        url=str(given["url"]),
        size=int(cast("int", given["size"])),
        sha256=str(given["sha256"]).lower(),
        notes=str(given.get("notes", "")),
    )
    if not _VERSION.fullmatch(update.version):
        raise ValueError("the version is none")
    if not re.fullmatch(r"[0-9a-f]{64}", update.sha256) or update.size <= 0:
        raise ValueError("size or hash is missing")
    return update


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])


def _explain(response: httpx2.Response) -> UnusableFile:
    return TransferFailed(f"The server refuses the setup program ({response.status_code}).", "Try again later.")
