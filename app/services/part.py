"""A file that is arriving: the bytes that are there, their hash so far, and what they belong to.

While it is not whole it is `NAME.part`, beside a small `NAME.part.json` with what decides whether the bytes
there still belong to what the server has: address (hashed), size, hash and validator. Bytes go to disk as they
come, without a buffer, so a killed process loses none that it had.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from app.services import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHUNK = 2**20  # bytes read at once


class HashKind(Enum):
    """What the hash is of: the bytes, or git's object of them (how the hub states small files)."""

    sha256 = "sha256"
    git = "git"


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file on a server. `name` is its place in the model's folder; `size` is None where nobody says."""

    url: str
    name: str
    size: int | None = None
    hash_kind: HashKind = HashKind.sha256
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that arrived whole, with the sha256 of its bytes."""

    size: int
    sha256: str


class Control(Protocol):
    """How a transfer is watched and stopped; called on the thread that transfers."""

    def check(self) -> None:
        """Raise where the transfer is to stop; what is there stays for the next start."""
        ...

    def add(self, count: int, *, fresh: bool) -> None:
        """`count` more bytes are there, `fresh` from the server or found; negative where some are given up."""
        ...

    def say(self, message: str) -> None:
        """Tell the user something that is no failure."""
        ...

    def attach(self, wake: Callable[[], None]) -> None:
        """Keep `wake`, which ends a wait for bytes that do not come; called from another thread on a stop."""
        ...


class Part:
    """The bytes that are there, and their hash so far. `total` is None while nobody has said it."""

    def __init__(self, remote: RemoteFile, target: Path, control: Control) -> None:
        self.remote = remote
        self.total = remote.size
        self.done = 0
        self.validator = ""
        self._target = target
        self._path = target.with_name(target.name + files.PART)
        self._notes = target.with_name(self._path.name + ".json")
        self._control = control
        self._sha256 = hashlib.sha256()
        self._git = hashlib.sha1(usedforsecurity=False)
        self._descriptor = -1

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._path.parent

    def open(self) -> None:
        """Take up what is there where it is of the same file; else begin."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        notes = files.read_json(self._notes) or {}
        kept = all(notes.get(key) == value for key, value in self._identity().items())
        self.validator = str(notes.get("validator") or "") if kept else ""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(self._path, flags, 0o644)
        self._begin_hashes()
        if not kept or (self.total is None and not self.validator):  # nothing tells whether they belong together
            os.ftruncate(self._descriptor, 0)
            self.keep_notes()
        while chunk := os.read(self._descriptor, _CHUNK):
            self._control.check()
            self._count(chunk, fresh=False)
        if self.total is not None and self.done > self.total:
            self.clear()

    def close(self) -> None:
        """Let go of it; what is there stays."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def keep_notes(self) -> None:
        """Write down what the bytes belong to."""
        files.write_json(self._notes, {**self._identity(), "validator": self.validator})

    def clear(self) -> None:
        """Begin again with nothing."""
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        self._control.add(-self.done, fresh=False)
        self.done = 0
        self._begin_hashes()

    def write(self, chunk: bytes) -> None:
        """Put `chunk` at the end, on the disk."""
        view = memoryview(chunk)
        while view:  # a disk that fills up takes a part first and says so the next time
            view = view[os.write(self._descriptor, view) :]
        self._count(chunk, fresh=True)

    def find_problem(self) -> str:
        """What is wrong with the file that has arrived, in words; empty where nothing is."""
        if self.total is not None and self.done != self.total:
            return f"it has {self.done} of {self.total} bytes"
        digest = self._git if self.remote.hash_kind is HashKind.git else self._sha256
        if self.remote.hash and digest.hexdigest() != self.remote.hash.lower():
            return f"its {self.remote.hash_kind.value} hash differs"
        return ""

    def finish(self) -> Fetched:
        """Give it its name, when all of it is on the disk."""
        os.fsync(self._descriptor)
        self.close()
        self._path.replace(self._target)
        self._notes.unlink(missing_ok=True)
        return Fetched(self.done, self._sha256.hexdigest())

    def _identity(self) -> dict[str, object]:
        address = hashlib.sha256(self.remote.url.encode()).hexdigest()  # hashed: an address may be private
        if self.remote.hash:
            address = ""  # the hash says more than the address does: a mirror may carry on
        return {"address": address, "size": self.remote.size, "hash": self.remote.hash}

    def _begin_hashes(self) -> None:
        self._sha256 = hashlib.sha256()
        self._git = hashlib.sha1(f"blob {self.total}\0".encode(), usedforsecurity=False)

    def _count(self, chunk: bytes, *, fresh: bool) -> None:
        self._sha256.update(chunk)
        if self.remote.hash_kind is HashKind.git:
            self._git.update(chunk)
        self.done += len(chunk)
        self._control.add(len(chunk), fresh=fresh)
