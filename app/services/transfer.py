"""One file over https: resumed where it stopped, hashed while it arrives, and given its name when it is whole."""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2

from app.services import files
from app.services.part import Part
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from app.services.part import Control, Fetched, RemoteFile

log = logging.getLogger(__name__)

PICKLES = (".ckpt", ".pt", ".pth", ".bin", ".pkl", ".pickle")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ATTEMPTS = 6  # in a row without a new byte
_LONGEST_WAIT = 300.0  # seconds; a server that wants more is not waited for


class TransferFailed(UnusableFile):
    """A file could not be fetched: no connection, a refusal, or another file than was promised."""


@dataclass(frozen=True, slots=True)
class Server:
    """How to talk to one: the client, headers (with a token, perhaps), and what a refusal means in words."""

    client: httpx2.Client
    headers: Mapping[str, str]
    explain: Callable[[httpx2.Response], UnusableFile]
    first_wait: float = 1.0  # seconds before the second attempt; doubled each time


def make_client(stall_seconds: float = 30.0) -> httpx2.Client:
    """A client that takes proxies and certificates from the environment and refuses to leave https.

    A token goes to the host it is for and not along with a redirect to another. A server that sends nothing
    for `stall_seconds` counts as gone.
    """
    for name in ("httpx2", "httpcore2"):  # they log whole addresses, and a signed one is as good as a token
        logging.getLogger(name).setLevel(logging.WARNING)
    return httpx2.Client(
        follow_redirects=True,
        timeout=httpx2.Timeout(stall_seconds, connect=min(stall_seconds, 15.0)),
        headers={"User-Agent": "firstlight", "Accept-Encoding": "identity"},
        event_hooks={"request": [_refuse_plain_http]},
    )


def check_url(url: str) -> httpx2.URL:
    """The address, parsed.

    Raises:
        UnusableFile: it is no https address (http is for this machine alone).
    """
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise UnusableFile(f"{url!r} is no address.", "Give one that begins with https://.") from None
    if not parsed.host or not (parsed.scheme == "https" or (parsed.scheme == "http" and parsed.host in _LOOPBACK)):
        raise UnusableFile(
            f"Nothing is fetched from {parsed.scheme}://{parsed.host}: the connection would not be protected.",
            "Give an address that begins with https://.",
        )
    return parsed


def fetch(server: Server, remote: RemoteFile, target: Path, control: Control) -> Fetched:
    """Fetch `remote` to `target`; what an earlier attempt left is continued.

    Raises:
        TransferFailed: no server, a refusal, or a file that is not the promised one.
        NoRoom: the disk is full. What has arrived is kept.
    """
    part = Part(remote, files.long_path(target), control)
    try:
        part.open()
        _receive(server, part, control)
        if problem := part.find_problem():  # damaged on the way or on the disk: once more, from the start
            control.say(f"{remote.name}: {problem}; it is fetched again.")
            part.clear()
            _receive(server, part, control)
        if problem := part.find_problem():
            part.clear()
            raise TransferFailed(
                f"The file {remote.name!r} from {httpx2.URL(remote.url).host} is not the promised one: {problem}.",
                "Try again later, or get it from elsewhere.",
            )
        return part.finish()
    except OSError as error:
        raise files.explain(error, target) from error
    finally:
        part.close()


class _Again(Exception):
    """The attempt ended before the file was whole; `wait` is what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


def _receive(server: Server, part: Part, control: Control) -> None:
    """Attempt until every byte is there, with growing waits while nothing new comes."""
    failures = 0
    while part.total is None or part.done < part.total or part.total == 0:
        before = part.done
        try:
            _attempt(server, part, control)
        except (httpx2.TransportError, _Again) as error:
            reason, wait = str(error) or type(error).__name__, getattr(error, "wait", 0.0)
        else:
            return
        failures = 0 if part.done > before else failures + 1
        log.info("%s: attempt ended at %d of %s bytes: %s", part.remote.name, part.done, part.total, reason)
        if failures >= _ATTEMPTS or wait > _LONGEST_WAIT:
            raise TransferFailed(
                f"The file {part.remote.name!r} cannot be fetched from {httpx2.URL(part.remote.url).host}: {reason}.",
                "Check the connection and start again; what is already here is kept.",
            )
        if wait >= 1:
            control.say(f"The server asks to wait {wait:.0f} s.")
        _sleep(wait or server.first_wait * 2 ** max(0, failures - 1), control)


def _attempt(server: Server, part: Part, control: Control) -> None:
    """One request. Returns when the server has sent all of it.

    Raises:
        _Again: it ended early, or the server is busy.
        TransferFailed: the server refuses.
    """
    headers = dict(server.headers)
    if part.done:
        headers["Range"] = f"bytes={part.done}-"
        if part.validator:
            headers["If-Range"] = part.validator
    with server.client.stream("GET", part.remote.url, headers=headers) as response:
        control.attach(lambda: _wake(response))
        if response.status_code == 416 and part.done:
            if part.validator and response.headers.get("Content-Range") == f"bytes */{part.done}":
                part.total = part.done  # nothing is missing
                return
            part.clear()  # it has less than we: another file
            raise _Again("the server has no such range")
        if response.status_code in (408, 425, 429, 500, 502, 503, 504):
            raise _Again(f"the server answers {response.status_code}", _wanted_wait(response))
        if response.status_code not in (200, 206):
            response.read()
            raise server.explain(response)
        _take_up(response, part, control)
        for chunk in response.iter_bytes():
            control.check()
            part.write(chunk)
            if part.total is not None and part.done > part.total:
                break  # told by its size
    if part.total is not None and part.done < part.total:
        raise _Again("the connection ended early")


def _take_up(response: httpx2.Response, part: Part, control: Control) -> None:
    """Set `part` to where the server's bytes begin, and learn the size from the answer."""
    if "text/html" in response.headers.get("Content-Type", "") and not part.remote.name.endswith((".html", ".htm")):
        raise TransferFailed(
            f"{httpx2.URL(part.remote.url).host} sends a web page instead of the file {part.remote.name!r}.",
            "Give the address of the file itself; some pages want a login first.",
        )
    disposition = response.headers.get("Content-Disposition", "").casefold()
    if pickle := next((suffix for suffix in PICKLES if disposition.rstrip('"; ').endswith(suffix)), ""):
        raise UnusableFile(
            f"The file that {httpx2.URL(part.remote.url).host} sends is a pickle file ({pickle}), which could run "
            "any program.",
            "Get the model as a safetensors file.",
        )
    content_range = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
    if response.status_code == 206 and content_range and int(content_range[1]) == part.done:
        total = None if content_range[2] == "*" else int(content_range[2])
    elif response.status_code == 206:
        part.clear()
        raise _Again("the server sent another range than was asked for")
    else:
        if part.done:
            control.say(f"{part.remote.name}: the server cannot continue it, so it begins again.")
            part.clear()
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdigit() and "Content-Encoding" not in response.headers else None
    if part.remote.size is not None and total not in (None, part.remote.size):
        raise TransferFailed(
            f"The file {part.remote.name!r} has {total} bytes on the server, and {part.remote.size} were promised.",
            "Try again later, or get it from elsewhere.",
        )
    part.total = part.remote.size if total is None else total
    validator = response.headers.get("ETag", "")
    if validator.startswith("W/"):
        validator = ""
    validator = validator or response.headers.get("Last-Modified", "")
    if validator != part.validator and response.status_code == 200:
        part.validator = validator
        part.keep_notes()
    if total is not None:
        files.check_room(part.folder, total - part.done)


def _wake(response: httpx2.Response) -> None:
    """End a read that waits for bytes, from another thread."""
    stream = response.extensions.get("network_stream")
    connection: object = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _wanted_wait(response: httpx2.Response) -> float:
    """Seconds from Retry-After, which may also be a date (RFC 9110, 10.2.3)."""
    text = response.headers.get("Retry-After", "")
    if text.isdigit():
        return float(text)
    from email.utils import parsedate_to_datetime

    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return 0.0


def _sleep(seconds: float, control: Control) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        control.check()
        time.sleep(min(0.1, left))


def _refuse_plain_http(request: httpx2.Request) -> None:
    check_url(str(request.url))
