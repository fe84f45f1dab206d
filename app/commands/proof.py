"""`firstlight bench`, `validate` and `profile`: how fast this machine is, whether it draws right, where time goes."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.services.benchmarks import FOLDER as BENCHMARKS
from app.version import read_version
from pipelines import catalog, devices
from pipelines.errors import Cancelled, FirstlightError
from pipelines.events import Notice
from pipelines.proof import accepted, limits, random_models, record, regression, report, suites
from pipelines.request import Backend, Precision

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from app.folders import Folders
    from app.interrupt import Interrupt
    from app.terminal import Terminal
    from pipelines.devices import Machine
    from pipelines.engine.base import Places
    from pipelines.events import Event
    from pipelines.proof.acceptance import AcceptanceRecord
    from pipelines.proof.profile import Profile
    from pipelines.proof.record import BenchRecord
    from pipelines.proof.rig import Workshop

_SEEDS = (7, 8)
_ROWS = 15  # of a profile that are told


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the commands work with. `locate` turns a model's own name into what the catalog finds."""

    folders: Folders
    places: Places
    interrupt: Interrupt
    locate: Callable[[str], str]


class _Lines:
    """A report: what is being done, in a line each on stderr."""

    def __init__(self, terminal: Terminal, interrupt: Interrupt) -> None:
        self._terminal = terminal
        self._interrupt = interrupt

    def __call__(self, event: Event, /) -> None:
        """Tell it.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        if self._interrupt.requested:
            raise Cancelled
        if isinstance(event, Notice):
            self._terminal.note(event.message)


def run_bench(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Measure, keep the record, and tell what matters of it; return the exit code.

    Raises:
        FirstlightError: it cannot be measured.
    """
    suite = suites.find(args.suite).narrow(args.only, args.steps or 0)
    lines = _Lines(terminal, wiring.interrupt)
    model = _find_model(args.model, wiring, lines)
    machine = devices.probe()
    from pipelines.proof import bench, contenders, rivals  # late: they load PyTorch

    workshop = open_workshop(machine, wiring.places)
    order = bench.Order(
        suite=suite,
        model=model,
        contenders=contenders.find(suite, machine, args.backend, args.precision, autotune=args.autotune),
        machine=machine,
        workshop=replace(workshop, load=rivals.Rivals(workshop.load)),
        app_version=read_version(),
    )
    found = bench.run(order, lines)
    plain = record.to_plain(found)
    folder = wiring.places.records / BENCHMARKS if wiring.places.records is not None else None
    before = _find_before(args.against, folder, plain)
    slower = regression.compare(before[1], plain) if before is not None else []
    files = _keep(found, folder, args.json)
    if args.json == "-":
        terminal.answer(plain)
    elif terminal.wants_json:
        changes = [{"what": one.what, "factor": round(one.factor, 4)} for one in slower]
        against = str(before[0]) if before is not None else None
        terminal.answer({"files": files, "seconds": found.seconds, "against": against, "slower": changes})
    else:
        for line in _describe_bench(found, before, slower, files):
            terminal.say(line)
    return 0


def run_validate(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Judge one backend and precision; 0 where it is accepted, else the exit code of an engine failure.

    Raises:
        FirstlightError: it cannot be judged.
    """
    lines = _Lines(terminal, wiring.interrupt)
    model = _find_model(args.model, wiring, lines)
    machine = devices.probe()
    entry = catalog.find(model)
    from pipelines.proof import acceptance, contenders, side_by_side  # late: they load PyTorch

    (contender, *_) = contenders.candidates(machine, args.backend, args.precision, all_precisions=False)
    order = acceptance.Order(
        model=model,
        contender=contender,
        machine=machine,
        workshop=open_workshop(machine, wiring.places),
        sizes=(args.size,) if args.size else tuple(suites.sizes(suites.QUICK, entry)[:2]),
        seeds=_SEEDS,
        app_version=read_version(),
        steps=args.steps or 0,
        own_limits=wiring.folders.config / limits.FILE,
    )
    found, worst = acceptance.validate(order, lines)
    plain = record.to_plain(found)
    folder = (wiring.places.records or wiring.folders.data) / accepted.FOLDER
    file = folder / found.facts.file_name
    worse = _compare_before(file, plain)
    record.write(found, file)
    side_by_side.save(worst, file.with_suffix(".png"))
    rows = limits.published([gpu.name for gpu in machine.gpus])
    if args.json and args.json != "-":
        record.write(found, Path(args.json))
        side_by_side.save(worst, Path(args.json).with_suffix(".png"))
    if args.json == "-":
        terminal.answer({**plain, "published": record.to_plain(rows)})
    elif terminal.wants_json:
        terminal.answer({"verdict": found.verdict, "reason": found.reason, "file": file, "worse": worse})
    else:
        for line in _describe_acceptance(found, worse, file):
            terminal.say(line)
        for row in rows:
            terminal.say(_describe_published(row))
    return 0 if found.verdict is not limits.Verdict.reject else 5


def open_workshop(machine: Machine, places: Places) -> Workshop:
    """The backends of this machine, which keep kernels where the user's are."""
    from pipelines.engine.loading import Loaders
    from pipelines.proof.rig import Workshop

    return Workshop(machine, Loaders(machine, places).load_plain, places)


def _find_model(name: str | None, wiring: Wiring, lines: _Lines) -> str:
    """What the catalog finds; `random:NAME` is made in the cache."""
    if name is None:
        return catalog.STARTER
    if name.startswith(random_models.PREFIX):
        folder = wiring.folders.cache / "random"
        return str(random_models.make(name.removeprefix(random_models.PREFIX), folder, lines))
    return wiring.locate(name)


def _find_before(stated: str | None, folder: Path | None, plain: dict[str, Any]) -> tuple[Path, dict[str, Any]] | None:
    """The record to compare with: the one that was named, else the last of its kind."""
    if stated is not None:
        return Path(stated), record.read(Path(stated))
    if folder is None or not folder.is_dir():
        return None
    known: list[tuple[Path, dict[str, Any]]] = []
    for file in folder.glob("*.json"):
        try:
            known.append((file, record.read(file)))
        except FirstlightError:
            continue  # of another version, or damaged
    path = regression.find_before(folder, plain, known)
    return next((one for one in known if one[0] == path), None)


def _compare_before(file: Path, plain: dict[str, Any]) -> list[str]:
    try:
        before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return regression.compare_acceptance(before, plain)
    except (OSError, ValueError, KeyError, TypeError):
        return []  # there is none, or none that could be read


def _keep(found: BenchRecord, folder: Path | None, stated: str | None) -> list[Path]:
    """Write the record, the tables and the charts into the profile, and beside the file that was asked for."""
    stems: list[Path] = []
    if folder is not None:
        time = found.created[:19].replace(":", "").replace("-", "")
        stems.append(folder / f"{time}-{found.suite}-{found.model.replace('.', '_')}")
    if stated is not None and stated != "-":
        stems.append(Path(stated).with_suffix(""))
    files: list[Path] = []
    for stem in stems:
        name = (
            Path(stated) if stated is not None and stem == Path(stated).with_suffix("") else stem.with_suffix(".json")
        )
        record.write(found, name)
        record.write_text(report.markdown(found), stem.with_suffix(".md"))
        record.write_text(report.plot(found), stem.with_suffix(".svg"))
        files += [name, stem.with_suffix(".md"), stem.with_suffix(".svg")]
    return files


def _describe_bench(
    found: BenchRecord,
    before: tuple[Path, dict[str, Any]] | None,
    slower: list[regression.Change],
    files: list[Path],
) -> list[str]:
    times = {
        (one.contender, one.size): one.host.median for one in found.timings if one.what == "picture" and not one.loras
    }
    lines: list[str] = []
    for ratio in found.ratios:
        if ratio.what == "picture":
            seconds = report.say_seconds(times[ratio.candidate, ratio.size])
            spread = f"{ratio.lowest:.2f} to {ratio.highest:.2f}"
            lines.append(f"{ratio.size}  {ratio.candidate}: {seconds}, {ratio.speedup:.2f} × ({spread}) as fast")
    for name, seconds in report.total_sequences(found).items():
        lines.append(f"{name}: twelve requests in {report.say_seconds(seconds)}")
    for one in found.starts:
        first, second = report.say_seconds(one.first), report.say_seconds(one.second)
        lines.append(f"{one.contender}, {one.cache} cache: first picture {first}, second {second}")
    lines += [f"Left out: {note}" for note in found.notes]
    if before is not None:
        lines.append(f"Against {before[0].name}: {'slower in' if slower else 'nothing is slower by more than 5 %'}")
        lines += [f"  {one.what}: {(one.factor - 1) * 100:.0f} %" for one in slower]
    lines.append(f"{found.seconds:.0f} s in all")
    return lines + [str(file) for file in files]


def _describe_acceptance(found: AcceptanceRecord, worse: list[str], file: Path) -> list[str]:
    facts = found.facts
    lines = [f"{facts.backend} {facts.precision} on {facts.device}, {found.model}: {found.verdict.value}"]
    for finding in found.findings:
        limit = f"(accept {finding.limit.accept:g}, reject {finding.limit.reject:g})" if finding.limit else ""
        lines.append(f"  {finding.verdict.value:<18} {finding.what} {finding.value:.4g} {limit} at {finding.where}")
    if found.reference_step and found.step:
        lines.append(
            f"A step takes {report.say_seconds(found.step)}, {found.reference_step / found.step:.2f} × as fast"
        )
    lines += [f"Worse than before: {one}" for one in worse]
    lines += [f"Note: {note}" for note in found.notes]
    return [*lines, str(file), str(file.with_suffix(".png"))]


def _describe_published(row: limits.Published) -> str:
    return (
        f"NVIDIA states for {row.model} on an {row.gpu}: {row.precision}, {row.width}x{row.height}, {row.steps} steps, "
        f"{row.mode}: {row.seconds:.2f} s, {row.memory_gib:.1f} GiB"
    )


def run_profile(args: argparse.Namespace, terminal: Terminal, wiring: Wiring) -> int:
    """Watch one picture, and tell what takes the time; return the exit code.

    Raises:
        FirstlightError: it cannot be drawn.
    """
    lines = _Lines(terminal, wiring.interrupt)
    model = _find_model(args.model, wiring, lines)
    machine = devices.probe()
    from pipelines.proof import bench, contenders, profile, rig  # late: they load PyTorch

    asked = args.backend is not Backend.auto or args.precision is not Precision.auto
    usual = contenders.baseline(machine, exact=False)
    if asked:
        (usual, *_) = contenders.candidates(machine, args.backend, args.precision, all_precisions=False)
    request = bench.make_request(model, catalog.find(model), args.steps or 0)
    if args.size:
        request = replace(request, width=args.size[0], height=args.size[1])
    with contextlib.closing(rig.Rig(usual, request, open_workshop(machine, wiring.places), lines)) as one:
        found = profile.profile(one, request, lines, Path(args.trace) if args.trace else None)
    plain = record.to_plain(found)
    if args.json and args.json != "-":
        record.write(found, Path(args.json))
    if terminal.wants_json:
        terminal.answer(plain if args.json == "-" else {"file": args.json, "top": plain["top"]})
    else:
        for line in _describe_profile(found):
            terminal.say(line)
    return 0


def _describe_profile(found: Profile) -> list[str]:
    say = report.say_seconds
    lines = [f"{found.contender}, {found.size}, {found.steps} steps: {say(found.wall)}", ""]
    for one in found.components:
        device = f", {say(one.device)} on the GPU" if one.device else ""
        lines.append(f"{one.component:<16} {one.calls:>5} calls  {say(one.host):>9}{device}")
    gaps = f"; the GPU waited {say(found.gaps)}" if found.gaps is not None else ""
    lines.append(f"{found.launches} launches, {found.copies} copies ({say(found.copy_seconds)}){gaps}")
    lines += ["", f"{'network':<16} {'calls':>6} {'time':>9} {'share':>6}  kernel or operation"]
    for row in found.rows[:_ROWS]:
        lines.append(f"{row.component:<16} {row.calls:>6} {say(row.seconds):>9} {row.share:>6.1%}  {row.name[:80]}")
    lines.append("")
    for number, row in enumerate(found.top, start=1):
        lines.append(f"{number}. {row.name[:80]} in the {row.component}, {row.share:.0%}: {row.advice}")
    return lines


COMMANDS = {"bench": run_bench, "validate": run_validate, "profile": run_profile}
