"""Every failure that a user can meet, drawn as one tree.

Each class fixes the exit code of the command line (a contract: scripts rely on it). Libraries' own exceptions are
translated to these at the boundary where they arise.
"""

from __future__ import annotations


class FirstlightError(Exception):
    """A failure with words for the user.

    Args:
        message: what happened, one sentence.
        action: what to do next, one sentence; empty where there is nothing to do.
    """

    kind = "error"
    exit_code = 1

    def __init__(self, message: str, action: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.action = action

    def __str__(self) -> str:
        return f"{self.message} {self.action}".strip()


class InvalidRequest(FirstlightError):
    """The request cannot be carried out as written, on any machine."""

    kind = "invalid_request"
    exit_code = 2


class UnusableFile(FirstlightError):
    """A model, picture or folder is missing, damaged, of the wrong kind, or may not be used."""

    kind = "unusable_file"
    exit_code = 3


class NoRoom(FirstlightError):
    """Memory or disk does not suffice."""

    kind = "no_room"
    exit_code = 4


class EngineFailure(FirstlightError):
    """A network could not be run, and no fallback could run it either."""

    kind = "engine_failure"
    exit_code = 5


class DeviceLost(EngineFailure):
    """The GPU fails every call from now on, as after sleep or a driver reset: only a fresh process helps."""

    kind = "device_lost"


class Cancelled(FirstlightError):
    """The user stopped the work."""

    kind = "cancelled"
    exit_code = 130

    def __init__(self) -> None:
        super().__init__("Cancelled.")
