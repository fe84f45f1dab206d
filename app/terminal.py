"""Where the command line writes. Printing can never fail a job, on any console, code page or closed pipe."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import sys
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.errors import FirstlightError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class SafeText(io.TextIOBase):
    """A text stream whose writes never raise.

    Characters that the stream's encoding lacks (an emoji on a CP932 console) are written as escapes. Once the
    stream is gone (a closed pipe, a full disk) the rest is dropped and `failure` keeps the reason.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]  # rich asks for it, as a plain value
        """The name of the encoding that text is written in."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def writable(self) -> bool:
        """Whether this is an output stream: always."""
        return True

    def isatty(self) -> bool:
        """Whether a person is watching."""
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor below, for terminal queries; `OSError` where there is none."""
        if self._stream is None:
            raise OSError("this stream has no descriptor")
        return self._stream.fileno()

    def write(self, text: str, /) -> int:
        """Write what can be written of `text`; say that all of it was."""
        if self._stream is not None and self.failure is None:
            encodable = text.encode(self.encoding, "backslashreplace").decode(self.encoding, "replace")
            try:
                self._stream.write(encodable)
            except (OSError, ValueError) as error:  # ValueError: the stream was closed under us
                self._give_up(error)
        return len(text)

    def flush(self) -> None:
        """Hand on what is buffered, or give the stream up."""
        if self._stream is not None and self.failure is None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._give_up(error)

    def _give_up(self, error: OSError | ValueError) -> None:
        """Drop the stream and point its descriptor nowhere, as Python flushes it again on exit."""
        self.failure = error if isinstance(error, OSError) else OSError(str(error))
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


class Terminal:
    """The output streams of the process, and whether answers are for a person or one JSON object."""

    def __init__(self, *, wants_json: bool) -> None:
        self.out = SafeText(sys.stdout)
        self.err = SafeText(sys.stderr)
        self.wants_json = wants_json
        self.so_far: dict[str, object] = {}  # what is done already, should the command fail: goes beside the error

    def say(self, text: str) -> None:
        """Write a line, or several, of the answer for a person."""
        self.out.write(printable(text, keep="\n") + "\n")

    def answer(self, value: Mapping[str, object]) -> None:
        """Write the answer as one JSON object on one line; pure ASCII, so the same in every code page."""
        self.out.write(json.dumps(to_json(value), allow_nan=False) + "\n")

    def note(self, text: str) -> None:
        """Write one line beside the answer, on stderr."""
        self.err.write(f"firstlight: {printable(text)}\n")
        self.err.flush()

    def fail(self, failure: FirstlightError) -> None:
        """Say what went wrong in one line on stderr, and in JSON on stdout where that is wanted."""
        self.note(str(failure))
        if self.wants_json:
            error = {"kind": failure.kind, "message": failure.message, "action": failure.action}
            self.answer({"error": error, **self.so_far})


def show_box(failure: FirstlightError) -> None:
    """Say what went wrong in a box of the system's own, where that needs nothing of ours: on Windows."""
    if sys.platform == "win32":
        import ctypes

        error_icon = 0x10
        ctypes.windll.user32.MessageBoxW(None, f"{failure.message}\n\n{failure.action}", "Firstlight", error_icon)


def printable(text: str, keep: str = "") -> str:
    """Return `text` with everything that is not a visible character or in `keep` as an escape.

    File names and stored settings are other people's text: a line end would break the one-line errors, and an
    escape sequence would reach the terminal.
    """
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode() for char in text
    )


def to_json(value: object) -> Json:
    """Turn values (dataclasses, enums, paths, tuples) into what JSON has; NaN and infinity become null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, PurePath):
        return str(value)
    if dataclasses.is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in value]
    return str(value)
