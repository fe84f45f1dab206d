"""Styles: words round the prompt, from `resources/styles/styles.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import cast

import resources
from pipelines.errors import InvalidRequest

SLOT = "{prompt}"


@dataclass(frozen=True, slots=True)
class Style:
    """One style. `template` holds the slot once; `negative` is added to a negative prompt where the model uses one."""

    key: str
    title: str
    template: str = SLOT
    negative: str = ""

    @property
    def lead(self) -> str:
        """What stands before the user's own words."""
        return self.template.partition(SLOT)[0]

    def apply(self, prompt: str) -> str:
        """The prompt as it is drawn and recorded. Nothing but the slot is replaced: a prompt may hold braces."""
        before, _, after = self.template.partition(SLOT)
        return f"{before}{prompt}{after}"

    def apply_negative(self, negative: str) -> str:
        """The negative prompt as it is drawn and recorded."""
        return ", ".join(part for part in (negative.strip(), self.negative) if part) if self.negative else negative


NO_STYLE = Style("", "")


def load() -> tuple[Style, ...]:
    """All styles, in the file's order."""
    with (resources.folder() / "styles" / "styles.toml").open("rb") as file:
        rows = cast("list[dict[str, str]]", tomllib.load(file)["style"])
    return tuple(Style(**row) for row in rows)


def find(key: str) -> Style:
    """The style of that key.

    Raises:
        InvalidRequest: there is none.
    """
    known = {style.key: style for style in load()}
    if key not in known:
        raise InvalidRequest(f"There is no style {key!r}.", f"Use one of {', '.join(known)}.")
    return known[key]
