"""`firstlight models add|download|verify|remove|token`: what changes the models of this machine."""

from __future__ import annotations

import getpass
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services import needs
from app.services.files import say_bytes
from app.services.queue import State
from app.transfer_bar import TransferBar
from pipelines import catalog, devices
from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    import argparse

    from app.interrupt import Interrupt
    from app.services.downloads import Outcome
    from app.services.model_files import Verdict
    from app.services.models import Added, Removal
    from app.services.registry import Model
    from app.services.wiring import ModelServices
    from app.terminal import Terminal


@dataclass(frozen=True, slots=True)
class Tools:
    """What these actions work with."""

    services: ModelServices
    interrupt: Interrupt


def run(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    """Carry out the action; return the exit code.

    Raises:
        FirstlightError: it failed; what was done before is in `terminal.so_far`.
    """
    match args.action:
        case "add":
            return _add(args, terminal, tools)
        case "download":
            return _download(args, terminal, tools)
        case "verify":
            return _verify(args, terminal, tools)
        case "remove":
            return _remove(args, terminal, tools)
        case _:
            return _token(args, terminal, tools)


def _add(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    with TransferBar(terminal, tools.interrupt) as bar:
        added = tools.services.models.add(args.path, copy=args.copy, name=args.name, report=bar.show_files)
    if terminal.wants_json:
        terminal.answer(_added_as_json(added))
        return 0
    for model in added.models:
        terminal.say(f"{model.name}  {model.kind.value}  {say_bytes(model.size)}  {model.location}")
    for found in added.problems:
        terminal.note(f"Left out: {found.problem}")
    for paths, why in (
        (added.scan.pickles, "pickle files, which could run any program, were left out"),
        (added.scan.links, "links were not followed"),
        (added.scan.closed, "folders could not be looked into"),
    ):
        if paths:
            terminal.note(f"{len(paths)} {why}, such as {paths[0]}.")
    if not added.models:
        terminal.note("Nothing new was found there.")
    return 0


def _download(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    downloads = tools.services.downloads
    if args.name and len(args.what) != 1:
        raise InvalidRequest("A name can be given to one download only.", "Download them one by one.")
    for wish in args.what:
        _queue(wish, args.name, terminal, tools)
    if not args.what:  # go on with everything that is not done
        for one in downloads.queue.all():
            if one.state is not State.running:
                downloads.resume(one.name)
    done: list[Model] = []
    terminal.so_far["models"] = [] if terminal.wants_json else done
    with TransferBar(terminal, tools.interrupt) as bar:
        outcomes = downloads.run(bar.show_download)
    done += [outcome.model for outcome in outcomes if outcome.model is not None]
    terminal.so_far["models"] = [_model_as_json(model) for model in done]
    if not terminal.wants_json:
        for model in done:
            terminal.say(f"{model.name}  {say_bytes(model.size)}  {model.location}")
    _raise_first(outcomes, terminal)
    if terminal.wants_json:
        terminal.answer(terminal.so_far)
    elif not outcomes:
        terminal.note("There is nothing to download.")
    return 0


def _queue(wish: str, name: str, terminal: Terminal, tools: Tools) -> None:
    """Put a download into the queue; one that was downloaded before is checked, and mended where it is damaged."""
    model = tools.services.models.find(wish)
    if model is None:
        _warn(wish, terminal)
        tools.services.downloads.add(wish, name)
        return
    with TransferBar(terminal, tools.interrupt) as bar:
        queued = tools.services.downloads.repair(model, bar.show_files)
    terminal.note(f"{model.name} is {'whole' if queued is None else 'damaged; the damaged files are fetched again'}.")


def _warn(wish: str, terminal: Terminal) -> None:
    """Compare what a model of the catalog needs with this machine, and name its licence, before it is fetched."""
    entry = next((one for one in catalog.load() if one.name.casefold() == wish.casefold()), None)
    if entry is None:
        return
    terminal.note(f"{entry.title}: {entry.licence}, {entry.licence_page or 'see its page'}")
    if not entry.runs:
        terminal.note(f"This version cannot draw with {entry.title} yet.")
    if words := needs.warning(entry, devices.probe()):
        terminal.note(words)


def _raise_first(outcomes: tuple[Outcome, ...], terminal: Terminal) -> None:
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    for outcome in failed[1:]:
        terminal.note(f"{outcome.download.name}: {outcome.failure}")
    if failed and failed[0].failure is not None:
        raise failed[0].failure


def _verify(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    models = tools.services.models
    chosen = [_find(tools, name) for name in args.model] or list(models.all())
    results: list[tuple[Model, tuple[Verdict, ...]]] = []
    with TransferBar(terminal, tools.interrupt) as bar:
        for model in chosen:
            results.append((model, models.verify(model, bar.show_files)))
    bad = [verdict for _, verdicts in results for verdict in verdicts if verdict.problem]
    if terminal.wants_json:
        terminal.answer(
            {"models": [{"name": model.name, "ok": _is_whole(found), "files": found} for model, found in results]}
        )
    else:
        for model, found in results:
            hashed = sum(verdict.hashed for verdict in found)
            words = "whole" if _is_whole(found) else "damaged"
            terminal.say(f"{model.name}  {words}, {hashed} of {len(found)} files against a known hash")
            for verdict in found:
                if verdict.problem:
                    terminal.say(f"  {verdict.file}: {verdict.problem}")
    return UnusableFile.exit_code if bad else 0


def _remove(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    models = tools.services.models
    removal = models.plan_removal(_find(tools, args.model))
    if not args.dry_run:
        models.remove(removal, permanently=args.permanently)
    if terminal.wants_json:
        terminal.answer({"removed": not args.dry_run, **_removal_as_json(removal)})
        return 0
    where = "deleted" if args.permanently else "put into the bin"
    tense = f"would be {where}" if args.dry_run else where
    for path in removal.paths:
        terminal.say(f"{path}: {tense}, {say_bytes(removal.freed)}")
    if not removal.paths:
        terminal.say(f"{removal.model.name}: only forgotten; its files stay at {removal.model.location}")
    return 0


def _token(args: argparse.Namespace, terminal: Terminal, tools: Tools) -> int:
    host = args.host or tools.services.hub.host
    token = "" if args.remove else _read_token(host)
    if not args.remove and not token.strip():
        raise InvalidRequest("No token was given.", "Type it, or send it through standard input.")
    tools.services.tokens.store(host, token)
    if terminal.wants_json:
        terminal.answer({"host": host, "stored": not args.remove})
    else:
        terminal.say(f"{host}: {'removed' if args.remove else 'stored in the system keyring'}")
    return 0


def _read_token(host: str) -> str:
    """From the keyboard without an echo, or from standard input; never from the arguments, which others can see."""
    if sys.stdin is None:
        raise InvalidRequest("There is no standard input to read the token from.", "Run it in a terminal.")
    if sys.stdin.isatty():
        return getpass.getpass(f"Token for {host}: ")
    return sys.stdin.readline()


def _find(tools: Tools, name: str) -> Model:
    model = tools.services.models.find(name)
    if model is None:
        names = ", ".join(one.name for one in tools.services.models.all()) or "none yet"
        raise UnusableFile(
            f"There is no model named {name!r} among those that were added or downloaded.", f"There are: {names}."
        )
    return model


def _is_whole(verdicts: tuple[Verdict, ...]) -> bool:
    return not any(verdict.problem for verdict in verdicts)


def _model_as_json(model: Model) -> dict[str, object]:
    return {
        "name": model.name,
        "kind": model.kind.value,
        "family": model.family,
        "location": model.location,
        "keeping": model.keeping.value,
        "bytes": model.size,
    }


def _added_as_json(added: Added) -> dict[str, object]:
    return {
        "models": [_model_as_json(model) for model in added.models],
        "problems": [{"path": found.path, "problem": found.problem} for found in added.problems],
        "links": added.scan.links,
        "pickles": added.scan.pickles,
        "closed": added.scan.closed,
    }


def _removal_as_json(removal: Removal) -> dict[str, object]:
    return {"name": removal.model.name, "paths": removal.paths, "bytes": removal.freed}
