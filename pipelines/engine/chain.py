"""An engine in pieces: which plan each step calls, and what goes from step to step. Standard library only.

In the store a chain is one file: `_MAGIC`, the length of the header (4 bytes, little-endian), the header as JSON
(`plans`, their lengths; `steps`), and the plans one after another.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAGIC = b"firstlight chain 1\n"
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of plan number `engine`.

    `region` is the path of the block in the network, empty for what is none. `inputs` and `outputs` map the plan's
    names to those of the tensors that go from step to step, which for the ends of the chain are the network's own.
    `weights` maps the plan's names to those of the checkpoint.
    """

    engine: int
    region: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    weights: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Chain:
    """Plans and the steps that call them."""

    plans: tuple[bytes, ...]
    steps: tuple[Step, ...]


def pack(chain: Chain) -> bytes:
    """The content of its file."""
    header = {"plans": [len(plan) for plan in chain.plans], "steps": [asdict(step) for step in chain.steps]}
    text = json.dumps(header).encode()
    return b"".join((_MAGIC, _LENGTH.pack(len(text)), text, *chain.plans))


def unpack(content: bytes) -> Chain:
    """The chain in the content of its file.

    Raises:
        UnusableFile: it is none.
    """
    start = len(_MAGIC) + _LENGTH.size
    try:
        if not content.startswith(_MAGIC):
            raise ValueError("no chain")
        (length,) = _LENGTH.unpack_from(content, len(_MAGIC))
        header = json.loads(content[start : start + length])
        steps = tuple(Step(**step) for step in header["steps"])
        place = start + length
        plans: list[bytes] = []
        for size in header["plans"]:
            plans.append(content[place : place + size])
            place += size
        if place != len(content) or any(not 0 <= step.engine < len(plans) for step in steps):
            raise ValueError("another length")
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise UnusableFile(f"The engine in pieces is damaged: {error}.", "Build it again.") from error
    return Chain(tuple(plans), steps)
