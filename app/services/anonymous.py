"""Taking out of a text what is nobody's business: who the user is, where things lie, tokens, and what was drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_TOKENS = re.compile(
    r"\b(?:hf|ghp|gho|ghs|sk|civitai)_[A-Za-z0-9_-]{6,}"  # how hubs begin theirs
    r"|(?i:\b(?:authorization\s*[:=]\s*)?bearer\s+[^\s\"',;]+)"
    r"|(?i:\b(?:authorization|token|api[_-]?key|password)\s*[:=]\s*[\"']?[^\s\"',;]{6,})"
)
_ADDRESSES = re.compile(r"(https?://)[^\s/@]*@")  # user:password@ in front of a host
_QUERIES = re.compile(r"(https?://[^\s?\"'<>]+)\?[^\s\"'<>]+")  # signed links carry keys there
_MAILS = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b")
_ROOT = r"(?<![\w:/.<])(?:[A-Za-z]:[\\/]+|\\\\[\w?.-]+[\\/]+|/)"
_FOLDERS = r"(?:(?:(?!\.\w{1,11}\s)[^\\/:*?\"'<>|\n,;()])+[\\/]+)+"  # a name that ends like a file's is no folder
# An absolute path, with a file name of several words where it ends as pictures and models do. Of code (.py, .dll, .so)
# the last parts stay: they tell where a fault is.
_FILE = r"(?:[^\\/:*?\"'<>|\n]{0,200}?\.(?:png|jpe?g|webp|safetensors|gguf)\b|[^\\/:*?\"'<>|\n,;()\s]*)"
_PATHS = re.compile(f"{_ROOT}{_FOLDERS}{_FILE}")
_CODE = re.compile(r"[\\/]((?:site-packages|app|pipelines|resources|lib)[\\/].*\.(?:py|pyd|dll|so[.\d]*))$")
_LEAST = 3  # characters; shorter names and prompts would tear holes into everything


def anonymise(text: str, names: Iterable[str] = (), places: Iterable[Path] = ()) -> str:
    """`text` without tokens, addresses of mail, paths, and the given names.

    Args:
        text: any text.
        names: what must not appear, whatever its case: the user's and the computer's name, prompts.
        places: folders whose paths must not appear, in any way of writing them.
    """
    text = _TOKENS.sub("<token>", text)
    text = _ADDRESSES.sub(r"\1<name>@", text)
    text = _QUERIES.sub(r"\1?<query>", text)
    text = _MAILS.sub("<mail>", text)
    for place in sorted({str(place) for place in places}, key=len, reverse=True):
        for writing in {place, place.replace("\\", "/"), place.replace("\\", "\\\\")}:
            if len(writing) > _LEAST:
                pattern = rf"{re.escape(writing)}(?:[\\/]+(?:{_FOLDERS})?{_FILE})?"
                text = re.sub(pattern, _shorten, text, flags=re.IGNORECASE)
    text = _PATHS.sub(_shorten, text)
    for name in sorted({name for name in names if len(name) >= _LEAST}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "<private>", text, flags=re.IGNORECASE)
    return text


def _shorten(found: re.Match[str]) -> str:
    code = _CODE.search(found[0])
    return re.sub(r"[\\/]+", "/", code[1]) if code else "<path>"
