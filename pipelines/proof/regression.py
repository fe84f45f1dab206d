"""A record against one from before an update: what has become slower, or different. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

SLOWER = 0.05  # of the time before: more is said
_MARK = ("picture", "transformer", "unet", "vae", "text_encoder", "text_encoder_2")


@dataclass(frozen=True, slots=True)
class Change:
    """What became slower: `factor` times the time before, in a ratio to the baseline where there is one."""

    what: str
    before: float
    after: float

    @property
    def factor(self) -> float:
        """1.1 is ten percent slower."""
        return self.after / self.before


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What is slower than before by more than 5 %, the worst first. Both are records as plain values.

    Candidates are judged by their ratio to the baseline of the same run, which a busy or warm machine changes little;
    the baseline itself by its times.
    """
    changes = [*_compare_ratios(before, after), *_compare_baselines(before, after)]
    return sorted((one for one in changes if one.factor > 1 + SLOWER), key=lambda one: -one.factor)


def find_before(
    folder: Path, after: Mapping[str, Any], records: Sequence[tuple[Path, Mapping[str, Any]]]
) -> Path | None:
    """The latest of the records that are of the same suite, networks and processor, but not the record itself."""
    fitting = [(str(one["created"]), path) for path, one in records if _same(one, after) and path.parent == folder]
    return max(fitting)[1] if fitting else None


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    keys = ("suite", "architecture")
    return all(one[key] == other[key] for key in keys) and _processor(one) == _processor(other)


def _processor(record: Mapping[str, Any]) -> tuple[str, ...]:
    machine = record["machine"]
    return (str(machine["cpu"]), *(str(gpu["name"]) for gpu in machine["gpus"]))


def _compare_ratios(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    old = {(row["candidate"], row["what"], row["size"]): row["speedup"] for row in before["ratios"]}
    for row in after["ratios"]:
        key = row["candidate"], row["what"], row["size"]
        if key in old and row["what"] == "picture":
            words = f"{row['candidate']} against the baseline, {row['what']} at {row['size']}"
            yield Change(words, 1 / old[key], 1 / row["speedup"])


def _compare_baselines(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    baseline = after["contenders"][0]["name"]
    old = {_key(row): _seconds(row) for row in before["timings"] if row["contender"] == baseline}
    for row in after["timings"]:
        if row["contender"] == baseline and row["what"] in _MARK and _key(row) in old:
            words = f"{baseline}, {row['what']} at {row['size']}, {row['steps']} steps, {row['batch']} at once"
            yield Change(words, old[_key(row)], _seconds(row))


def _key(row: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in ("what", "size", "steps", "batch", "loras"))


def _seconds(row: Mapping[str, Any]) -> float:
    return float((row["device"] or row["host"])["median"])


def compare_acceptance(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """In words, what of an acceptance has become worse: another verdict, or a step slower by more than 5 %."""
    order = ("accept", "accept with notes", "reject")
    found: list[str] = []
    if order.index(after["verdict"]) > order.index(before["verdict"]):
        found.append(f"it was '{before['verdict']}' before, and is '{after['verdict']}' now: {after['reason']}")
    if before["step"] and after["step"] > before["step"] * (1 + SLOWER):
        percent = (after["step"] / before["step"] - 1) * 100
        found.append(f"a step takes {percent:.0f} % longer than before")
    old = {row["what"]: row["value"] for row in before["findings"]}
    for row in after["findings"]:
        limit = row["limit"]
        if limit is None or row["what"] not in old:
            continue
        room = abs(limit["reject"] - limit["accept"])
        worse = (old[row["what"]] - row["value"]) if limit["higher_is_nearer"] else row["value"] - old[row["what"]]
        if worse > room:
            found.append(f"{row['what']} went from {old[row['what']]:.4g} to {row['value']:.4g}")
    return found
