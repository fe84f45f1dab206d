"""`firstlight cache`: the kernels that were compiled on this machine, shown, deleted, and taken to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.caches import say
from app.services.files import say_bytes

if TYPE_CHECKING:
    import argparse

    from app.services.caches import CacheRow, Caches
    from app.terminal import Terminal


def run(args: argparse.Namespace, terminal: Terminal, caches: Caches) -> int:
    """Carry out one of the actions; return the exit code.

    Raises:
        FirstlightError: it failed.
    """
    match args.action:
        case "list":
            _list(terminal, caches)
        case "clear":
            _clear(args, terminal, caches)
        case "export":
            _export(args, terminal, caches)
        case _:
            _import(args, terminal, caches)
    return 0


def _list(terminal: Terminal, caches: Caches) -> None:
    state = caches.look()
    if terminal.wants_json:
        terminal.answer(
            {
                "caches": [_as_json(row) for row in state.rows],
                "bytes": state.bytes,
                "limit": state.limit,
                "set_aside_bytes": state.set_aside,
                "folder": caches.folder,
            }
        )
        return
    for row in state.rows:
        facts = row.manifest.facts
        where = ", ".join(word for word in (facts.gpu, facts.driver and f"driver {facts.driver}") if word) or "CPU"
        note = f"; does not fit here: {say(row.difference)}" if row.difference else ""
        terminal.say(
            f"{row.name}  {row.manifest.component}, {say_bytes(row.manifest.bytes)}, {where}, "
            f"sizes {', '.join(row.shapes) or 'none'}{note}"
        )
    if not state.rows:
        terminal.say("No kernels are kept yet. They are when pictures are drawn on an accelerated backend.")
    aside = f"; damaged files {say_bytes(state.set_aside)}" if state.set_aside else ""
    terminal.say(f"{say_bytes(state.bytes)} of at most {say_bytes(state.limit)}{aside}.")


def _clear(args: argparse.Namespace, terminal: Terminal, caches: Caches) -> None:
    cleared = caches.clear(args.name)
    if terminal.wants_json:
        terminal.answer({"removed": cleared.names, "set_aside": cleared.set_aside})
        return
    for name in cleared.names:
        terminal.say(f"Removed {name}.")
    if cleared.set_aside:
        terminal.say(f"Removed {cleared.set_aside} damaged file{'' if cleared.set_aside == 1 else 's'}.")
    if not cleared.names and not cleared.set_aside:
        terminal.say("There was nothing to remove.")


def _export(args: argparse.Namespace, terminal: Terminal, caches: Caches) -> None:
    names = caches.export(args.file, args.name)
    size = args.file.stat().st_size
    if terminal.wants_json:
        terminal.answer({"file": args.file, "exported": names, "bytes": size})
        return
    terminal.say(f"{args.file}: {len(names)} cache{'' if len(names) == 1 else 's'}, {say_bytes(size)}")


def _import(args: argparse.Namespace, terminal: Terminal, caches: Caches) -> None:
    imported = caches.take_in(args.file)
    if terminal.wants_json:
        terminal.answer(
            {
                "imported": imported.names,
                "refused": [{"name": one.name, "difference": one.difference} for one in imported.refused],
            }
        )
        return
    for name in imported.names:
        terminal.say(f"Taken in: {name}")
    for one in imported.refused:
        terminal.note(f"Left out: {one.name}: {say(one.difference)}.")


def _as_json(row: CacheRow) -> dict[str, object]:
    manifest = row.manifest
    return {
        "name": row.name,
        "component": manifest.component,
        "facts": manifest.facts,
        "shapes": row.shapes,
        "bytes": manifest.bytes,
        "seconds": manifest.seconds,
        "created": manifest.created,
        "used": row.used,
        "fits": row.difference is None,
        "difference": row.difference,
    }
