"""Why the engine process ended, in words."""

from __future__ import annotations

import signal
from pathlib import Path

from pipelines.events import Failure

_SIGKILL = 9  # Windows' `signal` has no such name
CRASHED = "engine_crashed"  # the `kind` of a failure that took the process with it
_CGROUP_EVENTS = Path("/sys/fs/cgroup/memory.events")
_VMSTAT = Path("/proc/vmstat")
# Windows' NTSTATUS codes, as Python gives them: unsigned 32 bits (ntstatus.h)
_NO_MEMORY = {0xC0000017, 0xC000012D}  # STATUS_NO_MEMORY, STATUS_COMMITMENT_LIMIT
_WINDOWS_WORDS = {
    0xC0000005: "an access violation",
    0xC000001D: "an instruction that this processor lacks",
    0xC00000FD: "a stack overflow",
    0xC0000135: "a library that is missing",
    0xC0000374: "a damaged heap",
    0xC0000409: "a stack buffer overrun",
}


def count_oom_kills() -> int:
    """How many processes Linux has ended here for want of memory: in this container, else on this machine."""
    for file in (_CGROUP_EVENTS, _VMSTAT):
        try:
            lines = file.read_text(encoding="ascii").splitlines()
        except (OSError, ValueError):
            continue  # not Linux, or no cgroup version 2
        for line in lines:
            name, _, value = line.partition(" ")
            if name == "oom_kill" and value.isdigit():
                return int(value)
    return 0


def describe_exit(code: int | None, doing: str, *, out_of_memory: bool, details: str = "") -> Failure:
    """Put into words that the process ended by itself.

    Args:
        code: as `multiprocessing` has it: negative is a signal; None where it is not known.
        doing: what the process was doing, such as `while it was loading the transformer`.
        out_of_memory: the system ended a process for want of memory meanwhile.
        details: the Python stack of a native crash, where there is one.
    """
    value = None if code is None else code & 0xFFFFFFFF if code > 0 else code
    details = f"exit code {code}\n{details}".strip()
    if value in _NO_MEMORY or (out_of_memory and code == -_SIGKILL):
        return Failure(
            "no_room",
            f"The system ended the engine {doing}, most likely since memory ran out.",
            "Close other programs, or ask for a smaller size.",
            details,
        )
    return Failure(
        CRASHED,
        f"The engine process ended {doing}: {_reason(value)}.",
        "The next job runs in a fresh process. If it happens again with this one, please report the details.",
        details,
    )


def _reason(value: int | None) -> str:
    if value is None:
        return "it is not known why"
    if value < 0:
        try:
            name = signal.Signals(-value).name
        except ValueError:
            name = f"signal {-value}"
        return "it was ended from outside (SIGKILL)" if name == "SIGKILL" else f"it crashed ({name})"
    if value in _WINDOWS_WORDS:
        return f"it crashed with {_WINDOWS_WORDS[value]}"
    return f"it gave up (exit code {value})" if value < 0xC0000000 else f"it crashed (code {value:#x})"
