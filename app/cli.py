"""The command line, a contract that scripts rely on: exit codes, one JSON object on stdout, one-line errors.

firstlight                        the window
firstlight generate PROMPT ...    firstlight inspect IMAGE
firstlight models ACTION ...      firstlight engine ACTION ...
firstlight cache ACTION ...       firstlight doctor
firstlight bench | validate | profile
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from app.arguments import make_parser
from app.interrupt import Interrupt
from app.terminal import Terminal, show_box
from pipelines.errors import Cancelled, FirstlightError, NoRoom, UnusableFile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback reaches the user."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    terminal = Terminal(wants_json=_wants_json(arguments))
    with Interrupt() as interrupt:
        try:
            code = _run(arguments, terminal, interrupt)
        except FirstlightError as failure:
            code = _fail(terminal, failure)
        except KeyboardInterrupt:
            code = _fail(terminal, Cancelled())
        except MemoryError:
            code = _fail(
                terminal,
                NoRoom("There is not enough memory.", "Close other programs or ask for a smaller size."),
            )
        except Exception as fault:  # noqa: BLE001  # the process's edge: a fault of ours is told in one line, too
            code = _fail(terminal, _explain_fault(fault))
    return _finish(terminal, code)


def _run(arguments: list[str], terminal: Terminal, interrupt: Interrupt) -> int:
    try:
        args = make_parser().parse_args(arguments)
    except SystemExit as finished:  # --help has been written
        return int(finished.code or 0)
    if args.version:
        return _say_version(terminal)
    if args.command is None:
        return _open_window(args.open)
    return _run_command(args, terminal, interrupt)


def _open_window(file: str | None) -> int:
    from pathlib import Path

    from app import composition
    from app.folders import find_folders
    from app.logs import log_file

    folders = find_folders(os.environ)
    try:
        with log_file(folders.logs):
            return composition.open_window(folders, (Path(file),) if file else ())
    except Exception as error:
        if sys.stderr is None:  # started by a click: there is no terminal to tell it
            show_box(error if isinstance(error, FirstlightError) else _explain_fault(error))
        raise


def _run_command(args: argparse.Namespace, terminal: Terminal, interrupt: Interrupt) -> int:
    # Late, all of it: `--help` and usage errors answer before any of this is loaded.
    from app import composition
    from app.folders import find_folders
    from app.logs import log_file

    composition.prepare_process(online=args.command == "models")
    folders = find_folders(os.environ)
    with log_file(folders.logs):
        match args.command:
            case "generate":
                from app.commands import generate

                return generate.run(
                    args,
                    terminal,
                    generate.Wiring(
                        lambda: composition.open_session(folders),
                        interrupt,
                        folders,
                        composition.find_models(folders).locate,
                    ),
                )
            case "desktop-entry":
                from app.commands import desktop_entry

                return desktop_entry.run(args, terminal)
            case "inspect":
                from app.commands import inspect

                return inspect.run(args, terminal)
            case "models":
                from app.commands import models

                return models.run(args, terminal, models.Wiring(lambda: composition.open_models(folders), interrupt))
            case "engine":
                from app.commands import engine

                return engine.run(
                    args,
                    terminal,
                    engine.Wiring(
                        composition.open_engines(folders), interrupt, composition.find_models(folders).locate
                    ),
                )
            case "cache":
                from app.commands import cache

                return cache.run(args, terminal, composition.open_caches(folders))
            case "bench" | "validate" | "profile":
                from app.commands import proof

                wiring = proof.Wiring(
                    folders,
                    composition.find_places(folders),
                    interrupt,
                    composition.find_models(folders).locate,
                )
                return proof.COMMANDS[args.command](args, terminal, wiring)
            case _:
                from app.commands import doctor

                return doctor.run(terminal, folders)


def _wants_json(arguments: list[str]) -> bool:
    """Whether `--json` is among the options: it must be known even where the rest cannot be understood."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _say_version(terminal: Terminal) -> int:
    from app.version import read_version

    terminal.say(f"firstlight {read_version()}")
    return 0


def _fail(terminal: Terminal, failure: FirstlightError) -> int:
    terminal.fail(failure)
    return failure.exit_code


def _explain_fault(fault: Exception) -> FirstlightError:
    """Turn a fault of Firstlight's own into words, and keep its traceback in the log file."""
    from app.folders import find_folders
    from app.logs import write_fault

    path = write_fault(fault, find_folders(os.environ).logs)
    kept = (
        f"Please report it with the end of {path}."
        if path
        else "Its details could not be kept: the log folder is not writable."
    )
    return FirstlightError(f"Firstlight has a fault: {type(fault).__name__}: {fault}.", kept)


def _finish(terminal: Terminal, code: int) -> int:
    """Hand on what is buffered. An answer that cannot be written is a failure, unless its reader has left."""
    terminal.out.flush()
    terminal.err.flush()
    lost = terminal.out.failure
    if code != 0 or lost is None or isinstance(lost, BrokenPipeError):
        return code
    kind = NoRoom if lost.errno == errno.ENOSPC else UnusableFile
    failure = kind(
        f"The answer could not be written to standard output: {lost.strerror or lost}.", "Send it elsewhere."
    )
    terminal.note(str(failure))
    return failure.exit_code
