"""A real HTTP server on this machine that speaks the hub's protocol, and fails in every way a server can."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_BLOCK = 64 * 1024


class Content:
    """Bytes that need not fit into memory: `head`, then a block whose length is a prime, again and again."""

    def __init__(self, head: bytes, size: int | None = None) -> None:
        self._head = head
        self.size = len(head) if size is None else size
        self._pattern = hashlib.shake_256(b"firstlight").digest(100_003)

    def read(self, start: int, count: int) -> bytes:
        end = min(start + count, self.size)
        found = self._head[start:end]
        while start + len(found) < end:
            at = (start + len(found) - len(self._head)) % len(self._pattern)
            found += self._pattern[at : at + end - start - len(found)]
        return found

    def blocks(self, start: int = 0) -> Iterator[bytes]:
        while start < self.size:
            block = self.read(start, _BLOCK)
            yield block
            start += len(block)

    @staticmethod
    def same(content: Content, file: Path) -> bool:
        """Whether the file has these very bytes."""
        with file.open("rb") as stream:
            return all(stream.read(len(block)) == block for block in content.blocks()) and not stream.read(1)

    @property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for block in self.blocks():
            digest.update(block)
        return digest.hexdigest()

    @property
    def git(self) -> str:
        return hashlib.sha1(f"blob {self.size}\0".encode() + self.read(0, self.size)).hexdigest()


def safetensors(size: int) -> Content:
    """A whole safetensors file of one tensor, about `size` bytes."""
    header = json.dumps({"x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    return Content(len(header).to_bytes(8, "little") + header, 8 + len(header) + size)


@dataclass
class Request:
    path: str
    start: int | None
    token: str
    host: str


@dataclass
class Gate:
    """Who may read gated repositories, by token."""

    admitted: set[str] = field(default_factory=set[str])
    without_scope: set[str] = field(default_factory=set[str])
    without_licence: set[str] = field(default_factory=set[str])

    def knows(self, token: str) -> bool:
        return token in self.admitted | self.without_scope | self.without_licence


class HubServer:
    """Set what is to go wrong, then let the client come. `requests` are those for files' bytes."""

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, Content]] = {}
        self.links: dict[str, Content] = {}
        self.gated: set[str] = set()
        self.gate = Gate()
        self.ranges = True
        self.chunked = False
        self.content_type = "application/octet-stream"
        self.disposition = ""
        self.redirect = ""  # where every link leads
        self.etag: str | None = None  # instead of the hash
        self.stated_hash: str | None = None  # instead of the true one
        self.refusals: list[tuple[int, dict[str, str]]] = []  # the next answers for bytes
        self.cuts: list[int] = []  # offsets at which the line is cut, each once
        self.holds: list[int] = []  # offsets at which nothing more comes, each once
        self.held = threading.Event()
        self.release = threading.Event()
        self.slow = 0.0  # seconds before each block
        self.requests: list[Request] = []
        self.api_tokens: list[str] = []
        self.sent = 0
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self._servers = [self._start("hub"), self._start("cdn")]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._servers[0].server_port}"

    @property
    def cdn(self) -> str:
        return f"http://localhost:{self._servers[1].server_port}"

    def link(self, name: str) -> str:
        return f"{self.endpoint}/files/{name}"

    def close(self) -> None:
        self.release.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def find(self, name: str) -> Content:
        for files in self.repositories.values():
            for content in files.values():
                if content.sha256 == name:
                    return content
        raise KeyError(name)

    def _start(self, role: str) -> ThreadingHTTPServer:
        handler = type("Handler", (_Handler,), {"hub": self, "role": role})
        server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients leave in the middle here; that is the point."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer
    role: str

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if path.startswith("/api/models/"):
            self.hub.api_tokens.append(token)
            self._answer_api(path.removeprefix("/api/models/"), token)
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(match[1], match[2], match[3], token)
        elif path.startswith("/files/") and self.hub.redirect:
            self._end(302, {"Location": self.hub.redirect})
        elif path.startswith("/files/"):
            self._send_content(self.hub.links.get(path.removeprefix("/files/")), path, token)
        elif path.startswith("/cdn/"):
            name = path.removeprefix("/cdn/")
            with contextlib.suppress(KeyError):
                return self._send_content(self.hub.find(name), path, token)
            self._end(404)
        else:
            self._end(404)
        return None

    def _answer_api(self, path: str, token: str) -> None:
        name, _, revision = path.partition("/revision/")
        if token and not self.hub.gate.knows(token):
            return self._end(401, {"X-Error-Message": "Invalid credentials in Authorization header"})
        if name not in self.hub.repositories:
            return self._end(404 if token else 401, {"X-Error-Code": "RepoNotFound"})
        siblings = [_describe(path, content, self.hub) for path, content in self.hub.repositories[name].items()]
        body = {"id": name, "sha": revision or COMMIT, "siblings": siblings, "cardData": {"license": "test"}}
        body["gated"] = "auto" if name in self.hub.gated else False
        return self._end(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def _resolve(self, name: str, commit: str, path: str, token: str) -> None:
        gate, files = self.hub.gate, self.hub.repositories.get(name, {})
        if token and not gate.knows(token):
            return self._end(401, {"X-Error-Message": "Invalid credentials in Authorization header"})
        if name in self.hub.gated and token not in gate.admitted:
            said = f"Access to model {name} is restricted. You must have access to it and be authenticated."
            if not token:
                return self._end(401, {"X-Error-Code": "GatedRepo", "X-Error-Message": said})
            if token in gate.without_scope:
                said = "Please enable access to public gated repositories in your fine-grained token settings"
                return self._end(403, {"X-Error-Message": said})
            said = f"Access to model {name} is restricted and you are not in the authorized list."
            return self._end(403, {"X-Error-Code": "GatedRepo", "X-Error-Message": said})
        if path not in files or commit != COMMIT:
            return self._end(404, {"X-Error-Code": "EntryNotFound"})
        if not path.endswith(".safetensors"):  # small files come from the hub itself
            return self._send_content(files[path], self.path, token)
        content = files[path]
        headers = {"X-Repo-Commit": commit, "X-Linked-Size": str(content.size), "X-Linked-Etag": f'"{content.sha256}"'}
        return self._end(302, {**headers, "Location": f"{self.hub.cdn}/cdn/{content.sha256}"})

    def _send_content(self, content: Content | None, path: str, token: str) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted else None
        with self.hub.lock:
            self.hub.requests.append(Request(path, start, token, self.headers["Host"]))
            refusal = self.hub.refusals.pop(0) if self.hub.refusals else None
        if refusal:
            return self._end(*refusal)
        if content is None:
            return self._end(404)
        etag = f'"{self.hub.etag or content.sha256}"'
        if not self.hub.ranges or self.headers.get("If-Range", etag) != etag:
            start = None
        if start is not None and start >= content.size:
            return self._end(416, {"Content-Range": f"bytes */{content.size}"})
        self.send_response(200 if start is None else 206)
        self.send_header("ETag", etag)
        self.send_header("Content-Type", self.hub.content_type)
        if self.hub.disposition:
            self.send_header("Content-Disposition", self.hub.disposition)
        if start is not None:
            self.send_header("Content-Range", f"bytes {start}-{content.size - 1}/{content.size}")
        if self.hub.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(content.size - (start or 0)))
        self.end_headers()
        return self._send_body(content, start or 0)

    def _send_body(self, content: Content, start: int) -> None:
        with self.hub.lock:
            self.hub.at_once += 1
            self.hub.most_at_once = max(self.hub.most_at_once, self.hub.at_once)
        try:
            self._send_blocks(content, start)
        finally:
            with self.hub.lock:
                self.hub.at_once -= 1

    def _send_blocks(self, content: Content, at: int) -> None:
        while at < content.size:
            stops = [stop for stop in (*self.hub.cuts, *self.hub.holds) if stop > at]
            block = content.read(at, min(_BLOCK, *(stop - at for stop in stops), _BLOCK))
            self.hub.release.wait(self.hub.slow) if self.hub.slow else None
            self.wfile.write(f"{len(block):x}\r\n".encode() + block + b"\r\n" if self.hub.chunked else block)
            at += len(block)
            with self.hub.lock:
                self.hub.sent += len(block)
            if at in self.hub.cuts:
                self.hub.cuts.remove(at)
                self.close_connection = True
                self.connection.close()
                return
            if at in self.hub.holds:
                self.hub.holds.remove(at)
                self.hub.held.set()
                self.hub.release.wait(60)
                self.close_connection = True
                return
        if self.hub.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _end(self, status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _describe(path: str, content: Content, hub: HubServer) -> dict[str, object]:
    facts: dict[str, object] = {"rfilename": path, "size": content.size, "blobId": content.git}
    if path.endswith(".safetensors"):
        facts["lfs"] = {"sha256": hub.stated_hash or content.sha256, "size": content.size, "pointerSize": 130}
    return facts
