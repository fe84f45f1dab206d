"""The command line's words: what can be asked for, and the values that come of it. Imports nothing heavy."""

from __future__ import annotations

import argparse
from typing import NoReturn

from app.argument_values import (
    Choice,
    Number,
    Whole,
    one_of,
    parse_control,
    parse_file,
    parse_hires,
    parse_lora,
    parse_outpaint,
    parse_refiner,
)
from pipelines.errors import InvalidRequest
from pipelines.request import PREPROCESSORS, REFINER_START, Backend, Outpaint, Precision, parse_size

_DESCRIPTION = "Draws pictures from words, on this machine."
_EXIT_CODES = """\
exit codes: 0 done, 2 invalid request or usage, 3 model or file missing or unusable,
4 no room (disk or memory), 5 engine failure with no fallback, 130 cancelled
"""


class _Parser(argparse.ArgumentParser):
    """Reports mistakes as the one-line errors of everything else, without the usage lines."""

    def error(self, message: str) -> NoReturn:
        hint = ""
        if "expected one argument" in message:
            hint = "; text that begins with '-' is given as --option=-text"
        elif "arguments are required" in message or "unrecognized" in message:
            hint = "; a prompt that begins with '-' goes last, after --"
        raise InvalidRequest(f"The command line is not understood: {message}.", f"See {self.prog} --help{hint}.")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser. Parsing raises `InvalidRequest` for what it cannot read."""
    parser = _Parser(
        prog="firstlight",
        description=_DESCRIPTION,
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and stop")
    parser.add_argument("--open", metavar="FILE", nargs="?", default="", help="open the window with a picture or model")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_generate(commands.add_parser("generate", help="draw pictures", allow_abbrev=False))
    _add_inspect(commands.add_parser("inspect", help="show the settings stored in a picture", allow_abbrev=False))
    _add_models(commands.add_parser("models", help="show, get, check and remove models", allow_abbrev=False))
    _add_engine(commands.add_parser("engine", help="build, show and remove engines", allow_abbrev=False))
    _add_cache(commands.add_parser("cache", help="show, clear and move compiled kernels", allow_abbrev=False))
    _add_proof(commands)
    doctor = commands.add_parser("doctor", help="show what this machine can do and what is missing", allow_abbrev=False)
    _add_json(doctor)
    entry = commands.add_parser(
        "desktop-entry", help="put Firstlight into the menu of a Linux desktop", allow_abbrev=False
    )
    entry.add_argument("--remove", action="store_true", help="take it out again")
    _add_json(entry)
    return parser


def _add_generate(parser: argparse.ArgumentParser) -> None:
    own = "default: the model's own"
    parser.add_argument("prompt", metavar="PROMPT", help="what to draw; '' draws anything; - reads it from stdin")
    parser.add_argument("--negative", metavar="TEXT", default="", help="what to keep away from")
    parser.add_argument("--style", metavar="NAME", default="", help="words round the prompt, as the window's styles")
    parser.add_argument(
        "--model", metavar="NAME|PATH", help="a name from 'firstlight models list', a diffusers folder, or a file"
    )
    parser.add_argument("--size", metavar="WxH", type=parse_size, help=f"pixels, 64 to 4096 a side ({own})")
    parser.add_argument("--steps", metavar="N", type=Whole("number of steps"), help=f"denoising steps ({own})")
    parser.add_argument(
        "--guidance", metavar="F", type=Number("guidance"), help=f"how strictly to follow the prompt ({own})"
    )
    parser.add_argument(
        "--seed", metavar="N", type=Whole("seed"), default=-1, help="0 to 2^64-1; -1 is random (default: -1)"
    )
    parser.add_argument(
        "--count",
        metavar="N",
        type=Whole("count"),
        default=1,
        help="how many pictures, with seeds N, N+1, ... (default: 1)",
    )
    parser.add_argument("--scheduler", metavar="NAME", default="default", help=f"a diffusers scheduler ({own})")
    parser.add_argument(
        "--lora",
        metavar="FILE[:WEIGHT]",
        type=parse_lora,
        action="append",
        default=[],
        help="a LoRA to apply; may be repeated",
    )
    parser.add_argument("--image", metavar="FILE", type=parse_file, help="a picture to start from")
    _add_editing(parser)
    parser.add_argument(
        "--upscale", metavar="2|4", type=Whole("upscale"), default=1, help="enlarge the finished picture"
    )
    parser.add_argument(
        "--safety-check", action="store_true", help="blur pictures that look unsafe for work (default: no)"
    )
    parser.add_argument(
        "--backend",
        type=Choice(Backend, "backend"),
        default=Backend.auto,
        help=one_of(Backend),
        metavar="NAME",
    )
    parser.add_argument(
        "--precision",
        type=Choice(Precision, "precision"),
        default=Precision.auto,
        help=one_of(Precision),
        metavar="NAME",
    )
    parser.add_argument(
        "--out",
        metavar="FILE|DIR",
        help="a .png, .jpg or .webp file, or a folder (default: Pictures/Firstlight)",
    )
    _add_json(parser)


def _add_editing(parser: argparse.ArgumentParser) -> None:
    """What is done with start pictures, in second passes and by further networks."""
    parser.add_argument(
        "--strength",
        metavar="F",
        type=Number("strength"),
        help="how much of the start picture to redraw, 0 to 1 (default: 0.6; 1 with --outpaint)",
    )
    parser.add_argument("--mask", metavar="FILE", type=parse_file, help="redraw only where this picture is white")
    parser.add_argument(
        "--mask-feather",
        metavar="N",
        type=Whole("mask feather"),
        help="radius in pixels of the blur of the mask's edge (default: 0; 8 with --outpaint)",
    )
    parser.add_argument(
        "--mask-area-only",
        action="store_true",
        help="draw the masked part alone, at --size, and set it back into the start picture",
    )
    parser.add_argument(
        "--outpaint",
        metavar="L,T,R,B",
        type=parse_outpaint,
        default=Outpaint(),
        help="margins to draw left, above, right and below, in pixels",
    )
    parser.add_argument(
        "--hires",
        metavar="SCALE[:STRENGTH[:STEPS]]",
        type=parse_hires,
        help="draw twice: enlarge the picture and redraw it (strength 0.5, as many steps)",
    )
    parser.add_argument(
        "--refiner",
        metavar="MODEL[:START]",
        type=parse_refiner,
        default=("", REFINER_START),
        help=f"a model for the last steps, from the share START of them on (default: {REFINER_START})",
    )
    parser.add_argument(
        "--control",
        metavar="MODEL:IMAGE[:WEIGHT[:START[:END]]]",
        type=parse_control,
        action="append",
        default=[],
        help="a ControlNet and the picture that it follows; may be repeated",
    )
    parser.add_argument(
        "--preprocessor",
        metavar="NAME",
        default="none",
        help=f"what makes the pictures of --control ready: {' or '.join(PREPROCESSORS)} (default: none)",
    )


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("image", metavar="IMAGE", type=parse_file, help="a PNG, JPEG or WebP file")
    _add_json(parser)


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser)
    _add_json(actions.add_parser("list", help="all known models", allow_abbrev=False))
    show = actions.add_parser("show", help="one model", allow_abbrev=False)
    show.add_argument("model", metavar="NAME|PATH")
    _add_json(show)
    add = actions.add_parser("add", help="use a model file or a folder of models that is here", allow_abbrev=False)
    add.add_argument("path", metavar="PATH", type=parse_file)
    add.add_argument("--copy", action="store_true", help="keep a copy of it; it is used in place otherwise")
    add.add_argument("--name", metavar="NAME", default="", help="what to call it")
    _add_json(add)
    download = actions.add_parser("download", help="get models; what was begun goes on", allow_abbrev=False)
    download.add_argument(
        "what",
        metavar="NAME|OWNER/MODEL|HTTPS-LINK",
        nargs="*",
        help="a model of the list, of the hub, or a link to a model file (default: everything unfinished)",
    )
    download.add_argument("--name", metavar="NAME", default="", help="what to call it")
    _add_json(download)
    verify = actions.add_parser("verify", help="check the files of models, byte for byte", allow_abbrev=False)
    verify.add_argument("model", metavar="NAME", nargs="*", help="default: all that were added or downloaded")
    _add_json(verify)
    remove = actions.add_parser("remove", help="put a model into the bin", allow_abbrev=False)
    remove.add_argument("model", metavar="NAME")
    remove.add_argument("--permanently", action="store_true", help="delete it instead")
    remove.add_argument("--dry-run", action="store_true", help="only say what would go")
    _add_json(remove)
    token = actions.add_parser("token", help="keep a token, typed in or from stdin, in the keyring", allow_abbrev=False)
    token.add_argument("host", metavar="HOST", nargs="?", default="", help="default: the hub's")
    token.add_argument("--remove", action="store_true", help="take it out of the keyring")
    _add_json(token)


def _add_engine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser)
    build = actions.add_parser("build", help="build engines for TensorRT-RTX; no GPU needed", allow_abbrev=False)
    build.add_argument("--model", metavar="NAME|PATH", help="a model, or a diffusers folder (default: starter)")
    build.add_argument(
        "--precision",
        type=Choice(Precision, "precision"),
        default=Precision.auto,
        metavar="NAME",
        help="bf16, fp16, or fp8 for the drawing network (default: bf16)",
    )
    build.add_argument(
        "--part", metavar="NAME", action="append", default=[], help="only this network; may be repeated (default: all)"
    )
    build.add_argument(
        "--weights", metavar="KIND", default="placeholder", help="placeholder, input or regions (default: placeholder)"
    )
    build.add_argument("--capability", metavar="N.N", help="for GPUs of this compute capability only (default: all)")
    build.add_argument(
        "--into", metavar="FOLDER", type=parse_file, help="keep them there (default: where sessions look)"
    )
    build.add_argument("--rebuild", action="store_true", help="also what is there already")
    _add_json(build)
    _add_json(actions.add_parser("list", help="all engines", allow_abbrev=False))
    remove = actions.add_parser("remove", help="delete engines", allow_abbrev=False)
    remove.add_argument("name", metavar="NAME", nargs="*")
    remove.add_argument("--all", action="store_true", help="all of them, and damaged ones that were set aside")
    _add_json(remove)


def _add_cache(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser)
    _add_json(actions.add_parser("list", help="the kernels that were compiled on this machine", allow_abbrev=False))
    clear = actions.add_parser("clear", help="delete them; they are made again when needed", allow_abbrev=False)
    clear.add_argument("name", metavar="NAME", nargs="*", help="default: all, and damaged ones that were set aside")
    _add_json(clear)
    export = actions.add_parser("export", help="write them into one file for a machine like this", allow_abbrev=False)
    export.add_argument("file", metavar="FILE", type=parse_file)
    export.add_argument("name", metavar="NAME", nargs="*", help="default: all")
    _add_json(export)
    take = actions.add_parser("import", help="take them in from a machine like this", allow_abbrev=False)
    take.add_argument("file", metavar="FILE", type=parse_file)
    _add_json(take)


def _add_proof(commands: argparse._SubParsersAction[_Parser]) -> None:
    bench = commands.add_parser(
        "bench", help="measure this machine, baseline and candidates in turns", allow_abbrev=False
    )
    bench.add_argument(
        "--suite", metavar="NAME", default="quick", help="quick, adaptive, precision or full (default: quick)"
    )
    bench.add_argument(
        "--only",
        metavar="PART",
        action="append",
        default=[],
        help="pictures, sequence or starts; may be repeated (default: all that the suite has)",
    )
    bench.add_argument("--autotune", action="store_true", help="adaptive: also max-autotune, which takes minutes")
    bench.add_argument("--against", metavar="FILE", help="a record to compare with (default: the last one like it)")
    validate = commands.add_parser(
        "validate", help="judge whether a backend and precision draw right", allow_abbrev=False
    )
    profile = commands.add_parser("profile", help="show where the time goes", allow_abbrev=False)
    profile.add_argument("--trace", metavar="FILE", help="write a trace for Chrome's and Perfetto's viewers")
    for parser in (validate, profile):
        parser.add_argument("--size", metavar="WxH", type=parse_size, help="pixels (default: the model's own)")
    for parser in (bench, validate, profile):
        parser.add_argument("--steps", metavar="N", type=Whole("number of steps"), help="denoising steps")
        parser.add_argument(
            "--model", metavar="NAME|PATH|random:NAME", help="random: has that architecture and random weights"
        )
        for kind, name in ((Backend, "backend"), (Precision, "precision")):
            parser.add_argument(
                f"--{name}", type=Choice(kind, name), default=kind.auto, metavar="NAME", help=one_of(kind)
            )
        parser.add_argument("--json", metavar="FILE", help="write the record there as JSON too; - is stdout")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer with one JSON object on stdout")
