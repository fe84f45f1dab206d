"""`firstlight engine`: build, show and remove the engines that TensorRT-RTX runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.files import say_bytes
from pipelines import catalog, checkpoints
from pipelines.engine import rtx, select
from pipelines.engine.store import Entry, Store
from pipelines.errors import Cancelled, InvalidRequest, UnusableFile
from pipelines.request import Precision

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from app.interrupt import Interrupt
    from app.terminal import Terminal
    from pipelines.engine.build import BuildProgress, Recipe, Step
    from pipelines.engine.interfaces import Part
    from pipelines.engine.manifest import Facts


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the command works with. `locate` turns a model's own name into what the catalog finds."""

    store: Store
    interrupt: Interrupt
    locate: Callable[[str], str]


def run(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Carry out one of the actions; return the exit code.

    Raises:
        FirstlightError: it failed.
    """
    match args.action:
        case "build":
            _build(args, terminal, wiring)
        case "list":
            _list(terminal, wiring.store)
        case _:
            _remove(args, terminal, wiring.store)
    return 0


def _build(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> None:
    """Build what is missing, part by part; what is built stays should a later one fail."""
    rtx.need_version()  # before PyTorch is waited for
    folder = _find_folder(catalog.STARTER if args.model is None else wiring.locate(args.model))
    store = wiring.store if args.into is None else Store(args.into)
    # Late: they load PyTorch
    from pipelines.engine import build, export

    rows: list[dict[str, object]] = []
    terminal.so_far["engines"] = rows
    for recipe in _make_recipes(args, folder):
        recipe.check()
        facts = build.make_facts(recipe, export.EXPORT_VERSION)
        entry, reason = _find(store, facts, rebuild=args.rebuild)
        part = recipe.network.part.value
        if entry is None:
            terminal.note(f"Building the engine of the {part}: {reason}.")
            with _Line(terminal, wiring.interrupt) as line:
                entry = build.build(recipe, facts, store, line)
        rows.append({**_facts(entry), "built": bool(reason)})
        if not terminal.wants_json:
            terminal.say(f"{part}: {entry.name}, {_say_size(entry)}{'' if reason else ', was there already'}")
    if terminal.wants_json:
        terminal.answer({"engines": rows})


def _find_folder(name_or_path: str) -> Path:
    """Where the model's configuration is. That of a known model ships, so the model itself need not be here."""
    entry = catalog.find(name_or_path)
    shipped = checkpoints.configs(entry.layout or entry.name)
    if entry.location is not None and not entry.layout:
        return entry.location
    if not shipped.is_dir():
        raise UnusableFile(
            f"The model {entry.title} is not on this machine.", "Pass the path of a diffusers folder with --model."
        )
    return shipped


def _make_recipes(args: argparse.Namespace, folder: Path) -> list[Recipe]:
    """One for each part that is asked for, or that the model has."""
    from pipelines.engine.build import PORTABLE, REGIONS, Recipe
    from pipelines.engine.export import find_network, find_parts
    from pipelines.engine.interfaces import IN_BLOCKS, Part
    from pipelines.engine.network import WeightKind

    known = {part.value: part for part in Part}
    for name in args.part:
        if name not in known:
            raise InvalidRequest(f"There is no part {name!r}.", f"Use one of {', '.join(known)}.")
    if args.weights not in (WeightKind.placeholder.value, WeightKind.input.value, REGIONS):
        raise InvalidRequest(f"Weights cannot be {args.weights!r} in an engine.", "Use placeholder, input or regions.")
    regions = args.weights == REGIONS
    parts = [known[name] for name in args.part] or [
        part for part in find_parts(folder) if part in IN_BLOCKS or not regions
    ]
    kind = WeightKind.input if regions else WeightKind(args.weights)
    target = args.capability or PORTABLE
    return [
        Recipe(find_network(folder, part), _find_precision(args.precision, part), kind, target, regions=regions)
        for part in parts
    ]


def _find_precision(asked: Precision, part: Part) -> Precision:
    """bf16 where nothing is asked for, and for what is never narrow."""
    wanted = select.keep_wide(part.component, asked)
    return Precision.bf16 if wanted is Precision.auto else wanted


def _find(store: Store, facts: Facts, *, rebuild: bool) -> tuple[Entry | None, str]:
    """The engine where it is there, else why it is to be built."""
    if rebuild:
        return None, "a new build was asked for"
    found = store.find(facts)
    if not isinstance(found, Entry):
        return None, found.reason
    plan = store.load(found)  # whole, too: a damaged one is set aside here
    return (found, "") if isinstance(plan, bytes) else (None, plan.reason)


def _list(terminal: Terminal, store: Store) -> None:
    own = store.entries()
    entries = [*own, *store.shipped()]
    installed = rtx.find_version()
    rows = [
        {**_facts(entry), "fits": entry.manifest.facts.rtx_version == installed, "shipped": entry.shipped}
        for entry in entries
    ]
    if terminal.wants_json:
        size = sum(entry.manifest.stored_bytes for entry in own)
        terminal.answer({"engines": rows, "bytes": size, "rtx_version": installed, "folder": store.folder})
        return
    for entry, row in zip(entries, rows, strict=True):
        note = ", came with Firstlight" if entry.shipped else ""
        note += "" if row["fits"] else ", built for another version of TensorRT-RTX than is installed"
        terminal.say(f"{entry.name}  {entry.manifest.details.part}, {_say_size(entry)}{note}")
    if not entries:
        terminal.say("No engines. Build them: firstlight engine build.")


def _remove(args: argparse.Namespace, terminal: Terminal, store: Store) -> None:
    if bool(args.name) == args.all:
        raise InvalidRequest("It is not clear which engines are to go.", "Give names, or --all.")
    removed: list[str] = []
    terminal.so_far["removed"] = removed
    for name in [entry.name for entry in store.entries()] if args.all else args.name:
        removed.append(store.remove(name).name)
    aside = store.clear_aside() if args.all else 0
    if terminal.wants_json:
        terminal.answer({"removed": removed, "set_aside": aside})
        return
    for name in removed:
        terminal.say(f"Removed {name}.")
    if aside:
        terminal.say(f"Removed {aside} damaged engine{'' if aside == 1 else 's'} that had been set aside.")
    if not removed and not aside:
        terminal.say("There was nothing to remove.")


def _facts(entry: Entry) -> dict[str, object]:
    manifest = entry.manifest
    details = manifest.details
    return {
        "name": entry.name,
        "part": details.part,
        "facts": manifest.facts,
        "reason": details.reason,
        "weights": len(details.weights),
        "plan_bytes": manifest.plan_bytes,
        "stored_bytes": manifest.stored_bytes,
        "export_seconds": details.export_seconds,
        "build_seconds": details.build_seconds,
        "peak_memory": details.peak_memory,
        "created": manifest.created,
    }


def _say_size(entry: Entry) -> str:
    return f"{say_bytes(entry.manifest.plan_bytes)}, {say_bytes(entry.manifest.stored_bytes)} on disk"


class _Line:
    """A `BuildReport`: one line that is drawn over, where a person is watching; a line for each step elsewhere."""

    def __init__(self, terminal: Terminal, interrupt: Interrupt) -> None:
        self._terminal = terminal
        self._interrupt = interrupt
        self._draws = terminal.err.isatty()
        self._step: Step | None = None

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._draws:
            self._terminal.err.write("\r\x1b[K")
            self._terminal.err.flush()

    def __call__(self, progress: BuildProgress, /) -> None:
        """Draw it.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        if self._draws:
            words = f"{progress.part}: {progress.step.value}, {progress.elapsed:.0f} s"
            if progress.elapsed < progress.estimate:
                words += f" of about {progress.estimate:.0f} s"
            self._terminal.err.write(f"\r\x1b[K{progress.fraction:4.0%} {words}")
            self._terminal.err.flush()
        elif progress.step is not self._step and progress.fraction < 1:
            self._terminal.note(f"{progress.part}: {progress.step.value} ...")
        self._step = progress.step
        if self._interrupt.requested:
            raise Cancelled
