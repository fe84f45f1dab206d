"""File names for pictures, valid on every system whatever the prompt says."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.metadata import Record

STEM_BYTES = 100  # with a counter and suffix a name stays under 120 bytes, so a Windows path has room for its folder
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{n}{i}" for n in ("com", "lpt") for i in "123456789¹²³"
}


def stem(record: Record) -> str:
    """`DATE-SEED-words-of-the-prompt`: local date; at most `STEM_BYTES` bytes of UTF-8; never reserved."""
    date = datetime.fromisoformat(record.created).astimezone().date().isoformat()
    head = f"{date}-{record.request.seed}"
    words = slug(record.request.prompt, STEM_BYTES - len(head) - 1)
    return f"{head}-{words}" if words else head


def slug(text: str, size: int) -> str:
    """Letters and digits of any script in lower case, the rest as single hyphens; at most `size` bytes."""
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in unicodedata.normalize("NFKC", text))
    words = "-".join(kept.lower().split())
    # NFC again: lower-casing can decompose, and file systems that normalise would then show another name.
    cut = unicodedata.normalize("NFC", words).encode()[:size].decode(errors="ignore")
    return cut.strip("-")


def windows_problem(name: str) -> str:
    """Say in words why Windows cannot have a file called `name`; empty where it can.

    The rules are Microsoft's "Naming Files, Paths, and Namespaces".
    """
    if bad := re.search(r'[<>:"/\\|?*\x00-\x1f]', name):
        return f"it contains {bad.group()!r}"
    if name.endswith((".", " ")):
        return "it ends with a dot or a space"
    if name.split(".")[0].rstrip().lower() in _DEVICES:
        return "Windows keeps that name for a device"
    return ""
