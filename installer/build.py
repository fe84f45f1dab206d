"""Builds Firstlight for Windows, on Linux: `python -m installer.build`. installer/README.md says what it needs.

Writes into --out: Firstlight-<version>-setup.exe, with --offline Firstlight-<version>-setup-offline.exe, the wheel for
Linux, a sha256 beside each, and the bill of materials. Two builds of one commit are byte-identical but for signatures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

if __package__ in {None, ""}:  # as `python installer/build.py`
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installer import inputs, payload, release, script
from installer.payload import Update
from installer.script import Setup
from installer.steps import BuildError, fresh_folder, run

OURS = ("Firstlight.exe", "firstlight.com", "python.exe", "pythonw.exe", "python3.dll")


def make_parser() -> argparse.ArgumentParser:
    """The command line of the build."""
    parser = argparse.ArgumentParser(prog="python -m installer.build", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("dist"), help="where the artefacts go (default: dist)")
    parser.add_argument("--work", type=Path, default=Path("build/installer"), help="a folder to work in")
    parser.add_argument("--cache", type=Path, help="where downloads are kept (default: WORK-cache)")
    parser.add_argument("--commit", default="HEAD", help="the commit to build: what is not committed is not built")
    parser.add_argument(
        "--compression", choices=script.COMPRESSIONS, default="lzma", help="none and zlib are for tests"
    )
    parser.add_argument("--offline", action="store_true", help="also make the setup with the engine's wheels beside")
    parser.add_argument(
        "--bundle-nvidia",
        action="store_true",
        help="put NVIDIA's wheels into the offline setup: only for whoever has cleared their licence; never publish",
    )
    parser.add_argument("--certificate", type=Path, help="certificate chain (PEM) to sign with")
    parser.add_argument("--key", type=Path, help="its private key (PEM), or pkcs11:...")
    parser.add_argument("--timestamp", default="", metavar="URL", help="server of time stamps")
    parser.add_argument("--update-url", default="", help="https address of the update manifest; none: no update check")
    parser.add_argument("--update-key", default="", help="its Ed25519 public key, 64 hexadecimal digits")
    return parser


def build(args: argparse.Namespace) -> list[Path]:
    """Make everything asked for and return the artefacts.

    Raises:
        BuildError: in words.
    """
    if bool(args.certificate) != bool(args.key) or bool(args.update_url) != bool(args.update_key):
        raise BuildError("--certificate and --key go together, and so do --update-url and --update-key")
    if args.bundle_nvidia and not args.offline:
        raise BuildError("--bundle-nvidia concerns the offline setup: give --offline, too")
    out, work = args.out.resolve(), args.work.resolve()
    cache = (args.cache or work.with_name(work.name + "-cache")).resolve()
    out.mkdir(parents=True, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)
    source = payload.take_source(args.commit, work)
    _say(f"Firstlight {source.version} of commit {source.commit[:12]}")
    made = payload.fill(source, cache, work, Update(args.update_url, args.update_key))
    _say(f"{len(payload.list_files(made.app))} files")
    signer = script.sign_command(args.certificate, args.key, args.timestamp) if args.certificate else ()
    if signer:
        for name in OURS:
            run([*signer, made.app / name])
        run([*signer, made.tidy])
    setup = out / f"Firstlight-{source.version}-setup.exe"
    script.make_setup(made, source, Setup(setup, args.compression, None, signer), work)
    artefacts = [setup]
    if args.offline:
        wheels = _gather_wheels(cache, work, nvidia=args.bundle_nvidia)
        offline = out / f"Firstlight-{source.version}-setup-offline.exe"
        script.make_setup(made, source, Setup(offline, "zlib", wheels, signer), work)
        artefacts.append(offline)
    artefacts.append(Path(shutil.copy(made.wheel, out)))
    artefacts += [release.write_sha256(path) for path in artefacts]
    bill = out / f"Firstlight-{source.version}.cdx.json"
    release.write_sbom(bill, source, made.debs)
    return [*artefacts, bill]


def _gather_wheels(cache: Path, work: Path, *, nvidia: bool) -> Path:
    folder = fresh_folder(work / "wheels")
    for part in ("engine", "nvidia") if nvidia else ("engine",):
        for wheel in inputs.fetch_wheels(part, cache):
            shutil.copyfile(wheel, folder / wheel.name)
    payload.write_list(folder)
    return folder


def main() -> int:
    """Build, and say what came out."""
    started = time.monotonic()
    args = make_parser().parse_args()
    try:
        artefacts = build(args)
    except BuildError as error:
        sys.stderr.write(f"installer: {error}\n")
        return 1
    for path in artefacts:
        _say(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")
    _say(f"{time.monotonic() - started:.0f} s")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
