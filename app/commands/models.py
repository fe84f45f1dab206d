"""`firstlight models`: what can be drawn with, and getting, checking and removing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.commands import model_files
from app.services import needs
from app.services.files import say_bytes
from app.services.shelf import find_problem
from app.terminal import to_json
from pipelines import catalog, devices
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from app.interrupt import Interrupt
    from app.services.models import Models
    from app.services.registry import Model
    from app.services.wiring import ModelServices
    from app.terminal import Terminal
    from pipelines.catalog import Entry


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the command works with."""

    open_models: Callable[[], ModelServices]
    interrupt: Interrupt


def run(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Carry out one of the actions; return the exit code.

    Raises:
        FirstlightError: there is no such model, or the action failed.
    """
    services = wiring.open_models()
    if args.action == "list":
        _list(terminal, services.models)
        return 0
    if args.action == "show":
        _show(args.model, terminal, services.models)
        return 0
    return model_files.run(args, terminal, model_files.Tools(services, wiring.interrupt))


def find_state(entry: Entry, models: Models) -> str:
    """The same for a row of the catalog, where the model that was downloaded for it counts; empty: it can be used."""
    return str(_catalog_facts(entry, models)["problem"])


def _list(terminal: Terminal, models: Models) -> None:
    changes = models.refresh()
    for model in changes.appeared:
        terminal.note(f"New: {model.name} ({model.location}).")
    known = {entry.name for entry in catalog.load()}
    rows = [_catalog_facts(entry, models) for entry in catalog.load()]
    rows += [_model_facts(model, models) for model in models.all() if model.name not in known]
    usage = models.usage()
    if terminal.wants_json:
        terminal.answer({"models": rows, "disk": usage})
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        about = [str(row["licence"])] if row["licence"] else []
        about += [say_bytes(int(str(row["bytes"])))] if "bytes" in row else []
        words = f" ({', '.join(about)})" if about else ""
        terminal.say(f"{row['name']:<{width}}  {row['title']}{words}: {row['problem'] or 'ready'}")
    total = sum(size for _, size in usage.models)
    terminal.say(
        f"\nModels {say_bytes(total)}, unfinished downloads {say_bytes(usage.unfinished)}, engines "
        f"{say_bytes(usage.engines)}, cache {say_bytes(usage.cache)}; {say_bytes(usage.free)} are free."
    )


def _show(name: str, terminal: Terminal, models: Models) -> None:
    entry = next((one for one in catalog.load() if one.name.casefold() == name.casefold()), None)
    model = models.find(name)
    if entry is not None:
        facts = {**_catalog_facts(entry, models), "memory": to_json(needs.memory_needs(entry, devices.probe()))}
    elif model is not None:
        facts = {**_model_facts(model, models), "files": to_json(model.files)}
    else:
        facts = _entry_facts(catalog.find(name))
    if terminal.wants_json:
        terminal.answer({"model": facts})
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        terminal.say(f"{key:<{width}}  {_say(key, value)}")


def _catalog_facts(entry: Entry, models: Models) -> dict[str, object]:
    """The facts of a catalog's row, with the place and the state of the model that was downloaded for it."""
    facts = _entry_facts(entry)
    model = models.find(entry.name)
    if model is None:
        return facts
    return {**facts, **_state(model, models), "licence": entry.licence}


def _model_facts(model: Model, models: Models) -> dict[str, object]:
    """The facts of a model that is no row of the catalog; the same keys where a picture can be drawn with it."""
    try:
        facts = _entry_facts(catalog.find(str(model.location)))
    except UnusableFile as error:
        facts: dict[str, object] = {"name": model.name, "title": model.name, "family": model.family, "width": None}
        facts |= {"ready": False, "problem": error.message}
    return {**facts, **_state(model, models), "name": model.name}


def _state(model: Model, models: Models) -> dict[str, object]:
    """What is known of the files. Only whole models are drawn with; other kinds are ready when they are whole."""
    problem = models.find_problem(model)
    facts: dict[str, object] = {
        "kind": model.kind.value,
        "location": str(model.location),
        "keeping": model.keeping.value,
        "source": model.source,
        "licence": model.licence,
        "bytes": model.size,
    }
    if not problem and model.kind.name in ("pipeline", "checkpoint"):
        try:
            problem = find_problem(catalog.find(str(model.location)))
        except UnusableFile as error:
            problem = error.message
    return {**facts, "ready": not problem, "problem": problem}


def _entry_facts(entry: Entry) -> dict[str, object]:
    facts = to_json(entry)
    assert isinstance(facts, dict)  # a dataclass becomes an object
    problem = find_problem(entry)
    return {**facts, "ready": not problem, "problem": problem}


def _say(key: str, value: object) -> str:
    if value is None:
        return "-"
    if key == "memory" and isinstance(value, list):
        return "; ".join(
            f"{need['backend']} {need['precision']} {need['bytes'] / 2**30:.1f} GiB"
            f"{'' if need['fits'] else ' (more than this machine has)'}"
            for need in value
        )
    if key == "files" and isinstance(value, list):
        return f"{len(value)}"
    return str(value)
