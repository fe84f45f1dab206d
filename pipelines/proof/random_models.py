"""Models of random weights in the true architectures: for timings, where the real weights are not at hand.

They are written as ordinary diffusers folders, from the configurations that ship with Firstlight, so that every backend
loads them as it would the real ones. What they draw is noise.
"""

from __future__ import annotations

import importlib
import json
import math
import shutil
from typing import TYPE_CHECKING, Any, cast

import resources
from pipelines.catalog import read_json
from pipelines.errors import InvalidRequest
from pipelines.events import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import torch

    from pipelines.events import Report

PREFIX = "random:"
_SHARD = 4 * 2**30  # bytes of a file
_BLOCK = 2**22  # random numbers are drawn once and laid out again and again: billions would take minutes
_STEMS = {"diffusers": "diffusion_pytorch_model", "transformers": "model"}


def names(root: Path | None = None) -> tuple[str, ...]:
    """The architectures that `root` has the configurations of; by default those that ship."""
    folder = root or resources.folder() / "configs"
    return tuple(sorted(path.parent.name for path in folder.glob("*/model_index.json")))


def make(name: str, folder: Path, report: Report, root: Path | None = None) -> Path:
    """The folder of the model of that architecture, which is written unless it is there.

    Raises:
        InvalidRequest: there is no such architecture.
        NoRoom, UnusableFile: the disk is full, or closed to us.
    """
    if name not in names(root):
        raise InvalidRequest(f"There is no architecture {name!r}.", f"Use one of {', '.join(names(root))}.")
    target = folder / f"random-{name}"
    if (target / "model_index.json").is_file():  # written last
        return target
    shutil.rmtree(target, ignore_errors=True)
    configs = (root or resources.folder() / "configs") / name
    index = read_json(configs / "model_index.json")
    shutil.copytree(configs, target, ignore=shutil.ignore_patterns("model_index.json"))
    for part, stated in index.items():
        if not isinstance(stated, list) or not (target / part).exists():
            continue
        library, class_name = (str(one) for one in cast("list[object]", stated))
        if part.startswith("tokenizer"):
            _lay_tokenizer(part, class_name, target / part)
        elif library in _STEMS and part != "scheduler":
            report(Notice(f"Writing random weights: {part}"))
            _write_network(library, class_name, target / part)
    (target / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    return target


def _lay_tokenizer(part: str, class_name: str, folder: Path) -> None:
    """The starter model's: its words are few, and their numbers lie within every vocabulary."""
    source = "tokenizer_2" if class_name.startswith("T5") else "tokenizer"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(resources.folder() / "starter" / source, folder)


def _write_network(library: str, class_name: str, folder: Path) -> None:
    torch: Any = importlib.import_module("torch")
    save_file: Any = importlib.import_module("safetensors.torch").save_file
    network = _sketch(library, class_name, folder)
    random = torch.randn(_BLOCK, generator=torch.Generator().manual_seed(0))
    shards: list[list[str]] = []
    for names_ in _shards(network):
        shards.append(names_)
        state = network.state_dict()
        tensors = {name: _fill(name, state[name].shape, random) for name in names_}
        save_file(tensors, str(folder / _shard_name(library, len(shards))), metadata={"format": "pt"})
    _name_shards(library, folder, shards, network)


def _sketch(library: str, class_name: str, folder: Path) -> Any:
    """The network without memory for its weights."""
    torch: Any = importlib.import_module("torch")
    kind: Any = getattr(importlib.import_module(library), class_name)
    config = read_json(folder / "config.json")
    with torch.device("meta"):
        if library == "diffusers":
            return kind.from_config(config)
        return kind(kind.config_class(**config))


def _shards(network: Any) -> Iterator[list[str]]:
    """The names of its weights, by files."""
    names_: list[str] = []
    size = 0
    tied = set(cast("dict[str, str]", getattr(network, "_tied_weights_keys", None) or {}))
    for name, tensor in network.state_dict().items():
        if name in tied:
            continue
        size += tensor.numel() * 2
        if names_ and size > _SHARD:
            yield names_
            names_, size = [], tensor.numel() * 2
        names_.append(name)
    yield names_


def _fill(name: str, shape: Any, random: torch.Tensor) -> torch.Tensor:
    """Values as a fresh network has them: what goes through stays as large as it was."""
    torch: Any = importlib.import_module("torch")
    if len(shape) < 2:
        is_scale = name.endswith("weight")  # of a norm
        return torch.full(tuple(shape), 1.0 if is_scale else 0.0, dtype=torch.bfloat16)
    count = math.prod(shape)
    spread = 1.0 if "embed_tokens" in name or "embedding" in name else math.prod(shape[1:]) ** -0.5
    values = (random[:count] * spread).to(torch.bfloat16)
    return values.repeat(-(-count // values.numel()))[:count].reshape(tuple(shape))


def _shard_name(library: str, number: int) -> str:
    return f"{_STEMS[library]}-{number:05d}.safetensors"


def _name_shards(library: str, folder: Path, shards: list[list[str]], network: Any) -> None:
    """One file has the plain name; several get an index."""
    stem = _STEMS[library]
    if len(shards) == 1:
        (folder / _shard_name(library, 1)).rename(folder / f"{stem}.safetensors")
        return
    places: dict[str, str] = {}
    for number, names_ in enumerate(shards, start=1):
        final = f"{stem}-{number:05d}-of-{len(shards):05d}.safetensors"
        (folder / _shard_name(library, number)).rename(folder / final)
        places |= dict.fromkeys(names_, final)
    state = network.state_dict()
    total = sum(state[name].numel() * 2 for names_ in shards for name in names_)
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / f"{stem}.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
