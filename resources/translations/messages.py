"""Finds every sentence that pipelines and services say to the user, by reading their source."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
_FOLDERS = ("pipelines", "app/services", "app/viewmodels")
_FILES = ("app/crash_hook.py",)
_NOT = (  # what speaks to developers or at the command line alone
    "pipelines/proof", "pipelines/engine/recipe", "app/services/report.py",
    "app/services/schema.py", "app/services/settings_table.py", "app/services/anonymous.py",
)  # fmt: skip
_FRAGMENTS = (  # here also what is no whole sentence: reasons, and what is being done
    "pipelines/engine/select.py", "pipelines/planning.py", "pipelines/devices.py", "app/services/engine_exit.py",
    "app/services/engine_values.py", "pipelines/engine/cache.py", "pipelines/engine/keeper.py",
    "pipelines/engine/adaptive.py",
)  # fmt: skip
_SILENT_CALLS = {"debug", "info", "warning", "error", "exception", "critical", "log", "tr", "translate", "execute",
                 "ValueError", "TypeError", "RuntimeError", "KeyError", "AssertionError", "NotImplementedError",
                 "compile", "getattr", "open", "filterwarnings"}  # fmt: skip
_PIECES = (  # put together from parts in more than one place: reasons of a plan, and what the engine is doing
    "on {0}", "{0} as asked for", "{0} because CPUs are exact and fast in it", "{0} cannot run here",
    "{0} and {1} cannot run here", "{0} because compute capability {1} has it",
    "{0} because compute capability {1} has no bf16",
    "{0} because compute capability {1} has no bf16, and fp16 overflows",
    "the engine of the {0} is there", "TensorRT-RTX on {0}", "PyTorch's compiler on the CPU",
    "PyTorch's compiler, in the background, on {0}",
    "{0} ({1}, not {2})",
    "ships with Firstlight",  # of the catalog
    "while it was {0}", "while it was idle", "starting", "loading", "loading {0}", "drawing", "drawing {0}",
    "reading the prompt {0}", "decoding the picture {0}", "enlarging the picture {0}", "saving the picture {0}",
)  # fmt: skip
_GAP = re.compile(r"\{\d+\}")
_SQL = re.compile(r"(?:SELECT|INSERT|UPDATE \w+ SET|DELETE FROM|PRAGMA|\^)")
_SENTENCE = re.compile(r"(?:[A-Z{“'\"]).*[.?]['\"”]?", re.DOTALL)


def find() -> list[str]:
    """All of them, sorted, with `{0}`, `{1}` … for what varies."""
    found = {"Cancelled.", *_PIECES}
    for file in _sources():
        name = file.relative_to(ROOT).as_posix()
        finder = _Finder(fragments=name.startswith(_FRAGMENTS))
        finder.visit(ast.parse(file.read_text(encoding="utf-8")))
        found |= finder.found
    return sorted(found)


def _sources() -> Iterator[Path]:
    files = [file for folder in _FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    for file in (*files, *(ROOT / name for name in _FILES)):
        if not file.relative_to(ROOT).as_posix().startswith(_NOT):
            yield file


class _Finder(ast.NodeVisitor):
    """Collects the texts of one file; what is logged, documented or translated in its place is passed over."""

    def __init__(self, *, fragments: bool) -> None:
        self.found: set[str] = set()
        self._fragments = fragments

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # else a docstring
            self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """What a failed assertion says is for us."""

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in _SILENT_CALLS:
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._take(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        text, gaps = "", 0
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
            else:
                text += f"{{{gaps}}}"
                gaps += 1
                self.generic_visit(part)
        self._take(text)

    def _take(self, text: str) -> None:
        words = _GAP.sub("", text)
        if " " not in text.strip() or sum(char.isalpha() for char in words) < 4 or _SQL.match(text) or "\n" in text:
            return
        if _SENTENCE.fullmatch(text) or self._fragments:
            self.found.add(text.strip())
